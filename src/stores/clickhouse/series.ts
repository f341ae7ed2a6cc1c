/** Readings aggregated by time buckets. */
import { inTurns } from '../../turns.ts'
import { type Buckets, type Statement, startOf } from './buckets.ts'
import type { ClickHouse } from './client.ts'
import { asNumbers, type NumberTable } from './number-table.ts'
import { type Coverage, coverageOf, expectedCoverage } from './rollup-coverage.ts'
import { FULL_HOUR } from './rollups.ts'
import { anyWaiting } from './waiting-hours.ts'

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
// minutes are computed for whole hours
const unitMsOf = (resolution: Rolled): number => (resolution === 'day' ? 24 * HOUR_MS : HOUR_MS)

/** A channel of a sensor, by number; a series has one channel name, whose members may differ in measurement. */
type SeriesMember = { series: number; sensor: number; channel: number }

export type SeriesRequest = {
  /**
   * Coarser than `raw` only if every bucket consists of whole minutes, hours or days and the rollups hold every
   * aggregate. Hours without minutes are computed from their readings.
   */
  resolution: Resolution
  fromMs: number
  toMs: number
  buckets: Buckets
  aggregates: readonly Aggregate[]
  members: readonly SeriesMember[]
}

/** One series: the starts of its buckets in order, and the values of each aggregate, infinite beyond the range of a double. */
export type SeriesPoints = { starts: number[]; values: number[][] }

/**
 * The source of rows: a WITH clause that gives columns the names that the aggregates use, and the FROM clause. A
 * subquery would do the same but takes ClickHouse a millisecond longer.
 */
type Source = {
  names: string
  from: string
  params: Record<string, unknown>
  /** If false, no rows may also mean that the source does not hold everything. */
  isComplete: boolean
}
const moment = (name: string): string => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
const SENSORS = 'sensor IN {sensors:Array(UInt32)}'
const CHANNELS = 'channel IN {channels:Array(UInt16)}'

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

type Found = { resolution: Resolution; points: SeriesPoints[] }

/** The points of each series, and the resolution that was used. */
export async function seriesBetween(
  clickhouse: ClickHouse,
  request: SeriesRequest,
  signal: AbortSignal,
): Promise<Found> {
  if (request.members.length === 0) return { resolution: request.resolution, points: [] }
  if (request.resolution !== 'raw') {
    const rollup = { request, resolution: request.resolution }
    const expected = expectedCoverage(request, unitMsOf(request.resolution))
    const quick = expected && (await pointsOf(clickhouse, request, rolledParts(rollup, expected, true), signal))
    if (quick !== undefined) return quick
    const covered = await coverageOf(
      clickhouse,
      numbersOf(request.members).sensors,
      request,
      unitMsOf(request.resolution),
      signal,
    )
    const exact = covered && (await pointsOf(clickhouse, request, rolledParts(rollup, covered, false), signal))
    if (exact !== undefined) return exact
  }
  const raw = { ...request, resolution: 'raw' as const }
  return (await pointsOf(clickhouse, raw, ofReadings(raw), signal)) as Found
}

/** @returns undefined if the source says that it does not hold everything */
async function pointsOf(
  clickhouse: ClickHouse,
  request: SeriesRequest,
  { names, from, params, isComplete }: Source,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { resolution, buckets, aggregates, members } = request
  const group = groupOf(members)
  const start = startOf(buckets)
  const columns = aggregates.map((name) => (resolution === 'raw' ? undefined : ROLLED[name]) ?? AGGREGATES[name])
  const table = await clickhouse.askNumbers(
    `${names} SELECT ${asNumbers('series', 'start', ...columns)}
     FROM ${from} GROUP BY ${group.sql} AS series, ${start.sql} AS start`,
    { ...params, ...group.params, ...start.params },
    signal,
  )
  if (!isComplete && table.rows === 0) return undefined
  return { resolution, points: await inOrder(table, request, group.seriesOf) }
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
      own.values[i]?.push(cell(row, firstValue + i))
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
      isComplete: true,
    }
  return {
    names: '',
    from: `(SELECT sensor, at, r.channels AS names, r.values AS said FROM readings AS r FINAL WHERE ${range})
      ARRAY JOIN names AS channel, said AS value WHERE ${CHANNELS}`,
    params,
    isComplete: true,
  }
}

