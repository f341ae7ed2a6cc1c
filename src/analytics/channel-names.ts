/** The channels that a query names in one or more `channel` parameters. */
import { invalidField } from '../errors.ts'
import type { Bilingual } from '../field-texts/bilingual.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { Sensor } from '../stores/postgres/sensors/sensors.ts'

const MAX_LENGTH = 4_000
/** Channels that an error message names. */
const MAX_SUGGESTED = 50
export const suggested = (names: Iterable<string>): string | Bilingual =>
  [...names].slice(0, MAX_SUGGESTED).join(', ') || fieldText('none')

/** Each `channel` parameter of a URL. */
export const channelParameters = (url: string): string[] => new URL(url).searchParams.getAll('channel')

/**
 * One parameter is a list of names separated by commas, or the name of a channel that has commas in it. Several
 * parameters are one name each.
 * @throws AppError VALIDATION_FAILED
 */
export function channelList(texts: readonly string[], known: Pick<ReadonlySet<string>, 'has'>): string[] {
  for (const text of texts) {
    if (text === '') throw invalidField('query.channel', 'minLength', fieldText('notEmpty'))
    if (text.length > MAX_LENGTH)
      throw invalidField('query.channel', 'maxLength', fieldText('charactersAtMost', { most: MAX_LENGTH }))
  }
  return texts.length > 1 ? [...new Set(texts)] : listOf(texts[0] ?? '', known)
}

/** @throws AppError VALIDATION_FAILED for a name that no sensor has, unless there are no sensors */
export function channelNames(texts: readonly string[], sensors: readonly Sensor[]): string[] {
  const known = new Set(sensors.flatMap(({ channels }) => channels.map(({ name }) => name)))
  const names = channelList(texts, known)
  if (sensors.length === 0) return names
  const unknown = names.find((name) => !known.has(name))
  if (unknown === undefined) return names
  throw invalidField(
    'query.channel',
    'enum',
    fieldText(sensors.length === 1 ? 'channelUnknown' : 'channelOfNone', { name: unknown, channels: suggested(known) }),
  )
}

function listOf(text: string, known: Pick<ReadonlySet<string>, 'has'>): string[] {
  const names = [...new Set(text.split(',').map((name) => name.trim()))]
  if (known.has(text) && names.some((name) => !known.has(name))) return [text]
  if (names.some((name) => name === '')) throw invalidField('query.channel', 'list', fieldText('namesByCommas'))
  return names
}
