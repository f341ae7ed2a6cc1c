/** Readings put together by buckets of time. */
import type { ClickHouse } from './client.ts'

export const AGGREGATES = {
  avg: 'avg(value)',
  min: 'min(value)',
  max: 'max(value)',
  sum: 'sum(value)',
  count: 'count()',
  first: 'argMin(value, at)',
  last: 'argMax(value, at)',
  // exact, between the two nearest where none is in the middle (type 7 of Hyndman and Fan, 1996)
  p50: 'quantileExactInclusive(0.5)(value)',
  p95: 'quantileExactInclusive(0.95)(value)',
  p99: 'quantileExactInclusive(0.99)(value)',
} as const
export type Aggregate = keyof typeof AGGREGATES

export type Buckets =
  | { kind: 'seconds'; seconds: number }
  /** Of a calendar, in a time zone of the IANA's. */
  | { kind: 'days' | 'weeks' | 'months'; count: number; timeZone: string }

export type Resolution = 'raw' | 'hour' | 'day'
/** What is put together by hours and days already (rollups.ts). */
const ROLLED: Partial<Record<Aggregate, string>> = {
  avg: 'sum(total) / sum(n)',
  min: 'min(low)',
  max: 'max(high)',
  sum: 'sum(total)',
  count: 'sum(n)',
  first: 'argMin(first, first_at)',
  last: 'argMax(last, last_at)',
}
export const isRolled = (aggregate: Aggregate): boolean => ROLLED[aggregate] !== undefined
const UNIT_MS = { hour: 3_600_000, day: 86_400_000 }

export type SeriesWanted = {
  /** Coarser than readings only where every bucket is made of whole hours or days and every aggregate is rolled. */
  resolution: Resolution
  fromMs: number
  toMs: number
  buckets: Buckets
  aggregates: readonly Aggregate[]
  /** Channels of sensors by their numbers; those of one series are one channel, in whichever measurement. */
  members: readonly { series: number; sensor: number; channel: number }[]
}

/** Of a series a bucket's start and a value for each aggregate, null where it is no number. */
export type SeriesRow = [series: number, startMs: number, ...values: (number | null)[]]

const NONE = 4_294_967_295

/** The start of the bucket of `at`, in milliseconds since 1970, as SQL. */
function startOf(buckets: Buckets): { sql: string; params: Record<string, unknown> } {
  if (buckets.kind === 'seconds') {
    const ms = 'toUnixTimestamp64Milli(at)'
    return { sql: `${ms} - positiveModulo(${ms}, {step:Int64})`, params: { step: buckets.seconds * 1000 } }
  }
  const interval = { days: 'toIntervalDay', weeks: 'toIntervalWeek', months: 'toIntervalMonth' }[buckets.kind]
  const start = `toStartOfInterval(at, ${interval}({step:UInt32}), {zone:String})`
  return {
    sql: `toInt64(toUnixTimestamp(toDateTime(${start}, {zone:String}))) * 1000`,
    params: { step: buckets.count, zone: buckets.timeZone },
  }
}

/** In the order of series and buckets. */
export function seriesBetween(clickhouse: ClickHouse, wanted: SeriesWanted, signal: AbortSignal): Promise<SeriesRow[]> {
  const { resolution } = wanted
  if (wanted.members.length === 0) return Promise.resolve([])
  return resolution === 'raw'
    ? seriesOfReadings(clickhouse, wanted, signal)
    : seriesOfRollups(clickhouse, wanted, resolution, signal)
}

async function seriesOfReadings(
  clickhouse: ClickHouse,
  { fromMs, toMs, buckets, aggregates, members }: SeriesWanted,
  signal: AbortSignal,
): Promise<SeriesRow[]> {
  const start = startOf(buckets)
  const columns = aggregates.map((aggregate) => AGGREGATES[aggregate]).join(', ')
  const sensors = [...new Set(members.map(({ sensor }) => sensor))]
  const params = { ...start.params, from: fromMs, to: toMs, sensors }
  const range = `sensor IN {sensors:Array(UInt32)} AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
    AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`
  const [only] = members
  if (only !== undefined && members.length === 1)
    return clickhouse.ask<SeriesRow>(
      `SELECT {series:UInt32}, ${start.sql} AS start, ${columns} FROM (
         SELECT at, values[place] AS value, indexOf(channels, {channel:UInt16}) AS place FROM readings FINAL
         WHERE ${range} AND place > 0)
       GROUP BY start ORDER BY start`,
      { ...params, channel: only.channel, series: only.series },
      signal,
    )
  return clickhouse.ask<SeriesRow>(
    `SELECT series, ${start.sql} AS start, ${columns} FROM (
       SELECT at, value, transform(toUInt64(sensor) * 65536 + channel, {keys:Array(UInt64)}, {series:Array(UInt32)},
         toUInt32(${NONE})) AS series
       FROM (SELECT sensor, at, channels, values FROM readings FINAL WHERE ${range})
       ARRAY JOIN channels AS channel, values AS value)
     WHERE series != ${NONE} GROUP BY series, start ORDER BY series, start`,
    {
      ...params,
      keys: members.map(({ sensor, channel }) => sensor * 65_536 + channel),
      series: members.map(({ series }) => series),
    },
    signal,
  )
}

