/** API requests per UTC day: usage of owners' allowances, and statistics of Tool API calls. */
import { and, asc, eq, gte, inArray, lte, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { apiRequestDays, toolApiDays, toolApis } from '../layers/owned-schema.ts'
import { rowsOf } from '../rows.ts'

/** For example `2026-05-01`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

// only a crash of PostgreSQL or of the machine may lose the counts of the last second
const NO_WAIT_FOR_DISK = sql.raw(`set_config('synchronous_commit', 'off', true)`)

/**
 * Counts a request unless the day's allowance is used up. The commit does not wait for the disk.
 * @returns whether it was counted
 */
export async function takeRequest(db: Database, ownerId: string, day: string, allowance: number): Promise<boolean> {
  const rows = rowsOf(
    await db.execute(sql`
      INSERT INTO api_request_days (owner_id, day, used)
      SELECT ${ownerId}, ${day}::date, 1 FROM ${NO_WAIT_FOR_DISK} WHERE ${allowance}::integer > 0
      ON CONFLICT (owner_id, day) DO UPDATE SET used = api_request_days.used + 1
        WHERE api_request_days.used < ${allowance}::integer
      RETURNING used`),
  )
  return rows.length > 0
}

export async function requestsUsed(db: Database, ownerId: string, day: string): Promise<number> {
  const [found] = await db
    .select({ used: apiRequestDays.used })
    .from(apiRequestDays)
    .where(and(eq(apiRequestDays.ownerId, ownerId), eq(apiRequestDays.day, day)))
  return found?.used ?? 0
}

export type ToolApiDay = typeof toolApiDays.$inferSelect

export async function toolApiDaysBetween(
  db: Database,
  toolApiIds: readonly string[],
  from: string,
  to: string,
): Promise<ToolApiDay[]> {
  if (toolApiIds.length === 0) return []
  return db
    .select()
    .from(toolApiDays)
    .where(and(inArray(toolApiDays.toolApiId, [...toolApiIds]), gte(toolApiDays.day, from), lte(toolApiDays.day, to)))
    .orderBy(asc(toolApiDays.day), asc(toolApiDays.toolApiId))
}

export async function toolApiIdsOf(db: Database, ownerId: string): Promise<string[]> {
  const rows = await db.select({ id: toolApis.id }).from(toolApis).where(eq(toolApis.ownerId, ownerId))
  return rows.map(({ id }) => id)
}
