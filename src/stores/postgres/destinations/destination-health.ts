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

export type End = { status: 'delivered' } | { status: 'failed'; isGone: boolean; giveUpAfterMs: number }

/**
 * Of attempts in their order. A destination that is gone, or fails for too long, is disabled. The caller has locked the
 * destinations.
 */
export async function noteEnds(tx: Database, ends: readonly { destinationId: string; end: End }[]): Promise<void> {
  const succeeded = ends.filter(({ end }) => end.status === 'delivered').map(({ destinationId }) => destinationId)
  if (succeeded.length > 0)
    // once a minute, which spares writing
    await tx.execute(sql`UPDATE destinations SET failing_since = NULL, last_success_at = now()
      WHERE id = ANY(${sql.param(succeeded)}::text[])
        AND (failing_since IS NOT NULL OR coalesce(last_success_at < now() - interval '1 minute', true))`)
  const last = new Map(ends.map(({ destinationId, end }) => [destinationId, end]))
  const failed = ends.flatMap(({ destinationId, end }) =>
    end.status === 'failed' && (end.isGone || end === last.get(destinationId)) ? [{ destinationId, ...end }] : [],
  )
  if (failed.length > 0) await noteFailures(tx, failed)
}

type FailedAttempt = { destinationId: string; isGone: boolean; giveUpAfterMs: number }

async function noteFailures(tx: Database, failed: readonly FailedAttempt[]): Promise<void> {
  const ids = failed.map(({ destinationId }) => destinationId)
  const failing = rowsOf<{ id: string; ms: number }>(
    await tx.execute(sql`UPDATE destinations SET failing_since = coalesce(failing_since, now())
      WHERE id = ANY(${sql.param(ids)}::text[])
      RETURNING id, (extract(epoch FROM now() - failing_since) * 1000)::float8 AS ms`),
  )
  const msOf = new Map(failing.map(({ id, ms }) => [id, ms]))
  const reasons = failed.flatMap(({ destinationId: id, isGone, giveUpAfterMs }) => {
    if (isGone) return [{ id, reason: 'gone' }]
    return (msOf.get(id) ?? 0) >= giveUpAfterMs ? [{ id, reason: 'failing' }] : []
  })
  if (reasons.length > 0) await disable(tx, reasons)
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

async function disable(tx: Database, reasons: readonly { id: string; reason: string }[]): Promise<void> {
  const disabled = rowsOf<{ id: string; reason: string; enterpriseId: string; name: string }>(
    await tx.execute(sql`
      UPDATE destinations d SET enabled = false, disabled_reason = g.reason, updated_at = now()
      FROM jsonb_to_recordset(${JSON.stringify(reasons)}::text::jsonb) AS g (id text, reason text)
      WHERE d.id = g.id AND d.enabled
      RETURNING d.id, d.disabled_reason AS reason, d.enterprise_id AS "enterpriseId", d.name`),
  )
  if (disabled.length === 0) return
  for (const { id, reason, enterpriseId } of disabled) {
    await failPending(tx, id)
    await recordChange(tx, {
      actor: 'system',
      action: 'update',
      kind: 'destination',
      id,
      before: { enterpriseId, enabled: true },
      after: { enterpriseId, enabled: false, disabledReason: reason },
    })
  }
  // all at once, since this locks enterprises in their order
  await recordEvents(
    tx,
    disabled.map(({ enterpriseId }) => enterpriseId),
    sql`SELECT d.enterprise_id, 'destination.disabled' AS type, d.id || ' ' || clock_timestamp()::text AS key, d.id AS subject,
      NULL::text AS severity, NULL::text AS rule_id, NULL::text AS sensor_id, 1 AS ordinal,
      jsonb_build_object('destinationId', d.id, 'name', d.name, 'reason', d.disabled_reason,
        'at', ${jsonTime(sql`clock_timestamp()`)}) AS data
      FROM destinations d WHERE d.id = ANY(${sql.param(disabled.map(({ id }) => id))}::text[])`,
  )
  for (const { id, reason, enterpriseId, name } of disabled) {
    const data = { destinationId: id, name, reason, at: new Date().toISOString() }
    await addOwnerMails(tx, enterpriseId, { type: 'destination.disabled', data })
  }
}
