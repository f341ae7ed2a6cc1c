/** Readings aggregated by time buckets. */

import { largest } from '../../../lists.ts'
import type { ClickHouse } from '../client.ts'
import { FULL_HOUR } from '../maintenance/rollups.ts'
import { anyWaiting } from '../maintenance/waiting-hours.ts'
import { type Buckets, type Statement, startOf } from './buckets.ts'
import { areWithinHours, haveEveryHour } from './full-hours.ts'
import { asNumbers } from './number-table.ts'
import { type Coverage, coverageOf, expectedCoverage } from './rollup-coverage.ts'
import { pointsBySeries, type SeriesPoints } from './series-points.ts'

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
  /** Whether `at` is a DateTime. */
  ofSeconds?: boolean
}
const moment = (ms: number): string => `fromUnixTimestamp64Milli(toInt64(${ms}), 'UTC')`

/** The grouping expression of series: a channel of a sensor, or several of them together. Empty if there is one series. */
function groupOf(members: readonly SeriesMember[]): Statement & { seriesOf: Map<number, number> } {
  const keys = members.map(({ sensor, channel }) => sensor * 65_536 + channel)
  const series = members.map((member) => member.series)
  if (series.length === 1) return { sql: '', params: {}, seriesOf: new Map([[0, series[0] as number]]) }
  const sql = 'toUInt64(sensor) * 65536 + channel'
  if (new Set(series).size === series.length)
    return { sql, params: {}, seriesOf: new Map(keys.map((key, i) => [key, series[i] as number])) }
  const last = largest(series)
  return {
    sql: `transform(${sql}, {keys:Array(UInt64)}, {series:Array(UInt32)}, toUInt32(${last + 1}))`,
    params: { keys, series },
    seriesOf: new Map(series.map((one) => [one, one])),
  }
}

const sensorsOf = (members: readonly SeriesMember[]): number[] => [...new Set(members.map(({ sensor }) => sensor))]

/**
 * Conditions by which rows are filtered first. ClickHouse takes a tenth longer for a query with parameters, so single
 * numbers are written into the statement.
 */
function filtersOf(members: readonly SeriesMember[]) {
  const sensors = sensorsOf(members)
  const channels = [...new Set(members.map(({ channel }) => channel))]
  return {
    isOfSensors: sensors.length === 1 ? `sensor = ${sensors[0]}` : 'sensor IN {sensors:Array(UInt32)}',
    isOfChannels: channels.length === 1 ? `channel = ${channels[0]}` : 'channel IN {channels:Array(UInt16)}',
    params: { ...(sensors.length > 1 && { sensors }), ...(channels.length > 1 && { channels }) },
  }
}

type Found = { resolution: Resolution; points: SeriesPoints[] }

/** The points of each series, and the resolution that was used. */
export async function seriesBetween(
  clickhouse: ClickHouse,
  request: SeriesRequest,
  signal: AbortSignal,
): Promise<Found> {
  if (request.members.length === 0) return { resolution: request.resolution, points: [] }
  const { resolution } = request
  if (resolution !== 'raw') {
    const sensors = sensorsOf(request.members)
    const unitMs = unitMsOf(resolution)
    const expected = expectedCoverage(request, unitMs)
    if (expected !== undefined) {
      const isKnown = clickhouse.rolledHours?.include(sensors, expected.tailMs) === true
      const rollup = { request, resolution, covered: expected, isKnown }
      if (isKnown && resolution === 'minute' && areWithinHours(request.buckets)) {
        const full = await pointsOf(clickhouse, request, rolledParts({ ...rollup, isFull: true }), signal)
        if (
          full !== undefined &&
          haveEveryHour(full.points, request.members, { fromMs: expected.headMs, toMs: expected.tailMs })
        )
          return full
      }
      const quick = await pointsOf(clickhouse, request, rolledParts(rollup), signal)
      if (quick !== undefined) return quick
    }
    const covered = await coverageOf(clickhouse, sensors, request, unitMs, signal)
    const exact =
      covered &&
      (await pointsOf(clickhouse, request, rolledParts({ request, resolution, covered, isKnown: true }), signal))
    if (exact !== undefined) return exact
  }
  const raw = { ...request, resolution: 'raw' as const }
  return (await pointsOf(clickhouse, raw, ofReadings(raw), signal)) as Found
}

/** @returns undefined if the source reports that it is incomplete */
async function pointsOf(
  clickhouse: ClickHouse,
  request: SeriesRequest,
  { names, from, params, isComplete, ofSeconds }: Source,
  signal: AbortSignal,
): Promise<Found | undefined> {
  const { resolution, buckets, aggregates, members } = request
  const group = groupOf(members)
  const start = startOf(buckets, ofSeconds)
  const columns = aggregates.map((name) => (resolution === 'raw' ? undefined : ROLLED[name]) ?? AGGREGATES[name])
  const table = await clickhouse.askNumbers(
    `${names} SELECT ${asNumbers(group.sql === '' ? '0' : 'series', 'start', ...columns)}
     FROM ${from} GROUP BY ${group.sql === '' ? '' : `${group.sql} AS series,`} ${start.sql} AS start ORDER BY start`,
    { ...params, ...group.params, ...start.params },
    signal,
  )
  if (!isComplete && table.rows === 0) return undefined
  const count = largest(members.map(({ series }) => series)) + 1
  return { resolution, points: await pointsBySeries(table, aggregates.length, count, group.seriesOf) }
}

