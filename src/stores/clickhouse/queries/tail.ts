/** New readings of watched sensors, and new events of zone rules. */

import { append } from '../../../lists.ts'
import type { ClickHouse } from '../client.ts'
import { SAYS_SOMETHING } from '../readings.ts'
import type { ZoneEventRow } from '../zone-events.ts'
import { asNumbers, columnOf } from './number-table.ts'

export type NewReading = {
  sensor: number
  ms: number
  channels: number[]
  values: number[]
  /** NaN for a reading without a location. */
  longitude: number
  latitude: number
}

export type NewReadingsRequest = {
  enterprise: number
  /** Newest known time of each sensor; for undefined, only the newest time is looked up. */
  sinceMs: ReadonlyMap<number, number | undefined>
  overlapMs: number
  limit: number
}

/** Conditions in one statement. */
const GROUP = 100
/** How far before a sensor's newest reading its new readings may begin. */
const ALLOWED_LATENESS_MS = 3_600_000

export async function newReadings(
  clickhouse: ClickHouse,
  { enterprise, sinceMs, overlapMs, limit }: NewReadingsRequest,
  signal: AbortSignal,
): Promise<{ newest: Map<number, number>; readings: NewReading[] }> {
  const sensors = [...sinceMs.keys()]
  const own = 'enterprise = {enterprise:UInt32} AND sensor IN {sensors:Array(UInt32)}'
  const table = await clickhouse.askNumbers(
    `SELECT ${asNumbers('sensor', 'toUnixTimestamp64Milli(max(at))')} FROM (
       SELECT sensor, at FROM latest_values WHERE ${own} UNION ALL SELECT sensor, at FROM latest_positions WHERE ${own})
     GROUP BY sensor`,
    { enterprise, sensors },
    signal,
  )
  const times = columnOf(table, 1)
  const newest = new Map(columnOf(table, 0).map((sensor, i) => [sensor, times[i] as number]))
  const spans: [sensor: number, fromMs: number][] = []
  for (const [sensor, known] of sinceMs) {
    const newestMs = newest.get(sensor)
    if (known === undefined || newestMs === undefined || newestMs < known - overlapMs) continue
    spans.push([sensor, Math.max(known - overlapMs, newestMs - ALLOWED_LATENESS_MS)])
  }
  const readings: NewReading[] = []
  for (let from = 0; from < spans.length; from += GROUP)
    append(readings, await readingsAfter(clickhouse, spans.slice(from, from + GROUP), limit, signal))
  return { newest, readings: readings.sort((a, b) => a.ms - b.ms) }
}

type Row = [sensor: number, ms: number, channels: number[], values: number[], x: number | null, y: number | null]

async function readingsAfter(
  clickhouse: ClickHouse,
  spans: readonly (readonly [sensor: number, fromMs: number])[],
  limit: number,
  signal: AbortSignal,
): Promise<NewReading[]> {
  // both are numbers of this process; as parameters they would hide the ranges from the index
  const conditions = spans.map(
    ([sensor, fromMs]) =>
      `(sensor = ${Math.trunc(sensor)} AND at > fromUnixTimestamp64Milli(${Math.trunc(fromMs)}, 'UTC'))`,
  )
  const rows = await clickhouse.ask<Row>(
    `SELECT sensor, toUnixTimestamp64Milli(at), channels, values, longitude, latitude FROM readings FINAL
     WHERE (${conditions.join(' OR ')}) AND ${SAYS_SOMETHING} ORDER BY at DESC LIMIT {limit:UInt32}`,
    { limit },
    signal,
  )
  return rows.map(([sensor, ms, channels, values, x, y]) => ({
    sensor,
    ms,
    channels,
    values,
    longitude: x ?? Number.NaN,
    latitude: y ?? Number.NaN,
  }))
}

/** An event of any rule, with the rule's id. */
export type EnterpriseEvent = [rule: string, ...event: ZoneEventRow]

const EVENT_COLUMNS = `rule, sensor, toUnixTimestamp64Milli(at), event, longitude, latitude, zones, layer, layer_version,
  toUnixTimestamp64Milli(detected_at)`
const moment = (name: string): string => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`

/** Events detected after a time, of readings from a time on, in the order of detection. */
export async function newZoneEvents(
  clickhouse: ClickHouse,
  enterprise: number,
  { detectedAfterMs, fromMs, limit }: { detectedAfterMs: number; fromMs: number; limit: number },
  signal: AbortSignal,
): Promise<EnterpriseEvent[]> {
  const rows = await clickhouse.ask<EnterpriseEvent>(
    `SELECT ${EVENT_COLUMNS} FROM zone_events FINAL
     WHERE enterprise = {enterprise:UInt32} AND at >= ${moment('from')} AND detected_at > ${moment('after')}
     ORDER BY detected_at DESC LIMIT {limit:UInt32}`,
    { enterprise, from: fromMs, after: detectedAfterMs, limit },
    signal,
  )
  return rows.reverse()
}

/** The last event of a page. */
export type EventCursor = { ms: number; sensor: number; rule: string }

/** Events of all rules of an enterprise with `fromMs` ≤ at < `toMs`, newest first. */
export async function enterpriseEvents(
  clickhouse: ClickHouse,
  request: {
    enterprise: number
    fromMs: number
    toMs: number
    /** Only events of these rules; events of deleted rules, for example, are left out. */
    rules: readonly string[]
    sensor?: number | undefined
    before?: EventCursor | undefined
    limit: number
  },
  signal: AbortSignal,
): Promise<EnterpriseEvent[]> {
  const { enterprise, fromMs, toMs, rules, sensor, before, limit } = request
  const conditions = [
    'enterprise = {enterprise:UInt32} AND rule IN {rules:Array(String)}',
    `at >= ${moment('from')} AND at < ${moment('to')}`,
    ...(sensor === undefined ? [] : ['sensor = {sensor:UInt32}']),
    ...(before === undefined
      ? []
      : [`(at, sensor, rule) < (${moment('beforeMs')}, {beforeSensor:UInt32}, {beforeRule:String})`]),
  ]
  return clickhouse.ask<EnterpriseEvent>(
    `SELECT ${EVENT_COLUMNS} FROM zone_events FINAL WHERE ${conditions.join(' AND ')}
     ORDER BY at DESC, sensor DESC, rule DESC LIMIT {limit:UInt32}`,
    {
      enterprise,
      rules,
      from: fromMs,
      to: toMs,
      limit,
      ...(sensor !== undefined && { sensor }),
      ...(before !== undefined && { beforeMs: before.ms, beforeSensor: before.sensor, beforeRule: before.rule }),
    },
    signal,
  )
}
