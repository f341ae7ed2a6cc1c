/** Events of an enterprise, which are delivered, or of a person, who gets a mail (sql/postgres/0053-event-types.sql). */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { EVENT_ID, recordEvents } from './events.ts'

/** @param source as for recordEvents, and person_id; an event has an enterprise or a person */
export async function recordOwnerEvents(tx: Database, source: SQL): Promise<void> {
  await tx.execute(sql`
    INSERT INTO person_events (id, person_id, type, data)
    SELECT ${EVENT_ID}, person_id, type, data FROM (${source}) AS made WHERE person_id IS NOT NULL ORDER BY ordinal
    ON CONFLICT (id) DO NOTHING`)
  const ofEnterprises = sql`SELECT * FROM (${source}) AS made WHERE enterprise_id IS NOT NULL`
  const concerned = rowsOf<{ id: string }>(
    await tx.execute(sql`SELECT DISTINCT enterprise_id AS id FROM (${ofEnterprises}) AS made`),
  )
  const ids = concerned.map(({ id }) => id)
  if (ids.length > 0) await recordEvents(tx, ids, ofEnterprises)
}
