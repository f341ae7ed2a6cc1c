/** Rows of a list of sensors for display: state, newest values, the last day, refusals. */
import { formatTimestamp } from '../../ingest/timestamp.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { type NewestValue, newestValuesOf } from '../../stores/clickhouse/sensor-activity.ts'
import type { Sensor } from '../../stores/postgres/sensors/sensors.ts'
import { type Enterprise, valueIn } from '../readings.ts'
import { oldestVisibleMs } from '../time-range.ts'
import type { Listed } from './fleet-list.ts'
import type { Sparkline, Sparklines } from './sparklines.ts'

export const FLEET_PARTS = ['state', 'latest', 'sparkline', 'refused'] as const
export type FleetPart = (typeof FLEET_PARTS)[number]

/** Channels whose newest values a row has besides those that a request names. */
const SHOWN_CHANNELS = 3

export type FleetParts = {
  state?: string
  lastAt?: string | null
  intervalMs?: number | null
  latest?: { channel: string; unit: string | null; value: number | boolean | null; at: string | null }[]
  sparkline?: Sparkline | null
  refused?: number
}

export type FleetPartsDeps = { clickhouse: ClickHouse; sparklines: Sparklines }

/** @returns the parts of each listed sensor, in their order; `records` has the sensors that still exist */
export async function fleetParts(
  { clickhouse, sparklines }: FleetPartsDeps,
  enterprise: Enterprise,
  listed: readonly Listed[],
  records: ReadonlyMap<string, Sensor>,
  { parts, channels }: { parts: ReadonlySet<FleetPart>; channels: readonly string[] },
  signal: AbortSignal,
): Promise<FleetParts[]> {
  const sensors = listed.flatMap(({ row }) => records.get(row.id) ?? [])
  const wanted = {
    enterprise: enterprise.number,
    sensors: sensors.map(({ number }) => number),
    sinceMs: oldestVisibleMs(enterprise),
  }
  const [newest, lines] = await Promise.all([
    parts.has('latest') ? newestValuesOf(clickhouse, wanted, signal) : undefined,
    parts.has('sparkline') ? sparklines.of(enterprise, sensors, signal) : undefined,
  ])
  return listed.map(({ row, state }) => {
    const sensor = records.get(row.id)
    return {
      ...(parts.has('state') && {
        state,
        lastAt: row.lastMs === 0 ? null : formatTimestamp(row.lastMs),
        intervalMs: row.intervalMs === 0 ? null : row.intervalMs,
      }),
      ...(newest !== undefined &&
        sensor !== undefined && { latest: latestIn(sensor, channels, newest.get(row.number)) }),
      ...(lines !== undefined && { sparkline: lines.get(row.number) ?? null }),
      ...(parts.has('refused') && { refused: row.refused }),
    }
  })
}

function latestIn(
  sensor: Sensor,
  names: readonly string[],
  found: readonly NewestValue[] = [],
): NonNullable<FleetParts['latest']> {
  return sensor.channels
    .filter(({ active }) => active)
    .filter(({ name }, i) => i < SHOWN_CHANNELS || names.includes(name))
    .map((channel) => {
      const newest = found.find(({ channel: number }) => number === channel.number)
      return {
        channel: channel.name,
        unit: channel.unit,
        value: newest === undefined ? null : valueIn(channel, newest.value),
        at: newest === undefined ? null : formatTimestamp(newest.ms),
      }
    })
}
