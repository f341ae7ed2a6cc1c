/** Fields of destinations in requests, and rules about them that a schema cannot say. */
import { type Static, Type } from '@sinclair/typebox'
import { normalizedEmail } from '../../access/sign-in/email-address.ts'
import { parseTime } from '../../analytics/time-range.ts'
import { headerProblem } from '../../destinations/header-rules.ts'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { SEVERITIES } from '../../stores/postgres/alerts/rule-schema.ts'
import { LANGUAGES, type Language } from '../../stores/postgres/destinations/addresses.ts'
import { DELIVERY_STATES } from '../../stores/postgres/destinations/deliveries.ts'
import { type Destination, KINDS } from '../../stores/postgres/destinations/destinations.ts'
import { FORMATS, type Format } from '../../stores/postgres/destinations/formats.ts'
import { EVENT_TYPES } from '../../stores/postgres/events/events.ts'
import { closed, name, pageQuery } from './request-schemas.ts'

const MAX_HEADERS = 20
const words = <const T extends string>(values: readonly T[]) => Type.Union(values.map((value) => Type.Literal(value)))
const names = (maxItems: number, maxLength: number, description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength }), { maxItems, uniqueItems: true, description })

const MAX_ADDRESSES = 20
const address = Type.String({ maxLength: 254 })

const fields = {
  name,
  url: Type.String({ maxLength: 2_000, description: 'Of a webhook: an https address on a public host' }),
  to: Type.Union([address, Type.Array(address, { minItems: 1, maxItems: MAX_ADDRESSES, uniqueItems: true })], {
    description:
      'Of e-mail: one address or up to 20. An address that is no member’s gets a link, and nothing else until it has confirmed; sending the addresses again sends a new link',
  }),
  language: words(LANGUAGES),
  events: Type.Array(words(EVENT_TYPES), { minItems: 1, maxItems: EVENT_TYPES.length, uniqueItems: true }),
  minSeverity: Type.Union([words(SEVERITIES), Type.Null()]),
  ruleIds: names(1_000, 64, 'Only events of these rules, where an event has a rule'),
  tags: names(20, 50, 'Only events of sensors that have one of these tags, where an event has a sensor'),
  groupSeconds: Type.Integer({
    minimum: 0,
    maximum: 3_600,
    description:
      'The first event of a rule is sent at once, and those that follow within this time as one message; 0 sends each by itself. By default 10 for slack and teams, 60 for e-mail, and 0 for the others; only 0 for pagerduty',
  }),
  repeatSeconds: Type.Union([Type.Integer({ minimum: 60, maximum: 86_400 }), Type.Null()], {
    description: 'How often a firing alert is sent again while nobody has acknowledged it; null sends none again',
  }),
  headers: Type.Record(Type.String(), Type.String({ maxLength: 4_000 }), {
    maxProperties: MAX_HEADERS,
    description: 'Headers to send, such as Authorization; they are written only, and read as `headerNames`',
  }),
}
const routingKey = Type.String({
  minLength: 1,
  maxLength: 255,
  description: 'Of a service in PagerDuty, for the format pagerduty alone; it is written only',
})
const optional = Type.Partial(
  Type.Pick(Type.Object(fields), ['minSeverity', 'ruleIds', 'tags', 'groupSeconds', 'repeatSeconds', 'headers']),
)
export const destinationInput = Type.Object(
  {
    kind: words(KINDS),
    format: Type.Optional(words(FORMATS)),
    name: fields.name,
    url: Type.Optional(fields.url),
    to: Type.Optional(fields.to),
    language: Type.Optional(fields.language),
    events: fields.events,
    routingKey: Type.Optional(routingKey),
    ...optional.properties,
  },
  closed,
)
export type NewDestination = Static<typeof destinationInput>
export const destinationChange = Type.Partial(Type.Object({ ...fields, routingKey, enabled: Type.Boolean() }), closed)
export const replayInput = Type.Object(
  {
    from: Type.String({ maxLength: 64, description: 'Start of the period, inclusive (RFC 3339)' }),
    to: Type.String({ maxLength: 64, description: 'End of the period, exclusive (RFC 3339)' }),
    failedOnly: Type.Optional(Type.Boolean({ description: 'Only events that were never delivered' })),
  },
  closed,
)

