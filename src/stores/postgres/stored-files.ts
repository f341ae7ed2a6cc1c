/** How much an enterprise has stored, and which of its files may be deleted. */
import { inArray, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { rowsOf } from './rows.ts'
import { storedFiles } from './schema.ts'

export async function storedBytes(db: Database, enterpriseId: string): Promise<number> {
  const [row] = rowsOf<{ bytes: string | number }>(
    await db.execute(
      sql`SELECT coalesce(sum(bytes), 0) AS bytes FROM stored_files WHERE enterprise_id = ${enterpriseId}`,
    ),
  )
  return Number(row?.bytes ?? 0)
}

/** Input files of a job have its id as their run. */
export async function isOfOpenJob(db: Database, runId: string): Promise<boolean> {
  const rows = await db.execute(sql`SELECT 1 FROM jobs WHERE id = ${runId} AND status IN ('accepted', 'running')`)
  return rowsOf(rows).length > 0
}

/** The oldest files that are older than their enterprise keeps them; those of open jobs stay. */
export async function expiredFiles(db: Database, defaultDays: number, limit: number): Promise<string[]> {
  const rows = rowsOf<{ id: string }>(
    await db.execute(sql`
      SELECT files.id FROM stored_files AS files JOIN enterprises ON enterprises.id = files.enterprise_id
      WHERE files.created_at < now() - make_interval(days => coalesce(enterprises.stored_days, ${defaultDays}::integer))
        AND NOT EXISTS (SELECT FROM jobs WHERE jobs.id = files.run_id AND jobs.status IN ('accepted', 'running'))
      ORDER BY files.created_at LIMIT ${limit}`),
  )
  return rows.map(({ id }) => id)
}

export async function forgetFiles(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.delete(storedFiles).where(inArray(storedFiles.id, [...ids]))
}
