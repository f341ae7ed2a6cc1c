/** Stored readings around spans of time, which the judging process judges again. */
import type { ClickHouse } from '../client.ts'
import { SAYS_SOMETHING } from '../readings.ts'
import { asNumbers, columnOf } from './number-table.ts'

/** Readings with `fromMs` ≤ at < `toMs`. A sensor occurs once. */
export type Around = { sensor: number; fromMs: number; toMs: number }

/** Conditions in one statement. Numbers of this process are part of it: as parameters they would hide the ranges. */
const within = (around: readonly Around[]): string =>
  `(${around
    .map(
      ({ sensor, fromMs, toMs }) =>
        `(sensor = ${Math.trunc(sensor)} AND at >= fromUnixTimestamp64Milli(${Math.trunc(fromMs)}, 'UTC') AND at < fromUnixTimestamp64Milli(${Math.trunc(toMs)}, 'UTC'))`,
    )
    .join(' OR ')})`

/** Readings of each sensor that has any; copies that are not merged yet count too. */
export async function readingsAround(
  clickhouse: ClickHouse,
  around: readonly Around[],
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const table = await clickhouse.askNumbers(
    `SELECT ${asNumbers('sensor', 'count()')} FROM readings WHERE ${within(around)} GROUP BY sensor`,
    {},
    signal,
  )
  const counts = columnOf(table, 1)
  return new Map(columnOf(table, 0).map((sensor, i) => [sensor, counts[i] as number]))
}

/**
 * Writes the readings by sensor and time. A row has doubles: sensor, time and time of receipt in milliseconds, longitude
 * and latitude (NaN for none); then the numbers of its channels, and their values.
 */
export const writeReadingsAround = (
  clickhouse: ClickHouse,
  path: string,
  around: readonly Around[],
  signal: AbortSignal,
): Promise<void> =>
  clickhouse.writeFile(
    path,
    `SELECT ${asNumbers('sensor', 'toUnixTimestamp64Milli(at)', 'toUnixTimestamp64Milli(received_at)', 'longitude', 'latitude')},
       channels, values FROM readings FINAL WHERE ${within(around)} AND ${SAYS_SOMETHING} ORDER BY sensor, at`,
    {},
    signal,
  )
