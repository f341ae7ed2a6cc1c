/**
 * Named JSON documents of an enterprise: private ones of a member, and shared ones. A member reads shared documents and
 * changes private ones; a private document of somebody else is treated as nonexistent.
 */
import { and, asc, count, eq, getTableColumns, gt, isNull, or, type SQL, sql } from 'drizzle-orm'
import { AppError, fieldFailure, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { type IdPrefix, newId } from '../ids.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'
import { lockRecord } from '../record-lock.ts'
import { enterprises } from '../schema.ts'
import { type DocumentKind, savedDocuments } from './document-schema.ts'

/** A kind of documents as one caller sees it. */
export type DocumentScope = {
  kind: DocumentKind
  enterpriseId: string
  actor: string
  /** The member whose private documents the caller has; undefined for an application and an operator. */
  memberId: string | undefined
  /** Undefined for an application. */
  accountId: string | undefined
  /** Whether the caller may make, change and delete shared documents. */
  mayShare: boolean
}

export type SavedDocument = typeof savedDocuments.$inferSelect
export type DocumentInput = { name: string; shared?: boolean | undefined; document: object }

const PREFIXES: Record<DocumentKind, IdPrefix> = { dashboard: 'das', view: 'vie', recipe: 'rec' }
/** Bytes of a document's JSON. Pages of lists contain whole views, but no other documents. */
const MISSING = { dashboard: 'noSuchDashboard', view: 'noSuchView', recipe: 'noSuchRecipe' } as const

const MAX_BYTES: Record<DocumentKind, number> = { dashboard: 256 * 1024, view: 8 * 1024, recipe: 64 * 1024 }
/** Documents of an enterprise, of each kind. */
const MAX_DOCUMENTS = 1_000

const visible = ({ kind, enterpriseId, memberId }: DocumentScope): SQL | undefined =>
  and(
    eq(savedDocuments.enterpriseId, enterpriseId),
    eq(savedDocuments.kind, kind),
    or(isNull(savedDocuments.memberId), memberId === undefined ? undefined : eq(savedDocuments.memberId, memberId)),
  )

export function documentToJson({ id, name, memberId, document, createdAt, updatedAt }: SavedDocument) {
  return { id, name, shared: memberId === null, document, createdAt, updatedAt }
}

/** What the audit log keeps: administrators read it, and the content of a private document is not theirs. */
const auditedOf = ({ document: _, ...record }: SavedDocument): object => record

/** The member of a private document, or null. @throws AppError FORBIDDEN, VALIDATION_FAILED */
function placeOf({ memberId, mayShare }: DocumentScope, shared = memberId === undefined): string | null {
  if (shared && !mayShare) throw fieldFailure('FORBIDDEN', 'body.shared', 'role', fieldText('sharedByManagers'))
  if (!shared && memberId === undefined) throw invalidField('body.shared', 'const', fieldText('privateOfMembers'))
  return shared ? null : (memberId as string)
}

/** @throws AppError VALIDATION_FAILED */
function requireSize(kind: DocumentKind, document: object): void {
  const most = MAX_BYTES[kind]
  if (Buffer.byteLength(JSON.stringify(document)) > most)
    throw invalidField('body.document', 'maxBytes', fieldText('bytesAtMost', { most }))
}

/** @throws AppError FORBIDDEN for a shared document that the caller may only read */
function requireWritable({ mayShare }: DocumentScope, { memberId }: SavedDocument): void {
  if (memberId === null && !mayShare) throw new AppError('FORBIDDEN', { message: fieldText('sharedDocuments') })
}

/** @throws AppError NOT_FOUND, also for a private document of somebody else */
export async function getDocument(db: Database, scope: DocumentScope, id: string): Promise<SavedDocument> {
  const [found] = await db
    .select()
    .from(savedDocuments)
    .where(and(eq(savedDocuments.id, id), visible(scope)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText(MISSING[scope.kind]) })
  return found
}

/** In the order of creation. Views are listed whole; other documents without their content, which may be large. */
export async function listDocuments(
  db: Database,
  scope: DocumentScope,
  { limit, cursor }: PageQuery,
): Promise<Page<Omit<ReturnType<typeof documentToJson>, 'document'> & { document?: object }>> {
  const { document, ...record } = getTableColumns(savedDocuments)
  const rows = await db
    .select(scope.kind === 'view' ? { ...record, document } : record)
    .from(savedDocuments)
    .where(and(visible(scope), cursor === undefined ? undefined : gt(savedDocuments.id, cursor)))
    .orderBy(asc(savedDocuments.id))
    .limit(limit + 1)
  const page = pageOf(rows as SavedDocument[], limit)
  return { ...page, items: page.items.map(documentToJson) }
}

/** @throws AppError FORBIDDEN, VALIDATION_FAILED */
export async function createDocument(
  db: Database,
  scope: DocumentScope,
  { name, shared, document }: DocumentInput,
): Promise<SavedDocument> {
  const { kind, enterpriseId, actor } = scope
  const memberId = placeOf(scope, shared)
  requireSize(kind, document)
  return db.transaction(async (tx) => {
    // serializes new documents of an enterprise
    await tx.select().from(enterprises).where(eq(enterprises.id, enterpriseId)).for('update')
    const [existing] = await tx
      .select({ documents: count() })
      .from(savedDocuments)
      .where(and(eq(savedDocuments.enterpriseId, enterpriseId), eq(savedDocuments.kind, kind)))
    if ((existing?.documents ?? 0) >= MAX_DOCUMENTS)
      throw invalidField('body', 'maxItems', fieldText('documentsAtMost', { most: MAX_DOCUMENTS }))
    const [row] = await tx
      .insert(savedDocuments)
      .values({ id: newId(PREFIXES[kind]), enterpriseId, memberId, kind, name, document })
      .returning()
    const made = row as SavedDocument
    await recordChange(tx, { actor, action: 'create', kind, id: made.id, before: null, after: auditedOf(made) })
    return made
  })
}

/** Throws if the state of a document does not allow a change. The document is locked meanwhile. */
export type RequireState = (document: SavedDocument) => void

/** @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED, and what `require` throws */
export async function changeDocument(
  db: Database,
  scope: DocumentScope,
  id: string,
  { shared, ...change }: Partial<DocumentInput>,
  require?: RequireState,
): Promise<SavedDocument> {
  const { kind, actor } = scope
  if (change.document !== undefined) requireSize(kind, change.document)
  return db.transaction(async (tx) => {
    await lockRecord(tx, 'saved-document', id)
    const before = await getDocument(tx, scope, id)
    requireWritable(scope, before)
    require?.(before)
    const memberId = shared === undefined ? before.memberId : placeOf(scope, shared)
    const [row] = await tx
      .update(savedDocuments)
      .set({ ...change, memberId, updatedAt: sql`now()` })
      .where(eq(savedDocuments.id, id))
      .returning()
    const after = row as SavedDocument
    await recordChange(tx, { actor, action: 'update', kind, id, before: auditedOf(before), after: auditedOf(after) })
    return after
  })
}

/** @throws AppError NOT_FOUND, FORBIDDEN, and what `require` throws */
export async function deleteDocument(
  db: Database,
  scope: DocumentScope,
  id: string,
  require?: RequireState,
): Promise<void> {
  const { kind, actor } = scope
  await db.transaction(async (tx) => {
    await lockRecord(tx, 'saved-document', id)
    const before = await getDocument(tx, scope, id)
    requireWritable(scope, before)
    require?.(before)
    await tx.delete(savedDocuments).where(eq(savedDocuments.id, id))
    await recordChange(tx, { actor, action: 'delete', kind, id, before: auditedOf(before), after: null })
  })
}
