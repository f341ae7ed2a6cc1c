/** Keys of the file store whose records were deleted (sql/postgres/0028-data-protection.sql). */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

/** By then, calls that were running when the records were deleted have ended. */
const AGAIN_MINUTES = 60

const listOf = (keys: readonly string[]) =>
  sql`ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(keys)}::text::jsonb))`

/** Locks keys whose objects are to be removed, until the transaction ends. No other transaction gets them meanwhile. */
export async function lockRemovals(tx: Database, limit: number): Promise<string[]> {
  const rows = rowsOf<{ key: string }>(
    await tx.execute(sql`
      SELECT key FROM file_removals
      WHERE removed_at IS NULL OR removed_at < now() - make_interval(mins => ${AGAIN_MINUTES}::integer)
      ORDER BY removed_at NULLS FIRST LIMIT ${limit} FOR UPDATE SKIP LOCKED`),
  )
  return rows.map(({ key }) => key)
}

/** Notes that the objects were removed. The second time, the keys are forgotten. */
export async function noteRemoved(tx: Database, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  await tx.execute(sql`DELETE FROM file_removals WHERE key = ANY(${listOf(keys)}) AND removed_at IS NOT NULL`)
  await tx.execute(sql`UPDATE file_removals SET removed_at = now() WHERE key = ANY(${listOf(keys)})`)
}