function ofReadings({ fromMs, toMs, members }: SeriesRequest): Source {
  const [only] = members
  const { isOfSensors, isOfChannels, params } = filtersOf(members)
  const range = `${isOfSensors} AND at >= ${moment(fromMs)} AND at < ${moment(toMs)}`
  if (only !== undefined && members.length === 1)
    return {
      names: `WITH values[indexOf(channels, ${only.channel})] AS value`,
      from: `readings FINAL WHERE ${range} AND has(channels, ${only.channel})`,
      params,
      isComplete: true,
    }
  return {
    names: '',
    from: `(SELECT sensor, at, r.channels AS names, r.values AS said FROM readings AS r FINAL WHERE ${range})
      ARRAY JOIN names AS channel, said AS value WHERE ${isOfChannels}`,
    params,
    isComplete: true,
  }
}

type Rollup = {
  request: SeriesRequest
  resolution: Rolled
  covered: Coverage
  /** If false, the coverage is an expectation: then there are no rows if any other hour waits. */
  isKnown: boolean
  /** Leaves out hours without minutes. */
  isFull?: boolean
}

/**
 * Whole minutes, hours or days from the rollup, and from the readings the remainder before and after, hours with too
 * few readings for stored minutes, and hours that wait to be aggregated. The result is the same, except for the
 * rounding of sums.
 */
function rolledParts({ request, resolution, covered, isKnown, isFull = false }: Rollup): Source {
  const { fromMs, toMs, members } = request
  const { headMs, tailMs } = covered
  const hasExceptions = covered.sensors.length > 0
  const unitOf = (time: string): string =>
    `(sensor, ${resolution === 'day' ? 'toStartOfDay' : 'toStartOfHour'}(${time}))`
  const exceptions = "arrayZip({waitingSensors:Array(UInt32)}, {waitingStarts:Array(DateTime('UTC'))})"
  const { isOfSensors, isOfChannels, params: listed } = filtersOf(members)
  const params = {
    ...listed,
    ...(hasExceptions && { waitingSensors: covered.sensors, waitingStarts: covered.starts }),
  }
  // ClickHouse computes it first, and reads nothing else if it is false
  const unlessWaiting = isKnown ? '' : `AND (${anyWaiting(isOfSensors, moment(headMs), moment(tailMs))}) = 0`
  const covers = `${isOfSensors} AND ${isOfChannels} AND bucket >= ${headMs / 1000} AND bucket < ${tailMs / 1000}`
  const isWanted = (time: string): string =>
    `${hasExceptions ? `AND ${unitOf(time)} NOT IN ${exceptions}` : ''} ${unlessWaiting}`
  const sparse = `FROM rollup_hour FINAL WHERE ${covers} AND count < ${FULL_HOUR}`
  const isSparse = (time: string): string =>
    `(sensor, channel, toStartOfHour(${time})) IN (SELECT sensor, channel, bucket ${sparse})`
  const isOfMinutes = resolution === 'minute' && !isFull
  const rollup = `rollup_${resolution} FINAL WHERE ${covers} ${isWanted('bucket')} ${isOfMinutes ? `AND NOT ${isSparse('bucket')}` : ''}`
  const edges = [
    { fromMs, toMs: headMs },
    { fromMs: tailMs, toMs },
  ].filter((edge) => edge.toMs > edge.fromMs)
  const aliases = 'count AS n, sum AS total, min AS low, max AS high'
  const exactAt = "toDateTime64(bucket, 3, 'UTC') AS at"
  const isReadWhole = edges.map((edge) => `(at >= ${moment(edge.fromMs)} AND at < ${moment(edge.toMs)})`)
  if (hasExceptions) isReadWhole.push(`${unitOf('toDateTime(at)')} IN ${exceptions}`)
  const isComplete = isKnown
  const readingsOf = (condition: string): string =>
    `${readingsWhere(`${isOfSensors} AND ${condition}`)} WHERE ${isOfChannels}`
  const parts: string[] = []
  if (isReadWhole.length > 0) parts.push(readingsOf(`(${isReadWhole.join(' OR ')}) ${unlessWaiting}`))
  if (isOfMinutes)
    parts.push(
      `${readingsOf(`at >= ${moment(headMs)} AND at < ${moment(tailMs)} ${isWanted('toDateTime(at)')}
        AND (sensor, toStartOfHour(toDateTime(at))) IN (SELECT sensor, bucket ${sparse})`)} AND ${isSparse('toDateTime(at)')}`,
    )
  if (parts.length === 0) {
    const ofSeconds = request.buckets.kind !== 'clock'
    return {
      names: `WITH ${ofSeconds ? 'bucket AS at' : exactAt}, ${aliases}`,
      from: rollup,
      params,
      isComplete,
      ofSeconds,
    }
  }
  return {
    isComplete,
    names: '',
    from: `(SELECT sensor, channel, ${exactAt}, ${aliases}, first_at, first, last_at, last FROM ${rollup} UNION ALL
      ${parts.join(' UNION ALL ')})`,
    params,
  }
}

/** Turns each value into a rollup of one reading, for channels that a further condition selects. */
const readingsWhere = (
  condition: string,
): string => `SELECT sensor, channel, at, toUInt64(1) AS n, value AS total, value AS low, value AS high,
    at AS first_at, value AS first, at AS last_at, value AS last
  FROM (SELECT sensor, at, channels, values FROM readings FINAL WHERE ${condition})
  ARRAY JOIN channels AS channel, values AS value`
