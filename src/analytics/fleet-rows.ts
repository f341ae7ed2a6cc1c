/** Rows of a list of sensors with what a person looks for: state, newest values, the last day, what was refused. */
import { formatTimestamp } from '../ingest/timestamp.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type LatestOfSensor, latestOf } from '../stores/clickhouse/readings.ts'
import { type SeriesPoints, seriesBetween } from '../stores/clickhouse/series.ts'
import type { ChannelRecord, Sensor } from '../stores/postgres/sensors.ts'
import type { Listed } from './fleet-list.ts'
import { type Enterprise, valueIn } from './readings.ts'
import { oldestVisibleMs } from './time-range.ts'

export const FLEET_PARTS = ['state', 'latest', 'sparkline', 'refused'] as const
export type FleetPart = (typeof FLEET_PARTS)[number]

/** Channels whose newest values a row shows. */
const SHOWN_CHANNELS = 3
const HOUR_MS = 3_600_000
const SPARKLINE_HOURS = 24

const activeOf = (sensor: Sensor): ChannelRecord[] => sensor.channels.filter(({ active }) => active)
const isNumeric = ({ measurement }: ChannelRecord): boolean => measurement !== 'boolean'

export type FleetParts = {
  state?: string
  lastAt?: string | null
  intervalMs?: number | null
  latest?: { channel: string; unit: string | null; value: number | boolean | null; at: string | null }[]
  sparkline?: { channel: string; from: string; stepMs: number; values: (number | null)[] } | null
  refused?: number
}

/** @returns the parts of each listed sensor, in their order; `records` has the sensors that still exist */
export async function fleetParts(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  listed: readonly Listed[],
  records: ReadonlyMap<string, Sensor>,
  parts: ReadonlySet<FleetPart>,
  signal: AbortSignal,
): Promise<FleetParts[]> {
  const sensors = listed.flatMap(({ row }) => records.get(row.id) ?? [])
  const [newest, lines] = await Promise.all([
    parts.has('latest') && sensors.length > 0
      ? latestOf(clickhouse, enterprise.number, numbersOf(sensors), oldestVisibleMs(enterprise), signal)
      : undefined,
    parts.has('sparkline') ? sparklines(clickhouse, enterprise, sensors, signal) : undefined,
  ])
  return listed.map(({ row, state }) => {
    const sensor = records.get(row.id)
    return {
      ...(parts.has('state') && {
        state,
        lastAt: row.lastMs === 0 ? null : formatTimestamp(row.lastMs),
        intervalMs: row.intervalMs === 0 ? null : row.intervalMs,
      }),
      ...(newest !== undefined && sensor !== undefined && { latest: latestIn(sensor, newest.get(row.number)) }),
      ...(lines !== undefined && { sparkline: lines.get(row.number) ?? null }),
      ...(parts.has('refused') && { refused: row.refused }),
    }
  })
}

const numbersOf = (sensors: readonly Sensor[]): number[] => sensors.map(({ number }) => number)

function latestIn(sensor: Sensor, found: LatestOfSensor | undefined): NonNullable<FleetParts['latest']> {
  return activeOf(sensor)
    .slice(0, SHOWN_CHANNELS)
    .map((channel) => {
      const value = found?.values.find(([number]) => number === channel.number)
      return {
        channel: channel.name,
        unit: channel.unit,
        value: value === undefined ? null : valueIn(channel, value[1]),
        at: value === undefined ? null : formatTimestamp(value[2]),
      }
    })
}

/** Hourly averages of the first numeric channel of each sensor, by sensor number; the running hour is the last one. */
async function sparklines(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  sensors: readonly Sensor[],
  signal: AbortSignal,
): Promise<Map<number, NonNullable<FleetParts['sparkline']>>> {
  const nowMs = Date.now()
  const fromMs = (Math.floor(nowMs / HOUR_MS) + 1 - SPARKLINE_HOURS) * HOUR_MS
  const toMs = fromMs + SPARKLINE_HOURS * HOUR_MS
  const shown = sensors.flatMap((sensor) => {
    const channel = activeOf(sensor).find(isNumeric)
    return channel === undefined ? [] : [{ sensor, channel }]
  })
  if (shown.length === 0) return new Map()
  const visibleFromMs = Math.max(fromMs, oldestVisibleMs(enterprise, nowMs))
  const { points } = await seriesBetween(
    clickhouse,
    {
      ...{ resolution: 'hour', fromMs: visibleFromMs, toMs, aggregates: ['avg'] },
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
  return new Map(
    shown.map(({ sensor, channel }, i) => [
      sensor.number,
      { channel: channel.name, from, stepMs: HOUR_MS, values: hourly(points[i], fromMs) },
    ]),
  )
}

function hourly(points: SeriesPoints | undefined, fromMs: number): (number | null)[] {
  const values: (number | null)[] = new Array(SPARKLINE_HOURS).fill(null)
  for (const [i, start] of (points?.starts ?? []).entries()) {
    const value = points?.values[0]?.[i]
    // JSON has no infinity, and a line of 24 points has no use for it
    if (value !== undefined && Number.isFinite(value)) values[(start - fromMs) / HOUR_MS] = value
  }
  return values
}
