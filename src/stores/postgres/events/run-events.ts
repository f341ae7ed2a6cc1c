/** Events of runs: failures that the caller did not cause, and credits that run out. */
import { sql } from 'drizzle-orm'
import { CODES, type Code } from '../../../errors.ts'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { jsonTime, recordEvents } from './events.ts'

/** Whether a run or job failed by a fault of the server, or by its time limit. */
export const isServerFault = (code: Code): boolean => CODES[code].status >= 500

/**
 * To be called at the end of the transaction that ends the run. Runs of people make no events, and a run of a job is
 * reported with the job.
 */
export async function recordRunFailure(tx: Database, id: string): Promise<void> {
  const [run] = rowsOf<{ enterprise: string }>(
    await tx.execute(
      sql`SELECT enterprise_id AS enterprise FROM runs WHERE id = ${id} AND job_id IS NULL AND enterprise_id IS NOT NULL`,
    ),
  )
  if (run === undefined) return
  await recordEvents(
    tx,
    [run.enterprise],
    sql`
      SELECT enterprise_id, 'run.failed' AS type, id AS key, id AS subject, NULL::text AS severity,
        NULL::text AS rule_id, NULL::text AS sensor_id, 1 AS ordinal,
        jsonb_build_object('runId', id, 'jobId', NULL, 'toolId', tool_id, 'toolVersion', tool_version, 'code', code,
          'at', ${jsonTime(sql`finished_at`)}) AS data
      FROM runs WHERE id = ${id}`,
  )
}

export type Charge = {
  enterpriseId: string
  periodStart: Date
  credits: number
  /** In the month, with these credits. */
  used: number
  allowance: number
}

/** To be called at the end of the transaction that charges the credits. Each level is reported once in a month. */
export async function recordCredits(
  tx: Database,
  { enterpriseId, periodStart, credits, used, allowance }: Charge,
): Promise<void> {
  const left = allowance - used
  const levels = { fifth: Math.floor(allowance / 5), none: 0 }
  const reached = Object.entries(levels).filter(([, most]) => left <= most && left + credits > most)
  if (reached.length === 0) return
  const start = periodStart.toISOString()
  const rows = reached.map(([level], i) => sql`(${level}::text, ${i}::integer)`)
  await recordEvents(
    tx,
    [enterpriseId],
    sql`
      SELECT ${enterpriseId}::text AS enterprise_id, 'credits.low' AS type,
        ${`${enterpriseId} ${start}`}::text || ' ' || level AS key, ${enterpriseId}::text AS subject,
        NULL::text AS severity, NULL::text AS rule_id, NULL::text AS sensor_id, ordinal,
        jsonb_build_object('level', level, 'creditsLeft', ${left}::bigint, 'creditsPerMonth', ${allowance}::bigint,
          'periodStartAt', ${start}::text, 'at', ${jsonTime(sql`now()`)}) AS data
      FROM (VALUES ${sql.join(rows, sql`, `)}) AS reached (level, ordinal)`,
  )
}
