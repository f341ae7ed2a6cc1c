/** Buckets of time as SQL. */
import type { ClickHouse } from '../client.ts'
import { quoted } from '../values.ts'

/** A time during which a clock is ahead of UTC by `offsetMs`; `bucketMs` is the start of the bucket that it begins in. */
type ClockPeriod = { sinceMs: number; offsetMs: number; bucketMs: number }

export type Buckets =
  | { kind: 'seconds'; seconds: number }
  /** By the clock of a time zone, whose periods between changes are listed in the order of time. */
  | { kind: 'clock'; seconds: number; periods: readonly ClockPeriod[] }
  /** Calendar buckets in an IANA time zone. */
  | { kind: 'days' | 'weeks' | 'months'; count: number; timeZone: string }

export type Statement = { sql: string; params: Record<string, unknown> }

/**
 * The start of the bucket of `at`, in milliseconds since 1970, as SQL.
 * @param ofSeconds whether `at` is a DateTime, whose whole seconds take half the time
 */
export function startOf(buckets: Buckets, ofSeconds = false): Statement {
  if (buckets.kind === 'seconds') {
    const stepMs = buckets.seconds * 1000
    const ms = 'toUnixTimestamp64Milli(at)'
    const sql = ofSeconds
      ? `intDiv(toUnixTimestamp(at), ${buckets.seconds}) * ${stepMs}`
      : `${ms} - positiveModulo(${ms}, ${stepMs})`
    return { sql, params: {} }
  }
  if (buckets.kind === 'clock') return clockStartOf(buckets)
  const interval = { days: 'toIntervalDay', weeks: 'toIntervalWeek', months: 'toIntervalMonth' }[buckets.kind]
  const zone = quoted(buckets.timeZone)
  const start = `toStartOfInterval(at, ${interval}(${buckets.count}), ${zone})`
  return { sql: `toInt64(toUnixTimestamp(toDateTime(${start}, ${zone}))) * 1000`, params: {} }
}

function clockStartOf({ seconds, periods }: Extract<Buckets, { kind: 'clock' }>): Statement {
  const ms = 'toUnixTimestamp64Milli(at)'
  const params = { step: seconds * 1000 }
  const [only] = periods
  if (only !== undefined && periods.length === 1)
    return {
      sql: `${ms} - positiveModulo(${ms} + {offset:Int64}, {step:Int64})`,
      params: { ...params, offset: only.offsetMs },
    }
  const since = `roundDown(${ms}, {changes:Array(Int64)})`
  const ofPeriod = (list: string): string =>
    `transform(${since}, {changes:Array(Int64)}, {${list}:Array(Int64)}, toInt64(0))`
  const start = `${ms} - positiveModulo(${ms} + ${ofPeriod('offsets')}, {step:Int64})`
  return {
    sql: `if(${start} < ${since}, ${ofPeriod('openings')}, ${start})`,
    params: {
      ...params,
      changes: periods.map(({ sinceMs }) => sinceMs),
      offsets: periods.map(({ offsetMs }) => offsetMs),
      openings: periods.map(({ bucketMs }) => bucketMs),
    },
  }
}

/** Starts of all calendar buckets that overlap a range. */
export async function bucketStarts(
  clickhouse: ClickHouse,
  { fromMs, toMs, buckets }: { fromMs: number; toMs: number; buckets: Buckets },
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
