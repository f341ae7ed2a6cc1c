/** How attempts end (delivery-queue.ts has how they begin). */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { endMembers } from './delivery-groups.ts'
import { BY_INDEX, type DueDelivery, letFirstGo } from './delivery-queue.ts'
import { noteEnds } from './destination-health.ts'

/** An attempt that was broken off by a stop of the server does not count. */
export async function releaseDelivery(db: Database, { id, lease }: DueDelivery): Promise<void> {
  await db.execute(sql`UPDATE deliveries SET lease = NULL, leased_until = NULL, attempts = attempts - 1
    WHERE id = ${id} AND lease = ${lease}`)
}

export type AttemptEnd = {
  statusCode: number | null
  failure: string | null
  answer: string | null
  durationMs: number
} & (
  | { status: 'delivered' }
  /** `next` undefined: no further attempt. */
  | { status: 'failed'; next: Date | undefined; notBefore: Date | undefined; isGone: boolean; giveUpAfterMs: number }
)

export type EndedAttempt = { delivery: DueDelivery; end: AttemptEnd }

/**
 * Stores how attempts ended, in their order. Destinations that are gone, or fail for too long, are disabled.
 * @returns those that could not be stored now, since somebody changes their destination: nothing here waits for several
 * destinations, so nothing can wait for each other
 */
export function endAttempts(db: Database, attempts: readonly EndedAttempt[]): Promise<EndedAttempt[]> {
  return db.transaction(async (tx) => {
    const ids = attempts.map(({ delivery }) => delivery.destinationId)
    await tx.execute(sql`SELECT ${BY_INDEX}`)
    const locked = await tx.execute(
      sql`SELECT id FROM destinations WHERE id = ANY(${sql.param(ids)}::text[]) FOR NO KEY UPDATE SKIP LOCKED`,
    )
    const free = new Set(rowsOf<{ id: string }>(locked).map(({ id }) => id))
    const { true: ended = [], false: left = [] } = Object.groupBy(attempts, ({ delivery }) =>
      free.has(delivery.destinationId) ? 'true' : 'false',
    )
    if (ended.length > 0) await storeEnds(tx, ended)
    return left
  })
}

async function storeEnds(tx: Database, attempts: readonly EndedAttempt[]): Promise<void> {
  const ends = attempts.map(({ delivery: { id, lease }, end }) => {
    const next = end.status === 'failed' ? end.next : undefined
    return { id, lease, ...end, status: next === undefined ? end.status : 'pending' }
  })
  const stored = rowsOf<{ id: string; type: string; destinationId: string; subject: string; status: string }>(
    await tx.execute(sql`
      UPDATE deliveries l SET status = g.status, status_code = g."statusCode", failure = g.failure, answer = g.answer,
        duration_ms = g."durationMs", lease = NULL, leased_until = NULL, next_attempt_at = g.next, not_before = g."notBefore"
      FROM jsonb_to_recordset((SELECT ${JSON.stringify(ends)}::text::jsonb)) AS g (id text, lease text, status text,
        "statusCode" integer, failure text, answer text, "durationMs" integer, next timestamptz, "notBefore" timestamptz)
      WHERE l.id = g.id AND l.lease = g.lease AND l.status = 'pending'
      RETURNING l.id, l.type, l.destination_id AS "destinationId", l.subject, l.status`),
  )
  // a test of a destination says nothing about its events
  const events = stored.filter(({ type }) => type !== 'destination.test')
  const over = events.filter(({ status }) => status !== 'pending')
  const groups = over.filter(({ type }) => type === 'group').map(({ id }) => id)
  if (over.length > 0)
    await letFirstGo(
      tx,
      sql`SELECT * FROM unnest(${sql.param(over.map((one) => one.destinationId))}::text[],
          ${sql.param(over.map(({ subject }) => subject))}::text[]) AS of (destination_id, subject)
        ${groups.length === 0 ? sql`` : sql`UNION ${await endMembers(tx, groups)}`}`,
    )
  const ids = new Set(events.map(({ id }) => id))
  await noteEnds(
    tx,
    attempts.flatMap(({ delivery: { id, destinationId }, end }) => (ids.has(id) ? [{ destinationId, end }] : [])),
  )
}
