/** The track of a sensor as GeoJSON. */
import { formatTimestamp } from '../ingest/timestamp.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { track } from '../stores/clickhouse/positions.ts'
import type { Sensor } from '../stores/postgres/sensors.ts'
import { clampToRetention, parseTimeCursor, type RetentionPolicy } from './time-range.ts'

export type TrackQuery = {
  from?: string | undefined
  to?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const DEFAULT_POSITIONS = 1_000

/** A LineString with a time for each position, oldest first; a Point for one position, no geometry for none. */
export async function trackResponse(
  clickhouse: ClickHouse,
  policy: RetentionPolicy,
  sensor: Sensor,
  query: TrackQuery,
  signal: AbortSignal,
) {
  const { fromMs, toMs } = clampToRetention(policy, query)
  const afterMs = parseTimeCursor(query.cursor)
  const limit = query.limit ?? DEFAULT_POSITIONS
  const startMs = afterMs === undefined ? fromMs : Math.max(fromMs, afterMs + 1)
  const points = await track(clickhouse, sensor.number, { fromMs: startMs, toMs, limit: limit + 1 }, signal)
  const page = points.slice(0, limit)
  const positions = page.map(([, longitude, latitude]) => [longitude, latitude])
  const [only] = positions
  const geometry =
    only === undefined
      ? null
      : positions.length === 1
        ? { type: 'Point', coordinates: only }
        : { type: 'LineString', coordinates: positions }
  return {
    type: 'Feature',
    id: sensor.id,
    geometry,
    properties: {
      ...{ sensorId: sensor.id, assetId: sensor.assetId, assetName: sensor.assetName },
      times: page.map(([ms]) => formatTimestamp(ms)),
    },
    nextCursor: points.length > limit ? String(page.at(-1)?.[0]) : null,
  }
}
