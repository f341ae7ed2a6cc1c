/** Stores segments of readings in ClickHouse, and queries readings. */
import { inTurns } from '../../event-loop-yield.ts'
import { createBatcher } from '../batcher.ts'
import type { ClickHouse } from './client.ts'
import { asNumbers } from './queries/number-table.ts'
import type { OldestChanges } from './queries/rolled-hours.ts'

/**
 * After an insert that took this long, its hours are noted as changed again: the rollups assume that a change is
 * visible once it was noted longer ago than `settledMs` (rollups.ts).
 */
export const SLOW_INSERT_MS = 10_000
const CHANGED_HOURS = `DISTINCT enterprise, sensor, toStartOfHour(toDateTime(at)), now64(3), fromUnixTimestamp64Milli(toInt64(0), 'UTC')`

const COLUMNS = 'enterprise, sensor, at, channels, values, longitude, latitude, keep_days'
/** Superseded readings have a negative `received_at` in the log (ingest/superseded.ts). */
const INTO_READINGS = {
  table: `readings (${COLUMNS}, received_at, superseded)`,
  select: `${COLUMNS}, fromUnixTimestamp64Milli(abs(toUnixTimestamp64Milli(received_at)), 'UTC'),
    toUnixTimestamp64Milli(received_at) < 0`,
}

/** A segment's file, and the time of the oldest reading of each sensor in it. */
type StoredSegment = { path: string; oldest: OldestChanges }

/**
 * Stores a segment file of RowBinary rows in one insert, durably (the table syncs its parts). A second insert
 * with the same `token` stores nothing, even if a crash kept the first from storing anything: each attempt needs a new
 * one.
 */
export function storeSegmentFile(
  clickhouse: ClickHouse,
  { path, oldest }: StoredSegment,
  rowStructure: string,
  token: string,
): Promise<void> {
  const store = (): Promise<void> => storeRows(clickhouse, path, rowStructure, token)
  return clickhouse.rolledHours?.during(oldest, store) ?? store()
}

async function storeRows(clickhouse: ClickHouse, path: string, rowStructure: string, token: string): Promise<void> {
  const startedMs = performance.now()
  // `where` excludes the marks of the log
  const file = { path, format: 'RowBinary', structure: rowStructure, where: 'sensor != 0' } as const
  await clickhouse.insertFile({
    ...file,
    ...INTO_READINGS,
    settings: {
      insert_deduplication_token: token,
      async_insert: 0,
      // readings are stored once by claims; looking for copies in each segment would cost a quarter of its insert
      optimize_on_insert: 0,
      // one block, so that the token covers the whole segment and one part per month is written
      max_block_size: 16_000_000,
      max_insert_block_size: 16_000_000,
      min_insert_block_size_rows: 16_000_000,
      min_insert_block_size_bytes: 0,
      max_threads: 1,
      max_insert_threads: 1,
      // a valid batch may span many months
      max_partitions_per_insert_block: 0,
    },
  })
  if (performance.now() - startedMs > SLOW_INSERT_MS)
    await clickhouse.insertFile({ ...file, table: 'rollup_hours', select: CHANGED_HOURS, settings: {} })
}

/**
 * Every reading has a value or a location, so the later of the two newest times is the sensor's newest time, without
 * reading its history. Deleted readings have neither.
 */
const newestOf = (where: string): string =>
  `SELECT sensor, toUnixTimestamp64Milli(max(at)) AS newest FROM (
     SELECT sensor, at FROM latest_values ${where} UNION ALL SELECT sensor, at FROM latest_positions ${where}
     UNION ALL SELECT sensor, at FROM newest_before_deletion ${where})
   GROUP BY sensor`

/** The newest stored time of each sensor that has one. */
export async function newestTimes(clickhouse: ClickHouse, sensors: readonly number[]): Promise<Map<number, number>> {
  const rows = await clickhouse.rows<{ sensor: number; newest: number }>(
    newestOf('WHERE sensor IN {sensors:Array(UInt32)}'),
    { sensors },
  )
  return new Map(rows.map(({ sensor, newest }) => [sensor, newest]))
}

/** Sensors whose newest times are looked up together; they take some 50 MB of memory. */
const MAX_SENSORS = 500_000
/** Sensors in one answer, so that reading it does not hold up calls. */
const PAGE = 20_000

