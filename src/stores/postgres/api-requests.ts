/** API requests per UTC day: usage of owners' allowances, and statistics of Tool API calls. */
import { and, asc, eq, gte, inArray, lte, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { apiRequestDays, toolApiDays, toolApis } from './owned-schema.ts'
import { rowsOf } from './rows.ts'

/** For example `2026-05-01`. */
export const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** Requests of one day that are counted together. */
export type RequestBlock = { id: string; ownerId: string; day: string; size: number }

// a crash of PostgreSQL or of the machine may lose the counts of its last second; nothing else does
const NO_WAIT_FOR_DISK = sql.raw(`set_config('synchronous_commit', 'off', true)`)

const count = ({ ownerId, day, size }: Omit<RequestBlock, 'id'>, allowance: number) => sql`
  INSERT INTO api_request_days (owner_id, day, used)
  SELECT ${ownerId}, ${day}::date, ${size}::integer FROM ${NO_WAIT_FOR_DISK} WHERE ${size}::integer <= ${allowance}::integer
  ON CONFLICT (owner_id, day) DO UPDATE SET used = api_request_days.used + ${size}::integer
    WHERE api_request_days.used + ${size}::integer <= ${allowance}::integer
  RETURNING used`

/**
 * Counts a request unless the day's allowance is used up. The commit does not wait for the disk.
 * @returns how many are counted then; undefined if it was not counted
 */
export async function takeRequest(
  db: Database,
  ownerId: string,
  day: string,
  allowance: number,
): Promise<number | undefined> {
  return usedOf(await db.execute(count({ ownerId, day, size: 1 }, allowance)))
}

/** Counts all requests of a block for an instance, or none of them. @returns as `takeRequest` */
export async function takeRequestBlock(
  db: Database,
  block: RequestBlock,
  allowance: number,
  instanceId: string,
): Promise<number | undefined> {
  const { id, ownerId, day, size } = block
  return usedOf(
    await db.execute(sql`
      WITH counted AS (${count(block, allowance)}), held AS (
        INSERT INTO api_request_blocks (id, owner_id, day, instance_id, size)
        SELECT ${id}, ${ownerId}, ${day}::date, ${instanceId}, ${size}::integer FROM counted)
      SELECT used FROM counted`),
  )
}

const usedOf = (result: unknown): number | undefined => rowsOf<{ used: number }>(result)[0]?.used

/** Ends blocks and gives what is left of them back to their days. Those that have ended already are ignored. */
export async function returnRequestBlocks(
  db: Database,
  blocks: readonly Readonly<{ id: string; left: number }>[],
): Promise<void> {
  if (blocks.length === 0) return
  await db.execute(sql`
    WITH ended AS (
      DELETE FROM api_request_blocks AS block
      USING unnest(${sql.param(blocks.map(({ id }) => id))}::text[], ${sql.param(blocks.map(({ left }) => left))}::integer[])
        AS given (id, rest)
      WHERE block.id = given.id RETURNING block.owner_id, block.day, given.rest
    ), sums AS (SELECT owner_id, day, sum(rest)::integer AS rest FROM ended GROUP BY owner_id, day)
    UPDATE api_request_days AS counted SET used = counted.used - sums.rest
    FROM sums WHERE counted.owner_id = sums.owner_id AND counted.day = sums.day AND sums.rest > 0`)
}

/** Blocks of an instance that it has not ended, such as those of a process that was killed. */
export async function requestBlocksOf(db: Database, instanceId: string): Promise<{ id: string; size: number }[]> {
  return rowsOf(await db.execute(sql`SELECT id, size FROM api_request_blocks WHERE instance_id = ${instanceId}`))
}

/** Forgets blocks of days that have passed, whose instances do not exist any more. */
export async function deleteOldRequestBlocks(db: Database, beforeDay: string): Promise<void> {
  await db.execute(sql`DELETE FROM api_request_blocks WHERE day < ${beforeDay}::date`)
}

/** Whether other instances hold requests of the day that they took a moment ago, so that some may come back. */
export async function othersHoldRequests(
  db: Database,
  ownerId: string,
  day: string,
  instanceId: string,
  withinMs: number,
): Promise<boolean> {
  const rows = rowsOf(
    await db.execute(sql`
      SELECT 1 FROM api_request_blocks
      WHERE owner_id = ${ownerId} AND day = ${day}::date AND instance_id <> ${instanceId}
        AND taken_at > now() - ${withinMs} * interval '1 millisecond' LIMIT 1`),
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
