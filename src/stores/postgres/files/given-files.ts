/** Files that a caller names by key instead of sending them. */

import { sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import type { RunScope } from '../runs/run-scope.ts'

export type GivenFile = {
  /** The key as given: of a stored file, an owner's file, or one of its versions. */
  key: string
  /** The key of the content in the file store. */
  storageKey: string
  filename: string
  bytes: number
  /** Tools read clean files only; stored files of runs and uploads are always clean. */
  scanStatus: 'pending' | 'clean' | 'infected' | 'failed'
}

/**
 * The files among the keys that exist within the scope, by key. For an owner's file: the newest clean version, or the
 * newest version if none is clean. An owner's files are visible to all who act for it; files of runs may be visible to
 * one member only.
 */
export async function findGivenFiles(
  db: Database,
  { ownerId, memberId }: RunScope,
  keys: readonly string[],
): Promise<Map<string, GivenFile>> {
  if (keys.length === 0) return new Map()
  const given = sql.join(
    [...new Set(keys)].map((key) => sql`${key}`),
    sql`, `,
  )
  const ownRuns = memberId === undefined ? sql`` : sql`AND member_id = ${memberId}`
  const rows = rowsOf<Omit<GivenFile, 'bytes'> & { bytes: string | number }>(
    await db.execute(sql`
      SELECT id AS key, id AS "storageKey", filename, bytes, 'clean' AS "scanStatus"
      FROM stored_files WHERE id IN (${given}) AND owner_id = ${ownerId} ${ownRuns}
      UNION ALL
      SELECT versions.id, versions.id, versions.filename, versions.bytes, versions.scan_status
      FROM owner_file_versions AS versions JOIN owner_files AS files ON files.id = versions.file_id
      WHERE versions.id IN (${given}) AND files.owner_id = ${ownerId}
      UNION ALL (
        SELECT DISTINCT ON (files.id) files.id, versions.id, versions.filename, versions.bytes, versions.scan_status
        FROM owner_files AS files JOIN owner_file_versions AS versions ON versions.file_id = files.id
        WHERE files.id IN (${given}) AND files.owner_id = ${ownerId}
        ORDER BY files.id, (versions.scan_status = 'clean') DESC, versions.version DESC)`),
  )
  return new Map(rows.map((row) => [row.key, { ...row, bytes: Number(row.bytes) }]))
}

/**
 * To be called in the transaction that records the use of the files: until it ends, they cannot be deleted.
 * @returns whether all of them are still there
 */
export async function holdFiles(tx: Database, storageKeys: readonly string[]): Promise<boolean> {
  if (storageKeys.length === 0) return true
  const keys = [...new Set(storageKeys)].sort()
  const given = sql.join(
    keys.map((key) => sql`${key}`),
    sql`, `,
  )
  const stored = rowsOf(await tx.execute(sql`SELECT id FROM stored_files WHERE id IN (${given}) ORDER BY id FOR SHARE`))
  const versions = rowsOf(
    await tx.execute(sql`SELECT id FROM owner_file_versions WHERE id IN (${given}) ORDER BY id FOR SHARE`),
  )
  return stored.length + versions.length === keys.length
}

export const neededByJob = (): AppError => new AppError('CONFLICT', { message: fieldText('fileOfJob') })

/** Whether a job of the owner that has not ended reads one of the files. */
export async function isNeededByJob(db: Database, ownerId: string, storageKeys: readonly string[]): Promise<boolean> {
  if (storageKeys.length === 0) return false
  const keys = sql.join(
    storageKeys.map((key) => sql`${key}`),
    sql`, `,
  )
  const rows = await db.execute(sql`
    SELECT 1 FROM jobs, jsonb_array_elements(call -> 'files') AS file
    WHERE owner_id = ${ownerId} AND status IN ('accepted', 'running') AND file ->> 'key' IN (${keys}) LIMIT 1`)
  return rowsOf(rows).length > 0
}
