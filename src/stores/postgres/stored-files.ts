/** How much an enterprise has stored, and which of its files may be deleted. */
import { inArray, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { rowsOf } from './rows.ts'
import { storedFiles } from './schema.ts'

export type StorageUse = {
  /** Of all files and layers of the enterprise. */
  bytes: number
  /** Null where the server's limit applies. */
  quotaMb: number | null
}

export async function storageUse(db: Database, enterpriseId: string): Promise<StorageUse> {
  const [row] = rowsOf<{ bytes: string | number; quota: number | null }>(
    await db.execute(sql`
      SELECT (SELECT stored_mb FROM enterprises WHERE id = ${enterpriseId}) AS quota,
        coalesce((SELECT sum(bytes) FROM stored_files WHERE enterprise_id = ${enterpriseId}), 0)
        + coalesce((SELECT sum(versions.bytes) FROM owner_files AS files
            JOIN owner_file_versions AS versions ON versions.file_id = files.id WHERE files.owner_id = ${enterpriseId}), 0)
        + coalesce((SELECT sum(bytes) FROM layers WHERE owner_id = ${enterpriseId}), 0) AS bytes`),
  )
  return { bytes: Number(row?.bytes ?? 0), quotaMb: row?.quota ?? null }
}

/** What a file with all its versions, or a layer, adds to its owner's storage. */
export async function bytesOf(db: Database, kind: 'file' | 'layer', id: string): Promise<number> {
  const sum =
    kind === 'layer'
      ? sql`SELECT bytes FROM layers WHERE id = ${id}`
      : sql`SELECT sum(bytes) AS bytes FROM owner_file_versions WHERE file_id = ${id}`
  const [row] = rowsOf<{ bytes: string | number | null }>(await db.execute(sum))
  return Number(row?.bytes ?? 0)
}

/** Input files of a job have its id as their run. */
export async function isOfOpenJob(db: Database, runId: string): Promise<boolean> {
  const rows = await db.execute(sql`SELECT 1 FROM jobs WHERE id = ${runId} AND status IN ('accepted', 'running')`)
  return rowsOf(rows).length > 0
}

/** The oldest files that are older than their owner keeps them; those of open jobs stay. */
export async function expiredFiles(db: Database, defaultDays: number, limit: number): Promise<string[]> {
  const rows = rowsOf<{ id: string }>(
    await db.execute(sql`
      SELECT files.id FROM stored_files AS files LEFT JOIN enterprises ON enterprises.id = files.enterprise_id
      WHERE files.created_at < now() - make_interval(days => coalesce(enterprises.stored_days, ${defaultDays}::integer))
        AND NOT EXISTS (SELECT FROM jobs WHERE jobs.id = files.run_id AND jobs.status IN ('accepted', 'running'))
      ORDER BY files.created_at LIMIT ${limit}`),
  )
  return rows.map(({ id }) => id)
}

export async function forgetFiles(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.delete(storedFiles).where(inArray(storedFiles.id, [...ids]))
}
