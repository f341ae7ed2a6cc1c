/** Files of owners, their versions and scan results. */

import { and, asc, desc, eq, inArray, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import type { Bilingual } from '../../../field-texts/bilingual.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import { type Owner, ownedBy } from '../accounts/owners.ts'
import type { Database } from '../client.ts'
import { ownerFiles, ownerFileVersions } from '../layers/owned-schema.ts'
import { type ListQuery, listOwned } from '../owned-list.ts'
import type { Page } from '../page.ts'
import { rowsOf } from '../rows.ts'
import { isNeededByJob, neededByJob } from './given-files.ts'

export type OwnerFile = typeof ownerFiles.$inferSelect
export type FileVersion = typeof ownerFileVersions.$inferSelect
export type NewVersion = Pick<FileVersion, 'id' | 'filename' | 'bytes'>
export type ScanStatus = FileVersion['scanStatus']

/** Adds a version; the first version creates the file `id`. */
export async function createFile(
  db: Database,
  actor: string,
  owner: Owner,
  { id, name }: { id: string; name: string },
  first: NewVersion,
): Promise<FileVersion> {
  return db.transaction(async (tx) => {
    const [file] = await tx
      .insert(ownerFiles)
      .values({ id, ...ownedBy(owner), name })
      .returning()
    await recordChange(tx, { actor, action: 'create', kind: 'file', id, before: null, after: file as OwnerFile })
    return addVersion(tx, actor, id, first)
  })
}

export async function addVersion(db: Database, actor: string, fileId: string, input: NewVersion): Promise<FileVersion> {
  return db.transaction(async (tx) => {
    // serializes new versions of a file
    await tx.update(ownerFiles).set({ updatedAt: sql`now()` }).where(eq(ownerFiles.id, fileId))
    const [newest] = await tx
      .select({ version: ownerFileVersions.version })
      .from(ownerFileVersions)
      .where(eq(ownerFileVersions.fileId, fileId))
      .orderBy(desc(ownerFileVersions.version))
      .limit(1)
    const values = { ...input, fileId, version: (newest?.version ?? 0) + 1 }
    const [created] = await tx.insert(ownerFileVersions).values(values).returning()
    const version = created as FileVersion
    const ownerId = await ownerOfFile(tx, fileId)
    await recordChange(tx, {
      actor,
      action: 'create',
      kind: 'file-version',
      id: version.id,
      before: null,
      after: version,
      ownerId,
    })
    return version
  })
}

async function ownerOfFile(db: Database, fileId: string): Promise<string | undefined> {
  const [file] = await db.select({ ownerId: ownerFiles.ownerId }).from(ownerFiles).where(eq(ownerFiles.id, fileId))
  return file?.ownerId
}

/** @throws AppError NOT_FOUND, also for another owner's file */
export async function getFile(db: Database, ownerId: string, id: string): Promise<OwnerFile> {
  const [found] = await db
    .select()
    .from(ownerFiles)
    .where(and(eq(ownerFiles.id, id), eq(ownerFiles.ownerId, ownerId)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchFile') })
  return found
}

/** Newest first. */
export async function versionsOf(db: Database, fileIds: readonly string[]): Promise<FileVersion[]> {
  if (fileIds.length === 0) return []
  return db
    .select()
    .from(ownerFileVersions)
    .where(inArray(ownerFileVersions.fileId, [...fileIds]))
    .orderBy(desc(ownerFileVersions.version))
}

/** @throws AppError NOT_FOUND */
export async function getVersion(db: Database, fileId: string, version: number): Promise<FileVersion> {
  const [found] = await db
    .select()
    .from(ownerFileVersions)
    .where(and(eq(ownerFileVersions.fileId, fileId), eq(ownerFileVersions.version, version)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchVersion') })
  return found
}

/** A file's owner and a version that was scanned clean: the given one, or the newest. */
export async function findCleanVersion(
  db: Database,
  fileId: string,
  version: number | undefined,
): Promise<{ ownerId: string; version: FileVersion } | undefined> {
  const [found] = await db
    .select({ ownerId: ownerFiles.ownerId, version: ownerFileVersions })
    .from(ownerFileVersions)
    .innerJoin(ownerFiles, eq(ownerFiles.id, ownerFileVersions.fileId))
    .where(
      and(
        eq(ownerFileVersions.fileId, fileId),
        eq(ownerFileVersions.scanStatus, 'clean'),
        version === undefined ? undefined : eq(ownerFileVersions.version, version),
      ),
    )
    .orderBy(desc(ownerFileVersions.version))
    .limit(1)
  return found
}

const SORTS = {
  name: { column: sql`lower(${ownerFiles.name})`, type: 'text' },
  changed: { column: sql`${ownerFiles.updatedAt}`, type: 'timestamptz' },
}
export const FILE_SORTS = ['id', ...Object.keys(SORTS)]

export const listFiles = (db: Database, ownerId: string, query: ListQuery): Promise<Page<OwnerFile>> =>
  listOwned(db, ownerFiles, SORTS, ownerId, query)

/** Renames a file, or transfers it to another owner. */
export async function updateFile(
  db: Database,
  actor: string,
  ownerId: string,
  id: string,
  { name, owner }: { name?: string | undefined; owner?: Owner | undefined },
): Promise<OwnerFile> {
  return db.transaction(async (tx) => {
    const before = await getFile(tx, ownerId, id)
    const change = { ...(name !== undefined && { name }), ...(owner && ownedBy(owner)), updatedAt: sql`now()` }
    const [after] = await tx.update(ownerFiles).set(change).where(eq(ownerFiles.id, id)).returning()
    await recordChange(tx, { actor, action: 'update', kind: 'file', id, before, after: after as OwnerFile })
    return after as OwnerFile
  })
}

/**
 * Locks versions to delete, so that no job that reads them is accepted afterwards; refuses if one was accepted before.
 * @throws AppError CONFLICT
 */
async function requireUnused(tx: Database, ownerId: string, versionIds: readonly string[]): Promise<void> {
  if (versionIds.length === 0) return
  await tx
    .select({ id: ownerFileVersions.id })
    .from(ownerFileVersions)
    .where(inArray(ownerFileVersions.id, [...versionIds]))
    .orderBy(asc(ownerFileVersions.id))
    .for('update')
  if (await isNeededByJob(tx, ownerId, versionIds)) throw neededByJob()
}

/** @returns the storage keys of its versions @throws AppError NOT_FOUND, CONFLICT while a job needs one of them */
export async function deleteFile(db: Database, actor: string, ownerId: string, id: string): Promise<string[]> {
  return db.transaction(async (tx) => {
    const before = await getFile(tx, ownerId, id)
    const versions = await versionsOf(tx, [id])
    await requireUnused(
      tx,
      ownerId,
      versions.map((version) => version.id),
    )
    await tx.delete(ownerFiles).where(eq(ownerFiles.id, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'file', id, before, after: null })
    return versions.map((version) => version.id)
  })
}

function boundMessage(names: readonly string[]): Bilingual {
  const listed = names
    .slice(0, 3)
    .map((name) => `"${name}"`)
    .join(', ')
  return fieldText(names.length > 3 ? 'boundToMore' : 'boundTo', { names: listed })
}

/** Deletes a version that no Tool API is bound to; its number is not reused while there is a newer one. */
export async function deleteVersion(db: Database, actor: string, fileId: string, version: number): Promise<string> {
  return db.transaction(async (tx) => {
    const before = await getVersion(tx, fileId, version)
    const bound = rowsOf<{ name: string }>(
      await tx.execute(sql`
        SELECT name FROM tool_apis
        WHERE binding ->> 'id' = ${fileId} AND binding ->> 'kind' = 'file-version' AND binding ->> 'version' = ${String(version)}
        ORDER BY name LIMIT 4`),
    )
    if (bound.length > 0) throw new AppError('CONFLICT', { message: boundMessage(bound.map(({ name }) => name)) })
    const ownerId = await ownerOfFile(tx, fileId)
    if (ownerId !== undefined) await requireUnused(tx, ownerId, [before.id])
    await tx.delete(ownerFileVersions).where(eq(ownerFileVersions.id, before.id))
    await recordChange(tx, {
      actor,
      action: 'delete',
      kind: 'file-version',
      id: before.id,
      before,
      after: null,
      ownerId,
    })
    return before.id
  })
}

export type ScanVerdict = { scanStatus: ScanStatus; scanReason: string | null; kind?: string | null }

/**
 * The result of a scan, or a manual decision.
 * @param scanned the version that was scanned: nothing changes if the version got a verdict meanwhile
 */
export async function setVerdict(
  db: Database,
  actor: string,
  id: string,
  verdict: ScanVerdict,
  scanned?: Pick<FileVersion, 'scanStatus'>,
): Promise<FileVersion | undefined> {
  return db.transaction(async (tx) => {
    const [before] = await tx.select().from(ownerFileVersions).where(eq(ownerFileVersions.id, id)).for('update')
    // the version was deleted meanwhile
    if (before === undefined) return undefined
    if (scanned !== undefined && before.scanStatus !== scanned.scanStatus) return before
    const [updated] = await tx
      .update(ownerFileVersions)
      .set({ ...verdict, scannedAt: sql`now()` })
      .where(eq(ownerFileVersions.id, id))
      .returning()
    const after = updated as FileVersion
    const ownerId = await ownerOfFile(tx, before.fileId)
    await recordChange(tx, { actor, action: 'update', kind: 'file-version', id, before, after, ownerId })
    return after
  })
}

/** Versions without a final scan result that were created before a given time, oldest first. */
export async function listUnscanned(db: Database, olderThanMs: number): Promise<FileVersion[]> {
  return db
    .select()
    .from(ownerFileVersions)
    .where(
      and(
        inArray(ownerFileVersions.scanStatus, ['pending', 'failed']),
        sql`coalesce(${ownerFileVersions.scannedAt}, ${ownerFileVersions.createdAt}) <= now() - ${olderThanMs}::double precision * interval '1 millisecond'`,
      ),
    )
    .orderBy(asc(ownerFileVersions.createdAt))
    .limit(100)
}
