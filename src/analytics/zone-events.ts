/** Pages of the events of a zone rule, or of all rules, as JSON. */
import { invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { formatTimestamp } from '../ingest/timestamp.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type EnterpriseEvent, type EventCursor, enterpriseEvents } from '../stores/clickhouse/queries/tail.ts'
import { type ZoneEventRow, zoneEvents } from '../stores/clickhouse/zone-events.ts'
import type { Rule } from '../stores/postgres/alerts/rules.ts'
import type { SensorIndex } from './fleet/sensor-index.ts'
import { parseTimeAndSensorCursor, type TimeRange } from './time-range.ts'

export type EventsQuery = { range: TimeRange; sensor: number | undefined; limit: number; cursor: string | undefined }

/** Oldest first. @throws AppError VALIDATION_FAILED */
export async function eventsPage(
  clickhouse: ClickHouse,
  enterprise: number,
  rule: Rule,
  { sensors }: SensorIndex,
  { range, sensor, limit, cursor }: EventsQuery,
  signal: AbortSignal,
) {
  const after = parseTimeAndSensorCursor(cursor)
  const wanted = { enterprise, rule: rule.id, ...range, sensor, after, limit: limit + 1 }
  const rows = await zoneEvents(clickhouse, wanted, signal)
  const last = rows[limit - 1]
  return {
    items: rows.slice(0, limit).map((row) => eventToJson(rule.id, row, sensors)),
    nextCursor: rows.length > limit && last !== undefined ? `${last[1]}.${last[0]}` : null,
  }
}

function eventToJson(
  ruleId: string,
  [number, ms, event, x, y, featureIds, layerId, layerVersion, detectedMs]: ZoneEventRow,
  sensors: SensorIndex['sensors'],
) {
  const origin = sensors.get(number)
  return {
    id: `${ruleId}.${number}.${ms}`,
    ruleId,
    when: event,
    // null for a deleted sensor
    sensorId: origin?.id ?? null,
    assetId: origin?.assetId ?? null,
    assetName: origin?.assetName ?? null,
    at: formatTimestamp(ms),
    location: [x, y],
    layerId,
    layerVersion,
    featureIds,
    detectedAt: formatTimestamp(detectedMs),
  }
}

/** The names in an event: its rule, its layer and its sensor. */
export type EventNames = {
  rules: ReadonlyMap<string, { name: string }>
  layers: ReadonlyMap<string, string>
  sensors: ReadonlyMap<number, { id: string; name: string; assetId: string; assetName: string }>
}

/** An event with the names of its rule, sensor and layer; null for deleted ones. */
export function namedEventToJson([ruleId, ...row]: EnterpriseEvent, { rules, layers, sensors }: EventNames) {
  const origin = sensors.get(row[0])
  const known = origin && { ...origin, number: row[0], sensorId: origin.id }
  const event = eventToJson(ruleId, row, known === undefined ? new Map() : new Map([[row[0], known]]))
  return {
    ...event,
    ruleName: rules.get(ruleId)?.name ?? null,
    sensorName: origin?.name ?? null,
    layerName: layers.get(event.layerId) ?? null,
  }
}

export type AllEventsQuery = Omit<EventsQuery, 'sensor'> & { rule: string | undefined; sensor: number | undefined }

/** Events of all rules of an enterprise, newest first. @throws AppError VALIDATION_FAILED */
export async function allEventsPage(
  clickhouse: ClickHouse,
  enterprise: number,
  names: EventNames,
  { range, rule, sensor, limit, cursor }: AllEventsQuery,
  signal: AbortSignal,
) {
  const rules = rule === undefined ? [...names.rules.keys()] : [rule]
  const before = parseEventCursor(cursor)
  const rows =
    rules.length === 0
      ? []
      : await enterpriseEvents(clickhouse, { enterprise, ...range, rules, sensor, before, limit: limit + 1 }, signal)
  const last = rows[limit - 1]
  return {
    items: rows.slice(0, limit).map((row) => namedEventToJson(row, names)),
    nextCursor: rows.length > limit && last !== undefined ? `${last[2]}.${last[1]}.${last[0]}` : null,
  }
}

/** @throws AppError VALIDATION_FAILED */
function parseEventCursor(text: string | undefined): EventCursor | undefined {
  if (text === undefined) return undefined
  const end = text.lastIndexOf('.')
  const rule = text.slice(end + 1)
  const of = parseTimeAndSensorCursor(end < 0 ? '' : text.slice(0, end))
  if (of === undefined || !/^\w{1,64}$/.test(rule))
    throw invalidField('query.cursor', 'cursor', fieldText('aPreviousPage'))
  return { ...of, rule }
}
