/** Storage that an owner uses, and when files are deleted. */
import { inArray, type SQL, sql } from 'drizzle-orm'
import { isPerson } from '../accounts/owners.ts'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { storedFiles } from '../schema.ts'

export type StorageUse = {
  /** All files and layers of the owner with their earlier versions, and unfinished uploads. */
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

/** The storage of a file with all its versions, or of a layer. */
export async function bytesOf(db: Database, kind: 'file' | 'layer', id: string): Promise<number> {
  const sum =
    kind === 'layer'
      ? sql`SELECT bytes + history_bytes AS bytes FROM layers WHERE id = ${id}`
      : sql`SELECT sum(bytes) AS bytes FROM owner_file_versions WHERE file_id = ${id}`
  const [row] = rowsOf<{ bytes: string | number | null }>(await db.execute(sum))
  return Number(row?.bytes ?? 0)
}

/** The default lifetime of stored files, and the grace period after a change of any lifetime. */
export type Lifetimes = { defaultDays: number; graceDays: number }

/** Files that will be deleted within one grace period. */
export type Expiring = { files: number; bytes: number; firstAt: Date | null }

/** Notes the lifetime of the server, so that a shorter one has a grace period as well. */
export async function noteServerLifetime(db: Database, { defaultDays }: Lifetimes): Promise<void> {
  await db.execute(sql`
    INSERT INTO server_stored_days AS known (days) VALUES (${defaultDays})
    ON CONFLICT (is_only) DO UPDATE SET days = excluded.days, set_at = now() WHERE known.days <> excluded.days`)
}

/**
 * The expiry of a file stored at a given time: the end of its lifetime, but not before the end of the grace period
 * after a change of the lifetime. To be used together with `ownersOf`.
 */
export const expiryOf = (storedAt: SQL, { defaultDays, graceDays }: Lifetimes): SQL => sql`greatest(
  ${storedAt} + make_interval(days => coalesce(enterprises.stored_days, people.stored_days, ${defaultDays}::integer)),
  greatest(enterprises.stored_days_set_at, people.stored_days_set_at, (SELECT set_at FROM server_stored_days))
    + make_interval(days => ${graceDays}::integer))`

/** Joins the owners of the rows of a table. */
export const ownersOf = (table: SQL): SQL => sql`
  LEFT JOIN enterprises ON enterprises.id = ${table}.enterprise_id LEFT JOIN people ON people.id = ${table}.person_id`

const FILES = sql`files`
const FILE_EXPIRY = (lifetimes: Lifetimes): SQL => expiryOf(sql`files.created_at`, lifetimes)

/** Locks the oldest expired files until the transaction ends, except files that open jobs need. */
export async function lockExpiredFiles(tx: Database, lifetimes: Lifetimes, limit: number): Promise<string[]> {
  const rows = rowsOf<{ id: string }>(
    await tx.execute(sql`
      WITH needed AS (
        SELECT file ->> 'key' AS key FROM jobs, jsonb_array_elements(call -> 'files') AS file
        WHERE status IN ('accepted', 'running')
      )
      SELECT files.id FROM stored_files AS files ${ownersOf(FILES)}
      WHERE ${FILE_EXPIRY(lifetimes)} < now() AND NOT EXISTS (SELECT FROM needed WHERE needed.key = files.id)
      ORDER BY files.created_at LIMIT ${limit} FOR UPDATE OF files SKIP LOCKED`),
  )
  return rows.map(({ id }) => id)
}

/** Expiry of the stored files among the keys. */
export async function expiryOfFiles(
  db: Database,
  keys: readonly string[],
  lifetimes: Lifetimes,
): Promise<Map<string, Date>> {
  if (keys.length === 0) return new Map()
  const rows = rowsOf<{ id: string; ms: string | number }>(
    await db.execute(sql`
      SELECT files.id, extract(epoch FROM ${FILE_EXPIRY(lifetimes)}) * 1000 AS ms
      FROM stored_files AS files ${ownersOf(FILES)} WHERE ${inArray(sql`files.id`, [...keys])}`),
  )
  return new Map(rows.map(({ id, ms }) => [id, new Date(Number(ms))]))
}

/** An owner's files that will be deleted soon. */
export async function expiringFiles(db: Database, ownerId: string, lifetimes: Lifetimes): Promise<Expiring> {
  const column = sql.identifier(isPerson(ownerId) ? 'person_id' : 'enterprise_id')
  const [row] = rowsOf<{ files: string | number; bytes: string | number | null; ms: string | number | null }>(
    await db.execute(sql`
      SELECT count(*) AS files, sum(bytes) AS bytes, extract(epoch FROM min(expires_at)) * 1000 AS ms
      FROM (
        SELECT bytes, ${FILE_EXPIRY(lifetimes)} AS expires_at
        FROM stored_files AS files ${ownersOf(FILES)} WHERE files.${column} = ${ownerId}
      ) AS owned
      WHERE expires_at < now() + make_interval(days => ${lifetimes.graceDays}::integer)`),
  )
  const firstMs = row?.ms ?? null
  return {
    files: Number(row?.files ?? 0),
    bytes: Number(row?.bytes ?? 0),
    firstAt: firstMs === null ? null : new Date(Number(firstMs)),
  }
}

/** Deletes the records; a trigger notes the objects for removal. */
export async function forgetFiles(db: Database, ids: readonly string[]): Promise<void> {
  if (ids.length > 0) await db.delete(storedFiles).where(inArray(storedFiles.id, [...ids]))
}
