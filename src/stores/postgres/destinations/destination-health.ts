/** Whether deliveries of a destination succeed; one that fails for too long is disabled. */
import { sql } from 'drizzle-orm'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { jsonTime, recordEvents } from '../events/events.ts'
import { rowsOf } from '../rows.ts'
import { addOwnerMails } from './personal-mails.ts'

/** Before its addresses and deliveries: everybody who changes several of them locks in this order. */
export async function lockDestination(tx: Database, id: string): Promise<void> {
  await tx.execute(sql`SELECT FROM destinations WHERE id = ${id} FOR NO KEY UPDATE`)
}

export async function noteSuccess(tx: Database, destinationId: string): Promise<void> {
  // once a minute, so that deliveries at the same time do not wait for each other
  await tx.execute(sql`UPDATE destinations SET failing_since = NULL, last_success_at = now() WHERE id = ${destinationId}
    AND (failing_since IS NOT NULL OR coalesce(last_success_at < now() - interval '1 minute', true))`)
}

/** A destination that is gone, or fails for too long, is disabled. */
export async function noteFailure(
  tx: Database,
  destinationId: string,
  { isGone, giveUpAfterMs }: { isGone: boolean; giveUpAfterMs: number },
): Promise<void> {
  const [failing] = rowsOf<{ ms: number }>(
    await tx.execute(sql`UPDATE destinations SET failing_since = coalesce(failing_since, now()) WHERE id = ${destinationId}
      RETURNING (extract(epoch FROM now() - failing_since) * 1000)::float8 AS ms`),
  )
  const isFailing = (failing?.ms ?? 0) >= giveUpAfterMs
  if (isGone || isFailing) await disable(tx, destinationId, isGone ? 'gone' : 'failing')
}

/** Everything that is pending has failed: a replay can send it again. */
export async function failPending(tx: Database, destinationId: string): Promise<void> {
  await tx.execute(sql`UPDATE deliveries SET status = 'failed', next_attempt_at = NULL, lease = NULL, leased_until = NULL
    WHERE destination_id = ${destinationId} AND status = 'pending'`)
  // what was recorded meanwhile
  await tx.execute(
    sql`UPDATE deliveries SET waits = false WHERE destination_id = ${destinationId} AND status = 'pending' AND waits AND NOT held
      AND recipient IS NULL`,
  )
  await tx.execute(sql`UPDATE destinations SET failing_since = NULL, replaced_at = NULL WHERE id = ${destinationId}`)
}

async function disable(tx: Database, id: string, reason: 'gone' | 'failing'): Promise<void> {
  const disabled = rowsOf<{ enterprise_id: string; name: string }>(
    await tx.execute(sql`UPDATE destinations SET enabled = false, disabled_reason = ${reason}, updated_at = now()
      WHERE id = ${id} AND enabled RETURNING enterprise_id, name`),
  )
  const [destination] = disabled
  if (destination === undefined) return
  await failPending(tx, id)
  const { enterprise_id: enterpriseId, name } = destination
  await recordChange(tx, {
    actor: 'system',
    action: 'update',
    kind: 'destination',
    id,
    before: { enterpriseId, enabled: true },
    after: { enterpriseId, enabled: false, disabledReason: reason },
  })
  await recordEvents(
    tx,
    [enterpriseId],
    sql`SELECT ${enterpriseId}::text AS enterprise_id, 'destination.disabled' AS type,
      ${id}::text || ' ' || clock_timestamp()::text AS key, ${id}::text AS subject, NULL::text AS severity,
      NULL::text AS rule_id, NULL::text AS sensor_id, 1 AS ordinal,
      jsonb_build_object('destinationId', ${id}::text, 'name', ${name}::text, 'reason', ${reason}::text,
        'at', ${jsonTime(sql`clock_timestamp()`)}) AS data`,
  )
  const data = { destinationId: id, name, reason, at: new Date().toISOString() }
  await addOwnerMails(tx, enterpriseId, { type: 'destination.disabled', data })
}
