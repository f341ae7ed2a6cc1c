/**
 * Updates the rollups after new readings: recomputes the affected hours of sensors from readings, days from hours, and
 * the minutes of busy hours once these are over. Updates are idempotent, so several instances may run them at once.
 */
import type { ClickHouse } from './client.ts'

/** How long `rollup_done` is cached; a stale time is only too early, which is safe. */
const KNOWN_MS = 2_000
const known = new WeakMap<ClickHouse, { untilMs: number; lookedMs: number }>()

/** All readings stored before this time are in the rollups; in milliseconds since 1970. */
export async function rolledUntil(clickhouse: ClickHouse): Promise<number> {
  const found = known.get(clickhouse)
  if (found !== undefined && performance.now() - found.lookedMs < KNOWN_MS) return found.untilMs
  const lookedMs = performance.now()
  const [row] = await clickhouse.rows<{ untilMs: number }>(
    'SELECT toUnixTimestamp64Milli(max(until)) AS untilMs FROM rollup_done',
  )
  const untilMs = Math.max(0, Number(row?.untilMs ?? 0))
  known.set(clickhouse, { untilMs, lookedMs })
  return untilMs
}

export type Rollups = {
  /** Processes `rollup_waiting`. @returns whether there was anything to do */
  refresh(): Promise<boolean>
  stop(): Promise<void>
}

/** Minutes are stored for hours in which a channel has at least this many values. */
export const FULL_HOUR = 600
const INTERVAL_MS = 20_000
/** How long a new row of `rollup_waiting` may take to become visible. */
const OVERLAP_S = 20
/** If the last update is more recent, another instance has just done it. */
const RECENT_S = 10

/** Large aggregations spill to disk. */
const SETTINGS = {
  max_bytes_before_external_group_by: '500000000',
  max_partitions_per_insert_block: 0,
  // all copies of a reading are in the same partition, because that depends only on its time
  do_not_merge_across_partitions_select_final: 1,
  max_threads: 1,
  // on a cluster a sensor's rows of every table are on one shard
  distributed_product_mode: 'local',
}

const HOUR_MS = 3_600_000
const moment = (name: string): string => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
const THIS_HOUR = `toStartOfHour(toDateTime(${moment('until')}))`
/** Finished hours with new readings, and hours that have finished since the last update. */
const OVER = `(SELECT DISTINCT sensor, hour FROM rollup_waiting
  WHERE hour < ${THIS_HOUR} AND inserted_at > least(${moment('since')}, ${moment('done')} - INTERVAL 2 HOUR)
    AND (inserted_at > ${moment('since')} OR hour >= toDateTime(${moment('done')})) AND inserted_at <= ${moment('until')})`
/** Runs before the hours are updated, because queries use the hours' counts to decide whether minutes exist. */
const MINUTES = `INSERT INTO rollup_minute
  SELECT enterprise, sensor, channel, bucket, n, total, low, high, first_at, first, last_at, last, keep, now64(3)
  FROM (
    SELECT *, sum(n) OVER (PARTITION BY sensor, channel, toStartOfHour(bucket)) AS of_hour
    FROM (
      SELECT any(enterprise) AS enterprise, sensor, channel, toStartOfMinute(toDateTime(at)) AS bucket, count() AS n,
        sum(value) AS total, min(value) AS low, max(value) AS high, min(at) AS first_at, argMin(value, at) AS first,
        max(at) AS last_at, argMax(value, at) AS last, max(keep_days) AS keep
      FROM (
        SELECT enterprise, sensor, at, channels, values, keep_days FROM readings FINAL
        WHERE sensor IN (SELECT sensor FROM ${OVER}) AND at >= (SELECT min(hour) FROM ${OVER})
          AND at < (SELECT max(hour) + INTERVAL 1 HOUR FROM ${OVER})
          AND (sensor, toStartOfHour(toDateTime(at))) IN (
            SELECT sensor, toStartOfHour(toDateTime(at)) AS hour FROM readings
            WHERE sensor IN (SELECT sensor FROM ${OVER}) AND at >= (SELECT min(hour) FROM ${OVER})
              AND at < (SELECT max(hour) + INTERVAL 1 HOUR FROM ${OVER})
              AND (sensor, toStartOfHour(toDateTime(at))) IN ${OVER}
            GROUP BY sensor, hour HAVING count() >= ${FULL_HOUR})
      ) ARRAY JOIN channels AS channel, values AS value
      GROUP BY sensor, channel, bucket
    )
  )
  WHERE of_hour >= ${FULL_HOUR}`

