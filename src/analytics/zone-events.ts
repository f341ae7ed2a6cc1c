/** Pages of the events of a zone rule as JSON. */
import { formatTimestamp } from '../ingest/timestamp.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type ZoneEventRow, zoneEvents } from '../stores/clickhouse/zone-events.ts'
import type { ZoneRule } from '../stores/postgres/zone-rules.ts'
import type { SensorIndex } from './sensor-index.ts'
import { parseTimeAndSensorCursor, type TimeRange } from './time-range.ts'

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
      // null for a deleted sensor
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
