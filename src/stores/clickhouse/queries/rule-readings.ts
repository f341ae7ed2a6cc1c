/** Stored readings that an alert rule is judged over, as files of numbers for worker processes. */
import type { ClickHouse } from '../client.ts'
import { SAYS_SOMETHING } from '../readings.ts'
import { asNumbers, columnOf } from './number-table.ts'

export type RuleReadings = {
  fromMs: number
  toMs: number
  /** Ascending; `channels` has the number of each of the rule's channels, 0 for a sensor that lacks it. */
  sensors: readonly { number: number; channels: readonly number[] }[]
  /** Whether the rule looks at locations. */
  locations: boolean
  /** Whether readings without a value of the rule's channels, or a location that it looks at, are left out. */
  onlyOwn: boolean
}

type Range = Pick<RuleReadings, 'fromMs' | 'toMs'>

/** Numbers of this process are part of the statement: as parameters they would hide the range from the index. */
const inRange = ({ fromMs, toMs }: Range): string =>
  `sensor IN {sensors:Array(UInt32)} AND at >= fromUnixTimestamp64Milli(${Math.trunc(fromMs)}, 'UTC')
   AND at < fromUnixTimestamp64Milli(${Math.trunc(toMs)}, 'UTC')`

/**
 * Readings of each sensor that has any. Copies that are not merged yet and deleted readings count too, because only the
 * columns of the index are read.
 */
export async function readingsOfEach(
  clickhouse: ClickHouse,
  sensors: readonly number[],
  range: Range,
  signal: AbortSignal,
): Promise<Map<number, number>> {
  const table = await clickhouse.askNumbers(
    `SELECT ${asNumbers('sensor', 'count()')} FROM readings WHERE ${inRange(range)} GROUP BY sensor ORDER BY sensor`,
    { sensors },
    signal,
  )
  const counts = columnOf(table, 1)
  return new Map(columnOf(table, 0).map((sensor, i) => [sensor, counts[i] as number]))
}

/** Readings of all sensors, each counted once. */
export async function countReadings(
  clickhouse: ClickHouse,
  sensors: readonly number[],
  range: Range,
  signal: AbortSignal,
): Promise<number> {
  const table = await clickhouse.askNumbers(
    `SELECT ${asNumbers('count()')} FROM readings FINAL WHERE ${inRange(range)} AND ${SAYS_SOMETHING}`,
    { sensors },
    signal,
  )
  return columnOf(table, 0)[0] as number
}

/**
 * Writes the readings by sensor and time. A row has doubles alone: sensor, time in milliseconds, a value for each channel,
 * and longitude and latitude if `locations` is set. Missing ones are NaN.
 */
export async function writeRuleReadings(
  clickhouse: ClickHouse,
  path: string,
  { sensors, locations, onlyOwn, ...range }: RuleReadings,
  signal: AbortSignal,
): Promise<void> {
  const params: Record<string, unknown> = { sensors: sensors.map(({ number }) => number) }
  // sensors of one make have the same channel numbers, so there are few makes
  const makes = [...Map.groupBy(sensors, ({ channels }) => channels.join()).values()]
  const makeOf = makes.slice(1).map((own, i) => {
    params[`make${i}`] = own.map(({ number }) => number)
    return `sensor IN {make${i}:Array(UInt32)}, ${i + 2}, `
  })
  const make = makeOf.length === 0 ? '1' : `multiIf(${makeOf.join('')}1)`
  const values = (sensors[0]?.channels ?? []).map((first, i) => {
    const own = makes.map((one) => (one[0] as (typeof sensors)[number]).channels[i])
    return channelValue(own.every((channel) => channel === first) ? String(first) : `[${own.join()}][make]`)
  })
  const place = locations ? ['longitude', 'latitude'] : []
  const own = [...values, ...place.slice(0, 1)].map((column) => `NOT isNaN(${column})`)
  await clickhouse.writeFile(
    path,
    `SELECT ${asNumbers('sensor', 'toUnixTimestamp64Milli(at)', ...values, ...place)}
     FROM (SELECT sensor, at, channels, values, longitude, latitude, ${make} AS make FROM readings FINAL WHERE ${inRange(range)})
     WHERE ${onlyOwn ? `(${own.join(' OR ')})` : SAYS_SOMETHING} ORDER BY sensor, at`,
    params,
    signal,
  )
}

/** A reading has no value of the channel with the number 0. */
const channelValue = (channel: string): string =>
  `if(has(channels, ${channel}), values[indexOf(channels, ${channel})], nan)`
