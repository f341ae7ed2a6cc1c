/** Readings aggregated by time buckets. */
import { inTurns } from '../../turns.ts'
import type { ClickHouse } from './client.ts'
import { asNumbers, type NumberTable } from './number-table.ts'
import { FULL_HOUR } from './rollups.ts'
import { waitingHours } from './waiting-hours.ts'

export const AGGREGATES = {
  avg: 'avg(value)',
  min: 'min(value)',
  max: 'max(value)',
  sum: 'sum(value)',
  count: 'count()',
  first: 'argMin(value, at)',
  last: 'argMax(value, at)',
  // exact, interpolated between the two nearest values (type 7 of Hyndman and Fan, 1996)
  p50: 'quantileExactInclusive(0.5)(value)',
  p95: 'quantileExactInclusive(0.95)(value)',
  p99: 'quantileExactInclusive(0.99)(value)',
} as const
export type Aggregate = keyof typeof AGGREGATES

export type Buckets =
  | { kind: 'seconds'; seconds: number }
  /** Calendar buckets in an IANA time zone. */
  | { kind: 'days' | 'weeks' | 'months'; count: number; timeZone: string }

export type Resolution = 'raw' | Rolled
type Rolled = 'minute' | 'hour' | 'day'
/** Aggregates that the rollups of minutes, hours and days hold (rollups.ts). */
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
const HOUR_MS = 3_600_000
const UNIT_MS: Record<Rolled, number> = { minute: 60_000, hour: HOUR_MS, day: 24 * HOUR_MS }

/** A channel of a sensor, by number; a series has one channel name, whose members may differ in measurement. */
type SeriesMember = { series: number; sensor: number; channel: number }

export type SeriesRequest = {
  /**
   * Coarser than `raw` only if every bucket consists of whole minutes, hours or days and the rollups hold every
   * aggregate. Readings are used instead of minutes for ranges without minutes.
   */
  resolution: Resolution
  fromMs: number
  toMs: number
  buckets: Buckets
  aggregates: readonly Aggregate[]
  members: readonly SeriesMember[]
}

/** One series: the starts of its buckets in order, and the values of each aggregate; null if it is not a number. */
export type SeriesPoints = { starts: number[]; values: (number | null)[][] }

type Statement = { sql: string; params: Record<string, unknown> }
/**
 * The source of rows: a WITH clause that gives columns the names that the aggregates use, and the FROM clause. A
 * subquery would do the same but takes ClickHouse a millisecond longer.
 */
type Source = { names: string; from: string; params: Record<string, unknown> }
const moment = (name: string): string => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
const SENSORS = 'sensor IN {sensors:Array(UInt32)}'
const CHANNELS = 'channel IN {channels:Array(UInt16)}'

