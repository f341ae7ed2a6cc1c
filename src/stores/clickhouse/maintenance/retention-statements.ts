/**
 * Statements that change the retention of stored rows. Each row has it in `keep_days`, by which ClickHouse deletes the
 * row; a mutation that changes it also deletes rows that are too old by then. All are idempotent.
 */
import { type ClickHouse, QUERY_LIMITS, tooLarge } from '../client.ts'
import { mutate } from './mutations.ts'

export type RetentionTable = { name: string; at: 'at' | 'bucket' }
const READINGS: RetentionTable = { name: 'readings', at: 'at' }
const ROLLUPS: RetentionTable[] = [
  { name: 'rollup_minute', at: 'bucket' },
  { name: 'rollup_hour', at: 'bucket' },
  { name: 'rollup_day', at: 'bucket' },
]
const LATEST: RetentionTable[] = [
  { name: 'latest_values', at: 'at' },
  { name: 'latest_positions', at: 'at' },
]
const EVENTS: RetentionTable = { name: 'zone_events', at: 'at' }
/**
 * The newest values first, because claims rely on no stored reading being newer; the rollups last, because they are
 * computed from readings.
 */
export const LENGTHENED = [...LATEST, EVENTS, READINGS, ...ROLLUPS]
export const SHORTENED = [READINGS, ...LATEST, EVENTS, ...ROLLUPS]

export type StoredRetention = { enterprise: number; days: number }
/** The moment at which a longer retention took effect, in seconds since 1970. */
export type Longer = { keptDays: number; sinceS: number }

/** Part of the text of every mutation in this file. */
export const RETENTION_MARK = 'keep_days'
const HOUR_S = 3_600
const DAY_S = 86_400

/** The retentions of a table's rows. */
export async function storedRetentions(clickhouse: ClickHouse, { name }: RetentionTable): Promise<StoredRetention[]> {
  return clickhouse.rows<StoredRetention>(`SELECT DISTINCT enterprise, keep_days AS days FROM ${name}`)
}

/** A list of constants by enterprise, as SQL. */
function byEnterprise(values: ReadonlyMap<number, number>, type: string, fallback: string): string {
  return `transform(enterprise, CAST([${[...values.keys()]}], 'Array(UInt32)'), CAST([${[...values.values()]}], 'Array(${type})'), ${fallback})`
}

/** Begins to delete rows that are older than their enterprise keeps them. */
export async function shorten(
  clickhouse: ClickHouse,
  table: RetentionTable,
  keptDays: ReadonlyMap<number, number>,
): Promise<void> {
  const days = byEnterprise(keptDays, 'UInt16', 'keep_days')
  await mutate(
    clickhouse,
    table.name,
    `UPDATE keep_days = ${days} WHERE enterprise IN (${[...keptDays.keys()]}) AND keep_days > ${days}`,
  )
}

/**
 * Begins to keep rows longer. Rows that had expired when the longer retention took effect are deleted first: ClickHouse
 * may have deleted some of them already, and a rollup of them would contain deleted readings. For the same reason a
 * row of a rollup is deleted when its bucket began before that.
 */
export async function lengthen(
  clickhouse: ClickHouse,
  table: RetentionTable,
  longer: ReadonlyMap<number, Longer>,
): Promise<void> {
  const days = byEnterprise(
    new Map([...longer].map(([number, { keptDays }]) => [number, keptDays])),
    'UInt16',
    'keep_days',
  )
  const since = byEnterprise(
    new Map([...longer].map(([number, { sinceS }]) => [number, Math.floor(sinceS)])),
    'UInt32',
    'toUInt32(0)',
  )
  const rows = `enterprise IN (${[...longer.keys()]}) AND keep_days < ${days}`
  const expired = `toDateTime(${table.at}) + toIntervalDay(keep_days) <= toDateTime(${since})`
  await mutate(clickhouse, table.name, `DELETE WHERE ${rows} AND ${expired}, UPDATE keep_days = ${days} WHERE ${rows}`)
}

/** Hours in which the readings of an enterprise began to be deleted under its earlier retention. */
export type Edges = ReadonlyMap<number, readonly number[]>

/** @returns enterprises by the start of the hour, in seconds since 1970 */
export function edgesOf(stored: readonly StoredRetention[], longer: ReadonlyMap<number, Longer>): Edges {
  const edges = stored.flatMap(({ enterprise, days }) => {
    const found = longer.get(enterprise)
    if (found === undefined || days >= found.keptDays) return []
    return [{ enterprise, hour: Math.floor((found.sinceS - days * DAY_S) / HOUR_S) * HOUR_S }]
  })
  const byHour = Map.groupBy(edges, ({ hour }) => hour)
  return new Map([...byHour].map(([hour, found]) => [hour, found.map(({ enterprise }) => enterprise)]))
}

const MARK = 'INSERT INTO rollup_hours (enterprise, sensor, hour, changed_at, rolled_at)'
const NOW = "now64(3), fromUnixTimestamp64Milli(toInt64(0), 'UTC')"

/**
 * Marks the hours of these days as waiting (waiting-hours.ts), so that queries and rollups use the readings that
 * remain.
 */
export async function markEdges(clickhouse: ClickHouse, edges: Edges): Promise<void> {
  for (const [hour, enterprises] of edges)
    await clickhouse.write(
      `${MARK} SELECT DISTINCT enterprise, sensor, toDateTime({hour:UInt32}, 'UTC'), ${NOW} FROM rollup_day
       WHERE enterprise IN {enterprises:Array(UInt32)} AND bucket = toStartOfDay(toDateTime({hour:UInt32}, 'UTC'))`,
      { hour, enterprises },
    )
  clickhouse.rolledHours?.forget()
}

/** Marks them again after the deletion, in case they were aggregated meanwhile. */
export async function markEdgesAgain(clickhouse: ClickHouse, edges: Edges): Promise<void> {
  for (const [hour, enterprises] of edges)
    await clickhouse.write(
      `${MARK} SELECT max(enterprise) AS owner, sensor, hour, ${NOW} FROM rollup_hours
       WHERE hour = toDateTime({hour:UInt32}, 'UTC') GROUP BY sensor, hour HAVING owner IN {enterprises:Array(UInt32)}`,
      { hour, enterprises },
    )
  clickhouse.rolledHours?.forget()
}

/** Readings of enterprises with `fromMs` ≤ at < `toMs`. @throws AppError QUERY_TOO_LARGE */
export async function countReadings(
  clickhouse: ClickHouse,
  enterprises: readonly number[],
  { fromMs, toMs }: { fromMs: number; toMs: number },
): Promise<number> {
  const sensorsIn = (table: string): string =>
    `SELECT sensor FROM ${table} WHERE enterprise IN {enterprises:Array(UInt32)}`
  try {
    const [row] = await clickhouse.workRows<{ readings: number }>(
      // by the keys of the tables, so that only readings of these enterprises are read
      `SELECT count() AS readings FROM readings FINAL
       WHERE sensor IN (${sensorsIn('latest_values')} UNION DISTINCT ${sensorsIn('latest_positions')})
         AND at >= fromUnixTimestamp64Milli({from:Int64}, 'UTC') AND at < fromUnixTimestamp64Milli({to:Int64}, 'UTC')`,
      { enterprises, from: fromMs, to: toMs },
      QUERY_LIMITS,
    )
    return Number(row?.readings ?? 0)
  } catch (error) {
    throw tooLarge(error) ?? error
  }
}
