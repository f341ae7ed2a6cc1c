/** Routes for alerts and their acknowledgement. */
import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { STAFF } from '../../access/authorization.ts'
import type { Organization } from '../../access/organization.ts'
import type { RuleStates } from '../../alerts/rule-states.ts'
import { clampToRetention } from '../../analytics/time-range.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import type { Callers } from '../../http/callers.ts'
import { succeed } from '../../http/envelope.ts'
import { both, list, object, page, ref } from '../../http/openapi/openapi-schemas.ts'
import { acknowledge, alertsOf, firingAlerts, getAlert, listAlerts } from '../../stores/postgres/alerts/alerts.ts'
import { SEVERITIES } from '../../stores/postgres/alerts/rule-schema.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { nameList, namesIn } from './name-list.ts'
import { operation } from './operation.ts'
import { closed, fleetCursor, from, limit, to } from './request-schemas.ts'

const id = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))
const alertsQuery = Type.Object(
  {
    state: Type.Optional(Type.Union([Type.Literal('firing'), Type.Literal('resolved')])),
    severity: nameList(SEVERITIES, 'Only alerts with one of these severities'),
    sensor: id('Only alerts of this sensor, which may be deleted'),
    rule: id('Only alerts of this rule, which may be deleted'),
    tag: Type.Optional(Type.String({ maxLength: 50, description: 'Only alerts of sensors that have this tag now' })),
    from,
    to,
    limit,
    cursor: fleetCursor,
  },
  closed,
)

const statesQuery = Type.Object(
  { limit, cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })) },
  closed,
)

/** Maximum number of alerts that one call acknowledges. */
const MAX_ACKNOWLEDGED = 1_000
const comment = Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, pattern: '\\S' }))
const acknowledgement = Type.Object({ comment }, closed)
const acknowledgements = Type.Object(
  {
    ids: Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: MAX_ACKNOWLEDGED, uniqueItems: true }),
    comment,
  },
  closed,
)

export type AlertRoutesDeps = {
  db: Database
  callers: Callers<Organization>
  recordBody: BodyLimits
  ruleStates: RuleStates
}

export function alertRoutes({ db, callers, recordBody, ruleStates }: AlertRoutesDeps) {
  async function changed(request: Request, alertId: string, given: { comment: string | null } | null) {
    const { enterprise, caller } = await callers.of(request)
    await acknowledge(db, caller.actor, enterprise.id, [alertId], given)
    return succeed(request, await getAlert(db, enterprise.id, alertId))
  }
  return new Elysia({ name: 'alerts' })
    .onParse(callers.parse(recordBody))
    .get(
      '/alerts',
      async ({ request, query }) => {
        const { enterprise } = await callers.of(request)
        const { fromMs, toMs } = clampToRetention(enterprise, query)
        const filter = {
          from: new Date(fromMs),
          to: query.to === undefined ? undefined : new Date(toMs),
          state: query.state,
          severities: [...namesIn('severity', query.severity, SEVERITIES)],
          sensorId: query.sensor,
          ruleId: query.rule,
          tag: query.tag,
        }
        const [found, firing] = await Promise.all([
          listAlerts(db, enterprise.id, filter, { limit: query.limit ?? 100, cursor: query.cursor }),
          firingAlerts(db, enterprise.id, filter),
        ])
        return succeed(request, { ...found, ...firing })
      },
      operation({
        summary: 'List alerts',
        description:
          'Returns alerts newest first (by `firedAt`), filtered by time, state, severity, sensor, rule and tag. A period has the alerts that overlap it. `counts` and `groups` are of the firing alerts that match the filter, on every page; a group has the firing alerts of one rule. `open` counts those that are neither acknowledged nor silenced. `silenced` is as of now.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: alertsQuery,
        result: both(page(ref('Alert')), object({ counts: ref('AlertCounts'), groups: list(ref('AlertGroup')) })),
      }),
    )
    .get(
      '/rules/:id/states',
      async ({ request, params, query }) => {
        const { enterprise } = await callers.of(request)
        const pageQuery = { limit: query.limit ?? 100, cursor: query.cursor }
        return succeed(request, await ruleStates(enterprise.id, params.id, pageQuery))
      },
      operation({
        summary: 'List states of a rule',
        description:
          'Returns the state of each sensor that the rule watches, by the ids of the sensors. `since` is the time of the reading that began the state; for `pending` and `firing`, of the first one at which the conditions held. A rule that makes events (`enter`, `leave`) has no states.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: statesQuery,
        result: page(ref('AlertState')),
      }),
    )
    .get(
      '/alerts/:id',
      async ({ request, params }) => {
        const { enterprise } = await callers.of(request)
        return succeed(request, await getAlert(db, enterprise.id, params.id))
      },
      operation({
        summary: 'Get an alert',
        rights: { of: 'enterprise-in-header', for: STAFF },
        result: ref('Alert'),
      }),
    )
    .post(
      '/alerts/acknowledge',
      async ({ request, body: { ids, comment: text = null } }) => {
        const { enterprise, caller } = await callers.of(request)
        await acknowledge(db, caller.actor, enterprise.id, ids, { comment: text })
        return succeed(request, { items: await alertsOf(db, enterprise.id, ids) })
      },
      operation({
        summary: 'Acknowledge several alerts',
        description: `Acknowledges up to ${MAX_ACKNOWLEDGED} alerts, or none if one of them does not exist. The first acknowledgement of an alert stays until it is taken back.`,
        rights: { of: 'enterprise-in-header', for: STAFF },
        body: bodySchema(acknowledgements),
        result: object({ items: list(ref('Alert')) }),
      }),
    )
    .post(
      '/alerts/:id/acknowledge',
      ({ request, params, body }) => changed(request, params.id, { comment: body?.comment ?? null }),
      operation({
        summary: 'Acknowledge an alert',
        description: 'The first acknowledgement stays until it is taken back: a repeated call changes nothing.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        body: Type.Optional(bodySchema(acknowledgement)),
        result: ref('Alert'),
      }),
    )
    .delete(
      '/alerts/:id/acknowledge',
      ({ request, params }) => changed(request, params.id, null),
      operation({
        summary: 'Take an acknowledgement back',
        description: 'Removes the acknowledgement, also one of another member, and its comment.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        result: ref('Alert'),
      }),
    )
}
