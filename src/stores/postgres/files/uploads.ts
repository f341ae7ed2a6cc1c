/** Uploads that can be resumed, and the pieces of them that have arrived. */

import { and, asc, eq, inArray, or, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { rowsOf } from '../rows.ts'
import { type RunScope, within } from '../runs/run-scope.ts'
import { storedFiles } from '../schema.ts'
import { uploadPieces, uploads } from './upload-schema.ts'

export type Upload = typeof uploads.$inferSelect
export type NewUpload = Pick<
  Upload,
  'id' | 'enterpriseId' | 'personId' | 'memberId' | 'filename' | 'metadata' | 'bytes' | 'key'
>
export type Piece = Pick<typeof uploadPieces.$inferSelect, 'key' | 'uploadId' | 'startsAt' | 'bytes'>

const inHours = (hours: number) => sql`now() + make_interval(hours => ${hours}::integer)`
const isOpen = (id: string) => and(eq(uploads.id, id), eq(uploads.state, 'open'))

const missing = (): AppError => new AppError('NOT_FOUND', { message: fieldText('noSuchUpload') })

/** @returns undefined when the owner has `maxOpen` unfinished ones */
export async function addUpload(
  db: Database,
  actor: string,
  upload: NewUpload,
  { maxOpen, keepHours }: { maxOpen: number; keepHours: number },
): Promise<Upload | undefined> {
  return db.transaction(async (tx) => {
    const ownerId = upload.enterpriseId ?? upload.personId ?? ''
    // serializes concurrent calls, so that they count each other
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext(${`uploads ${ownerId}`}))`)
    const open = rowsOf<{ count: number | string }>(
      await tx.execute(sql`SELECT count(*) AS count FROM uploads WHERE owner_id = ${ownerId} AND state = 'open'`),
    )
    if (Number(open[0]?.count ?? 0) >= maxOpen) return undefined
    const [added] = await tx
      .insert(uploads)
      .values({ ...upload, expiresAt: inHours(keepHours) })
      .returning()
    const { id, filename, bytes } = upload
    await recordChange(tx, {
      actor,
      action: 'create',
      kind: 'upload',
      id,
      before: null,
      after: { filename, bytes },
      ownerId,
    })
    return added as Upload
  })
}

/** @throws AppError NOT_FOUND, also for an upload outside the scope, and for one that has expired */
export async function getUpload(db: Database, scope: RunScope, id: string): Promise<Upload> {
  const [found] = await db
    .select()
    .from(uploads)
    .where(and(eq(uploads.id, id), within(uploads, scope), sql`${uploads.expiresAt} > now()`))
  if (found === undefined) throw missing()
  return found
}

/** Newest first. */
export const listUploads = (db: Database, scope: RunScope, query: PageQuery): Promise<Page<Upload>> =>
  pageOfTable(db, uploads, and(within(uploads, scope), sql`${uploads.expiresAt} > now()`), query, 'desc')

/** Records where a piece will be stored. @returns whether the upload waits for its first byte */
export async function announcePiece(db: Database, { key, uploadId, startsAt, bytes }: Piece): Promise<boolean> {
  const rows = await db.execute(sql`
    INSERT INTO upload_pieces (key, upload_id, starts_at, bytes)
    SELECT ${key}, id, ${startsAt}::bigint, ${bytes}::bigint FROM uploads
    WHERE id = ${uploadId} AND state = 'open' AND received = ${startsAt}::bigint RETURNING key`)
  return rowsOf(rows).length > 0
}

/**
 * Counts a piece that is stored. @returns undefined if another piece with the same bytes was first, or the upload is
 * gone
 */
export async function countPiece(
  db: Database,
  { key, uploadId, startsAt, bytes }: Piece,
  keepHours: number,
): Promise<Upload | undefined> {
  return db.transaction(async (tx) => {
    const [updated] = await tx
      .update(uploads)
      .set({ received: startsAt + bytes, expiresAt: inHours(keepHours) })
      .where(and(isOpen(uploadId), eq(uploads.received, startsAt)))
      .returning()
    if (updated !== undefined) await tx.update(uploadPieces).set({ isReceived: true }).where(eq(uploadPieces.key, key))
    return updated
  })
}

/** The pieces that count, in order. */
export async function piecesOf(db: Database, uploadId: string): Promise<Piece[]> {
  return db
    .select()
    .from(uploadPieces)
    .where(and(eq(uploadPieces.uploadId, uploadId), eq(uploadPieces.isReceived, true)))
    .orderBy(asc(uploadPieces.startsAt))
}

/** Puts one piece, which is stored, in the place of several. @returns false if they are no longer there */
export async function joinPieces(db: Database, pieces: readonly Piece[], joined: Piece): Promise<boolean> {
  const keys = pieces.map(({ key }) => key)
  return db.transaction(async (tx) => {
    const ofThem = and(inArray(uploadPieces.key, keys), eq(uploadPieces.isReceived, true))
    const found = await tx.select({ key: uploadPieces.key }).from(uploadPieces).where(ofThem).for('update')
    if (found.length !== keys.length) return false
    await tx.delete(uploadPieces).where(ofThem)
    await tx.update(uploadPieces).set({ isReceived: true }).where(eq(uploadPieces.key, joined.key))
    return true
  })
}

/** Records where a piece that joins others will be stored. */
export async function announceJoined(db: Database, piece: Piece): Promise<void> {
  await db.insert(uploadPieces).values(piece)
}

/** Deletes the records of all pieces; a trigger notes the objects for removal. */
export async function forgetPiecesOf(db: Database, uploadId: string): Promise<void> {
  await db.delete(uploadPieces).where(eq(uploadPieces.uploadId, uploadId))
}

export async function forgetPieces(db: Database, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await db.delete(uploadPieces).where(inArray(uploadPieces.key, [...keys]))
}

const isComplete = and(eq(uploads.state, 'open'), eq(uploads.received, uploads.bytes))
/** No instance makes the file, or its lease has expired. */
const isFree = sql`(${uploads.instanceId} IS NULL
  OR ${uploads.instanceId} NOT IN (SELECT instance_id FROM instance_leases WHERE leased_until > now()))`

/** Takes a complete upload for this instance, to make its file. @returns undefined if another instance has it */
export async function takeUpload(db: Database, id: string, instanceId: string): Promise<Upload | undefined> {
  const [taken] = await db
    .update(uploads)
    .set({ instanceId, attempts: sql`${uploads.attempts} + 1` })
    .where(and(eq(uploads.id, id), isComplete, or(isFree, eq(uploads.instanceId, instanceId))))
    .returning()
  return taken
}

const isHeld = ({ id, attempts }: Upload) => and(isOpen(id), eq(uploads.attempts, attempts))

/**
 * Makes the complete file a stored one, under the key of the upload.
 * @returns false if another instance took the upload over, or it was deleted
 */
export async function storeUpload(db: Database, taken: Upload): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [stored] = await tx.update(uploads).set({ state: 'stored' }).where(isHeld(taken)).returning()
    if (stored === undefined) return false
    const { key, enterpriseId, personId, memberId, filename, bytes } = stored
    await tx.insert(storedFiles).values({
      id: key,
      enterpriseId,
      personId,
      memberId,
      runId: null,
      artifactId: null,
      role: 'upload',
      field: null,
      filename,
      mediaType: 'application/octet-stream',
      crs: null,
      bytes,
    })
    return true
  })
}

/**
 * Schedules the removal of the file that a failed attempt wrote. An instance that took the upload over writes the same
 * bytes under the same key.
 */
export async function removeUnlessNeeded(db: Database, { id, key }: Upload): Promise<void> {
  await db.execute(sql`
    INSERT INTO file_removals (key) SELECT ${key}
    WHERE NOT EXISTS (SELECT FROM uploads WHERE id = ${id} AND state = 'open')
      AND NOT EXISTS (SELECT FROM stored_files WHERE id = ${key})
    ON CONFLICT (key) DO UPDATE SET removed_at = NULL`)
}

/** Keeps why the scanner refused the file, instead of the file. */
export async function refuseUpload(db: Database, taken: Upload, reason: string): Promise<void> {
  await db.update(uploads).set({ state: 'refused', reason }).where(isHeld(taken))
}

export async function stateOfUpload(db: Database, id: string): Promise<Upload | undefined> {
  const [found] = await db.select().from(uploads).where(eq(uploads.id, id))
  return found
}

/** Deletes an upload with its pieces; triggers note the objects for removal. */
export async function forgetUpload(db: Database, id: string): Promise<void> {
  await db.delete(uploads).where(eq(uploads.id, id))
}

export async function expiredUploads(db: Database, limit: number): Promise<Upload[]> {
  return db
    .select()
    .from(uploads)
    .where(sql`${uploads.expiresAt} <= now()`)
    .orderBy(asc(uploads.expiresAt))
    .limit(limit)
}

/** Complete uploads whose file no instance makes. */
export async function freeUploads(db: Database): Promise<{ id: string }[]> {
  return db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(isComplete, isFree, sql`${uploads.expiresAt} > now()`))
}

/** Complete uploads that the instance has taken. */
export async function uploadsTakenBy(db: Database, instanceId: string): Promise<{ id: string }[]> {
  return db
    .select({ id: uploads.id })
    .from(uploads)
    .where(and(isComplete, eq(uploads.instanceId, instanceId), sql`${uploads.expiresAt} > now()`))
}

export type OpenUploads = { ownerId: string; count: number; receivedBytes: number; bytes: number }

/**
 * Uploads that can be resumed and are not complete, of every owner, the largest first. `bytes` is the size of the
 * complete files.
 */
export async function openUploads(db: Database): Promise<OpenUploads[]> {
  const rows = rowsOf<{ owner_id: string; count: string; received: string; bytes: string }>(
    await db.execute(sql`
      SELECT owner_id, count(*) AS count, sum(received) AS received, sum(bytes) AS bytes
      FROM uploads WHERE state = 'open' AND expires_at > now()
      GROUP BY owner_id ORDER BY sum(bytes) DESC, owner_id`),
  )
  return rows.map(({ owner_id, count, received, bytes }) => ({
    ownerId: owner_id,
    count: Number(count),
    receivedBytes: Number(received),
    bytes: Number(bytes),
  }))
}
