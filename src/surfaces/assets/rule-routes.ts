/** Routes for zone rules and their events. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { MANAGERS, STAFF } from '../../access/authorization.ts'
import type { Organization } from '../../access/organization.ts'
import type { FleetIndexes } from '../../analytics/fleet/fleet-index.ts'
import type { SensorIndexes } from '../../analytics/fleet/sensor-index.ts'
import { clampToRetention, oldestVisibleMs } from '../../analytics/time-range.ts'
import { eventsPage } from '../../analytics/zone-events.ts'
import { AppError, IDEMPOTENCY_HOURS } from '../../errors.ts'
import type { BodyLimits } from '../../http/body/body.ts'
import { bodySchema } from '../../http/body/body-schema.ts'
import type { Callers } from '../../http/callers.ts'
import { seenBy, succeedWithTag } from '../../http/entity-tags.ts'
import { succeed } from '../../http/envelope.ts'
import type { Idempotency } from '../../http/idempotency.ts'
import { integer, list, object, page, ref, string } from '../../http/openapi/openapi-schemas.ts'
import { requestContextOf } from '../../http/request-context.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { getZoneRule, listZoneRules, type ZoneEventKind, type ZoneRule } from '../../stores/postgres/alerts/rules.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { KeySpace } from '../../stores/postgres/runs/idempotency.ts'
import type { ZoneRules } from '../../zones/rules.ts'
import type { FindInside } from '../../zones/sensors-inside.ts'
import { operation } from './operation.ts'
import { closed, from, limit, to } from './request-schemas.ts'

const pageQuery = Type.Object(
  {
    limit,
    cursor: Type.Optional(Type.String({ description: 'nextCursor of the previous page', maxLength: 64 })),
  },
  { additionalProperties: false },
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

/** Maximum number of sensors in one rule. */
const MAX_RULE_SENSORS = 1_000
const ruleFields = {
  name: Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '\\S',
    description: 'Name of the rule; must not consist of spaces only',
  }),
  layerId: Type.String({ maxLength: 64, description: 'Id of a layer of the enterprise that contains polygons only' }),
  when: Type.Union(
    ['enter', 'leave', 'inside', 'outside'].map((event) => Type.Literal(event as ZoneEventKind)),
    {
      description: 'What creates an event: the sensor enters a polygon, leaves one, is inside one, or is outside all',
    },
  ),
  sensorIds: Type.Union(
    [
      Type.Array(Type.String({ maxLength: 64 }), { minItems: 1, maxItems: MAX_RULE_SENSORS, uniqueItems: true }),
      Type.Literal('all'),
    ],
    { description: 'Sensor ids without repetition, or "all"' },
  ),
  all: Type.Literal(true, { description: 'Same as sensorIds: "all"' }),
  enabled: Type.Boolean({ default: true }),
}
const ruleInput = Type.Object(
  {
    layerId: ruleFields.layerId,
    when: ruleFields.when,
    ...Type.Partial(Type.Pick(Type.Object(ruleFields), ['name', 'sensorIds', 'all', 'enabled'])).properties,
  },
  closed,
)
const ruleChange = Type.Partial(Type.Object(ruleFields), closed)
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

export type RuleRoutesDeps = {
  db: Database
  clickhouse: ClickHouse
  zoneRules: ZoneRules
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

function ruleToJson({ id, name, layerId, event, allSensors, sensorIds, ...rule }: ZoneRule) {
  return {
    id,
    name,
    layerId,
    when: event,
    enabled: rule.enabled,
    sensorIds: allSensors ? ('all' as const) : sensorIds,
    layerUsable: rule.layerUsable,
    createdAt: rule.createdAt,
    updatedAt: rule.updatedAt,
  }
}

export function ruleRoutes(deps: RuleRoutesDeps) {
  const { db, clickhouse, zoneRules, findInside, fleets, sensorIndexes, callers, recordBody, idempotency, inTurn } =
    deps
  return new Elysia({ name: 'zone-rules' })
    .onParse(callers.parse(recordBody))
    .post(
      '/rules',
      async ({ request, body }) => {
        const { enterprise, caller } = await callers.of(request)
        return idempotency.kept(
          request,
          (tx) => zoneRules.create(tx, caller.actor, enterprise.id, body),
          (rule) => succeedWithTag(request, ruleToJson(rule)),
          zoneRules.created,
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
          summary: 'Create a zone rule',
          description: `Checks the location of each new reading against the polygons of a layer. With \`enter\` and \`leave\`, an event is created when a sensor crosses the edge of a polygon; with \`inside\` and \`outside\`, for each reading. An edge belongs to its polygon. \`sensorIds\` or \`all\` is required. A request with an \`Idempotency-Key\` can be repeated for ${IDEMPOTENCY_HOURS} hours without creating another rule.`,
          rights: { of: 'enterprise-in-header', for: MANAGERS },
          body: bodySchema(ruleInput),
          result: ref('ZoneRule'),
        }),
      },
    )
    .get(
      '/rules',
      async ({ request, query }) => {
        const { enterprise } = await callers.of(request)
        const page = await listZoneRules(db, enterprise.id, { limit: query.limit ?? 100, cursor: query.cursor })
        return succeed(request, { ...page, items: page.items.map(ruleToJson) })
      },
      operation({
        summary: 'List zone rules',
        rights: { of: 'enterprise-in-header', for: STAFF },
        query: pageQuery,
        result: page(ref('ZoneRule')),
      }),
    )
    .get(
      '/rules/:id',
      async ({ request, params }) => {
        const { enterprise } = await callers.of(request)
        return succeedWithTag(request, ruleToJson(await getZoneRule(db, enterprise.id, params.id)))
      },
      operation({
        summary: 'Get a zone rule',
        rights: { of: 'enterprise-in-header', for: STAFF },
        result: ref('ZoneRule'),
      }),
    )
    .patch(
      '/rules/:id',
      async ({ request, params, body }) => {
        const { enterprise, caller } = await callers.of(request)
        const rule = await zoneRules.change(caller.actor, enterprise.id, params.id, body, seenBy(request, ruleToJson))
        return succeedWithTag(request, ruleToJson(rule))
      },
      operation({
        summary: 'Update a zone rule',
        description:
          'Changes the sent fields. Set `enabled` to switch the rule on or off. A changed rule applies to readings received from now on. With `If-Match`, it is changed only if it is still the same.',
        rights: { of: 'enterprise-in-header', for: MANAGERS },
        body: bodySchema(ruleChange),
        result: ref('ZoneRule'),
      }),
    )
    .delete(
      '/rules/:id',
      async ({ request, params }) => {
        const { enterprise, caller } = await callers.of(request)
        await zoneRules.delete(caller.actor, enterprise.id, params.id, seenBy(request, ruleToJson))
        return succeed(request, { id: params.id })
      },
      operation({
        summary: 'Delete a zone rule',
        description: 'The events of the rule are no longer available afterwards.',
        rights: { of: 'enterprise-in-header', for: MANAGERS },
        result: object({ id: string }),
      }),
    )
    .get(
      '/rules/:id/events',
      async ({ request, params, query }) => {
        const { enterprise } = await callers.of(request)
        const rule = await getZoneRule(db, enterprise.id, params.id)
        const sensorIndex = await sensorIndexes.of(enterprise.id)
        const sensor = [...sensorIndex.sensors.values()].find(({ sensorId }) => sensorId === query.sensorId)
        if (query.sensorId !== undefined && sensor === undefined)
          throw new AppError('NOT_FOUND', { message: 'The sensor does not exist.' })
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
        description: 'Returns events oldest first, filtered by time and sensor.',
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
