/** Table of deletions of readings (sql/postgres/0023-reading-deletions.sql, 0028-data-protection.sql, 0038-ledger.sql). */
import { bigint, boolean, integer, pgTable, text } from 'drizzle-orm/pg-core'
import { createdAt, timestampColumn } from '../columns.ts'

export const readingDeletions = pgTable('reading_deletions', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  enterpriseNumber: integer('enterprise_number').notNull(),
  sensorId: text('sensor_id'),
  sensorNumber: integer('sensor_number'),
  fromAt: timestampColumn('from_at'),
  toAt: timestampColumn('to_at'),
  channel: text('channel'),
  channels: text('channels').array(),
  channelNumbers: integer('channel_numbers').array(),
  refill: boolean('refill').notNull().default(false),
  status: text('status', { enum: ['waiting', 'running', 'done'] })
    .notNull()
    .default('waiting'),
  readings: bigint('readings', { mode: 'number' }),
  requestedBy: text('requested_by').notNull(),
  createdAt: createdAt(),
  finishedAt: timestampColumn('finished_at'),
  leaseUntil: timestampColumn('lease_until'),
  attempts: integer('attempts').notNull().default(0),
})
