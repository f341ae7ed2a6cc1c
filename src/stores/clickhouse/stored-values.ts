/** The values of stored readings, for callers that ask whether a reading that arrives again says the same. */
import { inTurns } from '../../event-loop-yield.ts'
import type { ClickHouse } from './client.ts'
import { asNumbers } from './queries/number-table.ts'

export type WantedReading = { sensor: number; atMs: number }

/** Stand for the location among channel numbers, which have 16 bits. */
export const STORED_LONGITUDE = 65_536
export const STORED_LATITUDE = 65_537

/** By sensor and time: the values of a stored reading by channel number. A deleted reading has none. */
export type StoredValues = Map<string, Map<number, number>>

export const storedKey = ({ sensor, atMs }: WantedReading): string => `${sensor} ${atMs}`

/** Readings in one answer: each may have 256 values. */
const PAGE = 500
const TIMEOUT_MS = 10_000

/** Readings that are not stored are missing from the result. */
export async function storedValues(clickhouse: ClickHouse, wanted: readonly WantedReading[]): Promise<StoredValues> {
  const found: StoredValues = new Map()
  for (let first = 0; first < wanted.length; first += PAGE) {
    const page = wanted.slice(first, first + PAGE)
    const { rows, columns, cells } = await clickhouse.askNumbers(
      `SELECT ${asNumbers('sensor', 'toUnixTimestamp64Milli(at)', 'one.1', 'one.2')} FROM (
         SELECT sensor, at, arrayJoin(arrayConcat(
           arrayMap((channel, value) -> (toUInt32(channel), value), channels, values),
           [(toUInt32(${STORED_LONGITUDE}), longitude), (toUInt32(${STORED_LATITUDE}), latitude)])) AS one
         FROM readings FINAL
         WHERE (sensor, at) IN (SELECT t.1, fromUnixTimestamp64Milli(t.2, 'UTC') FROM (
           SELECT arrayJoin(arrayZip({sensors:Array(UInt32)}, {times:Array(Int64)})) AS t)))`,
      { sensors: page.map(({ sensor }) => sensor), times: page.map(({ atMs }) => atMs) },
      AbortSignal.timeout(TIMEOUT_MS),
    )
    await inTurns(rows, (row) => {
      const at = row * columns
      const [sensor, atMs, channel, value] = cells.subarray(at, at + 4) as unknown as [number, number, number, number]
      const key = storedKey({ sensor, atMs })
      const values = found.get(key) ?? new Map<number, number>()
      found.set(key, values)
      // no location is NaN
      if (!Number.isNaN(value)) values.set(channel, value)
    })
  }
  return found
}
