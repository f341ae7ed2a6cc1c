/**
 * Keeps the rollups of minutes, hours and days. An hour of a sensor waits (sql/clickhouse/0009-rollup-hours.sql) from
 * the insert of a reading until it is aggregated, which happens once: after the hour is over and its readings have
 * stopped arriving. Until then queries compute it from its readings (waiting-hours.ts), so the work may be late, and it
 * yields to ingestion.
 *
 * Every step replaces whole rows by others with the same key, and an hour is marked after its rows are stored. So a kill
 * at any moment, repeated segments and several instances at once change nothing.
 */
import type { ClickHouse } from '../client.ts'
import { IS_WAITING, oldestWaiting } from './waiting-hours.ts'

export type Rollups = {
  /** Aggregates all waiting hours, even unfinished ones. @returns whether there were any */
  refresh(): Promise<boolean>
  stop(): Promise<void>
}

export type RollupOptions = {
  /** Whether ingestion needs the processor more. */
  isBusy(): boolean
  /** Whether other instances may be doing the same work. */
  isShared: boolean
  intervalMs: number
  /** Minimum time since the end of an hour; longer than the clock difference of two machines. */
  overMs: number
  /** Minimum time since the last arrival of readings of the hour. At least twice `SLOW_INSERT_MS` of readings.ts. */
  settledMs: number
  /**
   * `settledMs` of an hour that was aggregated before, so that readings that trickle in late are aggregated together.
   */
  settledAgainMs: number
  /** Readings that one statement aggregates. */
  batchReadings: number
}

const DEFAULTS: RollupOptions = {
  isBusy: () => false,
  isShared: false,
  // hours of a sensor that are aggregated together share the blocks in which they begin and end
  intervalMs: 60_000,
  overMs: 120_000,
  settledMs: 20_000,
  settledAgainMs: 600_000,
  // about one second of work
  batchReadings: 3_000_000,
}

/** Minutes are stored for hours in which a sensor has at least this many readings. */
export const FULL_HOUR = 600
const HOUR_S = 3_600
const HOUR_MS = HOUR_S * 1000
const DAY_S = 24 * HOUR_S
/** Hours that are listed at a time: their rows are read on the thread that receives readings. */
const LISTED = 20_000
/**
 * The pause after a batch is this many times as long as the batch took. `busy` while calls wait for loading. A quarter
 * of the time is enough for half of the highest rate, at which a larger share would slow down calls.
 */
const PAUSES = { usual: 3, busy: 9 }
const LONGEST_PAUSE_MS = 20_000
/** An instance that worked more recently than this counts as active. */
const RECENT_S = 60

/** Large aggregations spill to disk. */
const SETTINGS = {
  max_bytes_before_external_group_by: '500000000',
  max_partitions_per_insert_block: 0,
  // all copies of a reading are in the same partition, because that depends only on its time
  do_not_merge_across_partitions_select_final: 1,
  max_threads: 1,
  // blocks that fit into the processor's cache, with the values of their readings in rows of their own
  max_block_size: 16_384,
  // on a cluster a sensor's rows of every table are on one shard
  distributed_product_mode: 'local',
}

const moment = (name: string): string => `fromUnixTimestamp64Milli({${name}:Int64}, 'UTC')`
const HOURS = "arrayJoin(arrayZip({sensors:Array(UInt32)}, {hours:Array(DateTime('UTC'))})) AS t"
const isOneOf = (hour: string): string => `(sensor, ${hour}) IN (SELECT t.1, t.2 FROM (SELECT ${HOURS}))`
const HOUR_OF_READING = 'toStartOfHour(toDateTime(at))'
/** Limits the partitions and parts to read; `isOneOf` selects the rows. */
const SPAN = `at >= toDateTime({first:UInt32}, 'UTC') AND at < toDateTime({last:UInt32}, 'UTC') + INTERVAL 1 HOUR`
const BUCKET_SPAN = SPAN.replaceAll('at ', 'bucket ')

const ofReadings = (start: string): string =>
  `SELECT any(enterprise), sensor, channel, ${start}(toDateTime(at)) AS start, count(), sum(value), min(value),
     max(value), min(at), argMin(value, at), max(at), argMax(value, at), max(keep_days), now64(3)
   FROM (
     SELECT enterprise, sensor, at, channels, values, keep_days FROM readings FINAL
     WHERE ${SPAN} AND ${isOneOf(HOUR_OF_READING)}
   ) ARRAY JOIN channels AS channel, values AS value
   GROUP BY sensor, channel, start`