export function startRollups(clickhouse: ClickHouse, onError: (error: unknown) => void): Rollups {
  let running: Promise<boolean> | undefined

  async function refreshOnce(): Promise<boolean> {
    const [state] = await clickhouse.rows<{ sinceMs: number; nowMs: number; waiting: number }>(
      `SELECT toUnixTimestamp64Milli(max(until)) - ${OVERLAP_S * 1000} AS sinceMs, toUnixTimestamp64Milli(now64(3)) AS nowMs,
         (SELECT count() FROM rollup_waiting
          WHERE inserted_at > (SELECT max(until) - INTERVAL ${OVERLAP_S} SECOND FROM rollup_done)) AS waiting
       FROM rollup_done`,
    )
    if (state === undefined || Number(state.waiting) === 0) return false
    const doneHourMs = Math.floor((state.sinceMs + OVERLAP_S * 1000) / HOUR_MS) * HOUR_MS
    const params = { since: state.sinceMs, until: state.nowMs, done: Math.max(0, doneHourMs) }
    await clickhouse.work(MINUTES, params, SETTINGS)
    const waiting = (bucket: string): string =>
      `(SELECT DISTINCT sensor, ${bucket} FROM rollup_waiting
        WHERE inserted_at > fromUnixTimestamp64Milli({since:Int64}, 'UTC')
          AND inserted_at <= fromUnixTimestamp64Milli({until:Int64}, 'UTC'))`
    await clickhouse.work(
      `INSERT INTO rollup_hour
       SELECT any(enterprise), sensor, channel, toStartOfHour(toDateTime(at)) AS bucket, count(), sum(value), min(value),
         max(value), min(at), argMin(value, at), max(at), argMax(value, at), max(keep_days), now64(3)
       FROM (
         SELECT enterprise, sensor, at, channels, values, keep_days FROM readings FINAL
         WHERE sensor IN (SELECT sensor FROM ${waiting('hour')}) AND at >= (SELECT min(hour) FROM ${waiting('hour')})
           AND at < (SELECT max(hour) + INTERVAL 1 HOUR FROM ${waiting('hour')})
           AND (sensor, toStartOfHour(toDateTime(at))) IN ${waiting('hour')}
       ) ARRAY JOIN channels AS channel, values AS value
       GROUP BY sensor, channel, bucket`,
      params,
      SETTINGS,
    )
    await clickhouse.work(
      `INSERT INTO rollup_day
       SELECT any(enterprise), sensor, channel, toStartOfDay(bucket) AS day, sum(count), sum(sum), min(min), max(max),
         min(first_at), argMin(first, first_at), max(last_at), argMax(last, last_at), max(keep_days), now64(3)
       FROM rollup_hour FINAL WHERE (sensor, toStartOfDay(bucket)) IN ${waiting('toStartOfDay(hour)')}
       GROUP BY sensor, channel, day`,
      params,
      SETTINGS,
    )
    await clickhouse.write("INSERT INTO rollup_done SELECT fromUnixTimestamp64Milli({until:Int64}, 'UTC')", params)
    return true
  }

  function refresh(): Promise<boolean> {
    running ??= refreshOnce().finally(() => {
      running = undefined
    })
    return running
  }

  async function isDue(): Promise<boolean> {
    const [last] = await clickhouse.rows<{ age: number }>(
      "SELECT dateDiff('second', max(until), now()) AS age FROM rollup_done",
    )
    return Number(last?.age ?? RECENT_S) >= RECENT_S
  }

  const timer = setInterval(() => {
    if (running !== undefined) return
    isDue()
      .then((due) => (due ? refresh() : false))
      .catch(onError)
  }, INTERVAL_MS)
  timer.unref()
  return {
    refresh,
    async stop() {
      clearInterval(timer)
      await running?.catch(() => undefined)
    },
  }
}
