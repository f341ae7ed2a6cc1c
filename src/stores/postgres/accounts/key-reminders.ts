/**
 * Keys that need attention: ending soon, just ended, old, or unused. A key that ended or was revoked is no longer a
 * risk, so it is listed only while its end may explain a failing caller.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import type { Page } from '../page.ts'
import { rowsOf } from '../rows.ts'
import { afterCursor, cursorColumn, orderOf, pageOfRows, readCursor, type SortKey } from '../sorted-page.ts'

export const REMINDER_REASONS = ['expired', 'expiring', 'old', 'unused'] as const
export type ReminderReason = (typeof REMINDER_REASONS)[number]

export type KeyReminder = {
  kind: 'sensor-key' | 'fleet-key-secret' | 'application-key' | 'tool-api-key' | 'personal-key' | 'operator-token'
  id: string
  name: string
  lastFour: string
  /** The sensor, fleet key, application, Tool API or person that it belongs to; null for a token of an operator. */
  holderId: string | null
  holderName: string | null
  createdAt: string
  expiresAt: string | null
  /** To the hour. */
  lastUsedAt: string | null
  reasons: ReminderReason[]
}

export type ReminderQuery = { limit: number; cursor: string | undefined; olderThanDays: number }

export const EXPIRES_WITHIN_DAYS = 14
export const UNUSED_DAYS = 90
const SORT = 'end'

/** The migration since which the use of these keys is recorded. Earlier use is unknown. */
const USE_NOTED_SINCE = { sensor: 11, other: 17 }

const columns = (kind: KeyReminder['kind'], table: string): SQL => sql`
  ${kind} AS kind, ${sql.raw(table)}.id, ${sql.raw(table)}.name, last_four, ${sql.raw(table)}.created_at, expires_at, last_used_at`
const noted = (migration: number): SQL =>
  sql`(SELECT applied_at FROM migrations WHERE number = ${migration}) AS noted_since`

const ofOwner = (ownerId: string): SQL => sql`
  SELECT ${columns('sensor-key', 'keys')}, sensors.id AS holder_id, sensors.name AS holder_name, ${noted(USE_NOTED_SINCE.sensor)}
  FROM sensor_keys AS keys JOIN sensors ON sensors.id = keys.sensor_id
  WHERE sensors.enterprise_id = ${ownerId} AND keys.revoked_at IS NULL
  UNION ALL
  -- a rotated one ends as it should
  SELECT ${columns('fleet-key-secret', 'keys')}, fleet_keys.id, fleet_keys.name, keys.created_at
  FROM fleet_key_secrets AS keys JOIN fleet_keys ON fleet_keys.id = keys.fleet_key_id
  WHERE fleet_keys.enterprise_id = ${ownerId} AND keys.revoked_at IS NULL
    AND NOT EXISTS (SELECT FROM fleet_key_secrets AS newer WHERE newer.fleet_key_id = keys.fleet_key_id AND newer.id > keys.id)
  UNION ALL
  SELECT ${columns('application-key', 'keys')}, applications.id, applications.name, ${noted(USE_NOTED_SINCE.other)}
  FROM application_keys AS keys JOIN applications ON applications.id = keys.application_id
  WHERE applications.enterprise_id = ${ownerId} AND keys.revoked_at IS NULL
  UNION ALL
  SELECT ${columns('tool-api-key', 'keys')}, tool_apis.id, tool_apis.name, ${noted(USE_NOTED_SINCE.other)}
  FROM tool_api_keys AS keys JOIN tool_apis ON tool_apis.id = keys.tool_api_id
  WHERE tool_apis.owner_id = ${ownerId} AND keys.revoked_at IS NULL
  UNION ALL
  SELECT ${columns('personal-key', 'keys')}, people.id, people.email, keys.created_at
  FROM personal_keys AS keys JOIN people ON people.id = keys.person_id
  WHERE people.id = ${ownerId} AND keys.revoked_at IS NULL`

const ofOperators = sql`
  SELECT ${columns('operator-token', 'keys')}, NULL::text AS holder_id, NULL::text AS holder_name, keys.created_at AS noted_since
  FROM operator_tokens AS keys WHERE keys.revoked_at IS NULL`

const END: SortKey = [
  { column: sql`coalesce(expires_at, 'infinity')`, type: 'timestamptz' },
  { column: sql`created_at`, type: 'timestamptz' },
  { column: sql`id`, type: 'text' },
]

const days = (count: number): SQL => sql`make_interval(days => ${count}::integer)`

async function remindersOf(db: Database, keys: SQL, query: ReminderQuery): Promise<Page<KeyReminder>> {
  const { limit, cursor, olderThanDays } = query
  const after = afterCursor(END, 'asc', readCursor(cursor, SORT, END))
  const isValid = sql`(expires_at IS NULL OR expires_at > now())`
  const rows = rowsOf<Record<string, unknown> & { at: string }>(
    await db.execute(sql`
      SELECT *, ${cursorColumn(END)} FROM (
        SELECT *, array_remove(ARRAY[
          CASE WHEN expires_at <= now() AND expires_at > now() - ${days(EXPIRES_WITHIN_DAYS)} THEN 'expired' END,
          CASE WHEN expires_at > now() AND expires_at <= now() + ${days(EXPIRES_WITHIN_DAYS)} THEN 'expiring' END,
          CASE WHEN ${isValid} AND created_at <= now() - ${days(olderThanDays)} THEN 'old' END,
          CASE WHEN ${isValid} AND greatest(last_used_at, created_at, noted_since) <= now() - ${days(UNUSED_DAYS)} THEN 'unused' END
        ], NULL) AS reasons FROM (${keys}) AS keys
      ) AS judged
      WHERE cardinality(reasons) > 0 AND ${after ?? sql`true`}
      ORDER BY ${orderOf(END, 'asc')} LIMIT ${limit + 1}`),
  )
  return pageOfRows(rows, limit, SORT, reminderOf)
}

const timeOf = (value: unknown): string | null => (value === null ? null : new Date(value as string).toISOString())

const reminderOf = (row: Record<string, unknown>): KeyReminder => ({
  kind: row.kind as KeyReminder['kind'],
  id: String(row.id),
  name: String(row.name),
  lastFour: String(row.last_four),
  holderId: row.holder_id as string | null,
  holderName: row.holder_name as string | null,
  createdAt: timeOf(row.created_at) as string,
  expiresAt: timeOf(row.expires_at),
  lastUsedAt: timeOf(row.last_used_at),
  reasons: row.reasons as ReminderReason[],
})

/** Keys of an enterprise or a person, and of what they own, the first to end first. */
export const keyReminders = (db: Database, ownerId: string, query: ReminderQuery): Promise<Page<KeyReminder>> =>
  remindersOf(db, ofOwner(ownerId), query)

/** Tokens of operators, without the one in `DATA_DIR`, which never ends. */
export const operatorTokenReminders = (db: Database, query: ReminderQuery): Promise<Page<KeyReminder>> =>
  remindersOf(db, ofOperators, query)
