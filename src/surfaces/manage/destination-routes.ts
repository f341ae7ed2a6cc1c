/** Routes for destinations of events, their secrets and their deliveries. */
import { type Static, Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS } from '../../access/authorization.ts'
import { normalizedEmail } from '../../access/sign-in/email-address.ts'
import { parseTime } from '../../analytics/time-range.ts'
import { newSecrets, openSecrets, rotated, sealSecrets } from '../../destinations/destination-secrets.ts'
import { standardBody } from '../../destinations/forms/standard.ts'
import { headerProblem } from '../../destinations/header-rules.ts'
import { checkTarget } from '../../destinations/targets.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { both, integer, object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { getEnterprise } from '../../stores/postgres/accounts/enterprises.ts'
import { SEVERITIES } from '../../stores/postgres/alerts/rule-schema.ts'
import { LANGUAGES, type Language } from '../../stores/postgres/destinations/addresses.ts'
import {
  addTest,
  DELIVERY_STATES,
  getDelivery,
  listDeliveries,
  replayEvents,
  resendDelivery,
} from '../../stores/postgres/destinations/deliveries.ts'
import * as destinations from '../../stores/postgres/destinations/destinations.ts'
import { FORMATS, type Format } from '../../stores/postgres/destinations/formats.ts'
import { EVENT_TYPES } from '../../stores/postgres/events/events.ts'
import { newId } from '../../stores/postgres/ids.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import type { ManageDeps } from './deps.ts'
import { operation } from './operation.ts'
import { closed, name, pageOf, pageQuery } from './request-schemas.ts'
import { deleted } from './response-schemas.ts'
import { ENTERPRISE } from './subject-paths.ts'

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
const destinationInput = Type.Object(
  {
    kind: words(destinations.KINDS),
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
type NewDestination = Static<typeof destinationInput>
const destinationChange = Type.Partial(Type.Object({ ...fields, routingKey, enabled: Type.Boolean() }), closed)
const replayInput = Type.Object(
  {
    from: Type.String({ maxLength: 64, description: 'Start of the period, inclusive (RFC 3339)' }),
    to: Type.String({ maxLength: 64, description: 'End of the period, exclusive (RFC 3339)' }),
    failedOnly: Type.Optional(Type.Boolean({ description: 'Only events that were never delivered' })),
  },
  closed,
)

const deliveryQuery = Type.Object({ ...pageQuery.properties, status: Type.Optional(words(DELIVERY_STATES)) }, closed)

const DESTINATION = `${ENTERPRISE}/destinations/:destinationId` as const
const DELIVERIES = `${DESTINATION}/deliveries` as const
const rights = { of: 'owner', for: MANAGERS } as const
/** Of a webhook. */
const newSecret = object({ secret: string }, [])
const toJson = destinations.destinationToJson

/** @throws AppError VALIDATION_FAILED */
function checkHeaders(headers: Record<string, string> | undefined): void {
  const given = Object.entries(headers ?? {})
  const problem = given.map(([header, value]) => headerProblem(header, value)).find((text) => text !== undefined)
  if (problem !== undefined) throw invalidField('body.headers', 'header', problem)
  if (new Set(given.map(([header]) => header.toLowerCase())).size < given.length)
    throw invalidField('body.headers', 'uniqueItems', 'must not have a header twice')
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
function checkKind(kind: destinations.Destination['kind'], given: KindFields): void {
  const other = kind === 'webhook' ? 'email' : 'webhook'
  for (const field of FIELDS_OF[other])
    if (given[field] !== undefined) throw invalidField(`body.${field}`, 'forbidden', `is for the kind ${other} alone`)
}

/** @throws AppError VALIDATION_FAILED */
function addressesOf(to: string | string[]): string[] {
  const given = typeof to === 'string' ? [to] : to
  const emails = given.map((one, i) => normalizedEmail(one, typeof to === 'string' ? 'body.to' : `body.to[${i}]`))
  if (new Set(emails).size < emails.length)
    throw invalidField('body.to', 'uniqueItems', 'must not have an address twice')
  return emails
}

/** @throws AppError VALIDATION_FAILED */
function checkRoutingKey(format: Format | null, key: string | undefined, isNew: boolean): void {
  if (key !== undefined && format !== 'pagerduty')
    throw invalidField('body.routingKey', 'forbidden', 'is for the format pagerduty alone')
  if (key === undefined && format === 'pagerduty' && isNew)
    throw invalidField('body.routingKey', 'required', 'is required for the format pagerduty')
}

const GROUP_SECONDS = { standard: 0, slack: 10, teams: 10, pagerduty: 0 } as const satisfies Record<Format, number>
const MAIL_GROUP_SECONDS = 60

/** A group would swallow the events that resolve incidents. @throws AppError VALIDATION_FAILED */
function checkGroup(format: Format | null, seconds: number | undefined): void {
  if (format === 'pagerduty' && seconds !== undefined && seconds > 0)
    throw invalidField('body.groupSeconds', 'maximum', 'must be 0 for the format pagerduty')
}

/** @throws AppError VALIDATION_FAILED */
function periodOf({ from, to }: { from: string; to: string }) {
  const [fromMs, toMs] = [parseTime('body.from', from, 0), parseTime('body.to', to, 0)]
  if (fromMs >= toMs) throw invalidField('body.from', 'order', fieldText('earlier', { field: 'body.to' }))
  return { from: new Date(fromMs), to: new Date(toMs) }
}

export function destinationRoutes({ db, idempotency, webhookAllow, addressMails, serverSecret }: ManageDeps) {
  function checkUrl(url: string | undefined): void {
    const problem = url === undefined ? undefined : checkTarget(url, webhookAllow)
    if (problem !== undefined) throw invalidField('body.url', problem.rule, problem.text)
  }
  /** @throws AppError VALIDATION_FAILED */
  function webhookOf(id: string, { url, format = 'standard', headers = {}, routingKey, groupSeconds }: NewDestination) {
    if (url === undefined) throw invalidField('body.url', 'required', fieldText('required'))
    checkUrl(url)
    checkHeaders(headers)
    checkRoutingKey(format, routingKey, true)
    checkGroup(format, groupSeconds)
    const { secret, secrets, publicKey } = newSecrets({ headers, routingKey })
    const sealedSecrets = sealSecrets(id, secrets, serverSecret)
    return {
      groupSeconds: GROUP_SECONDS[format],
      fields: { url, format, language: null, publicKey, headerNames: Object.keys(headers), sealedSecrets, to: [] },
      shown: { secret },
    }
  }
  /** @throws AppError VALIDATION_FAILED */
  function mailOf({ to, language = 'en' }: Pick<NewDestination, 'to' | 'language'>) {
    if (addressMails === undefined)
      throw invalidField('body.kind', 'mail', 'cannot be email: this server sends no mail')
    if (to === undefined) throw invalidField('body.to', 'required', fieldText('required'))
    const none = { url: null, format: null, publicKey: null, headerNames: [], sealedSecrets: null }
    return { groupSeconds: MAIL_GROUP_SECONDS, fields: { ...none, language, to: addressesOf(to) }, shown: {} }
  }
  const found = (request: Request, id: string) => destinations.getDestination(db, subjectOf(request), id)
  const recordOf = (request: Request, id: string): RecordToChange => ({
    kind: 'destination',
    id,
    read: async (tx) => toJson(await destinations.getDestination(tx, subjectOf(request), id)),
  })

  return new Elysia({ name: 'manage-destinations' })
    .post(
      `${ENTERPRISE}/destinations`,
      async ({ request, body: { headers, routingKey, ...body } }) => {
        const enterpriseId = subjectOf(request)
        await getEnterprise(db, enterpriseId)
        const {
          kind,
          url,
          to,
          format: _,
          language: _language,
          minSeverity = null,
          repeatSeconds = null,
          ...given
        } = body
        checkKind(kind, { ...body, headers, routingKey })
        const id = newId('dst')
        const own = kind === 'email' ? mailOf(body) : webhookOf(id, { ...body, headers, routingKey })
        const input = {
          groupSeconds: own.groupSeconds,
          ruleIds: [],
          tags: [],
          ...given,
          ...own.fields,
          minSeverity,
          repeatSeconds,
          id,
          kind,
          enterpriseId,
        }
        return idempotency.kept(
          request,
          async (tx) => {
            const made = await destinations.createDestination(tx, callerOf(request), input)
            return { made, send: await addressMails?.ask(tx, made) }
          },
          ({ made }) => succeed(request, { ...toJson(made), ...own.shown }),
          async ({ send }) => send?.(),
        )
      },
      operation({
        summary: 'Create a destination',
        description:
          'Sends events of these types to a URL: in the form of Standard Webhooks, the default, or as a message for Slack, Microsoft Teams or PagerDuty (`https://events.pagerduty.com/v2/enqueue`). `secret` (`whsec_…`) checks the signatures `v1` and is shown only in this response; `publicKey` (`whpk_…`) checks the signatures `v1a`. An enterprise has at most 50 destinations. With the kind `email`, events are sent to addresses, in one mail at a time and at most one a minute for an address; it needs `SMTP_URL`.',
        rights,
        body: bodySchema(destinationInput),
        result: both(ref('Destination'), newSecret),
      }),
    )
    .get(
      `${ENTERPRISE}/destinations`,
      async ({ request, query }) => {
        await getEnterprise(db, subjectOf(request))
        const listed = await destinations.listDestinations(db, subjectOf(request), pageOf(query))
        return succeed(request, { ...listed, items: listed.items.map(toJson) })
      },
      operation({ summary: 'List destinations', rights, query: pageQuery, result: page(ref('Destination')) }),
    )
    .get(
      DESTINATION,
      async ({ request, params }) => succeedWithTag(request, toJson(await found(request, params.destinationId))),
      operation({ summary: 'Get a destination', rights, result: ref('Destination') }),
    )
    .patch(
      DESTINATION,
      async ({ request, params: { destinationId: id }, body: { headers, routingKey, to, ...body } }) => {
        checkUrl(body.url)
        checkHeaders(headers)
        const emails = to === undefined ? undefined : addressesOf(to)
        let send: (() => void) | undefined
        const changed = await changeSeen(request, db, recordOf(request, id), async (tx) => {
          const after = await destinations.updateDestination(
            tx,
            callerOf(request),
            { enterpriseId: subjectOf(request), id },
            (before) => {
              checkKind(before.kind, { ...body, headers, routingKey, to })
              checkRoutingKey(before.format, routingKey, false)
              checkGroup(before.format, body.groupSeconds)
              const given = { ...(headers && { headers }), ...(routingKey !== undefined && { routingKey }) }
              const { sealedSecrets: sealed } = before
              if (sealed === null || Object.keys(given).length === 0) return { ...body, to: emails }
              const secrets = { ...openSecrets(id, sealed, serverSecret), ...given }
              const sealedSecrets = sealSecrets(id, secrets, serverSecret)
              return { ...body, headerNames: Object.keys(secrets.headers), sealedSecrets }
            },
          )
          if (emails !== undefined) send = await addressMails?.ask(tx, after)
          return after
        })
        send?.()
        return succeedWithTag(request, toJson(changed))
      },
      operation({
        summary: 'Update a destination',
        description:
          'A destination that is switched off gets nothing: what is pending has failed, and events are recorded for a replay.',
        rights,
        body: bodySchema(destinationChange),
        result: ref('Destination'),
      }),
    )
    .delete(
      DESTINATION,
      async ({ request, params: { destinationId: id } }) => {
        await changeSeen(request, db, recordOf(request, id), (tx) =>
          destinations.deleteDestination(tx, callerOf(request), subjectOf(request), id),
        )
        return succeed(request, { id })
      },
      operation({
        summary: 'Delete a destination',
        description: 'Deletes the destination and its log of deliveries.',
        rights,
        result: deleted,
      }),
    )
    .post(
      `${DESTINATION}/secrets`,
      async ({ request, params: { destinationId: id } }) => {
        await found(request, id)
        return idempotency.kept(
          request,
          async (tx) => {
            let shown = ''
            await destinations.updateDestination(
              tx,
              callerOf(request),
              { enterpriseId: subjectOf(request), id },
              (old) => {
                if (old.sealedSecrets === null)
                  throw new AppError('CONFLICT', { message: 'A destination of mails has no secret.' })
                const { secret, secrets } = rotated(openSecrets(id, old.sealedSecrets, serverSecret), Date.now())
                shown = secret
                return { sealedSecrets: sealSecrets(id, secrets, serverSecret) }
              },
            )
            return shown
          },
          (secret) => succeed(request, { id, secret }),
        )
      },
      operation({
        summary: 'Rotate the secret of a destination',
        description: 'The new secret is shown only in this response. For 24 hours, the previous one signs too.',
        rights,
        result: object({ id: string, secret: string }),
      }),
    )
    .post(
      `${DESTINATION}/test`,
      async ({ request, params }) => {
        const destination = await found(request, params.destinationId)
        const eventId = newId('evt')
        const timestamp = new Date().toISOString()
        const data = { destinationId: destination.id, name: destination.name }
        const body = standardBody({ id: eventId, type: 'destination.test', timestamp, data })
        return idempotency.kept(
          request,
          (tx) => addTest(tx, destination.id, eventId, body),
          (delivery) => succeed(request, delivery),
        )
      },
      operation({
        summary: 'Send a test to a destination',
        description: 'Delivers a `destination.test` to this destination alone, also if it is switched off.',
        rights,
        result: ref('Delivery'),
      }),
    )
    .post(
      `${DESTINATION}/replay`,
      async ({ request, params, body: { failedOnly = false, ...body } }) => {
        const { id } = await found(request, params.destinationId)
        const replay = { ...periodOf(body), failedOnly }
        return idempotency.kept(
          request,
          (tx) => replayEvents(tx, id, replay),
          (deliveries) => succeed(request, { deliveries }),
        )
      },
      operation({
        summary: 'Replay events to a destination',
        description:
          'Delivers every matching event that was stored in the period, also while the destination was switched off, except for events whose delivery is pending.',
        rights,
        body: bodySchema(replayInput),
        result: object({ deliveries: integer }),
      }),
    )
    .get(
      DELIVERIES,
      async ({ request, params, query }) => {
        const { id } = await found(request, params.destinationId)
        return succeed(request, await listDeliveries(db, id, { ...pageOf(query), status: query.status }))
      },
      operation({
        summary: 'List deliveries of a destination',
        description: 'Newest first, of the last 30 days.',
        rights,
        query: deliveryQuery,
        result: page(ref('Delivery')),
      }),
    )
    .get(
      `${DELIVERIES}/:deliveryId`,
      async ({ request, params }) => {
        const { id } = await found(request, params.destinationId)
        return succeed(request, await getDelivery(db, id, params.deliveryId))
      },
      operation({ summary: 'Get a delivery', rights, result: ref('Delivery') }),
    )
    .post(
      `${DELIVERIES}/:deliveryId/resend`,
      async ({ request, params }) => {
        const { id } = await found(request, params.destinationId)
        return idempotency.kept(
          request,
          (tx) => resendDelivery(tx, id, params.deliveryId),
          (delivery) => succeed(request, delivery),
        )
      },
      operation({
        summary: 'Deliver an event again',
        description: 'Adds a delivery of the same event, with the same id.',
        rights,
        result: ref('Delivery'),
      }),
    )
}
