/** Full exports of an owner's data: requests, progress, results (sql/postgres/0029-data-exports.sql). */

import { type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import type { Bilingual } from '../../../field-texts/bilingual.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'
import { rowsOf } from '../rows.ts'

export type ExportStatus = 'waiting' | 'running' | 'done' | 'failed' | 'removed'
export type DataExport = {
  id: string
  ownerId: string
  status: ExportStatus
  /** Null until the parts have been counted. */
  parts: number | null
  partsDone: number
  /** Size of the finished archive. */
  bytes: number | null
  createdAt: string
  finishedAt: string | null
  expiresAt: string
}
export type TakenExport = DataExport & { key: string; attempts: number }

/** Maximum number of requests of an owner in 24 hours. */
const MAX_EXPORTS_PER_DAY = 3
const MAX_ATTEMPTS = 3
const RETRY_S = 3_600
/** Requests of the last day are counted, also when their archives were deleted. */
const KEPT_REMOVED = sql`interval '1 day'`

const iso = (column: string): SQL => sql.raw(`to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`)
const COLUMNS = sql`id, owner_id AS "ownerId", status, parts, parts_done AS "partsDone", bytes::double precision AS bytes,
  ${iso('created_at')} AS "createdAt", ${iso('finished_at')} AS "finishedAt", ${iso('expires_at')} AS "expiresAt"`
const lease = (leaseMs: number): SQL => sql`now() + ${leaseMs}::double precision * interval '1 millisecond'`

/** @throws AppError EXPORTS_LIMITED */
export async function requestExport(
  db: Database,
  actor: string,
  ownerId: string,
  { isPerson, keepHours }: { isPerson: boolean; keepHours: number },
): Promise<DataExport> {
  return db.transaction(async (tx) => {
    // serializes concurrent requests, so that they count each other
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${`exports ${ownerId}`}))`)
    const [counted] = rowsOf<{ open: number; day: number }>(
      await tx.execute(sql`
        SELECT count(*) FILTER (WHERE status IN ('waiting', 'running'))::integer AS open,
          count(*) FILTER (WHERE created_at > now() - interval '1 day')::integer AS day
        FROM data_exports WHERE owner_id = ${ownerId}`),
    )
    if ((counted?.open ?? 0) > 0) throw limited(fieldText('exportUnderWay'))
    if ((counted?.day ?? 0) >= MAX_EXPORTS_PER_DAY)
      throw limited(fieldText('exportsAtMost', { most: MAX_EXPORTS_PER_DAY }))
    const id = newId('exp')
    const [made] = rowsOf<DataExport>(
      await tx.execute(sql`
        INSERT INTO data_exports (id, enterprise_id, person_id, key, requested_by, expires_at)
        VALUES (${id}, ${isPerson ? null : ownerId}, ${isPerson ? ownerId : null}, ${newId('fil')}, ${actor},
          now() + make_interval(hours => ${keepHours}::integer))
        RETURNING ${COLUMNS}`),
    )
    await recordChange(tx, { actor, action: 'create', kind: 'data-export', id, before: null, after: { ownerId } })
    return made as DataExport
  })
}

const limited = (message: Bilingual): AppError => new AppError('EXPORTS_LIMITED', { message, retryAfterS: RETRY_S })

const shown = (ownerId: string): SQL => sql`owner_id = ${ownerId} AND status <> 'removed' AND expires_at > now()`

/** Newest first. */
export async function listExports(
  db: Database,
  ownerId: string,
  { limit, cursor }: PageQuery,
): Promise<Page<DataExport>> {
  const before = cursor === undefined ? sql`true` : sql`id < ${cursor}`
  const rows = rowsOf<DataExport>(
    await db.execute(
      sql`SELECT ${COLUMNS} FROM data_exports WHERE ${shown(ownerId)} AND ${before} ORDER BY id DESC LIMIT ${limit + 1}`,
    ),
  )
  return pageOf(rows, limit)
}

/** @throws AppError NOT_FOUND */
export async function getExport(db: Database, ownerId: string, id: string): Promise<DataExport & { key: string }> {
  const [found] = rowsOf<DataExport & { key: string }>(
    await db.execute(sql`SELECT ${COLUMNS}, key FROM data_exports WHERE ${shown(ownerId)} AND id = ${id}`),
  )
  if (found === undefined) throw missing()
  return found
}

const missing = (): AppError => new AppError('NOT_FOUND', { message: fieldText('noSuchExport') })

/** Ends an export; its archive is removed soon. @throws AppError NOT_FOUND */
export async function removeExport(db: Database, actor: string, ownerId: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await getExport(tx, ownerId, id)
    await tx.execute(sql`
      UPDATE data_exports SET status = 'removed', lease_until = NULL, expires_at = created_at + ${KEPT_REMOVED}
      WHERE id = ${id}`)
    await tx.execute(sql`INSERT INTO file_removals (key) VALUES (${before.key}) ON CONFLICT DO NOTHING`)
    const { status, bytes } = before
    await recordChange(tx, {
      actor,
      action: 'delete',
      kind: 'data-export',
      id,
      before: { ownerId, status, bytes },
      after: null,
    })
  })
}

/**
 * The oldest export that no instance works on. Each attempt writes its own object; the object of an attempt that was
 * considered lost, and may still be written, is removed.
 */
export async function takeExport(db: Database, leaseMs: number): Promise<TakenExport | undefined> {
  const [taken] = rowsOf<TakenExport>(
    await db.execute(sql`
      WITH next AS (
        SELECT id, key AS former FROM data_exports
        WHERE status IN ('waiting', 'running') AND coalesce(lease_until, '-infinity') < now() AND expires_at > now()
        ORDER BY created_at LIMIT 1 FOR UPDATE SKIP LOCKED
      ), removed AS (
        INSERT INTO file_removals (key) SELECT former FROM next ON CONFLICT DO NOTHING
      )
      UPDATE data_exports SET status = 'running', lease_until = ${lease(leaseMs)}, attempts = attempts + 1,
        key = ${newId('fil')}, parts = NULL, parts_done = 0
      WHERE id = (SELECT id FROM next)
      RETURNING ${COLUMNS}, key, attempts`),
  )
  return taken
}

export const hasExhaustedAttempts = ({ attempts }: TakenExport): boolean => attempts > MAX_ATTEMPTS

/** Identifies an attempt. Once a later attempt began or the export was removed, it changes nothing. */
type Attempt = Pick<TakenExport, 'id' | 'attempts'>
const held = ({ id, attempts }: Attempt): SQL =>
  sql`id = ${id} AND status = 'running' AND attempts = ${attempts}::integer`

/** @returns false if it was removed meanwhile, with its owner or alone, or another attempt has begun */
export async function renewExport(
  db: Database,
  attempt: Attempt,
  leaseMs: number,
  { parts, partsDone }: { parts: number | null; partsDone: number },
): Promise<boolean> {
  const rows = await db.execute(sql`
    UPDATE data_exports SET lease_until = ${lease(leaseMs)}, parts = ${parts}::integer, parts_done = ${partsDone}::integer
    WHERE ${held(attempt)} RETURNING id`)
  return rowsOf(rows).length > 0
}

/** @returns false as for `renewExport` */
export async function finishExport(
  db: Database,
  attempt: Attempt,
  { bytes, keepHours }: { bytes: number; keepHours: number },
): Promise<boolean> {
  const rows = await db.execute(sql`
    UPDATE data_exports SET status = 'done', bytes = ${bytes}::bigint, finished_at = now(), lease_until = NULL,
      parts_done = coalesce(parts, parts_done), expires_at = now() + make_interval(hours => ${keepHours}::integer)
    WHERE ${held(attempt)} RETURNING id`)
  return rowsOf(rows).length > 0
}

export async function failExport(db: Database, attempt: Attempt): Promise<void> {
  await db.execute(sql`
    UPDATE data_exports SET status = 'failed', finished_at = now(), lease_until = NULL WHERE ${held(attempt)}`)
}

/** Releases the export for another attempt by any instance, not before `afterMs`. */
export async function releaseExport(db: Database, attempt: Attempt, afterMs: number): Promise<void> {
  await db.execute(sql`
    UPDATE data_exports SET status = 'waiting', lease_until = ${lease(afterMs)} WHERE ${held(attempt)}`)
}

/** @returns how many have expired; triggers note their archives for removal */
export async function deleteExpiredExports(db: Database): Promise<number> {
  return rowsOf(await db.execute(sql`DELETE FROM data_exports WHERE expires_at <= now() RETURNING id`)).length
}