/** The newest stored time of all sensors; undefined if there are more than fit into memory. */
export async function allNewestTimes(clickhouse: ClickHouse): Promise<Map<number, number> | undefined> {
  const newest = new Map<number, number>()
  for (let after = 0; newest.size < MAX_SENSORS; ) {
    const rows = await clickhouse.rows<{ sensor: number; newest: number }>(
      `${newestOf('WHERE sensor > {after:UInt32}')} ORDER BY sensor LIMIT ${PAGE}`,
      { after },
    )
    for (const row of rows) newest.set(row.sensor, row.newest)
    if (rows.length < PAGE) return newest
    after = rows.at(-1)?.sensor ?? 0
  }
  return undefined
}

/** The sensor whose stored readings are looked up. */
type Owner = { sensor: number; retentionDays: number }
type WantedTimes = Owner & { timesMs: readonly number[] }

/**
 * Whether a row stays for as long as the retention `days` says. While a longer retention is written to the rows, a row
 * that the shorter one is about to delete does not count: it would make a reading a duplicate of a row that is deleted
 * a moment later. If the row stays after all, the table keeps one of both copies.
 */
const isKept = (days: string): string =>
  `(keep_days >= ${days} OR toDateTime(at) + toIntervalDay(keep_days) > now() + INTERVAL 1 HOUR)`

/** How long lookups are collected for one query. */
const LOOKUP_MS = 3
const lookups = new WeakMap<ClickHouse, (wanted: WantedTimes) => Promise<Map<number, Set<number>>>>()

async function storedTimesOf(clickhouse: ClickHouse, all: readonly WantedTimes[]): Promise<Map<number, Set<number>>> {
  const owners = new Map(all.map(({ sensor, retentionDays }) => [sensor, retentionDays]))
  const days = 'transform(sensor, {owners:Array(UInt32)}, {days:Array(UInt16)}, toUInt16(0))'
  const rows = await clickhouse.rows<{ sensor: number; times: number[] }>(
    `SELECT sensor, groupUniqArray(toUnixTimestamp64Milli(at)) AS times FROM readings
     WHERE (sensor, at) IN (SELECT t.1, fromUnixTimestamp64Milli(t.2, 'UTC') FROM (
       SELECT arrayJoin(arrayZip({sensors:Array(UInt32)}, {times:Array(Int64)})) AS t)) AND ${isKept(days)} GROUP BY sensor`,
    {
      sensors: all.flatMap(({ sensor, timesMs }) => timesMs.map(() => sensor)),
      times: all.flatMap(({ timesMs }) => timesMs),
      owners: [...owners.keys()],
      days: [...owners.values()],
    },
  )
  return new Map(rows.map(({ sensor, times }) => [sensor, new Set(times)]))
}

/**
 * The subset of the times at which the sensor has a stored reading that is kept. Lookups at the same time share one
 * query.
 */
export async function storedTimes(
  clickhouse: ClickHouse,
  { sensor, retentionDays }: Owner,
  timesMs: readonly number[],
): Promise<Set<number>> {
  let lookUp = lookups.get(clickhouse)
  if (lookUp === undefined) {
    lookUp = createBatcher(LOOKUP_MS, (all: readonly WantedTimes[]) => storedTimesOf(clickhouse, all))
    lookups.set(clickhouse, lookUp)
  }
  const wanted = new Set(timesMs)
  const found = (await lookUp({ sensor, retentionDays, timesMs })).get(sensor) ?? new Set()
  return found.intersection(wanted)
}

/** All times with `fromMs` ≤ at < `toMs` at which the sensor has a stored reading that is kept. */
export async function storedTimesBetween(
  clickhouse: ClickHouse,
  { sensor, retentionDays }: Owner,
  fromMs: number,
  toMs: number,
): Promise<number[]> {
  const rows = await clickhouse.rows<{ ms: number }>(
    `SELECT DISTINCT toUnixTimestamp64Milli(at) AS ms FROM readings
     WHERE sensor = {sensor:UInt32} AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
       AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC') AND ${isKept('{days:UInt16}')}`,
    { sensor, days: retentionDays, from: fromMs, to: toMs },
  )
  return rows.map(({ ms }) => ms)
}

