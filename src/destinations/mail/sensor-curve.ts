/** The curve of the sensor of an event, on the channel that its rule is about. */
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { seriesBetween } from '../../stores/clickhouse/queries/series.ts'
import type { Database } from '../../stores/postgres/client.ts'
import type { MailedEvent } from '../../stores/postgres/destinations/mail-queue.ts'
import { findSensor } from '../../stores/postgres/sensors/sensors.ts'
import { type Curve, curvePng } from './curve.ts'

export type SensorCurve = {
  channel: string
  unit: string | null
  sensorName: string
  from: Date
  to: Date
  lowest: number
  highest: number
  png: Uint8Array
}

const BEFORE_MS = 6 * 3_600_000
const AFTER_MS = 10 * 60_000
const BUCKETS = 280
const QUERY_MS = 5_000

/** @returns undefined if the rule is about no channel, or there are no readings */
export async function sensorCurve(
  db: Database,
  clickhouse: ClickHouse,
  enterpriseId: string,
  { definition, sensorId, timestamp, data }: MailedEvent,
): Promise<SensorCurve | undefined> {
  if (definition === null || sensorId === null) return undefined
  const sensor = await findSensor(db, sensorId)
  if (sensor === undefined || sensor.enterpriseId !== enterpriseId) return undefined
  const [condition] = definition.conditions ?? []
  const channel = condition?.channel ?? definition.channel
  const found = sensor.channels.filter(({ name }) => name === channel)
  const [first] = found
  if (first === undefined || channel === undefined || channel === null) return undefined
  const atMs = Date.parse(typeof data.at === 'string' ? data.at : timestamp)
  const [fromMs, toMs] = [atMs - BEFORE_MS, Math.min(Date.now(), atMs + AFTER_MS)]
  const seconds = Math.ceil((toMs - fromMs) / BUCKETS / 1_000)
  const { points } = await seriesBetween(
    clickhouse,
    {
      resolution: 'raw',
      fromMs,
      toMs,
      buckets: { kind: 'seconds', seconds },
      aggregates: ['min', 'max'],
      members: found.map(({ number }) => ({ series: 0, sensor: sensor.number, channel: number })),
    },
    AbortSignal.timeout(QUERY_MS),
  )
  const [series] = points
  const [lows = [], highs = []] = series?.values ?? []
  if (series === undefined || lows.length === 0 || ![...lows, ...highs].every(Number.isFinite)) return undefined
  // of the step that the alert has reached
  const step = definition.steps?.find(({ severity }) => severity === data.severity)
  const value = step?.value ?? condition?.value
  const limit = typeof value === 'number' ? value : undefined
  const curve: Curve = {
    fromMs,
    toMs,
    points: series.starts.map((atMs, i) => ({ atMs, low: lows[i] as number, high: highs[i] as number })),
    gapMs: Math.max(3 * seconds * 1_000, 30 * 60_000),
    limit,
  }
  return {
    channel,
    unit: first.unit,
    sensorName: sensor.name,
    from: new Date(fromMs),
    to: new Date(toMs),
    lowest: Math.min(...lows),
    highest: Math.max(...highs),
    png: await curvePng(curve),
  }
}
