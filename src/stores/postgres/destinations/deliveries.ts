/** The log of deliveries, and deliveries that somebody asks for. */

import { type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { jsonTime } from '../events/events.ts'
import { isReachable, newDeliveryId, ofAddresses, subscribesToStored, toAddress } from '../events/subscribers.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'
import { rowsOf } from '../rows.ts'
import { letFirstGo } from './delivery-queue.ts'

export const DELIVERY_STATES = ['pending', 'delivered', 'failed', 'replaced'] as const

export type DeliveryState = (typeof DELIVERY_STATES)[number]

export type Delivery = {
  id: string
  eventId: string
  type: string
  /** Of a mail. */
  recipient: string | null
  status: DeliveryState
  replacedBy: string | null
  /** The `eventId` of the group in which it is sent. */
  groupId: string | null
  attempts: number
  statusCode: number | null
  failure: string | null
  durationMs: number | null
  answer: string | null
  nextAttemptAt: string | null
  createdAt: string
}

/** The columns of `deliveries l`, as the log shows them. */
const SHOWN = sql`l.id, l.event_id AS "eventId", l.type, l.recipient, l.status, l.replaced_by AS "replacedBy", l.group_id AS "groupId", l.attempts,
  l.status_code AS "statusCode", l.failure, l.duration_ms AS "durationMs", l.answer,
  ${jsonTime(sql`l.next_attempt_at`)} AS "nextAttemptAt", ${jsonTime(sql`l.created_at`)} AS "createdAt"`

/** Newest first. */
export async function listDeliveries(
  db: Database,
  destinationId: string,
  { limit, cursor, status }: PageQuery & { status?: DeliveryState | undefined },
): Promise<Page<Delivery>> {
  const rows = await db.execute(sql`
    SELECT ${SHOWN} FROM deliveries l WHERE l.destination_id = ${destinationId}
      ${cursor === undefined ? sql`` : sql`AND l.id < ${cursor}`}
      ${status === undefined ? sql`` : sql`AND l.status = ${status}`}
    ORDER BY l.id DESC LIMIT ${limit + 1}::integer`)
  return pageOf(
    rowsOf<Delivery>(rows).map((row) => ({ ...row })),
    limit,
  )
}

async function one(db: Database, query: SQL): Promise<Delivery> {
  const [found] = rowsOf<Delivery>(await db.execute(query))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchDelivery') })
  return { ...found }
}

/** @throws AppError NOT_FOUND */
export const getDelivery = (db: Database, destinationId: string, id: string): Promise<Delivery> =>
  one(db, sql`SELECT ${SHOWN} FROM deliveries l WHERE l.id = ${id} AND l.destination_id = ${destinationId}`)

/**
 * Delivers the event again, with the same id and the same bytes. An address that has left gets nothing.
 * @throws AppError NOT_FOUND
 */
export const resendDelivery = (tx: Database, destinationId: string, id: string): Promise<Delivery> =>
  one(
    tx,
    sql`INSERT INTO deliveries AS l (id, destination_id, enterprise_id, event_id, number, type, subject, rule_id, body, recipient, waits,
        status, failure, next_attempt_at)
      SELECT ${newDeliveryId(sql`number`)}, o.destination_id, o.enterprise_id, event_id, number, type, subject, rule_id, body, recipient, recipient IS NOT NULL,
        CASE WHEN has_left THEN 'failed' ELSE 'pending' END, CASE WHEN has_left THEN 'unsubscribed' END,
        CASE WHEN NOT has_left THEN now() END
      FROM deliveries o CROSS JOIN LATERAL (SELECT o.recipient IS NOT NULL AND NOT EXISTS (
        SELECT FROM destination_addresses a
        WHERE a.destination_id = o.destination_id AND a.email = o.recipient AND a.state = 'confirmed') AS has_left) AS address
      WHERE o.id = ${id} AND o.destination_id = ${destinationId} RETURNING ${SHOWN}`,
  )

/**
 * Delivers a body to this destination alone; nothing is added to the events of the enterprise.
 * @returns the first delivery; a destination of mails has one for each address
 * @throws AppError CONFLICT if it has no address that confirmed
 */
export async function addTest(tx: Database, id: string, eventId: string, body: Uint8Array): Promise<Delivery> {
  const [made] = rowsOf<Delivery>(
    await tx.execute(sql`
      INSERT INTO deliveries AS l (id, destination_id, enterprise_id, event_id, number, type, subject, body, recipient, waits)
      SELECT ${newDeliveryId(sql`0`)}, d.id, d.enterprise_id, ${eventId}, 0, 'destination.test', ${eventId},
        ${sql.param(body)}::bytea, ${toAddress}
      FROM destinations d ${ofAddresses} WHERE d.id = ${id} AND ${isReachable} ORDER BY a.id RETURNING ${SHOWN}`),
  )
  if (made === undefined) throw new AppError('CONFLICT', { message: fieldText('noConfirmedAddress') })
  return { ...made }
}

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
        INSERT INTO deliveries (id, destination_id, enterprise_id, event_id, number, type, subject, recipient, waits)
        SELECT ${newDeliveryId(sql`e.number`)}, d.id, e.enterprise_id, e.id, e.number, e.type, e.subject, ${toAddress}
        FROM destinations d JOIN events e ON e.enterprise_id = d.enterprise_id ${ofAddresses}
        WHERE ${isReachable} AND d.id = ${destinationId} AND e.stored_at >= ${from.toISOString()}::timestamptz
          AND e.stored_at < ${to.toISOString()}::timestamptz AND ${subscribesToStored}
          AND NOT EXISTS (SELECT FROM deliveries p WHERE p.destination_id = d.id AND p.event_id = e.id
            AND p.recipient IS NOT DISTINCT FROM a.email AND p.status = ANY(${sql.param(statuses)}::text[]))
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
  await db.execute(sql`DELETE FROM delivery_windows WHERE ends_at < now() - interval '1 day'`)
}
