/** Events of jobs: each ends with one, however it ended. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { eventId, jsonTime, recordEvents } from './events.ts'
import { newDeliveryId } from './subscribers.ts'

/** To be called at the end of the transaction that ends the job. Jobs of people make no events. */
export async function recordJobEnd(
  tx: Database,
  { id, enterpriseId }: { id: string; enterpriseId: string | null },
): Promise<void> {
  if (enterpriseId === null) return
  await recordEvents(
    tx,
    [enterpriseId],
    sql`
      SELECT enterprise_id, 'job.finished' AS type, id AS key, id AS subject, NULL::text AS severity,
        NULL::text AS rule_id, NULL::text AS sensor_id, 1 AS ordinal,
        jsonb_build_object('jobId', id, 'toolId', tool_id, 'toolVersion', tool_version, 'status', status, 'runId', run_id,
          'createdAt', ${jsonTime(sql`created_at`)}, 'finishedAt', ${jsonTime(sql`finished_at`)},
          'at', ${jsonTime(sql`finished_at`)}) AS data
      FROM jobs WHERE id = ${id}`,
  )
  await tx.execute(sql`
    INSERT INTO deliveries (id, destination_id, enterprise_id, event_id, number, type, subject)
    SELECT ${newDeliveryId(sql`e.number`)}, d.id, e.enterprise_id, e.id, e.number, e.type, e.subject
    FROM jobs j JOIN destinations d ON d.id = j.callback AND d.enterprise_id = j.enterprise_id AND d.enabled
    JOIN events e ON e.id = ${eventId(sql`'job.finished'`, sql`j.id`)}
    WHERE j.id = ${id} AND NOT EXISTS (SELECT FROM deliveries l WHERE l.destination_id = d.id AND l.event_id = e.id)`)
}
