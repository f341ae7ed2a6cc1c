/**
 * Statements that delete readings and derived rows. All are idempotent, so an interrupted deletion starts again from
 * the beginning.
 *
 * Deleted readings stay as rows without values and position: such a row has no effect on results, and its time makes the
 * same reading a duplicate. ClickHouse rewrites the rows, so the values are removed from the disk.
 */
import type { ClickHouse } from '../client.ts'
import { mutate, untilMutated } from './mutations.ts'

export type ReadingRange = {
  sensor: number
  fromMs: number
  toMs: number
  /** Undefined for all channels and the position. */
  channels: readonly number[] | undefined
  /** Whether the rows are deleted too, so that the same readings may be sent again. */
  isRefill: boolean
}
export type Purged = { enterprise: number; sensor: number | undefined }

const DAY_MS = 86_400_000
const ROLLUPS = ['rollup_minute', 'rollup_hour', 'rollup_day']
const LATEST = ['latest_values', 'latest_positions']
/** Names are deleted last, so that rows left by an interruption still have them. */
const OF_SENSORS = [
  'readings',
  'rollup_hours',
  ...ROLLUPS,
  ...LATEST,
  'zone_events',
  'sensor_rhythms',
  'sensor_activity',
  'newest_before_deletion',
  'channels',
  'sensors',
]
const NEVER = "fromUnixTimestamp64Milli(toInt64(0), 'UTC')"

// numbers of this process: mutations take no parameters
const moment = (ms: number): string => `fromUnixTimestamp64Milli(toInt64(${Math.trunc(ms)}), 'UTC')`
const between = (column: string, fromMs: number, toMs: number): string =>
  `${column} >= ${moment(fromMs)} AND ${column} < ${moment(toMs)}`

export type Mutation = {
  /** Identifies the statements of one deletion among the mutations of a table. */
  id: string
  isStopped(): boolean
}

async function mutated(clickhouse: ClickHouse, { id, isStopped }: Mutation, table: string, command: string) {
  // the condition is always true, and its text is in the list of mutations
  const mark = `'${id}' != ''`
  await mutate(clickhouse, table, `${command} AND ${mark}`)
  await untilMutated(clickhouse, table, id, isStopped)
}

/** Condition for readings of the range that have something to delete. */
function toDelete({ fromMs, toMs, channels, isRefill }: ReadingRange): string {
  const what =
    channels !== undefined
      ? `hasAny(channels, [${channels}])`
      : isRefill
        ? 'true'
        : 'notEmpty(channels) OR NOT isNaN(longitude)'
  return `sensor = {sensor:UInt32} AND ${between('at', fromMs, toMs)} AND (${what})`
}

export async function countToDelete(clickhouse: ClickHouse, range: ReadingRange): Promise<number> {
  const [row] = await clickhouse.workRows<{ readings: number }>(
    `SELECT count() AS readings FROM readings FINAL WHERE ${toDelete(range)}`,
    { sensor: range.sensor },
    {},
  )
  return Number(row?.readings ?? 0)
}

export type DeletionPreview = { readings: number; oldest: Date | null; newest: Date | null }

/** The readings that a deletion would find now, as an interactive query. @throws AppError QUERY_TOO_LARGE */
export async function previewDeletion(
  clickhouse: ClickHouse,
  range: ReadingRange,
  signal: AbortSignal,
): Promise<DeletionPreview> {
  const [row] = await clickhouse.ask<[number, number, number]>(
    `SELECT count(), toUnixTimestamp64Milli(min(at)), toUnixTimestamp64Milli(max(at)) FROM readings FINAL WHERE ${toDelete(range)}`,
    { sensor: range.sensor },
    signal,
  )
  const [readings, oldest, newest] = (row ?? [0, 0, 0]).map(Number) as [number, number, number]
  if (readings === 0) return { readings, oldest: null, newest: null }
  return { readings, oldest: new Date(oldest), newest: new Date(newest) }
}

/** Deletes a sensor's readings in a period, and brings rollups and newest values in step. */
export async function deleteRange(clickhouse: ClickHouse, range: ReadingRange, mutation: Mutation): Promise<void> {
  const { sensor, fromMs, toMs, channels, isRefill } = range
  // before anything is deleted, because claims rely on these times being the newest
  await clickhouse.work(
    `INSERT INTO newest_before_deletion SELECT max(enterprise), sensor, max(at) FROM (
       SELECT enterprise, sensor, at FROM latest_values WHERE sensor = {sensor:UInt32}
       UNION ALL SELECT enterprise, sensor, at FROM latest_positions WHERE sensor = {sensor:UInt32}) GROUP BY sensor`,
    { sensor },
    {},
  )
  const where = `sensor = ${sensor} AND ${between('at', fromMs, toMs)}`
  await mutated(clickhouse, mutation, 'readings', readingsCommand(where, channels, isRefill))
  if (mutation.isStopped()) return
  await recomputeRollups(clickhouse, sensor, { fromMs, toMs }, mutation)
  if (mutation.isStopped()) return
  const ofChannels = channels === undefined ? '' : ` AND channel IN (${channels})`
  await recomputeNewest(clickhouse, 'latest_values', sensor, where + ofChannels, mutation)
  if (channels === undefined) await recomputeNewest(clickhouse, 'latest_positions', sensor, where, mutation)
}

