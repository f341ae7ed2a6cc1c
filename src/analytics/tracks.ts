/** The track of a sensor as GeoJSON. */
import { formatTimestamp } from '../ingest/timestamp.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { track } from '../stores/clickhouse/positions.ts'
import type { Sensor } from '../stores/postgres/sensors.ts'
import { TextInTurns } from '../turns.ts'
import { clampToRetention, parseTimeCursor, type RetentionPolicy } from './time-range.ts'

export type TrackQuery = {
  from?: string | undefined
  to?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const DEFAULT_POSITIONS = 1_000

/**
 * A LineString with a time for each position, oldest first, as JSON text in pieces; a Point for one position, no
 * geometry for none.
 */
export async function trackText(
  clickhouse: ClickHouse,
  policy: RetentionPolicy,
  sensor: Sensor,
  query: TrackQuery,
  signal: AbortSignal,
): Promise<Buffer[]> {
  const { fromMs, toMs } = clampToRetention(policy, query)
  const afterMs = parseTimeCursor(query.cursor)
  const limit = query.limit ?? DEFAULT_POSITIONS
  const startMs = afterMs === undefined ? fromMs : Math.max(fromMs, afterMs + 1)
  const range = { fromMs: startMs, toMs, limit: limit + 1 }
  const { rows, columns, cells } = await track(clickhouse, sensor.number, range, signal)
  const count = Math.min(rows, limit)
  const positionAt = (i: number): string => `[${cells[i * columns + 1]},${cells[i * columns + 2]}]`
  const msAt = (i: number): number => cells[i * columns] as number
  const text = new TextInTurns()
  text.add(`{"type":"Feature","id":${JSON.stringify(sensor.id)},"geometry":`)
  if (count === 0) text.add('null')
  else if (count === 1) text.add(`{"type":"Point","coordinates":${positionAt(0)}}`)
  else {
    text.add('{"type":"LineString","coordinates":[')
    await text.addList(count, positionAt)
    text.add(']}')
  }
  const { id: sensorId, assetId, assetName } = sensor
  text.add(`,"properties":${JSON.stringify({ sensorId, assetId, assetName }).slice(0, -1)},"times":[`)
  await text.addList(count, (i) => `"${formatTimestamp(msAt(i))}"`)
  text.add(`]},"nextCursor":${rows > limit ? `"${msAt(count - 1)}"` : null}}`)
  return text.end()
}