/** The start of the bucket of `at`, in milliseconds since 1970, as SQL. */
function startOf(buckets: Buckets): Statement {
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

/** The grouping expression of series: a channel of a sensor, or several of them together. */
function groupOf(members: readonly SeriesMember[]): Statement & { seriesOf: Map<number, number> } {
  const keys = members.map(({ sensor, channel }) => sensor * 65_536 + channel)
  const series = members.map((member) => member.series)
  // a constant, so that no column has to be read for it
  if (series.length === 1) return { sql: 'toUInt64(0)', params: {}, seriesOf: new Map([[0, series[0] as number]]) }
  const sql = 'toUInt64(sensor) * 65536 + channel'
  if (new Set(series).size === series.length)
    return { sql, params: {}, seriesOf: new Map(keys.map((key, i) => [key, series[i] as number])) }
  const last = Math.max(...series)
  return {
    sql: `transform(${sql}, {keys:Array(UInt64)}, {series:Array(UInt32)}, toUInt32(${last + 1}))`,
    params: { keys, series },
    seriesOf: new Map(series.map((one) => [one, one])),
  }
}

/** Numbers of sensors and channels, by which rows are filtered first. */
const numbersOf = (members: readonly SeriesMember[]) => ({
  sensors: [...new Set(members.map(({ sensor }) => sensor))],
  channels: [...new Set(members.map(({ channel }) => channel))],
})

/** The points of each series, and the resolution that was used. */
export async function seriesBetween(
  clickhouse: ClickHouse,
  request: SeriesRequest,
  signal: AbortSignal,
): Promise<{ resolution: Resolution; points: SeriesPoints[] }> {
  if (request.members.length === 0) return { resolution: request.resolution, points: [] }
  const rolled =
    request.resolution === 'raw' ? undefined : await rolledParts(clickhouse, request, request.resolution, signal)
  const { names, from, params } = rolled ?? ofReadings(request)
  const group = groupOf(request.members)
  const start = startOf(request.buckets)
  const columns = request.aggregates.map((name) => (rolled && ROLLED[name]) ?? AGGREGATES[name])
  // a constant column costs less than a separate statement
  const lacking = rolled?.lacking === undefined ? [] : [`assumeNotNull((${rolled.lacking}))`]
  const table = await clickhouse.askNumbers(
    `${names} SELECT ${asNumbers('series', ...lacking, 'start', ...columns)}
     FROM ${from} GROUP BY ${group.sql} AS series, ${start.sql} AS start`,
    { ...params, ...group.params, ...start.params },
    signal,
  )
  if (lacking.length > 0 && table.cells[1] !== 0)
    return seriesBetween(clickhouse, { ...request, resolution: 'raw' }, signal)
  return {
    resolution: rolled === undefined ? 'raw' : request.resolution,
    points: await inOrder(table, request, group.seriesOf),
  }
}

/**
 * Sorts rows, which come in no order, into points by series and time: a counting sort, because there are many rows and
 * few starts. Sorting them in ClickHouse would take longer.
 */
async function inOrder(
  { rows, columns, cells }: NumberTable,
  { members, aggregates }: SeriesRequest,
  seriesOf: ReadonlyMap<number, number>,
): Promise<SeriesPoints[]> {
  const count = Math.max(...members.map(({ series }) => series)) + 1
  const points = Array.from({ length: count }, (): SeriesPoints => ({ starts: [], values: aggregates.map(() => []) }))
  const firstValue = columns - aggregates.length
  const cell = (row: number, column: number): number => cells[row * columns + column] as number
  const startIn = (row: number): number => cell(row, firstValue - 1)
  const found = new Set<number>()
  await inTurns(rows, (row) => found.add(startIn(row)))
  const distinct = [...found].sort((a, b) => a - b)
  const indexOf = new Map(distinct.map((start, index) => [start, index]))
  const indexes = new Uint32Array(rows)
  const ends = new Uint32Array(distinct.length + 1)
  await inTurns(rows, (row) => {
    const index = indexOf.get(startIn(row)) as number
    indexes[row] = index
    ends[index + 1] = (ends[index + 1] as number) + 1
  })
  for (let index = 0; index < distinct.length; index++)
    ends[index + 1] = (ends[index + 1] as number) + (ends[index] as number)
  const order = new Uint32Array(rows)
  for (let row = 0; row < rows; row++) {
    const index = indexes[row] as number
    const at = ends[index] as number
    order[at] = row
    ends[index] = at + 1
  }
  await inTurns(rows, (at) => {
    const row = order[at] as number
    const series = seriesOf.get(cell(row, 0))
    if (series === undefined) return
    const own = points[series] as SeriesPoints
    own.starts.push(startIn(row))
    for (let i = 0; i < aggregates.length; i++) {
      const value = cell(row, firstValue + i)
      own.values[i]?.push(Number.isFinite(value) ? value : null)
    }
  })
  return points
}

function ofReadings({ fromMs, toMs, members }: SeriesRequest): Source {
  const [only] = members
  const range = `${SENSORS} AND at >= ${moment('from')} AND at < ${moment('to')}`
  const params = { from: fromMs, to: toMs, ...numbersOf(members) }
  if (only !== undefined && members.length === 1)
    return {
      names: 'WITH values[indexOf(channels, {channel:UInt16})] AS value',
      from: `readings FINAL WHERE ${range} AND has(channels, {channel:UInt16})`,
      params: { ...params, channel: only.channel },
    }
  return {
    names: '',
    from: `(SELECT sensor, at, r.channels AS names, r.values AS said FROM readings AS r FINAL WHERE ${range})
      ARRAY JOIN names AS channel, said AS value WHERE ${CHANNELS}`,
    params,
  }
}

/** Waiting hours that are this recent are cut off together, for all sensors; each older one is an exception. */
const RECENT_MS = 3 * HOUR_MS
/** With more exceptions, only readings are used. */
const MAX_EXCEPTIONS = 100_000

/** What a rollup covers of a range: from `headMs` until `tailMs`, except for the listed units of sensors, in seconds. */
type Coverage = { headMs: number; tailMs: number; sensors: number[]; starts: number[] }

async function coverageOf(
  clickhouse: ClickHouse,
  { fromMs, toMs, members }: SeriesRequest,
  unitMs: number,
  signal: AbortSignal,
): Promise<Coverage | undefined> {
  const headMs = Math.ceil(fromMs / unitMs) * unitMs
  let tailMs = Math.floor(toMs / unitMs) * unitMs
  if (tailMs <= headMs) return undefined
  const range = { fromMs: headMs, toMs: tailMs, limit: MAX_EXCEPTIONS + 1 }
  const [waiting, hours] = await waitingHours(clickhouse, numbersOf(members).sensors, range, signal)
  if (hours.length > MAX_EXCEPTIONS) return undefined
  const startsMs = hours.map((hour) => Math.floor((hour * 1000) / unitMs) * unitMs)
  const recentMs = Date.now() - RECENT_MS
  for (const startMs of startsMs) if (startMs >= recentMs - unitMs) tailMs = Math.min(tailMs, startMs)
  const exceptions = new Map<string, [sensor: number, startMs: number]>()
  for (const [i, startMs] of startsMs.entries())
    if (startMs < tailMs) exceptions.set(`${waiting[i]} ${startMs}`, [waiting[i] as number, startMs])
  const units = [...exceptions.values()]
  return tailMs <= headMs
    ? undefined
    : { headMs, tailMs, sensors: units.map(([sensor]) => sensor), starts: units.map(([, ms]) => ms / 1000) }
}

/**
 * Whole minutes, hours or days from the rollup, and from the readings the remainder before and after, and whatever
 * waits to be aggregated. The result is the same, except for the rounding of sums.
 * @returns undefined if the rollup does not cover the range; `lacking` counts the hours without minutes
 */
async function rolledParts(
  clickhouse: ClickHouse,
  request: SeriesRequest,
  resolution: Rolled,
  signal: AbortSignal,
): Promise<(Source & { lacking: string | undefined }) | undefined> {
  const { fromMs, toMs, members } = request
  // minutes are computed for whole hours
  const isOfDays = resolution === 'day'
  const covered = await coverageOf(clickhouse, request, isOfDays ? UNIT_MS.day : HOUR_MS, signal)
  if (covered === undefined) return undefined
  const { headMs, tailMs } = covered
  const hasExceptions = covered.sensors.length > 0
  const unitOf = (time: string): string => `(sensor, ${isOfDays ? 'toStartOfDay' : 'toStartOfHour'}(${time}))`
  const exceptions = "arrayZip({waitingSensors:Array(UInt32)}, {waitingStarts:Array(DateTime('UTC'))})"
  const params = {
    ...{ head: headMs, tail: tailMs, ...numbersOf(members) },
    ...(hasExceptions && { waitingSensors: covered.sensors, waitingStarts: covered.starts }),
  }
  const range = `${SENSORS} AND ${CHANNELS} AND bucket >= toDateTime(${moment('head')}) AND bucket < toDateTime(${moment('tail')})
    ${hasExceptions ? `AND ${unitOf('bucket')} NOT IN ${exceptions}` : ''}`
  const sparse = `SELECT countIf(count < ${FULL_HOUR}) FROM rollup_hour FINAL WHERE ${range}`
  const lacking = resolution === 'minute' ? sparse : undefined
  const rollup = `rollup_${resolution} FINAL WHERE ${range}`
  const edges = [
    { name: 'before', fromMs, toMs: headMs },
    { name: 'after', fromMs: tailMs, toMs },
  ].filter((edge) => edge.toMs > edge.fromMs)
  const aliases = "toDateTime64(bucket, 3, 'UTC') AS at, count AS n, sum AS total, min AS low, max AS high"
  const ofReadings = edges.map(({ name }) => `(at >= ${moment(`${name}From`)} AND at < ${moment(`${name}To`)})`)
  if (hasExceptions) ofReadings.push(`${unitOf('toDateTime(at)')} IN ${exceptions}`)
  if (ofReadings.length === 0) return { names: `WITH ${aliases}`, from: rollup, params, lacking }
  return {
    lacking,
    names: '',
    from: `(SELECT sensor, channel, ${aliases}, first_at, first, last_at, last FROM ${rollup} UNION ALL
      SELECT sensor, channel, at, toUInt64(1) AS n, value AS total, value AS low, value AS high,
        at AS first_at, value AS first, at AS last_at, value AS last
      FROM (SELECT sensor, at, channels, values FROM readings FINAL WHERE ${SENSORS} AND (${ofReadings.join(' OR ')}))
      ARRAY JOIN channels AS channel, values AS value WHERE ${CHANNELS})`,
    params: {
      ...params,
      ...Object.fromEntries(
        edges.flatMap((edge) => [
          [`${edge.name}From`, edge.fromMs],
          [`${edge.name}To`, edge.toMs],
        ]),
      ),
    },
  }
}

/** Starts of all calendar buckets that overlap a range. */
export async function bucketStarts(
  clickhouse: ClickHouse,
  { fromMs, toMs, buckets }: Pick<SeriesRequest, 'fromMs' | 'toMs' | 'buckets'>,
  signal: AbortSignal,
): Promise<number[]> {
  const start = startOf(buckets)
  // close enough to fall into every bucket at least once
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
