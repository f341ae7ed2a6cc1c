/**
 * Leases of instances: jobs, keys and files of an instance are released when its lease expires, since it may never come
 * back.
 */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

const LEASE_S = 60

export async function renewLease(db: Database, instanceId: string): Promise<void> {
  await db.execute(sql`
    INSERT INTO instance_leases (instance_id, leased_until) VALUES (${instanceId}, now() + ${LEASE_S} * interval '1 second')
    ON CONFLICT (instance_id) DO UPDATE SET leased_until = excluded.leased_until`)
}

/**
 * Ends the lease of an instance that has stopped, or whose holdings were released. @param onlyExpired keeps the lease
 * if the instance has come back meanwhile
 */
export async function endLease(db: Database, instanceId: string, onlyExpired = false): Promise<void> {
  const expired = onlyExpired ? sql` AND leased_until < now()` : sql``
  await db.execute(sql`DELETE FROM instance_leases WHERE instance_id = ${instanceId}${expired}`)
}

export async function lostInstances(db: Database): Promise<string[]> {
  const rows = await db.execute(sql`SELECT instance_id AS id FROM instance_leases WHERE leased_until < now()`)
  return rowsOf<{ id: string }>(rows).map(({ id }) => id)
}
