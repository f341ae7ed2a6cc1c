/** The input of the form of destinations: its fields as people type them, the checks, and what is sent. */
import { t } from '../../text/text.ts'
import type { Severity } from '../rules/rule-data.ts'
import type { Destination, DestinationChange, EventType, Format } from './destination-data.ts'

export const PAGERDUTY = 'https://events.pagerduty.com/v2/enqueue'
export const MAX_HEADERS = 20

export type DestinationValues = {
  name: string
  format: Format
  url: string
  events: EventType[]
  minSeverity: Severity | ''
  ruleIds: string[]
  tags: string[]
}
export type Header = { name: string; value: string }
/** Not kept in the tab like the other values. Undefined headers stay as they are stored. */
export type Secrets = { headers: Header[] | undefined; routingKey: string }

export const NEW_DESTINATION: DestinationValues = {
  name: '',
  format: 'standard',
  url: '',
  events: ['alert.firing', 'alert.resolved'],
  minSeverity: '',
  ruleIds: [],
  tags: [],
}

export const valuesOf = (destination: Destination): DestinationValues => ({
  name: destination.name,
  format: destination.format,
  url: destination.url,
  events: destination.events,
  minSeverity: destination.minSeverity ?? '',
  ruleIds: destination.ruleIds,
  tags: destination.tags,
})

/** Messages by the API's names of the fields; of a header, `headers.0`. */
export type Faults = Record<string, string>

export function faultsOf({ name, url, events }: DestinationValues, { headers = [] }: Secrets): Faults {
  const names = headers.map((header) => header.name.trim().toLowerCase())
  const ofHeaders = names.flatMap((header, i): [string, string][] => {
    if (header === '') return [[`headers.${i}`, t('destinations.headerMissing')]]
    return names.indexOf(header) < i ? [[`headers.${i}`, t('destinations.headerTwice')]] : []
  })
  return Object.fromEntries([
    ...(name.trim() === '' ? [['name', t('frame.invalid.missing')]] : []),
    ...(url.trim() === '' ? [['url', t('frame.invalid.missing')]] : []),
    ...(events.length === 0 ? [['events', t('destinations.noEvents')]] : []),
    ...ofHeaders,
  ])
}

/** Without the form of its messages, which is chosen once. */
export function sentOf(values: DestinationValues, { headers, routingKey }: Secrets) {
  return {
    name: values.name.trim(),
    url: values.url.trim(),
    events: values.events,
    minSeverity: values.minSeverity === '' ? null : values.minSeverity,
    ruleIds: values.ruleIds,
    tags: values.tags,
    ...(headers && { headers: Object.fromEntries(headers.map(({ name, value }) => [name.trim(), value])) }),
    ...(values.format === 'pagerduty' && routingKey.trim() !== '' && { routingKey: routingKey.trim() }),
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
