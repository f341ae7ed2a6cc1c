/** Tables of uploads that can be resumed (sql/postgres/0016-stored-inputs.sql, 0038-ledger.sql). */
import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { createdAt, timestampColumn } from '../columns.ts'

export const uploads = pgTable('uploads', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id'),
  personId: text('person_id'),
  ownerId: text('owner_id').notNull().generatedAlwaysAs(sql`coalesce(enterprise_id, person_id)`),
  memberId: text('member_id'),
  filename: text('filename').notNull(),
  metadata: text('metadata').notNull(),
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
  received: bigint('received', { mode: 'number' }).notNull().default(0),
  key: text('key').notNull(),
  state: text('state', { enum: ['open', 'stored', 'refused'] })
    .notNull()
    .default('open'),
  reason: text('reason'),
  /** The instance that makes the file of a complete upload. */
  instanceId: text('instance_id'),
  attempts: integer('attempts').notNull().default(0),
  createdAt: createdAt(),
  expiresAt: timestampColumn('expires_at').notNull(),
})

export const uploadPieces = pgTable('upload_pieces', {
  key: text('key').primaryKey(),
  uploadId: text('upload_id').notNull(),
  startsAt: bigint('starts_at', { mode: 'number' }).notNull(),
  bytes: bigint('bytes', { mode: 'number' }).notNull(),
  isReceived: boolean('is_received').notNull().default(false),
})