const ofRollup = (table: string, start: string, range: string): string =>
  `SELECT any(enterprise), sensor, channel, ${start}(bucket) AS start, sum(count), sum(sum), min(min), max(max),
     min(first_at), argMin(first, first_at), max(last_at), argMax(last, last_at), max(keep_days), now64(3)
   FROM ${table} FINAL WHERE ${range} GROUP BY sensor, channel, start`

const MINUTES = `INSERT INTO rollup_minute ${ofReadings('toStartOfMinute')}`
const HOURS_OF_MINUTES = `INSERT INTO rollup_hour ${ofRollup('rollup_minute', 'toStartOfHour', `${BUCKET_SPAN} AND ${isOneOf('toStartOfHour(bucket)')}`)}`
const HOURS_OF_READINGS = `INSERT INTO rollup_hour ${ofReadings('toStartOfHour')}`
const DAYS = `INSERT INTO rollup_day ${ofRollup(
  'rollup_hour',
  'toStartOfDay',
  `bucket >= toStartOfDay(toDateTime({first:UInt32}, 'UTC'))
     AND bucket < toStartOfDay(toDateTime({last:UInt32}, 'UTC')) + INTERVAL 1 DAY
     AND (sensor, toStartOfDay(bucket)) IN (SELECT t.1, toStartOfDay(t.2) FROM (SELECT ${HOURS}))`,
)}`
const DONE = `INSERT INTO rollup_hours (enterprise, sensor, hour, changed_at, rolled_at)
  SELECT t.1, t.2, t.3, ${moment('never')}, ${moment('until')} FROM (SELECT arrayJoin(arrayZip(
    {enterprises:Array(UInt32)}, {sensors:Array(UInt32)}, {hours:Array(DateTime('UTC'))})) AS t)`

type Hour = { enterprise: number; sensor: number; hour: number; readings: number }
/** Selects hours that ended before `over`, without changes since `settled`, or since `again` if aggregated before. */
type Limits = { over: number; settled: number; again: number }

/** Hours in groups that one statement aggregates. A group has no gap of days, so that it is in few parts of a table. */
function inBatches(hours: readonly Hour[], maxReadings: number): Hour[][] {
  const batches: Hour[][] = []
  let readings = Number.POSITIVE_INFINITY
  let lastDay = 0
  for (const one of hours) {
    const day = Math.floor(one.hour / DAY_S)
    readings += one.readings
    if (readings > maxReadings || day > lastDay + 1) {
      batches.push([])
      readings = one.readings
    }
    lastDay = day
    batches.at(-1)?.push(one)
  }
  return batches
}

