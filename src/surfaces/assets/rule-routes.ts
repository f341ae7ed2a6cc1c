/** Routes for alert rules, and the events of zone rules. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS, STAFF } from '../../access/authorization.ts'
import type { Organization } from '../../access/organization.ts'
import type { ChangedRule, Rules } from '../../alerts/rules.ts'
import { definitionOf } from '../../alerts/stored-rule.ts'
import type { FleetIndexes } from '../../analytics/fleet/fleet-index.ts'
import type { SensorIndexes } from '../../analytics/fleet/sensor-index.ts'
import { clampToRetention, oldestVisibleMs } from '../../analytics/time-range.ts'
import { eventsPage } from '../../analytics/zone-events.ts'
import { AppError, IDEMPOTENCY_HOURS } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import type { Callers } from '../../http/callers.ts'
import { seenBy, succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { both, integer, list, object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { requestContextOf } from '../../http/request-context.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { RULE_KINDS } from '../../stores/postgres/alerts/rule-schema.ts'
import { getRule, listRules, type Rule } from '../../stores/postgres/alerts/rules.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { KeySpace } from '../../stores/postgres/runs/idempotency.ts'
import { inArabic, inEnglish } from '../../warnings/warning.ts'
import type { FindInside } from '../../zones/sensors-inside.ts'
import { operation } from './operation.ts'
import { closed, from, limit, to } from './request-schemas.ts'
import { ruleChange, ruleInput } from './rule-schemas.ts'

const rulesQuery = Type.Object(
  {
    limit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
    kind: Type.Optional(
      Type.Union(
        RULE_KINDS.map((kind) => Type.Literal(kind)),
        { description: 'Only rules of this kind' },
      ),
    ),
    enabled: Type.Optional(
      Type.Union([Type.Literal('true'), Type.Literal('false')], { description: 'Only rules that are on, or off' }),
    ),
    sensor: Type.Optional(
      Type.String({ maxLength: 64, description: 'Only rules that watch this sensor: by its id, by a tag, or all' }),
    ),
    tag: Type.Optional(Type.String({ maxLength: 50, description: 'Only rules that name this tag' })),
  },
  closed,
)

const insideInput = Type.Object(
  {
    layerId: Type.Optional(
      Type.String({ maxLength: 64, description: 'Id of a layer of the enterprise that contains polygons only' }),
    ),
    polygon: Type.Optional(
      Type.Unknown({
        description: 'GeoJSON: a Polygon, a MultiPolygon, a Feature or a FeatureCollection of them',
      }),
    ),
  },
  closed,
)

const ruleEventsQuery = Type.Object(
  {
    from,
    to,
    sensorId: Type.Optional(Type.String({ description: 'Return only events of this sensor', maxLength: 64 })),
    limit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  closed,
)

const warned = object({ warnings: list(string), warningsAr: list(string) }, [])

export type RuleRoutesDeps = {
  db: Database
  clickhouse: ClickHouse
  rules: Rules
  findInside: FindInside
  fleets: FleetIndexes
  sensorIndexes: SensorIndexes
  callers: Callers<Organization>
  recordBody: BodyLimits
  idempotency: Idempotency<Database, KeySpace>
  /** Runs a query of readings in the application's turn. */
  inTurn<T>(request: Request, query: () => Promise<T>): Promise<T>
}

/** Most sensors that one answer names. */
const MAX_INSIDE = 10_000

/** A rule with the fields of its kind. */
function ruleToJson({ allSensors, sensorIds, layerId, event, layerUsable, ...rule }: Rule) {
  const { id, name, kind, note, severity, enabled, schedule, tags, createdAt, updatedAt } = rule
  const definition = definitionOf(rule)
  return {
    id,
    name,
    kind,
    note,
    severity,
    enabled,
    schedule,
    sensorIds: allSensors ? ('all' as const) : sensorIds,
    tags,
    ...definition,
    ...(kind === 'zone' && { layerId, when: event }),
    ...((kind === 'zone' || kind === 'threshold') && { layerUsable }),
    createdAt,
    updatedAt,
  }
}

function answerOf(request: Request, { rule, warnings }: ChangedRule): Response {
  const record = ruleToJson(rule)
  return succeedWithTag(request, record, {
    ...record,
    ...(warnings.length > 0 && { warnings: inEnglish(warnings), warningsAr: inArabic(warnings) }),
  })
}