/**
 * Whole minutes, hours or days from the rollup, and from the readings the remainder before and after, hours of so few
 * readings that no minutes are stored, and whatever waits to be aggregated. The result is the same, except for the
 * rounding of sums.
 * @param isExpected whether the coverage is an expectation: then there are no rows if any other hour waits
 */
function rolledParts(
  { request, resolution }: { request: SeriesRequest; resolution: Rolled },
  covered: Coverage,
  isExpected: boolean,
): Source {
  const { fromMs, toMs, members } = request
  const { headMs, tailMs } = covered
  const hasExceptions = covered.sensors.length > 0
  const unitOf = (time: string): string =>
    `(sensor, ${resolution === 'day' ? 'toStartOfDay' : 'toStartOfHour'}(${time}))`
  const exceptions = "arrayZip({waitingSensors:Array(UInt32)}, {waitingStarts:Array(DateTime('UTC'))})"
  const params = {
    ...{ head: headMs, tail: tailMs, ...numbersOf(members) },
    ...(hasExceptions && { waitingSensors: covered.sensors, waitingStarts: covered.starts }),
  }
  // ClickHouse computes it first, and reads nothing else if it is false
  const unlessWaiting = isExpected ? `AND (${anyWaiting(SENSORS, moment('head'), moment('tail'))}) = 0` : ''
  const covers = `${SENSORS} AND ${CHANNELS} AND bucket >= toDateTime(${moment('head')}) AND bucket < toDateTime(${moment('tail')})`
  const isWanted = (time: string): string =>
    `${hasExceptions ? `AND ${unitOf(time)} NOT IN ${exceptions}` : ''} ${unlessWaiting}`
  const sparse = `FROM rollup_hour FINAL WHERE ${covers} AND count < ${FULL_HOUR}`
  const isSparse = (time: string): string =>
    `(sensor, channel, toStartOfHour(${time})) IN (SELECT sensor, channel, bucket ${sparse})`
  const isOfMinutes = resolution === 'minute'
  const rollup = `rollup_${resolution} FINAL WHERE ${covers} ${isWanted('bucket')} ${isOfMinutes ? `AND NOT ${isSparse('bucket')}` : ''}`
  const edges = [
    { name: 'before', fromMs, toMs: headMs },
    { name: 'after', fromMs: tailMs, toMs },
  ].filter((edge) => edge.toMs > edge.fromMs)
  const aliases = "toDateTime64(bucket, 3, 'UTC') AS at, count AS n, sum AS total, min AS low, max AS high"
  const isReadWhole = edges.map(({ name }) => `(at >= ${moment(`${name}From`)} AND at < ${moment(`${name}To`)})`)
  if (hasExceptions) isReadWhole.push(`${unitOf('toDateTime(at)')} IN ${exceptions}`)
  const isComplete = !isExpected
  const parts: string[] = []
  if (isReadWhole.length > 0) parts.push(readingsWhere(`(${isReadWhole.join(' OR ')}) ${unlessWaiting}`))
  if (isOfMinutes)
    parts.push(
      `${readingsWhere(`at >= ${moment('head')} AND at < ${moment('tail')} ${isWanted('toDateTime(at)')}
        AND (sensor, toStartOfHour(toDateTime(at))) IN (SELECT sensor, bucket ${sparse})`)} AND ${isSparse('toDateTime(at)')}`,
    )
  if (parts.length === 0) return { names: `WITH ${aliases}`, from: rollup, params, isComplete }
  return {
    isComplete,
    names: '',
    from: `(SELECT sensor, channel, ${aliases}, first_at, first, last_at, last FROM ${rollup} UNION ALL
      ${parts.join(' UNION ALL ')})`,
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

/** Each value as a rollup of one reading. */
const readingsWhere = (
  condition: string,
): string => `SELECT sensor, channel, at, toUInt64(1) AS n, value AS total, value AS low, value AS high,
    at AS first_at, value AS first, at AS last_at, value AS last
  FROM (SELECT sensor, at, channels, values FROM readings FINAL WHERE ${SENSORS} AND ${condition})
  ARRAY JOIN channels AS channel, values AS value WHERE ${CHANNELS}`