export function startRollups(
  clickhouse: ClickHouse,
  onError: (error: unknown) => void,
  given: Partial<RollupOptions> = {},
): Rollups {
  const options = { ...DEFAULTS, ...given }
  const stopped = Promise.withResolvers<void>()
  let isStopped = false
  let running: Promise<boolean> | undefined

  /** The clock of ClickHouse, which sets `changed_at`. No later change gets a time up to it. */
  async function now(): Promise<number> {
    const [row] = await clickhouse.rows<{ ms: number }>('SELECT toUnixTimestamp64Milli(now64(3)) AS ms')
    return Number(row?.ms)
  }

  async function listHours(limits: Limits): Promise<Hour[]> {
    const listed = await clickhouse.workRows<Omit<Hour, 'readings'>>(
      `SELECT max(enterprise) AS enterprise, sensor, toUnixTimestamp(hour) AS hour FROM rollup_hours
       WHERE sensor != 0 AND hour < ${moment('over')} - INTERVAL 1 HOUR
       GROUP BY sensor, hour
       HAVING ${IS_WAITING} AND max(changed_at) < if(toUnixTimestamp(max(rolled_at)) = 0, ${moment('settled')}, ${moment('again')})
       ORDER BY toDate(hour), sensor, hour LIMIT ${LISTED}`,
      limits,
      SETTINGS,
    )
    if (listed.length === 0) return []
    const counted = await clickhouse.workRows<{ sensor: number; hour: number; readings: number }>(
      `SELECT sensor, toUnixTimestamp(${HOUR_OF_READING}) AS hour, count() AS readings FROM readings
       WHERE ${SPAN} AND ${isOneOf(HOUR_OF_READING)} GROUP BY sensor, hour`,
      paramsOf(listed),
      SETTINGS,
    )
    // numbers, because formatting this many texts would delay calls
    const keyOf = ({ sensor, hour }: { sensor: number; hour: number }): number => sensor * 2 ** 21 + hour / HOUR_S
    const readingsOf = new Map(counted.map((row) => [keyOf(row), Number(row.readings)]))
    return listed.map((hour) => ({ ...hour, readings: readingsOf.get(keyOf(hour)) ?? 0 }))
  }

  async function aggregate(hours: readonly Hour[], limits: Limits): Promise<void> {
    const full = hours.filter(({ readings }) => readings >= FULL_HOUR)
    const sparse = hours.filter(({ readings }) => readings > 0 && readings < FULL_HOUR)
    if (full.length > 0) {
      // before the hours, because queries derive from their counts whether minutes exist
      await clickhouse.work(MINUTES, paramsOf(full), SETTINGS)
      await clickhouse.work(HOURS_OF_MINUTES, paramsOf(full), SETTINGS)
    }
    if (sparse.length > 0) await clickhouse.work(HOURS_OF_READINGS, paramsOf(sparse), SETTINGS)
    // also for hours whose readings were deleted
    await clickhouse.work(DAYS, paramsOf(hours), SETTINGS)
    const enterprises = hours.map(({ enterprise }) => enterprise)
    // changes at the limit itself were not searched
    await clickhouse.work(DONE, { ...paramsOf(hours), enterprises, never: 0, until: limits.settled - 1 }, SETTINGS)
  }

  async function pass(limits: Limits, isUrgent: boolean): Promise<boolean> {
    let found = false
    for (;;) {
      const hours = await listHours(limits)
      for (const batch of inBatches(hours, options.batchReadings)) {
        if (isStopped) return found
        if (options.isShared) await markWork()
        const startedMs = performance.now()
        await aggregate(batch, limits)
        found = true
        const tookMs = performance.now() - startedMs
        if (isUrgent) continue
        const pauses = options.isBusy() ? PAUSES.busy : PAUSES.usual
        await Promise.race([Bun.sleep(Math.min(tookMs * pauses, LONGEST_PAUSE_MS)), stopped.promise])
      }
      if (hours.length < LISTED) return found
    }
  }

  /** A pass that also reports the hours that it leaves waiting. */
  async function passAndLook(limits: Limits, isUrgent: boolean): Promise<boolean> {
    const untilMs = Math.floor(Math.min(limits.over, limits.settled) / HOUR_MS) * HOUR_MS
    const endLook = clickhouse.rolledHours?.look(untilMs)
    const found = await pass(limits, isUrgent)
    if (!isStopped) endLook?.(await oldestWaiting(clickhouse, untilMs))
    return found
  }

  async function refreshNow(): Promise<boolean> {
    const over = 10 ** 13
    const until = (await now()) + 1
    // so that readings that were inserted just now count as earlier
    while ((await now()) < until) await Bun.sleep(1)
    return passAndLook({ over, settled: until, again: until }, true)
  }

  /** Informs other instances that this one is active, by a row of the nonexistent sensor 0. */
  async function markWork(): Promise<void> {
    await clickhouse.work(DONE, { enterprises: [0], sensors: [0], hours: [0], never: 0, until: await now() }, {})
  }

  async function isTaken(): Promise<boolean> {
    const [last] = await clickhouse.rows<{ age: number }>(
      "SELECT dateDiff('second', max(rolled_at), now64(3)) AS age FROM rollup_hours WHERE sensor = 0",
    )
    return Number(last?.age ?? RECENT_S) < RECENT_S
  }

  async function refreshWhatIsDue(): Promise<boolean> {
    if (options.isShared && (await isTaken())) return false
    const nowMs = await now()
    const settled = nowMs - options.settledMs
    return passAndLook({ over: nowMs - options.overMs, settled, again: nowMs - options.settledAgainMs }, false)
  }

  async function alone(work: () => Promise<boolean>): Promise<boolean> {
    while (running !== undefined) await running.catch(() => undefined)
    running = work().finally(() => {
      running = undefined
    })
    return running
  }

  const timer = setInterval(() => {
    if (running === undefined) alone(refreshWhatIsDue).catch(onError)
  }, options.intervalMs)
  timer.unref()
  return {
    refresh: () => alone(refreshNow),
    async stop() {
      isStopped = true
      stopped.resolve()
      clearInterval(timer)
      await running?.catch(() => undefined)
    },
  }
}

function paramsOf(hours: readonly Omit<Hour, 'readings'>[]): Record<string, unknown> {
  const starts = hours.map(({ hour }) => hour)
  return {
    sensors: hours.map(({ sensor }) => sensor),
    hours: starts,
    first: starts.reduce((least, hour) => Math.min(least, hour)),
    last: starts.reduce((most, hour) => Math.max(most, hour)),
  }
}
