/** The rows of a CSV of sensors: the meaning of each column, and broken rules. */

import { t } from '../../../text/text.ts'
import { extraCells } from '../../../ui/table/csv-rows.ts'
import type { ChannelDraft, Measurement } from '../channels-editor.tsx'
import { tagsIn } from '../tags-editor.tsx'

export const FIELDS = ['name', 'externalId', 'asset', 'tags', 'channels'] as const
export type ImportField = (typeof FIELDS)[number]
/** Numbers of columns, from 0. */
export type Mapping = Partial<Record<ImportField, number>>

export type NewSensor = {
  name: string
  externalId?: string
  assetName?: string
  tags: string[]
  channels: { name: string; measurement: Measurement; unit?: string }[]
}

const LONGEST_NAME = 200
const LONGEST_TAG = 50
const LONGEST_UNIT = 50
const MAX_TAGS = 20
const MAX_CHANNELS = 1_000

/** Usual names of these columns. */
const NAMES: Record<ImportField, RegExp> = {
  name: /^(sensor[ _-]?)?name$|^sensor$|^(device|title|label)$|^الاسم$|^اسم المستشعر$|^المستشعر$/i,
  externalId: /^external[ _-]?id$|^(dev[ _-]?eui|imei|serial([ _-]?number)?)$|^المعرّف الخارجي$/i,
  asset: /^asset([ _-]?name)?$|^(machine|site|location|vehicle)$|^الأصل$|^اسم الأصل$/i,
  tags: /^(tags?|labels|groups?)$|^الوسوم$|^الوسم$/i,
  channels: /^(channels?|measurements?)$|^القنوات$|^القناة$/i,
}

/** @returns which columns have known names; none if the first row has no names of columns */
export function guessMapping(first: readonly string[]): Mapping {
  const mapping: Mapping = {}
  for (const [i, title] of first.entries())
    for (const field of FIELDS) if (mapping[field] === undefined && NAMES[field].test(title.trim())) mapping[field] = i
  return mapping
}

const KINDS: Record<string, Measurement> = {
  number: 'number',
  decimal: 'number',
  float: 'number',
  عدد: 'number',
  whole: 'whole',
  integer: 'whole',
  int: 'whole',
  'عدد صحيح': 'whole',
  boolean: 'boolean',
  bool: 'boolean',
  'صواب أو خطأ': 'boolean',
}

export type Seen = { names: Map<string, number>; externalIds: Map<string, number> }

type Judged = { sensor: NewSensor; faults?: never } | { sensor?: never; faults: string[] }

/** Channels as `temperature:number:°C; door:boolean`. The kind may be left out. */
function channelsIn(text: string, faults: string[]): NewSensor['channels'] {
  const channels: NewSensor['channels'] = []
  for (const part of text.split(/[;؛|\n]/)) {
    if (part.trim() === '') continue
    const [name = '', second = '', ...more] = part.split(':').map((word) => word.trim())
    const kind = KINDS[second.toLowerCase()]
    const isKind = kind !== undefined || second === ''
    const unit = (isKind ? more : [second, ...more]).join(':')
    if (!isKind && more.length > 0) faults.push(t('importSensors.kindRule', { name, kind: second }))
    const measurement = kind ?? 'number'
    channels.push({ name, measurement, ...(unit !== '' && measurement !== 'boolean' && { unit }) })
  }
  return channels
}

function checkChannels(channels: NewSensor['channels'], faults: string[]): void {
  if (channels.length === 0) faults.push(t('importSensors.channelsMissing'))
  if (channels.length > MAX_CHANNELS) faults.push(t('importSensors.channelsRule', { count: MAX_CHANNELS }))
  const seen = new Set<string>()
  for (const { name, unit = '' } of channels) {
    if (name === '' || name.length > LONGEST_NAME) faults.push(t('sensorForm.channelRule'))
    else if (seen.has(name)) faults.push(t('sensorForm.channelTwice', { name }))
    if (unit.length > LONGEST_UNIT) faults.push(t('importSensors.unitRule', { name }))
    seen.add(name)
  }
}

export const usableChannels = (drafts: readonly ChannelDraft[]): NewSensor['channels'] =>
  drafts
    .filter(({ name }) => name.trim() !== '')
    .map(({ name, measurement, unit }) => ({
      name: name.trim(),
      measurement,
      ...(measurement !== 'boolean' && unit.trim() !== '' && { unit: unit.trim() }),
    }))

/**
 * @param width number of columns in the file
 * @param usual the channels of rows without channels
 * @param seen names and external ids of the previous rows, with their numbers
 */
export function judgeRow(
  row: readonly string[],
  width: number,
  mapping: Mapping,
  usual: NewSensor['channels'],
  seen: Seen,
  number: number,
): Judged {
  const textOf = (field: ImportField): string => {
    const column = mapping[field]
    return column === undefined ? '' : (row[column] ?? '').trim()
  }
  const faults: string[] = []
  const extra = extraCells(row, width)
  if (extra !== undefined) faults.push(t('importSensors.tooManyCells', { text: extra }))
  const [name, assetName] = [textOf('name'), textOf('asset')]
  if (name === '') faults.push(t('importSensors.nameMissing'))
  if (name.length > LONGEST_NAME) faults.push(t('importSensors.nameRule', { count: name.length }))
  const before = seen.names.get(name)
  if (name !== '' && before !== undefined) faults.push(t('importSensors.nameTwice', { name, row: before }))
  if (assetName.length > LONGEST_NAME) faults.push(t('importSensors.assetRule', { count: assetName.length }))
  const externalId = textOf('externalId')
  if (externalId.length > LONGEST_NAME) faults.push(t('importSensors.externalIdRule', { count: externalId.length }))
  const holder = seen.externalIds.get(externalId)
  if (externalId !== '' && holder !== undefined)
    faults.push(t('importSensors.externalIdTwice', { name: externalId, row: holder }))
  const tags = tagsIn(textOf('tags'))
  if (tags.length > MAX_TAGS) faults.push(t('sensorForm.mostTags', { count: MAX_TAGS }))
  if (tags.some((tag) => tag.length > LONGEST_TAG)) faults.push(t('sensors.tagRule'))
  const own = textOf('channels')
  const channels = own === '' ? usual : channelsIn(own, faults)
  checkChannels(channels, faults)
  if (faults.length > 0) return { faults }
  seen.names.set(name, number)
  if (externalId !== '') seen.externalIds.set(externalId, number)
  return {
    sensor: { name, ...(externalId !== '' && { externalId }), ...(assetName !== '' && { assetName }), tags, channels },
  }
}
