/** The input of the form of fleet keys: its fields as people type them, the checks, and what is sent. */
import { formatList } from '../../text/format.ts'
import { t } from '../../text/text.ts'
import { type ChannelDraft, channelBodies, channelFaults } from '../sensors/channels-editor.tsx'
import { tagsIn } from '../sensors/tags-editor.tsx'
import type { FleetKey, FleetKeyChange, Template } from './fleet-key-data.ts'

export const AUTO_CREATE = ['off', 'pending', 'on'] as const satisfies readonly FleetKey['autoCreate'][]
export const CHANNEL_NAMES = ['field', 'measurement.field'] as const satisfies readonly FleetKey['channelNames'][]
export const UNKNOWN_CHANNELS = ['refuse', 'ignore'] as const satisfies readonly FleetKey['unknownChannels'][]

export type TemplateValues = { channels: ChannelDraft[]; newTags: string[] }

/** `channelTags` is a text with commas; of `sensorTag` and `sensor`, the one that `naming` names is sent. */
export type FleetKeyValues = TemplateValues & {
  name: string
  tags: string[]
  autoCreate: FleetKey['autoCreate']
  naming: 'tag' | 'pattern'
  sensorTag: string
  sensor: string
  channelNames: FleetKey['channelNames']
  channelTags: string
  unknownChannels: FleetKey['unknownChannels']
  /** Of a new key, as a local date and time. */
  expires: string
}

const MAX_CHANNEL_TAGS = 10
const LONGEST_TAG_NAME = 100
/** As the API has it. */
const PATTERN = /^[^{}]*(\{[^{}]+\}[^{}]*)+$/

export const newFleetKey = (): FleetKeyValues => ({
  name: '',
  tags: [],
  autoCreate: 'pending',
  channels: [],
  newTags: [],
  naming: 'tag',
  sensorTag: '',
  sensor: '',
  channelNames: 'field',
  channelTags: '',
  unknownChannels: 'refuse',
  expires: '',
})

export const valuesOf = (key: FleetKey): FleetKeyValues => ({
  name: key.name,
  tags: key.tags,
  autoCreate: key.autoCreate,
  channels: (key.template?.channels ?? []).map(({ name, measurement, unit = '' }) => ({ name, measurement, unit })),
  newTags: key.template?.tags ?? [],
  naming: key.sensor === null ? 'tag' : 'pattern',
  sensorTag: key.sensorTag ?? '',
  sensor: key.sensor ?? '',
  channelNames: key.channelNames,
  channelTags: key.channelTags.join(', '),
  unknownChannels: key.unknownChannels,
  expires: '',
})

/** Messages by the API's names of the fields. */
export type Faults = Record<string, string>

export const templateFaults = ({ channels }: TemplateValues): Faults =>
  Object.fromEntries(Object.entries(channelFaults(channels)).map(([field, text]) => [`template.${field}`, text]))

export function faultsOf(values: FleetKeyValues): Faults {
  const tags = tagsIn(values.channelTags)
  return {
    ...(values.name.trim() === '' && { name: t('frame.invalid.missing') }),
    ...(values.autoCreate !== 'off' && templateFaults(values)),
    ...(values.naming === 'pattern' &&
      !PATTERN.test(values.sensor.trim()) && { sensor: t('fleetKeys.patternRule', { example: '{host}' }) }),
    ...((tags.length > MAX_CHANNEL_TAGS || tags.some((tag) => tag.length > LONGEST_TAG_NAME)) && {
      channelTags: t('fleetKeys.channelTagsRule', { count: MAX_CHANNEL_TAGS, length: LONGEST_TAG_NAME }),
    }),
  }
}

/** Undefined for a template that says nothing: channels come from the first reading then. */
export function templateOf({ channels, newTags }: TemplateValues): Template | undefined {
  if (channels.length + newTags.length === 0) return undefined
  return {
    ...(channels.length > 0 && { channels: channelBodies(channels) }),
    ...(newTags.length > 0 && { tags: newTags }),
  }
}

/** All settings, without the end of the key. */
export const sentOf = (values: FleetKeyValues) => ({
  name: values.name.trim(),
  tags: values.tags,
  autoCreate: values.autoCreate,
  template: values.autoCreate === 'off' ? null : (templateOf(values) ?? null),
  sensorTag: (values.naming === 'tag' && values.sensorTag.trim()) || null,
  sensor: values.naming === 'pattern' ? values.sensor.trim() : null,
  channelNames: values.channelNames,
  channelTags: tagsIn(values.channelTags),
  unknownChannels: values.unknownChannels,
})

/** What differs from the stored record. */
export function changesOf(before: FleetKey, after: ReturnType<typeof sentOf>): FleetKeyChange {
  const stored = sentOf(valuesOf(before)) as Record<string, unknown>
  const different = Object.entries(after).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(stored[field]),
  )
  return Object.fromEntries(different) as FleetKeyChange
}

const LABELS = {
  name: 'fleetKeys.name',
  tags: 'fleetKeys.tags',
  autoCreate: 'fleetKeys.autoCreate',
  template: 'fleetKeys.template',
  sensorTag: 'fleetKeys.sensorTag',
  sensor: 'fleetKeys.sensor',
  channelNames: 'fleetKeys.channelNames',
  channelTags: 'fleetKeys.channelTags',
  unknownChannels: 'fleetKeys.unknownChannels',
} as const satisfies Record<keyof FleetKeyChange, string>

/** A change in words, for the question when two people change a key. */
export const changeWords = {
  labelOf: (field: keyof FleetKeyChange & string) => t(LABELS[field]),
  textOf(field: keyof FleetKeyChange & string, version: FleetKey | FleetKeyChange): string {
    const { autoCreate = 'off', channelNames = 'field', unknownChannels = 'refuse', template } = version
    switch (field) {
      case 'autoCreate':
        return t(`fleetKeys.autoCreates.${autoCreate}`)
      case 'channelNames':
        return t(`fleetKeys.channelNameKinds.${channelNames === 'field' ? 'field' : 'both'}`)
      case 'unknownChannels':
        return t(`fleetKeys.unknownChannelKinds.${unknownChannels}`)
      case 'template':
        return formatList([...(template?.channels ?? []).map(({ name }) => name), ...(template?.tags ?? [])]) || '–'
      case 'tags':
      case 'channelTags':
        return formatList(version[field] ?? []) || '–'
      default:
        return version[field] ?? '–'
    }
  },
}
