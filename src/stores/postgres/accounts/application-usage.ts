/** An application's requests and runs per day. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

export type ApplicationDay = { applicationId: string; day: string; requests: number }

/** Counts of deleted applications are dropped. */
export async function addApplicationDays(db: Database, days: readonly ApplicationDay[]): Promise<void> {
  if (days.length === 0) return
  // in a fixed order, so that two instances cannot deadlock
  const sorted = days.toSorted((a, b) => (a.applicationId < b.applicationId ? -1 : 1))
  await db.execute(sql`
    INSERT INTO application_days (application_id, day, requests)
    SELECT given.id, given.day, given.requests
    FROM unnest(${sql.param(sorted.map(({ applicationId }) => applicationId))}::text[],
      ${sql.param(sorted.map(({ day }) => day))}::date[],
      ${sql.param(sorted.map(({ requests }) => requests))}::integer[]) AS given (id, day, requests)
    JOIN applications ON applications.id = given.id
    ON CONFLICT (application_id, day) DO UPDATE SET requests = application_days.requests + EXCLUDED.requests`)
}

export type ApplicationToolDay = { day: string; tool: string; runs: number; failures: number; credits: number }

export async function applicationRequestsBetween(db: Database, id: string, from: string, to: string) {
  return rowsOf<{ day: string; requests: number }>(
    await db.execute(sql`
      SELECT to_char(day, 'YYYY-MM-DD') AS day, requests FROM application_days
      WHERE application_id = ${id} AND day BETWEEN ${from}::date AND ${to}::date ORDER BY day`),
  )
}

/** The days on which it ran tools, by tool. */
export async function applicationRunsBetween(
  db: Database,
  id: string,
  from: string,
  to: string,
): Promise<ApplicationToolDay[]> {
  return rowsOf<ApplicationToolDay>(
    await db.execute(sql`
      SELECT to_char(day, 'YYYY-MM-DD') AS day, tool_id AS tool, runs, failures, credits::float8 AS credits FROM run_days
      WHERE application_id = ${id} AND application_id <> '' AND day BETWEEN ${from}::date AND ${to}::date
      ORDER BY run_days.day, tool_id`),
  )
}