/** False for the rows of readings that were deleted (deletion-statements.ts). */
export const SAYS_SOMETHING = '(notEmpty(channels) OR NOT isNaN(longitude))'

/** Longitude and latitude are null if the reading has no location. */
export type ReadingRow = [
  ms: number,
  channels: number[],
  values: number[],
  longitude: number | null,
  latitude: number | null,
]

export type ReadingsRange = {
  fromMs: number
  toMs: number
  /** Only readings with a value of one of these channels. */
  channels?: readonly number[]
  limit: number
  isNewestFirst?: boolean
}

/** Readings of a sensor with `fromMs` ≤ at < `toMs`, oldest first unless `isNewestFirst`. */
export async function readingsBetween(
  clickhouse: ClickHouse,
  sensor: number,
  { fromMs, toMs, channels, limit, isNewestFirst = false }: ReadingsRange,
  signal: AbortSignal,
): Promise<ReadingRow[]> {
  const filter = channels === undefined ? `AND ${SAYS_SOMETHING}` : 'AND hasAny(channels, {channels:Array(UInt16)})'
  return clickhouse.ask<ReadingRow>(
    `SELECT toUnixTimestamp64Milli(at), channels, values, longitude, latitude FROM readings FINAL
     WHERE sensor = {sensor:UInt32} AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC')
       AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC') ${filter}
     ORDER BY at ${isNewestFirst ? 'DESC' : 'ASC'} LIMIT {limit:UInt32}`,
    { sensor, from: fromMs, to: toMs, limit, ...(channels && { channels }) },
    signal,
  )
}

export type LatestLocation = [ms: number, longitude: number, latitude: number]
/** The newest values of a sensor's channels, and its newest location. */
export type LatestOfSensor = {
  values: [channel: number, value: number, ms: number][]
  location: LatestLocation | undefined
}

/** Stands for the location among channel numbers, which have 16 bits. */
const LOCATION = 65_536

/** Sensors whose numbers fill at least half of their range are read as a range, which takes a quarter less time. */
const DENSE = 2

/** The last value of each channel and the last location of sensors, if they are not older than a given time. */
export async function latestOf(
  clickhouse: ClickHouse,
  enterprise: number,
  sensors: readonly number[],
  sinceMs: number,
  signal: AbortSignal,
): Promise<Map<number, LatestOfSensor>> {
  if (sensors.length === 0) return new Map()
  const first = sensors.reduce((least, sensor) => Math.min(least, sensor))
  const last = sensors.reduce((most, sensor) => Math.max(most, sensor))
  const isDense = last - first < sensors.length * DENSE
  const range = first === last ? `sensor = ${first}` : `sensor BETWEEN ${first} AND ${last}`
  const wanted = isDense ? range : 'sensor IN {sensors:Array(UInt32)}'
  const where = `enterprise = ${enterprise} AND ${wanted}`
  const select = (...columns: string[]): string =>
    `SELECT ${asNumbers('sensor', 'toUnixTimestamp64Milli(at)', ...columns)}`
  // one statement, because starting a statement takes most of its time
  const { rows, columns, cells } = await clickhouse.askNumbers(
    `${select('channel', 'value', '0')} FROM latest_values FINAL WHERE ${where}
     UNION ALL ${select(String(LOCATION), 'longitude', 'latitude')} FROM latest_positions FINAL WHERE ${where}`,
    isDense ? {} : { sensors },
    signal,
  )
  const found = new Map<number, LatestOfSensor>()
  let own: LatestOfSensor | undefined
  let ownSensor: number | undefined
  await inTurns(rows, (row) => {
    const at = row * columns
    const [sensor, ms, channel] = [cells[at], cells[at + 1], cells[at + 2]] as [number, number, number]
    const [a, b] = [cells[at + 3], cells[at + 4]] as [number, number]
    if (ms < sinceMs) return
    // rows of a sensor follow each other
    if (sensor !== ownSensor) own = found.get(sensor)
    ownSensor = sensor
    if (own === undefined) {
      own = { values: [], location: undefined }
      found.set(sensor, own)
    }
    if (channel === LOCATION) own.location = [ms, a, b]
    else own.values.push([channel, a, ms])
  })
  return found
}
