/** Saved documents, and links that show one (sql/postgres/0040-saved-documents.sql, 0041-share-links.sql). */
import { pgTable, text } from 'drizzle-orm/pg-core'
import { createdAt, jsonb, revokedAt, timestampColumn, updatedAt } from '../columns.ts'

export const DOCUMENT_KINDS = ['dashboard', 'view', 'recipe'] as const
export type DocumentKind = (typeof DOCUMENT_KINDS)[number]

export const savedDocuments = pgTable('saved_documents', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  /** Null for a shared document. */
  memberId: text('member_id'),
  kind: text('kind', { enum: DOCUMENT_KINDS }).notNull(),
  name: text('name').notNull(),
  document: jsonb('document').$type<object>().notNull(),
  createdAt: createdAt(),
  updatedAt: updatedAt(),
})

export const shareLinks = pgTable('share_links', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  documentId: text('document_id').notNull(),
  /** An account. */
  makerId: text('maker_id').notNull(),
  tokenSha256: text('token_sha256').notNull(),
  createdAt: createdAt(),
  expiresAt: timestampColumn('expires_at').notNull(),
  revokedAt: revokedAt(),
})
