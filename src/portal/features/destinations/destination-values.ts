/** The input of the form of destinations: its fields as people type them, the checks, and what is sent. */
import { t } from '../../text/text.ts'
import { durationText, secondsIn } from '../rules/durations.ts'
import type { Severity } from '../rules/rule-data.ts'
import type { Destination, DestinationChange, EventType, Format, Kind } from './destination-data.ts'

export const PAGERDUTY = 'https://events.pagerduty.com/v2/enqueue'
export const MAX_HEADERS = 20
const MOST_GROUP_S = 3_600
const [LEAST_REPEAT_S, MOST_REPEAT_S] = [60, 86_400]

/** Durations and addresses are texts; an empty duration is the default. */
export type DestinationValues = {
  kind: Kind
  name: string
  format: Format
  url: string
  to: string
  language: 'en' | 'ar'
  events: EventType[]
  minSeverity: Severity | ''
  ruleIds: string[]
  tags: string[]
  group: string
  repeat: string
}
export type Header = { name: string; value: string }
/** Not kept in the tab like the other values. Undefined headers stay as they are stored. */
export type Secrets = { headers: Header[] | undefined; routingKey: string }

export const newDestination = (language: 'en' | 'ar'): DestinationValues => ({
  kind: 'webhook',
  name: '',
  format: 'standard',
  url: '',
  to: '',
  language,
  events: ['alert.firing', 'alert.resolved'],
  minSeverity: '',
  ruleIds: [],
  tags: [],
  group: '',
  repeat: '',
})

export const valuesOf = (destination: Destination): DestinationValues => ({
  kind: destination.kind,
  name: destination.name,
  format: destination.format ?? 'standard',
  url: destination.url ?? '',
  to: destination.to.join('\n'),
  language: destination.language ?? 'en',
  events: destination.events,
  minSeverity: destination.minSeverity ?? '',
  ruleIds: destination.ruleIds,
  tags: destination.tags,
  group: durationText(destination.groupSeconds),
  repeat: destination.repeatSeconds === null ? '' : durationText(destination.repeatSeconds),
})

const addressesIn = (text: string): string[] => text.split(/[\s,،;]+/).filter((one) => one !== '')

/** Messages by the API's names of the fields; of a header, `headers.0`. */
export type Faults = Record<string, string>

export function faultsOf(values: DestinationValues, { headers = [] }: Secrets): Faults {
  const names = headers.map((header) => header.name.trim().toLowerCase())
  const ofHeaders = names.flatMap((header, i): [string, string][] => {
    if (header === '') return [[`headers.${i}`, t('destinations.headerMissing')]]
    return names.indexOf(header) < i ? [[`headers.${i}`, t('destinations.headerTwice')]] : []
  })
  const isMail = values.kind === 'email'
  const missing = (field: string, typed: string) =>
    typed.trim() === '' ? [[field, t('frame.invalid.missing')] as const] : []
  const duration = (field: string, typed: string, least: number, most: number) => {
    const seconds = secondsIn(typed)
    if (typed.trim() === '' || (seconds !== undefined && seconds >= least && seconds <= most)) return []
    const range = { least: durationText(least), most: durationText(most) }
    return [
      [field, seconds === undefined ? t('rules.wrong.duration') : t('destinations.durationRange', range)] as const,
    ]
  }
  return Object.fromEntries([
    ...missing('name', values.name),
    ...(isMail ? missing('to', values.to) : missing('url', values.url)),
    ...(values.events.length === 0 ? [['events', t('destinations.noEvents')] as const] : []),
    ...(values.format === 'pagerduty' ? [] : duration('groupSeconds', values.group, 0, MOST_GROUP_S)),
    ...duration('repeatSeconds', values.repeat, LEAST_REPEAT_S, MOST_REPEAT_S),
    ...(isMail ? [] : ofHeaders),
  ])
}

/** Without what is chosen once: the kind, and the form of the messages. */
export function sentOf(values: DestinationValues, { headers, routingKey }: Secrets) {
  const groupSeconds = values.kind === 'webhook' && values.format === 'pagerduty' ? undefined : secondsIn(values.group)
  const own =
    values.kind === 'email'
      ? { to: addressesIn(values.to), language: values.language }
      : {
          url: values.url.trim(),
          ...(headers && { headers: Object.fromEntries(headers.map(({ name, value }) => [name.trim(), value])) }),
          ...(values.format === 'pagerduty' && routingKey.trim() !== '' && { routingKey: routingKey.trim() }),
        }
  return {
    ...own,
    name: values.name.trim(),
    events: values.events,
    minSeverity: values.minSeverity === '' ? null : values.minSeverity,
    ruleIds: values.ruleIds,
    tags: values.tags,
    ...(groupSeconds !== undefined && { groupSeconds }),
    repeatSeconds: secondsIn(values.repeat) ?? null,
  }
}

/** What differs from the stored record. */
export function changesOf(before: Destination, after: ReturnType<typeof sentOf>): DestinationChange {
  const stored = before as Record<string, unknown>
  const different = Object.entries(after).filter(
    ([field, value]) => JSON.stringify(value) !== JSON.stringify(stored[field]),
  )
  return Object.fromEntries(different) as DestinationChange
}