function readingsCommand(where: string, removed: readonly number[] | undefined, isRefill: boolean): string {
  if (removed !== undefined)
    return `UPDATE values = arrayFilter((v, c) -> NOT has([${removed}], c), values, channels),
      channels = arrayFilter(c -> NOT has([${removed}], c), channels) WHERE ${where} AND hasAny(channels, [${removed}])`
  if (isRefill) return `DELETE WHERE ${where}`
  return `UPDATE channels = CAST([], 'Array(UInt16)'), values = CAST([], 'Array(Float64)'), longitude = nan,
    latitude = nan WHERE ${where}`
}

/**
 * Whole days of the sensor wait (waiting-hours.ts) and are computed from its readings, by queries at once and by the
 * rollups later. Marked twice, because the rollups may aggregate the days before their old rows are deleted.
 */
async function recomputeRollups(
  clickhouse: ClickHouse,
  sensor: number,
  { fromMs, toMs }: { fromMs: number; toMs: number },
  mutation: Mutation,
): Promise<void> {
  const firstMs = Math.floor(fromMs / DAY_MS) * DAY_MS
  const endMs = Math.ceil(toMs / DAY_MS) * DAY_MS
  const mark = async (hour: string, table: string): Promise<void> => {
    await clickhouse.work(
      `INSERT INTO rollup_hours (enterprise, sensor, hour, changed_at, rolled_at)
       SELECT max(r.enterprise), r.sensor, r.${hour} AS start, now64(3), ${NEVER} FROM ${table} AS r
       WHERE r.sensor = {sensor:UInt32} AND ${between(`r.${hour}`, firstMs, endMs)} GROUP BY r.sensor, start`,
      { sensor },
      {},
    )
    clickhouse.rolledHours?.forget()
  }
  await mark('bucket', 'rollup_hour')
  for (const table of ROLLUPS)
    await mutated(
      clickhouse,
      mutation,
      table,
      `DELETE WHERE sensor = ${sensor} AND ${between('bucket', firstMs, endMs)}`,
    )
  await mark('hour', 'rollup_hours')
}

const NEWEST = {
  latest_values: `SELECT max(r.enterprise), r.sensor, channel, max(r.at), argMax(value, r.at), argMax(r.keep_days, r.at)
    FROM (SELECT * FROM readings FINAL WHERE sensor = {sensor:UInt32}) AS r
    ARRAY JOIN r.channels AS channel, r.values AS value GROUP BY r.sensor, channel`,
  latest_positions: `SELECT max(r.enterprise), r.sensor, max(r.at), argMax(r.longitude, r.at), argMax(r.latitude, r.at),
      argMax(r.keep_days, r.at)
    FROM (SELECT * FROM readings FINAL WHERE sensor = {sensor:UInt32}) AS r
    WHERE NOT isNaN(r.longitude) GROUP BY r.sensor`,
}
const COLUMNS = {
  latest_values: 'enterprise, sensor, channel, at, value, keep_days',
  latest_positions: 'enterprise, sensor, at, longitude, latitude, keep_days',
}

/** Computes the newest rows again from all readings of the sensor, if one of them was deleted. */
async function recomputeNewest(
  clickhouse: ClickHouse,
  table: keyof typeof NEWEST,
  sensor: number,
  where: string,
  mutation: Mutation,
): Promise<void> {
  const [found] = await clickhouse.workRows<{ rows: number }>(
    `SELECT count() AS rows FROM ${table} WHERE ${where}`,
    {},
    {},
  )
  if (Number(found?.rows) === 0) return
  await mutated(clickhouse, mutation, table, `DELETE WHERE ${where}`)
  await clickhouse.work(`INSERT INTO ${table} (${COLUMNS[table]}) ${NEWEST[table]}`, { sensor }, {})
}

/** Deletes all rows of a sensor or an enterprise in ClickHouse. Their numbers are never reused. */
export async function purge(clickhouse: ClickHouse, { enterprise, sensor }: Purged, mutation: Mutation): Promise<void> {
  const where = sensor === undefined ? `enterprise = ${enterprise}` : `sensor = ${sensor}`
  for (const table of OF_SENSORS) {
    if (mutation.isStopped()) return
    await mutated(clickhouse, mutation, table, `DELETE WHERE ${where}`)
  }
}
