/**
 * Mails of destinations: what is due for an address goes in one mail, at most one a minute. Nothing is replaced by
 * something newer, since everything that waits goes together.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { RuleDefinition } from '../alerts/rule-schema.ts'
import type { Database } from '../client.ts'
import { eventData, jsonTime } from '../events/events.ts'
import { rowsOf } from '../rows.ts'
import type { Language } from './addresses.ts'
import { lockDestination, noteEnds } from './destination-health.ts'

/** The longest time that an attempt takes. */
export const LEASE_S = 300
const LEASE = sql.raw(`interval '${LEASE_S} seconds'`)
/** Between two mails to an address of a destination. */
const PAUSE = sql`interval '60 seconds'`
const EVENTS = 1_000

export type MailedEvent = {
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown>
  /** Of the rule, while it exists. */
  definition: RuleDefinition | null
  sensorId: string | null
}
export type DueMail = {
  addressId: string
  /** Of this attempt. */
  lease: string
  destinationId: string
  destinationName: string
  enterpriseId: string
  email: string
  language: Language
  /** With this one. */
  attempts: number
  firstAttemptMs: number
  deliveryIds: string[]
  /** The first ones; more have been counted. */
  events: MailedEvent[]
}

type Taken = Omit<DueMail, 'deliveryIds' | 'events'> & { enabled: boolean }
type Delivered = {
  deliveryId: string
  id: string
  type: string
  timestamp: string | null
  data: Record<string, unknown> | null
  sequence: number
  definition: RuleDefinition | null
  sensorId: string | null
  body: Uint8Array | null
}

const isDue = (
  recipient: SQL,
  enabled: SQL,
): SQL => sql`l.destination_id = a.destination_id AND l.recipient = ${recipient}
  AND l.status = 'pending' AND l.next_attempt_at <= now() AND (${enabled} OR l.type = 'destination.test')`

/**
 * Takes addresses for which something is due, and what is due for them. An instance that dies leaves them to the next one.
 * Destinations that somebody changes are left out, so that nothing here waits.
 */
export function takeMails(
  db: Database,
  { limit, publicUrl }: { limit: number; publicUrl: string },
): Promise<DueMail[]> {
  return db.transaction(async (tx) => {
    const lease = Bun.randomUUIDv7()
    const taken = rowsOf<Taken>(
      await tx.execute(sql`
      WITH due AS (
        SELECT a.id FROM destination_addresses a
        JOIN destinations d ON d.id = a.destination_id JOIN enterprises n ON n.id = a.enterprise_id
        WHERE a.state = 'confirmed' AND a.next_mail_at <= now() AND (a.leased_until IS NULL OR a.leased_until < now())
          AND n.status = 'active' AND EXISTS (SELECT FROM deliveries l WHERE ${isDue(sql`a.email`, sql`d.enabled`)})
        ORDER BY a.next_mail_at LIMIT ${limit}::integer 
        FOR UPDATE OF a SKIP LOCKED FOR NO KEY UPDATE OF d SKIP LOCKED
      )
      UPDATE destination_addresses a SET lease = ${lease}, leased_until = now() + ${LEASE}, attempts = attempts + 1,
        first_failed_at = coalesce(first_failed_at, now())
      FROM destinations d WHERE a.id IN (SELECT id FROM due) AND d.id = a.destination_id
      RETURNING a.id AS "addressId", a.lease, d.id AS "destinationId", d.name AS "destinationName", d.enabled,
        a.enterprise_id AS "enterpriseId", a.email, d.language, a.attempts,
        (extract(epoch FROM a.first_failed_at) * 1000)::float8 AS "firstAttemptMs"`),
    )
    const mails: DueMail[] = []
    for (const { enabled, ...mail } of taken)
      mails.push({ ...mail, ...(await contentOf(tx, mail, enabled, publicUrl)) })
    return mails
  })
}

