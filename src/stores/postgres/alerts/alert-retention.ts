/** Alerts, and silences, are kept as long as the readings of their enterprise (retention.ts). */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

const BATCH = 10_000

/** Deletes what ended before the retention, in batches. Firing alerts stay. */
export async function deleteOldAlerts(db: Database, isStopped: () => boolean): Promise<void> {
  const oldest = sql`now() - make_interval(days => r.kept_days)`
  await db.execute(sql`
    DELETE FROM alert_silences s USING retentions r WHERE r.enterprise_id = s.enterprise_id AND s.ends_at < ${oldest}`)
  let deleted = BATCH
  while (deleted === BATCH && !isStopped()) {
    const gone = await db.execute(sql`
      DELETE FROM alerts WHERE id IN (
        SELECT a.id FROM retentions r JOIN alerts a ON a.enterprise_id = r.enterprise_id
        -- an alert has fired before it ends, and the index is of times of firing
        WHERE a.fired_at < ${oldest} AND a.resolved_at < ${oldest} LIMIT ${BATCH}) RETURNING id`)
    deleted = rowsOf(gone).length
  }
}
