/** Events of Tool APIs: held by an operator, and refusing half of their calls. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { jsonTime } from './events.ts'
import { recordOwnerEvents } from './owner-events.ts'

const ofToolApi = sql`t.enterprise_id, t.person_id, t.id AS subject, NULL::text AS severity, NULL::text AS rule_id,
  NULL::text AS sensor_id, row_number() OVER (ORDER BY t.id) AS ordinal`

/** To be called at the end of the transaction that holds the Tool API, or ends the hold. */
export const recordHold = (tx: Database, id: string): Promise<void> =>
  recordOwnerEvents(
    tx,
    sql`SELECT 'tool-api.held' AS type, t.id || ' ' || now()::text AS key, ${ofToolApi},
      jsonb_build_object('toolApiId', t.id, 'name', t.name, 'held', t.held, 'reason', t.held_reason,
        'at', ${jsonTime(sql`now()`)}) AS data
      FROM tool_apis t WHERE t.id = ${id}`,
  )

/** Minutes, with the one that has begun. */
const WINDOW = sql`minute > date_trunc('minute', now()) - interval '15 minutes'`
const LEAST_CALLS = 10
/** The lock of everybody who looks. */
const LOCK = sql`pg_advisory_xact_lock(53, 0)`

/** Looks for Tool APIs that began to refuse half of their calls, or have recovered. */
export async function recordRefusing(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`SELECT ${LOCK}`)
    await tx.execute(sql`DELETE FROM tool_api_minutes WHERE NOT (${WINDOW})`)
    await tx.execute(sql`
      WITH refusing AS MATERIALIZED (
        SELECT tool_api_id FROM tool_api_minutes WHERE ${WINDOW} GROUP BY tool_api_id
        HAVING sum(calls) >= ${LEAST_CALLS} AND sum(refused) * 2 >= sum(calls)
      ), recovered AS (
        DELETE FROM refusing_tool_apis WHERE tool_api_id NOT IN (SELECT tool_api_id FROM refusing)
      )
      INSERT INTO refusing_tool_apis (tool_api_id, since) SELECT tool_api_id, now() FROM refusing
      ON CONFLICT (tool_api_id) DO NOTHING`)
    await recordOwnerEvents(
      tx,
      sql`SELECT 'tool-api.refusing' AS type, t.id || ' ' || r.since::text AS key, ${ofToolApi},
        jsonb_build_object('toolApiId', t.id, 'name', t.name, 'calls', w.calls, 'refused', w.refused,
          'at', ${jsonTime(sql`r.since`)}) AS data
        FROM refusing_tool_apis r JOIN tool_apis t ON t.id = r.tool_api_id
        CROSS JOIN LATERAL (
          SELECT sum(calls)::bigint AS calls, sum(refused)::bigint AS refused FROM tool_api_minutes
          WHERE tool_api_id = t.id AND ${WINDOW}
        ) AS w
        WHERE r.since = now()`,
    )
  })
}
