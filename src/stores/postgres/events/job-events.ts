/** Events of jobs: each ends with one, however it ended, and with another one if the server failed. */
import { sql } from 'drizzle-orm'
import type { Code } from '../../../errors.ts'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { jsonTime, recordEvents } from './events.ts'
import { isServerFault } from './run-events.ts'

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
}
