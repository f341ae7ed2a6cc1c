/** Usage of an owner per day (UTC) and per month: runs of tools with their credits, and requests. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

/** The grouping of run counts. */
export type RunGrouping = 'tool' | 'application'
export type RunCounts = { runs: number; failures: number; credits: number }
export type RunDay = RunCounts & { day: string }
/** `id` is empty for calls of accounts; `name` is null for them, for tools, and for applications that were deleted. */
export type RunGroup = RunCounts & { id: string; name: string | null }

const SUMS = sql.raw(
  'sum(run_days.runs)::float8 AS runs, sum(run_days.failures)::float8 AS failures, sum(run_days.credits)::float8 AS credits',
)
const within = (ownerId: string, from: string, to: string) =>
  sql`run_days.owner_id = ${ownerId} AND run_days.day BETWEEN ${from}::date AND ${to}::date`
const keyOf = (by: RunGrouping) => sql.raw(by === 'tool' ? 'run_days.tool_id' : 'run_days.application_id')

/** Days without runs are missing. */
export async function runDaysBetween(db: Database, ownerId: string, from: string, to: string): Promise<RunDay[]> {
  return rowsOf(
    await db.execute(sql`
      SELECT to_char(run_days.day, 'YYYY-MM-DD') AS day, ${SUMS} FROM run_days
      WHERE ${within(ownerId, from, to)} GROUP BY run_days.day ORDER BY run_days.day`),
  )
}

/** The groups with the most usage come first. */
export async function runGroupsBetween(
  db: Database,
  ownerId: string,
  from: string,
  to: string,
  by: RunGrouping,
  limit: number,
): Promise<RunGroup[]> {
  const name =
    by === 'tool' ? sql`NULL` : sql`(SELECT name FROM applications WHERE applications.id = run_days.application_id)`
  return rowsOf(
    await db.execute(sql`
      SELECT ${keyOf(by)} AS id, ${name} AS name, ${SUMS} FROM run_days
      WHERE ${within(ownerId, from, to)} GROUP BY ${keyOf(by)}
      ORDER BY credits DESC, runs DESC, id LIMIT ${limit}`),
  )
}

/** The counts per day of the given groups. */
export async function runGroupDaysBetween(
  db: Database,
  ownerId: string,
  from: string,
  to: string,
  by: RunGrouping,
  ids: readonly string[],
): Promise<(RunDay & { id: string })[]> {
  if (ids.length === 0) return []
  return rowsOf(
    await db.execute(sql`
      SELECT ${keyOf(by)} AS id, to_char(run_days.day, 'YYYY-MM-DD') AS day, ${SUMS} FROM run_days
      WHERE ${within(ownerId, from, to)} AND ${keyOf(by)} = ANY(${sql.param([...ids])}::text[])
      GROUP BY ${keyOf(by)}, run_days.day`),
  )
}

/** Counted requests of an owner's allowance. Days without any are missing. */
export async function requestDaysBetween(
  db: Database,
  ownerId: string,
  from: string,
  to: string,
): Promise<{ day: string; used: number }[]> {
  return rowsOf(
    await db.execute(sql`
      SELECT to_char(day, 'YYYY-MM-DD') AS day, used FROM api_request_days
      WHERE owner_id = ${ownerId} AND day BETWEEN ${from}::date AND ${to}::date ORDER BY api_request_days.day`),
  )
}

/** Credits of the newest months, the current one first; months without any are missing. */
export async function creditMonths(
  db: Database,
  enterpriseId: string,
  limit: number,
): Promise<{ month: string; credits: number }[]> {
  return rowsOf(
    await db.execute(sql`
      SELECT to_char(starts_at AT TIME ZONE 'UTC', 'YYYY-MM') AS month, used::float8 AS credits FROM credit_periods
      WHERE enterprise_id = ${enterpriseId} ORDER BY starts_at DESC LIMIT ${limit}`),
  )
}

/** Counts of the data that would be lost with an enterprise. */
export type Belongings = {
  members: number
  applications: number
  sensors: number
  zoneRules: number
  layers: number
  files: number
  toolApis: number
}

export async function belongingsOf(db: Database, enterpriseId: string): Promise<Belongings> {
  const count = (table: string, column = 'enterprise_id') =>
    sql`(SELECT count(*)::integer FROM ${sql.identifier(table)} WHERE ${sql.identifier(column)} = ${enterpriseId})`
  const [found] = rowsOf<Belongings>(
    await db.execute(sql`
      SELECT ${count('members')} AS members, ${count('applications')} AS applications, ${count('sensors')} AS sensors,
        ${count('zone_rules')} AS "zoneRules", ${count('layers', 'owner_id')} AS layers,
        ${count('owner_files', 'owner_id')} AS files, ${count('tool_apis', 'owner_id')} AS "toolApis"`),
  )
  return found as Belongings
}
