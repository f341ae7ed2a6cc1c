/** Finds the enterprise or person that owns a record. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

export type OwnedKind =
  | 'owner'
  | 'sensor'
  | 'fleet-key'
  | 'asset'
  | 'member'
  | 'application'
  | 'tool-api'
  | 'invitation'
/** `role` is the role of a member or of an invitation. */
export type RecordOwner = { ownerId: string; isActive: boolean; suspendedReason: string | null; role: string | null }

const ofEnterprise = (table: string, role = 'NULL') =>
  sql.raw(`SELECT enterprise_id AS owner_id, ${role} AS role FROM ${table} WHERE id = `)

const RECORDS: Record<Exclude<OwnedKind, 'owner'>, SQL> = {
  sensor: ofEnterprise('sensors'),
  'fleet-key': ofEnterprise('fleet_keys'),
  asset: ofEnterprise('assets'),
  member: ofEnterprise('members', 'role'),
  application: ofEnterprise('applications'),
  invitation: ofEnterprise('one_time_links', 'role'),
  'tool-api': sql.raw('SELECT owner_id, NULL AS role FROM tool_apis WHERE id = '),
}

/** @returns undefined for a record that does not exist */
export async function findRecordOwner(db: Database, kind: OwnedKind, id: string): Promise<RecordOwner | undefined> {
  const record = kind === 'owner' ? sql`SELECT ${id}::text AS owner_id, NULL AS role` : sql`${RECORDS[kind]}${id}`
  const [found] = rowsOf<{ owner_id: string; status: string; reason: string | null; role: string | null }>(
    await db.execute(sql`
      SELECT record.owner_id, record.role, coalesce(enterprises.status, people.status) AS status,
        coalesce(enterprises.suspended_reason, people.suspended_reason) AS reason
      FROM (${record}) AS record
      LEFT JOIN enterprises ON enterprises.id = record.owner_id LEFT JOIN people ON people.id = record.owner_id
      WHERE coalesce(enterprises.id, people.id) IS NOT NULL`),
  )
  if (found === undefined) return undefined
  const { owner_id: ownerId, status, reason: suspendedReason, role } = found
  return { ownerId, isActive: status === 'active', suspendedReason, role }
}
