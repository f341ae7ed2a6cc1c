/** How much an enterprise has stored, and which of its files may be deleted. */
import { inArray, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { isPerson } from './owners.ts'
import { rowsOf } from './rows.ts'
import { storedFiles } from './schema.ts'

export type StorageUse = {
  /** Of all files and layers of the owner, with their earlier versions, and of uploads that have begun. */
  bytes: number
  /** Null where the server's limit applies. */
  quotaMb: number | null
}

export async function storageUse(db: Database, ownerId: string): Promise<StorageUse> {
  const column = sql.identifier(isPerson(ownerId) ? 'person_id' : 'enterprise_id')
  const [row] = rowsOf<{ bytes: string | number; quota: number | null }>(
    await db.execute(sql`
      SELECT (SELECT stored_mb FROM enterprises WHERE id = ${ownerId}) AS quota,
        coalesce((SELECT sum(bytes) FROM stored_files WHERE ${column} = ${ownerId}), 0)
        + coalesce((SELECT sum(versions.bytes) FROM owner_files AS files
            JOIN owner_file_versions AS versions ON versions.file_id = files.id WHERE files.owner_id = ${ownerId}), 0)
        + coalesce((SELECT sum(bytes) FROM uploads WHERE owner_id = ${ownerId} AND state = 'open'), 0)
        + coalesce((SELECT sum(bytes + history_bytes) FROM layers WHERE owner_id = ${ownerId}), 0) AS bytes`),
  )
  return { bytes: Number(row?.bytes ?? 0), quotaMb: row?.quota ?? null }
}

/** What a file with all its versions, or a layer, adds to its owner's storage. */
export async function bytesOf(db: Database, kind: 'file' | 'layer', id: string): Promise<number> {
  const sum =
    kind === 'layer'
      ? sql`SELECT bytes + history_bytes AS bytes FROM layers WHERE id = ${id}`
      : sql`SELECT sum(bytes) AS bytes FROM owner_file_versions WHERE file_id = ${id}`
  const [row] = rowsOf<{ bytes: string | number | null }>(await db.execute(sum))
  return Number(row?.bytes ?? 0)
}

/**
 * Locks the oldest files that are older than their owner keeps them, until the transaction ends; those that open jobs
 * need stay.
 */
export async function lockExpiredFiles(tx: Database, defaultDays: number, limit: number): Promise<string[]> {
  const rows = rowsOf<{ id: string }>(
    await tx.execute(sql`
      WITH needed AS (
        SELECT file ->> 'key' AS key FROM jobs, jsonb_array_elements(call -> 'files') AS file
        WHERE status IN ('accepted', 'running')
      )
      SELECT files.id FROM stored_files AS files LEFT JOIN enterprises ON enterprises.id = files.enterprise_id
      WHERE files.created_at < now() - make_interval(days => coalesce(enterprises.stored_days, ${defaultDays}::integer))
        AND NOT EXISTS (SELECT FROM needed WHERE needed.key = files.id)
      ORDER BY files.created_at LIMIT ${limit} FOR UPDATE OF files SKIP LOCKED`),
  )
  return rows.map(({ id }) => id)
}

export async function forgetFiles(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.delete(storedFiles).where(inArray(storedFiles.id, [...ids]))
}
