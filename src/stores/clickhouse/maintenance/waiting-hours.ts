/** Hours of sensors with readings that the rollups may not contain yet. */
import type { ClickHouse } from '../client.ts'
import { asNumbers, columnOf } from '../queries/number-table.ts'

/** A condition on the rows of one hour in `rollup_hours`, whose parts may not be merged. */
export const IS_WAITING = 'max(changed_at) > max(rolled_at)'

/** A statement that returns 1 if an hour of the sensors with `from` ≤ hour < `to` waits, otherwise 0; all as SQL. */
export const anyWaiting = (sensors: string, from: string, to: string): string =>
  `SELECT count() FROM (SELECT sensor, hour FROM rollup_hours WHERE ${sensors} AND hour >= ${from} AND hour < ${to}
     GROUP BY sensor, hour HAVING ${IS_WAITING} LIMIT 1)`

/** Two columns; hours are in seconds since 1970. */
export type WaitingHours = [sensors: number[], hours: number[]]

/** Waiting hours of the sensors with `fromMs` ≤ hour < `toMs`, in no order; up to `limit`. */
export async function waitingHours(
  clickhouse: ClickHouse,
  sensors: readonly number[],
  { fromMs, toMs, limit }: { fromMs: number; toMs: number; limit: number },
  signal: AbortSignal,
): Promise<WaitingHours> {
  const table = await clickhouse.askNumbers(
    `SELECT ${asNumbers('sensor', 'toUnixTimestamp(hour)')} FROM rollup_hours
     WHERE sensor IN {sensors:Array(UInt32)} AND hour >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
       AND hour < fromUnixTimestamp64Milli({to:Int64}, 'UTC')
     GROUP BY sensor, hour HAVING ${IS_WAITING} LIMIT {limit:UInt32}`,
    { sensors, from: fromMs, to: toMs, limit },
    signal,
  )
  return [columnOf(table, 0), columnOf(table, 1)]
}

/**
 * With more sensors that have waiting hours, each query asks for its own sensors. The rows are read on the thread that
 * receives readings.
 */
const MAX_WAITING = 20_000

/** The oldest waiting hour before `untilMs` of each sensor that has one, both in ms; undefined if too many. */
export async function oldestWaiting(clickhouse: ClickHouse, untilMs: number): Promise<Map<number, number> | undefined> {
  const rows = await clickhouse.workRows<{ sensor: number; oldest: number }>(
    `SELECT sensor, toUnixTimestamp(min(hour)) AS oldest FROM (
       SELECT sensor, hour FROM rollup_hours
       WHERE sensor != 0 AND hour < fromUnixTimestamp64Milli({until:Int64}, 'UTC') GROUP BY sensor, hour HAVING ${IS_WAITING})
     GROUP BY sensor LIMIT ${MAX_WAITING + 1}`,
    { until: untilMs },
    { max_threads: 1 },
  )
  if (rows.length > MAX_WAITING) return undefined
  return new Map(rows.map(({ sensor, oldest }) => [sensor, oldest * 1000]))
}
