/** Words for events in chats and pagers, in English. */

export type WebhookEvent = { id: string; type: string; timestamp: string; data: Readonly<Record<string, unknown>> }
/** Events of one rule that followed its first one within the seconds of a destination's group. */
export type EventGroup = {
  id: string
  type: 'group'
  timestamp: string
  data: { ruleId: string; count: number; events: readonly WebhookEvent[] }
}
export type WebhookMessage = WebhookEvent | EventGroup

export type Words = {
  title: string
  /** Of a single event: what its data says. */
  facts: readonly { label: string; value: string }[]
  /** Of a group: its first events, a line each. */
  lines: readonly string[]
  link: string | undefined
}

const HEADINGS: Readonly<Record<string, string>> = {
  'alert.firing': 'Alert',
  'alert.resolved': 'Resolved',
  'zone.entered': 'Zone entered',
  'zone.left': 'Zone left',
  'zone.dwelled': 'Stayed in zone',
  'sensor.state': 'State of a sensor',
  'job.finished': 'Job finished',
  'run.failed': 'Run failed',
  'credits.low': 'Credits are low',
  'key.expiring': 'A key expires',
  'tool-api.held': 'Hold of a Tool API',
  'tool-api.refusing': 'A Tool API refuses calls',
  'destination.disabled': 'A destination was disabled',
  'destination.test': 'Test of this destination',
}

/** With these, a message is below the limits of all forms in every script; the tests have the figures. */
const NAME_CHARACTERS = 200
const FACTS = 12
const LINES = 10

/** One line of a name or value, cut with an ellipsis. */
function plain(text: string): string {
  const line = text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
  const characters = [...line.trim()]
  return characters.length <= NAME_CHARACTERS
    ? characters.join('')
    : `${characters.slice(0, NAME_CHARACTERS - 1).join('')}…`
}

export const isGroup = (message: WebhookMessage): message is EventGroup => message.type === 'group'

/** Undefined for one that is missing, deleted or blank. */
export function nameIn({ data }: WebhookEvent, key: 'ruleName' | 'sensorName'): string | undefined {
  const name = data[key]
  return typeof name === 'string' ? plain(name) || undefined : undefined
}

export function titleOf(event: WebhookEvent): string {
  const heading = HEADINGS[event.type] ?? plain(event.type)
  const names = [nameIn(event, 'ruleName'), nameIn(event, 'sensorName')].filter((name) => name !== undefined)
  return names.length === 0 ? heading : `${heading}: ${names.join(', ')}`
}

/** `firedAt` becomes "Fired at". */
function labelOf(field: string): string {
  const words = plain(field.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase())
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Fields with one value, without ids, the sequence, the link, and what is false. */
function factsOf({ data }: WebhookEvent): Words['facts'] {
  return Object.entries(data)
    .filter(([field, value]) => {
      if (/^id$|Ids?$|^(sequence|link)$/.test(field)) return false
      return (typeof value === 'string' && value !== '') || typeof value === 'number' || value === true
    })
    .slice(0, FACTS)
    .map(([field, value]) => ({ label: labelOf(field), value: value === true ? 'Yes' : plain(String(value)) }))
}

const linkOf = ({ data }: WebhookEvent): string | undefined =>
  typeof data.link === 'string' && /^https?:\/\//.test(data.link) && URL.canParse(data.link)
    ? new URL(data.link).href
    : undefined

export function wordsOf(message: WebhookMessage): Words {
  if (!isGroup(message)) return { title: titleOf(message), facts: factsOf(message), lines: [], link: linkOf(message) }
  const { ruleId, count, events } = message.data
  const [first] = events
  const ruleName = first && nameIn(first, 'ruleName')
  const lines = events.slice(0, LINES).map(titleOf)
  return {
    title: `${count} events: ${ruleName ?? plain(ruleId)}`,
    facts: [],
    lines: count > lines.length ? [...lines, `and ${count - lines.length} more`] : lines,
    link: first === undefined ? undefined : linkOf(first),
  }
}

export const bytesOf = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value))
