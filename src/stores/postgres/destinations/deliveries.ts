/** The log of deliveries, and deliveries that somebody asks for. */
import { type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import type { Database } from '../client.ts'
import { jsonTime } from '../events/events.ts'
import { newDeliveryId, subscribes } from '../events/subscribers.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'
import { rowsOf } from '../rows.ts'
import { letFirstGo } from './delivery-queue.ts'

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'replaced'] as const

export type Delivery = {
  id: string
  eventId: string
  type: string
  status: (typeof DELIVERY_STATES)[number]
  replacedBy: string | null
  attempts: number
  statusCode: number | null
  failure: string | null
  durationMs: number | null
  answer: string | null
  nextAttemptAt: string | null
  createdAt: string
}

/** The columns of `deliveries l`, as the log shows them. */
const SHOWN = sql`l.id, l.event_id AS "eventId", l.type, l.status, l.replaced_by AS "replacedBy", l.attempts,
  l.status_code AS "statusCode", l.failure, l.duration_ms AS "durationMs", l.answer,
  ${jsonTime(sql`l.next_attempt_at`)} AS "nextAttemptAt", ${jsonTime(sql`l.created_at`)} AS "createdAt"`

/** Newest first. */
export async function listDeliveries(
  db: Database,
  destinationId: string,
  { limit, cursor }: PageQuery,
): Promise<Page<Delivery>> {
  const rows = await db.execute(sql`
    SELECT ${SHOWN} FROM deliveries l WHERE l.destination_id = ${destinationId}
      ${cursor === undefined ? sql`` : sql`AND l.id < ${cursor}`}
    ORDER BY l.id DESC LIMIT ${limit + 1}::integer`)
  return pageOf(
    rowsOf<Delivery>(rows).map((row) => ({ ...row })),
    limit,
  )
}

async function one(db: Database, query: SQL): Promise<Delivery> {
  const [found] = rowsOf<Delivery>(await db.execute(query))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such delivery.' })
  return { ...found }
}

/** @throws AppError NOT_FOUND */
export const getDelivery = (db: Database, destinationId: string, id: string): Promise<Delivery> =>
  one(db, sql`SELECT ${SHOWN} FROM deliveries l WHERE l.id = ${id} AND l.destination_id = ${destinationId}`)

/** Delivers the event again, with the same id and the same bytes. @throws AppError NOT_FOUND */
export const resendDelivery = (tx: Database, destinationId: string, id: string): Promise<Delivery> =>
  one(
    tx,
    sql`INSERT INTO deliveries AS l (id, destination_id, enterprise_id, event_id, number, type, subject, body)
      SELECT ${newDeliveryId(sql`number`)}, destination_id, enterprise_id, event_id, number, type, subject, body
      FROM deliveries WHERE id = ${id} AND destination_id = ${destinationId} RETURNING ${SHOWN}`,
  )

/** Delivers a body to this destination alone; nothing is added to the events of the enterprise. */
export const addTest = (
  tx: Database,
  { id, enterpriseId }: { id: string; enterpriseId: string },
  eventId: string,
  body: Uint8Array,
): Promise<Delivery> =>
  one(
    tx,
    sql`INSERT INTO deliveries AS l (id, destination_id, enterprise_id, event_id, number, type, subject, body)
      SELECT ${newDeliveryId(sql`0`)}, ${id}, ${enterpriseId}, ${eventId}, 0, 'destination.test', ${eventId}, ${sql.param(body)}::bytea
      RETURNING ${SHOWN}`,
  )

export type Replay = { from: Date; to: Date; failedOnly: boolean }

/**
 * Delivers every matching event of the period, which includes `from` and not `to`, except for those whose delivery is
 * pending. @returns how many
 */
export async function replayEvents(
  tx: Database,
  destinationId: string,
  { from, to, failedOnly }: Replay,
): Promise<number> {
  const statuses = failedOnly ? ['pending', 'delivered'] : ['pending']
  const [found] = rowsOf<{ count: number }>(
    await tx.execute(sql`
      WITH made AS (
        INSERT INTO deliveries (id, destination_id, enterprise_id, event_id, number, type, subject)
        SELECT ${newDeliveryId(sql`e.number`)}, d.id, e.enterprise_id, e.id, e.number, e.type, e.subject
        FROM destinations d JOIN events e ON e.enterprise_id = d.enterprise_id
        WHERE d.id = ${destinationId} AND e.stored_at >= ${from.toISOString()}::timestamptz
          AND e.stored_at < ${to.toISOString()}::timestamptz AND ${subscribes}
          AND NOT EXISTS (SELECT FROM deliveries p WHERE p.destination_id = d.id AND p.event_id = e.id
            AND p.status = ANY(${sql.param(statuses)}::text[]))
        ORDER BY e.number RETURNING 1
      ) SELECT count(*)::integer AS count FROM made`),
  )
  return found?.count ?? 0
}

/** Pending deliveries of active enterprises, the age of the oldest, and destinations that the server switched off. */
export async function countPending(
  db: Database,
): Promise<{ pending: number; oldestSeconds: number; disabledDestinations: number }> {
  const [found] = rowsOf<{ pending: number; oldestSeconds: number; disabledDestinations: number }>(
    await db.execute(sql`
      SELECT count(*)::float8 AS pending,
        greatest(0, coalesce(extract(epoch FROM now() - min(l.created_at)), 0))::float8 AS "oldestSeconds",
        (SELECT count(*) FROM destinations WHERE disabled_reason IN ('gone', 'failing'))::float8 AS "disabledDestinations"
      FROM deliveries l JOIN enterprises n ON n.id = l.enterprise_id AND n.status = 'active' WHERE l.status = 'pending'`),
  )
  if (found === undefined) throw new Error('a count without groups returned no row')
  return { ...found }
}

const BATCH = 10_000

/** Deliveries are kept as long as events. */
export async function deleteOldDeliveries(db: Database, isStopped: () => boolean): Promise<void> {
  let deleted = BATCH
  while (deleted === BATCH && !isStopped())
    deleted = await db.transaction(async (tx) => {
      const gone = rowsOf<{ destination_id: string; subject: string; status: string }>(
        await tx.execute(sql`
          DELETE FROM deliveries WHERE id IN (
            SELECT id FROM deliveries WHERE created_at < now() - interval '30 days' LIMIT ${BATCH})
          RETURNING destination_id, subject, status`),
      )
      const pending = JSON.stringify(gone.filter(({ status }) => status === 'pending'))
      await letFirstGo(
        tx,
        sql`SELECT DISTINCT destination_id, subject
          FROM jsonb_to_recordset(${pending}::text::jsonb) AS gone (destination_id text, subject text)`,
      )
      return gone.length
    })
}