/**
 * Whole hours or days out of the rollup, as far as it reaches, and what is before, after and newer out of the readings:
 * the same figures, to the rounding of sums.
 */
async function seriesOfRollups(
  clickhouse: ClickHouse,
  { fromMs, toMs, buckets, aggregates, members }: SeriesWanted,
  resolution: 'hour' | 'day',
  signal: AbortSignal,
): Promise<SeriesRow[]> {
  const start = startOf(buckets)
  const unitMs = UNIT_MS[resolution]
  const columns = aggregates.map((aggregate) => ROLLED[aggregate]).join(', ')
  const wholeFromMs = Math.ceil(fromMs / unitMs) * unitMs
  const wholeToMs = Math.max(wholeFromMs, Math.floor(toMs / unitMs) * unitMs)
  const isOne = members.length === 1
  const series = isOne
    ? `if(channel = {channels:Array(UInt16)}[1], {series:Array(UInt32)}[1], toUInt32(${NONE}))`
    : `transform(toUInt64(sensor) * 65536 + channel, {keys:Array(UInt64)}, {series:Array(UInt32)}, toUInt32(${NONE}))`
  const moment = (name: string): string => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
  return clickhouse.ask<SeriesRow>(
    `WITH (SELECT toDateTime(intDiv(toUnixTimestamp64Milli(max(until)), ${unitMs}) * ${unitMs / 1000}, 'UTC') FROM rollup_done) AS done,
       toDateTime(${moment('wholeFrom')}) AS head, greatest(head, least(done, toDateTime(${moment('wholeTo')}))) AS tail
     SELECT series, ${start.sql} AS start, ${columns} FROM (
       SELECT ${series} AS series, toDateTime64(bucket, 3, 'UTC') AS at, count AS n, sum AS total, min AS low, max AS high,
         first_at, first, last_at, last
       FROM rollup_${resolution} FINAL
       WHERE sensor IN {sensors:Array(UInt32)} AND channel IN {channels:Array(UInt16)} AND bucket >= head AND bucket < tail
       UNION ALL
       SELECT ${series} AS series, at, toUInt64(1) AS n, value AS total, value AS low, value AS high,
         at AS first_at, value AS first, at AS last_at, value AS last
       FROM (
         SELECT sensor, at, channels, values FROM readings FINAL
         WHERE sensor IN {sensors:Array(UInt32)} AND at >= ${moment('from')} AND at < ${moment('to')}
           AND (at < head OR at >= tail))
       ARRAY JOIN channels AS channel, values AS value)
     WHERE series != ${NONE} GROUP BY series, start ORDER BY series, start`,
    {
      ...start.params,
      ...{ from: fromMs, to: toMs, wholeFrom: wholeFromMs, wholeTo: wholeToMs },
      sensors: [...new Set(members.map(({ sensor }) => sensor))],
      channels: [...new Set(members.map(({ channel }) => channel))],
      ...(!isOne && { keys: members.map(({ sensor, channel }) => sensor * 65_536 + channel) }),
      series: members.map(({ series }) => series),
    },
    signal,
  )
}

/** Starts of all buckets of a calendar that a range meets. */
export async function bucketStarts(
  clickhouse: ClickHouse,
  { fromMs, toMs, buckets }: Pick<SeriesWanted, 'fromMs' | 'toMs' | 'buckets'>,
  signal: AbortSignal,
): Promise<number[]> {
  const start = startOf(buckets)
  // moments close enough to meet each of them
  const everyMs = 43_200_000
  const rows = await clickhouse.ask<[number]>(
    `SELECT DISTINCT ${start.sql} AS start FROM (
       SELECT fromUnixTimestamp64Milli(least({from:Int64} + toInt64(number) * ${everyMs}, {to:Int64} - 1), 'UTC') AS at
       FROM numbers({moments:UInt64})) ORDER BY start`,
    { ...start.params, from: fromMs, to: toMs, moments: Math.ceil((toMs - fromMs) / everyMs) + 1 },
    signal,
  )
  return rows.map(([ms]) => ms)
}
