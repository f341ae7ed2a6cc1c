/** Zone rules and their events, as the analytics surface takes and tells them. */
import type { Static } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { formatTimestamp } from '../../ingest/timestamp.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { type ZoneEventRow, zoneEvents } from '../../stores/clickhouse/zone-events.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { findLayer, hasPolygons, type Layer } from '../../stores/postgres/layers.ts'
import { findSensors } from '../../stores/postgres/sensors.ts'
import type { ZoneRule, ZoneRuleInput } from '../../stores/postgres/zone-rules.ts'
import type { SensorIndex } from './directory.ts'
import type * as model from './model.ts'
import { parseTimeAndSensorCursor, type TimeRange } from './time-range.ts'

/** What is told of a rule. */
export function ruleToJson({ id, name, layerId, event, allSensors, sensorIds, ...rule }: ZoneRule) {
  return {
    ...{ id, name, layerId, when: event, enabled: rule.enabled },
    sensorIds: allSensors ? ('all' as const) : sensorIds,
    layerUsable: rule.layerUsable,
    createdAt: rule.createdAt,
    updatedAt: rule.updatedAt,
  }
}

type RuleFields = Partial<Static<typeof model.ruleChange>>

/** @throws AppError VALIDATION_FAILED naming a layer or a sensor that is not the enterprise's, or not fit */
export async function checkRule(
  db: Database,
  enterpriseId: string,
  { all, sensorIds: sentSensorIds, when, ...fields }: RuleFields,
): Promise<{ change: Partial<ZoneRuleInput>; layer: Layer | undefined }> {
  if (all !== undefined && sentSensorIds !== undefined && sentSensorIds !== 'all')
    throw invalidField('body.all', 'forbidden', 'goes without sensorIds')
  const sensorIds = all === undefined ? sentSensorIds : 'all'
  if (Array.isArray(sensorIds)) {
    const found = new Set((await findSensors(db, enterpriseId, sensorIds, sensorIds.length)).map(({ id }) => id))
    const unknown = sensorIds.findIndex((id) => !found.has(id))
    if (unknown >= 0)
      throw invalidField(`body.sensorIds.${unknown}`, 'exists', "is no id of a sensor of the enterprise's")
  }
  const layer = fields.layerId === undefined ? undefined : await layerOf(db, enterpriseId, fields.layerId)
  const change = {
    ...fields,
    ...(when !== undefined && { event: when }),
    ...(sensorIds !== undefined && { sensorIds }),
  }
  return { change, layer }
}

async function layerOf(db: Database, enterpriseId: string, id: string): Promise<Layer> {
  const layer = await findLayer(db, id)
  if (layer?.enterpriseId !== enterpriseId)
    throw invalidField('body.layerId', 'exists', "is no id of a layer of the enterprise's")
  if (!hasPolygons(layer)) throw invalidField('body.layerId', 'polygons', 'must be a layer of polygons only')
  return layer
}

const NAMES = { enter: 'Entering', leave: 'Leaving', inside: 'Inside', outside: 'Outside' }

/** @throws AppError VALIDATION_FAILED */
export async function newRule(
  db: Database,
  enterpriseId: string,
  body: Static<typeof model.ruleInput>,
): Promise<ZoneRuleInput> {
  if (body.sensorIds === undefined && body.all === undefined)
    throw invalidField('body.sensorIds', 'required', 'is required: a list of ids of sensors, or "all"')
  const { change, layer } = await checkRule(db, enterpriseId, body)
  const name = body.name ?? `${NAMES[body.when]} ${layer?.name ?? ''}`.trim().slice(0, 200)
  return { enabled: true, name, ...change } as ZoneRuleInput
}

export type EventsQuery = { range: TimeRange; sensor: number | undefined; limit: number; cursor: string | undefined }

/** Oldest first. @throws AppError VALIDATION_FAILED */
export async function eventsPage(
  clickhouse: ClickHouse,
  enterprise: number,
  rule: ZoneRule,
  { sensors }: SensorIndex,
  { range, sensor, limit, cursor }: EventsQuery,
  signal: AbortSignal,
) {
  const after = parseTimeAndSensorCursor(cursor)
  const wanted = { enterprise, rule: rule.id, ...range, sensor, after, limit: limit + 1 }
  const rows = await zoneEvents(clickhouse, wanted, signal)
  const last = rows[limit - 1]
  const eventToJson = ([number, ms, event, x, y, featureIds, layerId, layerVersion, detectedMs]: ZoneEventRow) => {
    const origin = sensors.get(number)
    return {
      id: `${rule.id}.${number}.${ms}`,
      ruleId: rule.id,
      when: event,
      // of a sensor that was deleted nothing is known any more
      ...{ sensorId: origin?.sensorId ?? null, assetId: origin?.assetId ?? null, assetName: origin?.assetName ?? null },
      at: formatTimestamp(ms),
      location: [x, y],
      ...{ layerId, layerVersion, featureIds },
      detectedAt: formatTimestamp(detectedMs),
    }
  }
  return {
    items: rows.slice(0, limit).map(eventToJson),
    nextCursor: rows.length > limit && last !== undefined ? `${last[1]}.${last[0]}` : null,
  }
}
