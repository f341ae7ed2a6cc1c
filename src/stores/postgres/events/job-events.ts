/** Events of jobs: each ends with one, however it ended, and with another one if the server failed. */
import { sql } from 'drizzle-orm'
import type { Code } from '../../../errors.ts'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { eventId, jsonTime, recordEvents } from './events.ts'
import { isServerFault } from './run-events.ts'
import { isReachable, newDeliveryId, ofAddresses, toAddress } from './subscribers.ts'

/**
 * To be called at the end of the transaction that ends the job. Jobs of people make no events.
 * @param code of its end; undefined for a job that was dismissed
 */
export async function recordJobEnd(tx: Database, id: string, code: Code = 'SUCCESS'): Promise<void> {
  const [job] = rowsOf<{ enterprise: string }>(
    await tx.execute(sql`SELECT enterprise_id AS enterprise FROM jobs WHERE id = ${id} AND enterprise_id IS NOT NULL`),
  )
  if (job === undefined) return
  const columns = sql`id AS key, id AS subject, NULL::text AS severity, NULL::text AS rule_id, NULL::text AS sensor_id`
  const at = jsonTime(sql`finished_at`)
  const failed = sql`UNION ALL
    SELECT enterprise_id, 'run.failed' AS type, ${columns}, 2 AS ordinal,
      jsonb_build_object('runId', run_id, 'jobId', id, 'toolId', tool_id, 'toolVersion', tool_version, 'code', ${code}::text,
        'at', ${at}) AS data
    FROM jobs WHERE id = ${id}`
  await recordEvents(
    tx,
    [job.enterprise],
    sql`
      SELECT enterprise_id, 'job.finished' AS type, ${columns}, 1 AS ordinal,
        jsonb_build_object('jobId', id, 'toolId', tool_id, 'toolVersion', tool_version, 'status', status, 'runId', run_id,
          'createdAt', ${jsonTime(sql`created_at`)}, 'finishedAt', ${at}, 'at', ${at}) AS data
      FROM jobs WHERE id = ${id} ${isServerFault(code) ? failed : sql``}`,
  )
  await tx.execute(sql`
    INSERT INTO deliveries (id, destination_id, enterprise_id, event_id, number, type, subject, recipient, waits)
    SELECT ${newDeliveryId(sql`e.number`)}, d.id, e.enterprise_id, e.id, e.number, e.type, e.subject, ${toAddress}
    FROM jobs j JOIN destinations d ON d.id = j.callback AND d.enterprise_id = j.enterprise_id AND d.enabled ${ofAddresses}
    JOIN events e ON e.id = ${eventId(sql`'job.finished'`, sql`j.id`)}
    WHERE j.id = ${id} AND ${isReachable} AND NOT EXISTS (SELECT FROM deliveries l WHERE l.destination_id = d.id AND l.event_id = e.id)`)
}
