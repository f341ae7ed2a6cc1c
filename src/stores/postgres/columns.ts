/** Column types shared by tables. */
import { sql } from 'drizzle-orm'
import { customType, timestamp } from 'drizzle-orm/pg-core'

/** jsonb sent as text with a cast, because the driver would encode a string as JSON a second time. */
export const jsonb = customType<{ data: unknown; driverData: unknown }>({
  dataType: () => 'jsonb',
  toDriver: (value) => sql`${JSON.stringify(value)}::text::jsonb`,
})

export const createdAt = () => timestamp('created_at', { withTimezone: true, mode: 'date' }).notNull().defaultNow()
export const updatedAt = () => timestamp('updated_at', { withTimezone: true, mode: 'date' }).notNull().defaultNow()
export const revokedAt = () => timestamp('revoked_at', { withTimezone: true, mode: 'date' })
export const timestampColumn = (name: string) => timestamp(name, { withTimezone: true, mode: 'date' })