async function contentOf(
  tx: Database,
  { addressId }: Pick<DueMail, 'addressId'>,
  enabled: boolean,
  publicUrl: string,
): Promise<Pick<DueMail, 'deliveryIds' | 'events'>> {
  const rows = rowsOf<Delivered>(
    await tx.execute(sql`
      WITH counted AS (
        UPDATE deliveries SET attempts = attempts + 1, first_attempt_at = coalesce(first_attempt_at, now())
        WHERE id IN (SELECT l.id FROM destination_addresses a JOIN deliveries l ON ${isDue(sql`a.email`, sql`${enabled}::boolean`)}
          WHERE a.id = ${addressId} ORDER BY l.number, l.id LIMIT ${EVENTS}::integer)
        RETURNING id, event_id, type, number, body
      )
      SELECT l.id AS "deliveryId", l.event_id AS id, l.type, ${jsonTime(sql`e.stored_at`)} AS timestamp, e.data,
        e.sequence::float8 AS sequence, r.definition, e.sensor_id AS "sensorId", l.body
      FROM counted l LEFT JOIN events e ON e.id = l.event_id LEFT JOIN zone_rules r ON r.id = e.rule_id ORDER BY l.number, l.id`),
  )
  const events = rows.flatMap((row): MailedEvent[] => {
    const event = shownEvent(row, publicUrl)
    return event === undefined
      ? []
      : [{ id: row.id, type: row.type, definition: row.definition, sensorId: row.sensorId, ...event }]
  })
  return { deliveryIds: rows.map(({ deliveryId }) => deliveryId), events }
}

/** @returns undefined if the event is older than events are kept */
function shownEvent(
  { type, timestamp, data, sequence, body }: Delivered,
  publicUrl: string,
): Pick<MailedEvent, 'timestamp' | 'data'> | undefined {
  if (data !== null && timestamp !== null) return { timestamp, data: eventData(type, data, sequence, publicUrl) }
  if (body === null) return undefined
  const test = JSON.parse(new TextDecoder().decode(body)) as Pick<MailedEvent, 'timestamp' | 'data'>
  return { timestamp: test.timestamp, data: test.data }
}

export type MailEnd = {
  statusCode: number | null
  failure: string | null
  answer: string | null
  durationMs: number
} & (
  | { status: 'delivered' }
  /** `next` undefined: no further attempt. */
  | { status: 'failed'; next: Date | undefined; giveUpAfterMs: number }
)

/** Stores how an attempt ended. A destination that fails for too long is disabled. */
export function endMail(db: Database, mail: DueMail, end: MailEnd): Promise<void> {
  const { addressId, lease, deliveryIds, destinationId, events } = mail
  const next = end.status === 'failed' ? end.next : undefined
  return db.transaction(async (tx) => {
    await lockDestination(tx, destinationId)
    const ended = await tx.execute(sql`
      UPDATE destination_addresses SET lease = NULL, leased_until = NULL,
        next_mail_at = ${next === undefined ? sql`now() + ${PAUSE}` : sql`${next.toISOString()}::timestamptz`},
        attempts = ${next === undefined ? sql`0` : sql`attempts`},
        first_failed_at = ${next === undefined ? sql`NULL` : sql`first_failed_at`}
      WHERE id = ${addressId} AND lease = ${lease} RETURNING id`)
    // another instance has the address, or somebody removed it
    if (rowsOf(ended).length === 0) return
    await tx.execute(sql`
      UPDATE deliveries SET status = ${next === undefined ? end.status : 'pending'}, status_code = ${end.statusCode}::integer,
        failure = ${end.failure}, answer = ${end.answer}, duration_ms = ${end.durationMs}::integer,
        next_attempt_at = ${next?.toISOString() ?? null}::timestamptz
      WHERE id = ANY(${sql.param(deliveryIds)}::text[]) AND status = 'pending'`)
    // a test, and what was not sent, say nothing about the destination
    if (events.every(({ type }) => type === 'destination.test')) return
    await noteEnds(tx, [{ destinationId, end: end.status === 'delivered' ? end : { ...end, isGone: false } }])
  })
}

/** An attempt that was broken off by a stop of the server does not count. */
export function releaseMail(db: Database, { addressId, lease, deliveryIds, destinationId }: DueMail): Promise<void> {
  return db.transaction(async (tx) => {
    await lockDestination(tx, destinationId)
    await tx.execute(sql`UPDATE destination_addresses SET lease = NULL, leased_until = NULL, attempts = attempts - 1
      WHERE id = ${addressId} AND lease = ${lease}`)
    await tx.execute(
      sql`UPDATE deliveries SET attempts = attempts - 1 WHERE id = ANY(${sql.param(deliveryIds)}::text[]) AND status = 'pending'`,
    )
  })
}
