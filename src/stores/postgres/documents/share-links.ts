/** Links that show one dashboard to anybody who has the link, for at most 90 days. */
import { and, asc, count, eq, gt, isNull, sql } from 'drizzle-orm'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { rowsOf } from '../rows.ts'
import { savedDocuments, shareLinks } from './document-schema.ts'
import { type DocumentScope, getDocument } from './saved-documents.ts'

export const MAX_LINK_DAYS = 90
const MAX_LINKS = 100
const DAY_MS = 86_400_000

export type ShareLink = typeof shareLinks.$inferSelect

export const shareLinkToJson = ({ id, createdAt, expiresAt }: ShareLink) => ({ id, createdAt, expiresAt })

const open = (documentId: string) =>
  and(eq(shareLinks.documentId, documentId), isNull(shareLinks.revokedAt), gt(shareLinks.expiresAt, sql`now()`))

/** @throws AppError NOT_FOUND, FORBIDDEN */
async function requireManager(tx: Database, scope: DocumentScope, documentId: string): Promise<void> {
  await getDocument(tx, scope, documentId)
  if (!scope.mayShare) throw new AppError('FORBIDDEN', { message: fieldText('linksByManagers') })
}

/** @throws AppError NOT_FOUND, FORBIDDEN, VALIDATION_FAILED */
export async function createShareLink(
  db: Database,
  scope: DocumentScope,
  documentId: string,
  { days, tokenSha256 }: { days: number; tokenSha256: string },
): Promise<ShareLink> {
  const { actor, enterpriseId, accountId } = scope
  return db.transaction(async (tx) => {
    // serializes new links of a dashboard
    await tx.select().from(savedDocuments).where(eq(savedDocuments.id, documentId)).for('update')
    await requireManager(tx, scope, documentId)
    if (accountId === undefined) throw new AppError('FORBIDDEN', { message: fieldText('linkOfPerson') })
    const [existing] = await tx.select({ links: count() }).from(shareLinks).where(open(documentId))
    if ((existing?.links ?? 0) >= MAX_LINKS)
      throw invalidField('body', 'maxItems', fieldText('documentsAtMost', { most: MAX_LINKS }))
    const expiresAt = new Date(Date.now() + days * DAY_MS)
    const [row] = await tx
      .insert(shareLinks)
      .values({ id: newId('shl'), enterpriseId, documentId, makerId: accountId, tokenSha256, expiresAt })
      .returning()
    const link = row as ShareLink
    await recordChange(tx, { actor, action: 'create', kind: 'share-link', id: link.id, before: null, after: link })
    return link
  })
}

/** The links that still work, unless their maker lost the right. @throws AppError NOT_FOUND */
export async function listShareLinks(db: Database, scope: DocumentScope, documentId: string): Promise<ShareLink[]> {
  await getDocument(db, scope, documentId)
  return db.select().from(shareLinks).where(open(documentId)).orderBy(asc(shareLinks.id)).limit(MAX_LINKS)
}

/** @throws AppError NOT_FOUND */
export async function revokeShareLink(
  db: Database,
  scope: DocumentScope,
  documentId: string,
  id: string,
): Promise<void> {
  const { actor } = scope
  await db.transaction(async (tx) => {
    await requireManager(tx, scope, documentId)
    const [link] = await tx
      .update(shareLinks)
      .set({ revokedAt: sql`now()` })
      .where(and(open(documentId), eq(shareLinks.id, id)))
      .returning()
    if (link === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchLink') })
    const before = { ...link, revokedAt: null }
    await recordChange(tx, { actor, action: 'revoke', kind: 'share-link', id, before, after: link })
  })
}

export type SharedDocument = { linkId: string; enterpriseId: string; name: string; document: object; expiresMs: number }

/**
 * The dashboard of a link, if its maker may still share it. Read for each call, so that a lost right ends the link
 * with the next one.
 */
export async function findShared(db: Database, tokenSha256: string): Promise<SharedDocument | undefined> {
  const [found] = rowsOf<SharedDocument>(
    await db.execute(sql`
      SELECT links.id AS "linkId", links.enterprise_id AS "enterpriseId", documents.name, documents.document,
        (extract(epoch FROM links.expires_at) * 1000)::double precision AS "expiresMs"
      FROM share_links AS links
        JOIN saved_documents AS documents ON documents.id = links.document_id
        JOIN accounts ON accounts.id = links.maker_id
        LEFT JOIN members ON members.account_id = accounts.id AND members.enterprise_id = links.enterprise_id
        JOIN enterprises ON enterprises.id = links.enterprise_id
      WHERE links.token_sha256 = ${tokenSha256} AND links.revoked_at IS NULL AND links.expires_at > now()
        AND enterprises.status = 'active' AND NOT enterprises.assets_held
        AND (accounts.is_operator OR members.role IN ('owner', 'admin'))
        AND (documents.member_id IS NULL OR documents.member_id = members.id)
        AND NOT EXISTS (
          SELECT FROM people WHERE people.account_id = accounts.id AND people.status = 'suspended')
      LIMIT 1`),
  )
  return found
}
