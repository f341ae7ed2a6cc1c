/** Locks a record until the end of a transaction, so that it cannot change between a check and the change itself. */
import { sql } from 'drizzle-orm'
import type { Database } from './client.ts'

const TABLES = {
  enterprise: 'enterprises',
  member: 'members',
  person: 'people',
  application: 'applications',
  asset: 'assets',
  sensor: 'sensors',
  'fleet-key': 'fleet_keys',
  layer: 'layers',
  file: 'owner_files',
  'tool-api': 'tool_apis',
  run: 'runs',
  'zone-rule': 'zone_rules',
  destination: 'destinations',
  'saved-document': 'saved_documents',
} as const
export type LockedKind = keyof typeof TABLES

/** A record that does not exist is not locked. */
export async function lockRecord(tx: Database, kind: LockedKind, id: string): Promise<void> {
  await tx.execute(sql`SELECT 1 FROM ${sql.identifier(TABLES[kind])} WHERE id = ${id} FOR UPDATE`)
}
