/** Columns that tables have in common. */
import { sql } from 'drizzle-orm'
import { customType, timestamp } from 'drizzle-orm/pg-core'

/**
 * jsonb that goes as text and a cast: of the two drivers one would write a string as JSON once more, the other would
 * not write it at all.
 */
export const jsonb = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => 'jsonb',
  toDriver: (value) => sql`${JSON.stringify(value)}::text::jsonb`,
})

export const createdAt = () => timestamp('created_at', { withTimezone: true, mode: 'date' }).notNull().defaultNow()
export const updatedAt = () => timestamp('updated_at', { withTimezone: true, mode: 'date' }).notNull().defaultNow()
export const revokedAt = () => timestamp('revoked_at', { withTimezone: true, mode: 'date' })
export const timestampColumn = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
