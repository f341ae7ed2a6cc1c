/**
 * The last day of a sensor as hourly averages, for lists. They change slowly and cost more than the rest of a list, so
 * they are cached.
 */
import { formatTimestamp } from '../../ingest/timestamp.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { seriesBetween } from '../../stores/clickhouse/queries/series.ts'
import type { SeriesPoints } from '../../stores/clickhouse/queries/series-points.ts'
import type { ChannelRecord, Sensor } from '../../stores/postgres/sensors/sensors.ts'
import type { Enterprise } from '../readings.ts'
import { oldestVisibleMs } from '../time-range.ts'

export type Sparkline = { channel: string; from: string; stepMs: number; values: (number | null)[] }

export type Sparklines = {
  /** By sensor number; sensors without a numeric channel are left out. */
  of(enterprise: Enterprise, sensors: readonly Sensor[], signal: AbortSignal): Promise<Map<number, Sparkline>>
}

const HOUR_MS = 3_600_000
const HOURS = 24
const KEPT_MS = 20_000
/** Some 20 MB. */
const MAX_KEPT = 50_000

type Shown = { sensor: Sensor; channel: ChannelRecord }
type Kept = { line: Sparkline; channel: number; fromMs: number; untilMs: number }

/** The first active channel with numbers. */
function shownOf(sensor: Sensor): Shown | undefined {
  const channel = sensor.channels.find(({ active, measurement }) => active && measurement !== 'boolean')
  return channel && { sensor, channel }
}

export function createSparklines(clickhouse: ClickHouse): Sparklines {
  let kept = new Map<number, Kept>()

  async function read(
    enterprise: Enterprise,
    shown: readonly Shown[],
    fromMs: number,
    signal: AbortSignal,
  ): Promise<Sparkline[]> {
    const { points } = await seriesBetween(
      clickhouse,
      {
        resolution: 'hour',
        fromMs: Math.max(fromMs, oldestVisibleMs(enterprise)),
        toMs: fromMs + HOURS * HOUR_MS,
        aggregates: ['avg'],
        buckets: { kind: 'seconds', seconds: HOUR_MS / 1000 },
        members: shown.map(({ sensor, channel }, series) => ({
          series,
          sensor: sensor.number,
          channel: channel.number,
        })),
      },
      signal,
    )
    const from = formatTimestamp(fromMs)
    return shown.map(({ channel }, i) => ({
      channel: channel.name,
      from,
      stepMs: HOUR_MS,
      values: hourly(points[i], fromMs),
    }))
  }

  return {
    async of(enterprise, sensors, signal) {
      const nowMs = Date.now()
      // the current hour is the last one
      const fromMs = (Math.floor(nowMs / HOUR_MS) + 1 - HOURS) * HOUR_MS
      const lines = new Map<number, Sparkline>()
      const missing: Shown[] = []
      for (const shown of sensors.flatMap((sensor) => shownOf(sensor) ?? [])) {
        const { number } = shown.sensor
        const known = kept.get(number)
        const isRight = known?.channel === shown.channel.number && known.fromMs === fromMs && known.untilMs > nowMs
        if (isRight) lines.set(number, { ...known.line, channel: shown.channel.name })
        else missing.push(shown)
      }
      if (missing.length === 0) return lines
      const found = await read(enterprise, missing, fromMs, signal)
      if (kept.size > MAX_KEPT) kept = new Map()
      for (const [i, { sensor, channel }] of missing.entries()) {
        const line = found[i] as Sparkline
        lines.set(sensor.number, line)
        kept.set(sensor.number, { line, channel: channel.number, fromMs, untilMs: nowMs + KEPT_MS })
      }
      return lines
    },
  }
}

function hourly(points: SeriesPoints | undefined, fromMs: number): (number | null)[] {
  const values: (number | null)[] = new Array(HOURS).fill(null)
  for (const [i, start] of (points?.starts ?? []).entries()) {
    const value = points?.values[0]?.[i]
    // JSON has no infinity, and a line of 24 points has no use for it
    if (value !== undefined && Number.isFinite(value)) values[(start - fromMs) / HOUR_MS] = value
  }
  return values
}
