/** Routes for destinations of events, their secrets and their deliveries. */
import { Elysia } from 'elysia'
import { MANAGERS } from '../../access/authorization.ts'
import { newSecrets, openSecrets, rotated, sealSecrets } from '../../destinations/destination-secrets.ts'
import { standardBody } from '../../destinations/forms/standard.ts'
import { checkTarget } from '../../destinations/targets.ts'
import { AppError, invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import { succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import { both, integer, object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { callerOf, subjectOf } from '../../http/request-context.ts'
import { getEnterprise } from '../../stores/postgres/accounts/enterprises.ts'
import {
  addTest,
  getDelivery,
  listDeliveries,
  replayEvents,
  resendDelivery,
} from '../../stores/postgres/destinations/deliveries.ts'
import * as destinations from '../../stores/postgres/destinations/destinations.ts'
import { newId } from '../../stores/postgres/ids.ts'
import { changeSeen, type RecordToChange } from './changes.ts'
import type { ManageDeps } from './deps.ts'
import {
  addressesOf,
  checkGroup,
  checkHeaders,
  checkKind,
  checkRoutingKey,
  deliveryQuery,
  destinationChange,
  destinationInput,
  GROUP_SECONDS,
  MAIL_GROUP_SECONDS,
  type NewDestination,
  periodOf,
  replayInput,
} from './destination-fields.ts'
import { operation } from './operation.ts'
import { pageOf, pageQuery } from './request-schemas.ts'
import { deleted } from './response-schemas.ts'
import { ENTERPRISE } from './subject-paths.ts'

const DESTINATION = `${ENTERPRISE}/destinations/:destinationId` as const
const DELIVERIES = `${DESTINATION}/deliveries` as const
const rights = { of: 'owner', for: MANAGERS } as const
/** Of a webhook. */
const newSecret = object({ secret: string }, [])
const toJson = destinations.destinationToJson

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
    if (addressMails === undefined) throw invalidField('body.kind', 'mail', fieldText('noMail'))
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
                  throw new AppError('CONFLICT', { message: fieldText('mailsWithoutSecret') })
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