export function ruleRoutes(deps: RuleRoutesDeps) {
  const { db, clickhouse, rules, findInside, fleets, sensorIndexes, callers, recordBody, idempotency, inTurn } = deps
  return new Elysia({ name: 'rules' })
    .onParse(callers.parse(recordBody))
    .post(
      '/rules',
      async ({ request, body }) => {
        const { enterprise, caller } = await callers.of(request)
        return idempotency.kept(
          request,
          (tx) => rules.create(tx, caller.actor, enterprise.id, body),
          (made) => answerOf(request, made),
          ({ rule }) => rules.created(rule),
        )
      },
      {
        beforeHandle: ({ request, body }) =>
          idempotency.begin(request, async () => {
            const { keySpace: space } = (await callers.of(request)).caller
            return { space, route: `POST ${requestContextOf(request).path}`, content: JSON.stringify(body) }
          }),
        afterHandle: idempotency.requireKept,
        ...operation({
          summary: 'Create a rule',
          description: `A rule watches sensors by their ids, by tags, or all of the enterprise; \`sensorIds\`, \`tags\` or \`all\` is required. Its \`kind\` decides which other fields it has. Rules make alerts; zone rules with \`enter\` or \`leave\` make events when a sensor crosses the edge of a polygon. An edge belongs to its polygon. A rule applies to readings received from now on. \`warnings\` names tags that no sensor has. A request with an \`Idempotency-Key\` can be repeated for ${IDEMPOTENCY_HOURS} hours without creating another rule.`,
          rights: { of: 'enterprise-in-header', for: MANAGERS },
          body: bodySchema(ruleInput),
          result: both(ref('Rule'), warned),
        }),
      },
    )
    .get(
      '/rules',
      async ({ request, query }) => {
        const { enterprise } = await callers.of(request)
        const { limit = 100, cursor, enabled, ...filter } = query
        const isEnabled = enabled === undefined ? undefined : enabled === 'true'
        const page = await listRules(db, enterprise.id, { limit, cursor }, { ...filter, enabled: isEnabled })
        return succeed(request, { ...page, items: page.items.map(ruleToJson) })
      },
      operation({
        summary: 'List rules',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: rulesQuery,
        result: page(ref('Rule')),
      }),
    )
    .get(
      '/rules/:id',
      async ({ request, params }) => {
        const { enterprise } = await callers.of(request)
        return succeedWithTag(request, ruleToJson(await getRule(db, enterprise.id, params.id)))
      },
      operation({
        summary: 'Get a rule',
        rights: { of: 'enterprise-in-header', for: STAFF },
        result: ref('Rule'),
      }),
    )
    .patch(
      '/rules/:id',
      async ({ request, params, body }) => {
        const { enterprise, caller } = await callers.of(request)
        const seen = seenBy(request, ruleToJson)
        return answerOf(request, await rules.change(caller.actor, enterprise.id, params.id, body, seen))
      },
      operation({
        summary: 'Update a rule',
        description:
          'Changes the sent fields; null stands for the default. Set `enabled` to switch the rule on or off. A change of anything but `name`, `note`, `severity`, `schedule` and targets ends the alerts of the rule, which starts again with readings received from now on; a change of targets ends the alerts of sensors that are no longer among them. A new severity applies from the next alert. With `If-Match`, the rule is changed only if it is still the same.',
        rights: { of: 'enterprise-in-header', for: MANAGERS },
        body: bodySchema(ruleChange),
        result: both(ref('Rule'), warned),
      }),
    )
    .delete(
      '/rules/:id',
      async ({ request, params }) => {
        const { enterprise, caller } = await callers.of(request)
        await rules.delete(caller.actor, enterprise.id, params.id, seenBy(request, ruleToJson))
        return succeed(request, { id: params.id })
      },
      operation({
        summary: 'Delete a rule',
        description:
          'Ends its alerts, which remain in the list of alerts. The events of a zone rule are no longer available afterwards.',
        rights: { of: 'enterprise-in-header', for: MANAGERS },
        result: object({ id: string }),
      }),
    )
    .get(
      '/rules/:id/events',
      async ({ request, params, query }) => {
        const { enterprise } = await callers.of(request)
        const rule = await getRule(db, enterprise.id, params.id)
        const sensorIndex = await sensorIndexes.of(enterprise.id)
        const sensor = [...sensorIndex.sensors.values()].find(({ id }) => id === query.sensorId)
        if (query.sensorId !== undefined && sensor === undefined)
          throw new AppError('NOT_FOUND', { message: fieldText('sensorGone') })
        const range = clampToRetention(enterprise, query)
        const eventsQuery = { range, sensor: sensor?.number, limit: query.limit ?? 100, cursor: query.cursor }
        return succeed(
          request,
          await inTurn(request, () =>
            eventsPage(clickhouse, enterprise.number, rule, sensorIndex, eventsQuery, request.signal),
          ),
        )
      },
      operation({
        summary: 'List events of a zone rule',
        description:
          'Returns events oldest first, filtered by time and sensor. Rules with `inside` and `outside` make alerts; the events that they made in earlier releases stay.',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: ruleEventsQuery,
        result: page(ref('ZoneEvent')),
      }),
    )
    .post(
      '/inside',
      async ({ request, body: { layerId, polygon } }) => {
        const { enterprise } = await callers.of(request)
        const wanted = { enterprise, sinceMs: oldestVisibleMs(enterprise), layerId, polygon }
        return inTurn(request, async () => {
          const numbers = await findInside(wanted, request.signal)
          const { rows } = await fleets.of(enterprise)
          const found = numbers.flatMap((number) => rows.get(number)?.id ?? [])
          return succeed(request, { total: found.length, sensorIds: found.slice(0, MAX_INSIDE) })
        })
      },
      operation({
        summary: 'List sensors inside polygons',
        description: `Compares the newest position of each sensor with the polygons of a layer, or of GeoJSON that is sent. An edge belongs to its polygon. Returns how many sensors are inside one of them, and the ids of up to ${MAX_INSIDE}.`,
        rights: { of: 'enterprise-in-header', for: STAFF },
        body: bodySchema(insideInput),
        result: object({ total: integer, sensorIds: list(string) }),
      }),
    )
}