export const deliveryQuery = Type.Object(
  { ...pageQuery.properties, status: Type.Optional(words(DELIVERY_STATES)) },
  closed,
)

/** @throws AppError VALIDATION_FAILED */
export function checkHeaders(headers: Record<string, string> | undefined): void {
  const given = Object.entries(headers ?? {})
  const problem = given.map(([header, value]) => headerProblem(header, value)).find((text) => text !== undefined)
  if (problem !== undefined) throw invalidField('body.headers', 'header', problem)
  if (new Set(given.map(([header]) => header.toLowerCase())).size < given.length)
    throw invalidField('body.headers', 'uniqueItems', fieldText('headerTwice'))
}

type KindFields = {
  url?: string | undefined
  format?: Format | undefined
  headers?: object | undefined
  routingKey?: string | undefined
  to?: string | string[] | undefined
  language?: Language | undefined
}
const FIELDS_OF = { webhook: ['url', 'format', 'headers', 'routingKey'], email: ['to', 'language'] } as const

/** Fields of the other kind are refused. @throws AppError VALIDATION_FAILED */
export function checkKind(kind: Destination['kind'], given: KindFields): void {
  const other = kind === 'webhook' ? 'email' : 'webhook'
  for (const field of FIELDS_OF[other])
    if (given[field] !== undefined)
      throw invalidField(`body.${field}`, 'forbidden', fieldText('allowedWhen', { field: 'body.kind', value: other }))
}

/** @throws AppError VALIDATION_FAILED */
export function addressesOf(to: string | string[]): string[] {
  const given = typeof to === 'string' ? [to] : to
  const emails = given.map((one, i) => normalizedEmail(one, typeof to === 'string' ? 'body.to' : `body.to[${i}]`))
  if (new Set(emails).size < emails.length) throw invalidField('body.to', 'uniqueItems', fieldText('addressTwice'))
  return emails
}

const PAGERDUTY = { field: 'body.format', value: 'pagerduty' }

/** @throws AppError VALIDATION_FAILED */
export function checkRoutingKey(format: Format | null, key: string | undefined, isNew: boolean): void {
  const isPagerDuty = format === 'pagerduty'
  if (key !== undefined && !isPagerDuty)
    throw invalidField('body.routingKey', 'forbidden', fieldText('allowedWhen', PAGERDUTY))
  if (key === undefined && isPagerDuty && isNew)
    throw invalidField('body.routingKey', 'required', fieldText('requiredWhen', PAGERDUTY))
}

export const GROUP_SECONDS = { standard: 0, slack: 10, teams: 10, pagerduty: 0 } as const satisfies Record<
  Format,
  number
>
export const MAIL_GROUP_SECONDS = 60

/** A group would swallow the events that resolve incidents. @throws AppError VALIDATION_FAILED */
export function checkGroup(format: Format | null, seconds: number | undefined): void {
  if (format === 'pagerduty' && seconds !== undefined && seconds > 0)
    throw invalidField('body.groupSeconds', 'maximum', fieldText('valueWhen', { expected: 0, ...PAGERDUTY }))
}

/** @throws AppError VALIDATION_FAILED */
export function periodOf({ from, to }: { from: string; to: string }) {
  const [fromMs, toMs] = [parseTime('body.from', from, 0), parseTime('body.to', to, 0)]
  if (fromMs >= toMs) throw invalidField('body.from', 'order', fieldText('earlier', { field: 'body.to' }))
  return { from: new Date(fromMs), to: new Date(toMs) }
}
