/** The track of a sensor as GeoJSON. */

import { inTurns, TextInTurns } from '../event-loop-yield.ts'
import { formatTimestamp } from '../ingest/timestamp.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { track } from '../stores/clickhouse/queries/positions.ts'
import type { Sensor } from '../stores/postgres/sensors/sensors.ts'
import { splitAtAntimeridian, type TrackPoint } from './antimeridian.ts'
import { clampToRetention, parseTimeCursor, type RetentionPolicy } from './time-range.ts'

export type TrackQuery = {
  from?: string | undefined
  to?: string | undefined
  limit?: number | undefined
  cursor?: string | undefined
}

const DEFAULT_POSITIONS = 1_000

/**
 * As JSON text in pieces, oldest position first: a LineString with a time for each position, or a MultiLineString with
 * a list of times for each line if the track crosses the antimeridian; a Point for one position, no geometry for none.
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
  const points: TrackPoint[] = []
  await inTurns(count, (row) => {
    const at = row * columns
    points.push([cells[at] as number, cells[at + 1] as number, cells[at + 2] as number])
  })
  const parts = await splitAtAntimeridian(points)
  const { id: sensorId, assetId, assetName } = sensor
  const text = new TextInTurns()
  text.add(`{"type":"Feature","id":${JSON.stringify(sensorId)},"geometry":`)
  if (count === 0) text.add('null')
  else if (count === 1) text.add(`{"type":"Point","coordinates":${positionOf(points[0] as TrackPoint)}}`)
  else {
    text.add(`{"type":"${parts.length > 1 ? 'MultiLineString' : 'LineString'}","coordinates":`)
    await addParts(text, parts, positionOf)
    text.add('}')
  }
  text.add(`,"properties":${JSON.stringify({ sensorId, assetId, assetName }).slice(0, -1)},"times":`)
  await addParts(text, parts, ([ms]) => `"${formatTimestamp(ms)}"`)
  text.add(`},"nextCursor":${rows > limit ? `"${points.at(-1)?.[0]}"` : null}}`)
  return text.end()
}

const positionOf = ([, longitude, latitude]: TrackPoint): string => `[${longitude},${latitude}]`

/** A list for each part; for a single part, only its list. */
async function addParts(
  text: TextInTurns,
  parts: readonly TrackPoint[][],
  textOf: (point: TrackPoint) => string,
): Promise<void> {
  if (parts.length > 1) text.add('[')
  for (const [i, part] of (parts.length > 0 ? parts : [[]]).entries()) {
    text.add(i > 0 ? ',[' : '[')
    await text.addList(part.length, (at) => textOf(part[at] as TrackPoint))
    text.add(']')
  }
  if (parts.length > 1) text.add(']')
}
