/** Deliveries that are still to be made: which are due, which instance makes them, and how they end. */
import { type SQL, sql } from 'drizzle-orm'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { type EventType, eventData, jsonTime, recordEvents } from '../events/events.ts'
import { rowsOf } from '../rows.ts'
import { type BrokenGroup, breakGroups, endMembers, formGroups, groupsOf } from './delivery-groups.ts'
import type { Format } from './formats.ts'
import { addPersonMails } from './person-mails.ts'

/** The lock of everybody who takes deliveries, so that limits hold for all instances together. */
const LOCK = sql`pg_advisory_xact_lock(50, 0)`
/** An attempt takes at most 15 seconds. */
const LEASE = sql`interval '60 seconds'`
/** At the same time. */
const PER_DESTINATION = 4
const PER_ENTERPRISE = 32
/** States: a newer one makes an older one worthless. */
const REPLACEABLE: readonly EventType[] = ['alert.firing', 'alert.resolved', 'sensor.state']
const REPLACED_AFTER_S = 300
const TRIAL_S = 60

export type DueDelivery = {
  id: string
  /** Of this attempt. */
  lease: string
  destinationId: string
  eventId: string
  attempts: number
  firstAttemptMs: number
  url: string
  format: Format
  sealedSecrets: string
  /** Null before the first attempt; of a test, the event in the standard form. */
  body: Uint8Array | null
  type: string
  /** An event, or a group of events with the type `group`; null for a test. */
  event: { id: string; type: string; timestamp: string; data: Record<string, unknown> } | null
}

/** Something of the first pending delivery `p` in the subject of `l`. A LIMIT keeps the planner to one look-up a row. */
const ofFirst = (what: SQL): SQL => sql`(SELECT ${what} FROM deliveries p
  WHERE p.destination_id = l.destination_id AND p.subject = l.subject AND p.status = 'pending'
  ORDER BY p.number, p.id LIMIT 1)`
const isServed = sql`d.kind = 'webhook' AND (d.enabled OR l.type = 'destination.test') AND n.status = 'active'`
const isDue = sql`l.status = 'pending' AND l.next_attempt_at <= now() AND (l.leased_until IS NULL OR l.leased_until < now())`

export type TakeOptions = {
  limit: number
  /** Whether newer states take the place of older ones before; this reads everything that is due. */
  replaces: boolean
  /** Divides the time after which they do. */
  timeScale: number
  publicUrl: string
}

type Row = Omit<DueDelivery, 'event'> & {
  timestamp: string
  data: Record<string, unknown> | null
  sequence: number
}

/** Held deliveries are due for a group first, and members of groups with their group. */
const isSentAlone = sql`NOT l.held AND l.group_id IS NULL`

/** A look without anything due must be cheap: every instance looks once a second. */
async function whatIsDue(db: Database): Promise<{ any: boolean; held: boolean }> {
  const [found] = rowsOf<{ any: boolean; held: boolean }>(
    await db.execute(sql`SELECT EXISTS (SELECT FROM deliveries l WHERE ${isDue} AND l.recipient IS NULL) AS any,
      EXISTS (SELECT FROM deliveries l WHERE ${isDue} AND l.held) AS held`),
  )
  return found ?? { any: false, held: false }
}

/**
 * Takes deliveries that are due, at most `limit`: of each subject the first one that is pending.
 */
export async function takeDeliveries(
  db: Database,
  { limit, replaces, timeScale, publicUrl }: TakeOptions,
): Promise<DueDelivery[]> {
  const { any, held } = await whatIsDue(db)
  if (!any) return []
  if (held)
    await db.transaction(async (tx) => {
      await tx.execute(sql`SELECT ${LOCK}`)
      await formGroups(tx)
    })
  const lease = Bun.randomUUIDv7()
  return db.transaction(async (tx) => {
    await tx.execute(sql`SELECT ${LOCK}`)
    if (replaces) await replaceOlder(tx, timeScale)
    const rows = rowsOf<Row>(
      await tx.execute(sql`
        WITH busy AS (
          SELECT destination_id, enterprise_id, count(*) AS connections FROM deliveries
          WHERE leased_until > now() GROUP BY destination_id, enterprise_id
        ), due AS (
          SELECT first.*, d.enterprise_id, row_number() OVER (PARTITION BY d.id ORDER BY first.next_attempt_at, first.number)
            + coalesce((SELECT connections FROM busy WHERE busy.destination_id = d.id), 0) AS of_destination
          FROM destinations d JOIN enterprises n ON n.id = d.enterprise_id
          CROSS JOIN LATERAL (
            SELECT l.id, l.next_attempt_at, l.number FROM deliveries l
            WHERE l.destination_id = d.id AND ${isDue} AND ${isSentAlone} AND ${isServed} AND l.id = ${ofFirst(sql`p.id`)}
            -- a number that the planner knows, so that it reads in the order of the index
            ORDER BY l.next_attempt_at, l.number LIMIT ${sql.raw(String(PER_DESTINATION))}
          ) AS first
        ), allowed AS (
          SELECT id, next_attempt_at, row_number() OVER (PARTITION BY enterprise_id ORDER BY next_attempt_at) + coalesce((
            SELECT sum(connections) FROM busy WHERE busy.enterprise_id = due.enterprise_id), 0) AS of_enterprise
          FROM due WHERE of_destination <= ${PER_DESTINATION}
        ), taken AS (
          UPDATE deliveries SET lease = ${lease}, leased_until = now() + ${LEASE}, attempts = attempts + 1,
            first_attempt_at = coalesce(first_attempt_at, now())
          WHERE id IN (SELECT id FROM allowed WHERE of_enterprise <= ${PER_ENTERPRISE} ORDER BY next_attempt_at LIMIT ${limit}::integer)
          RETURNING *
        )
        SELECT t.id, t.lease, t.destination_id AS "destinationId", t.event_id AS "eventId", t.attempts,
          (extract(epoch FROM t.first_attempt_at) * 1000)::float8 AS "firstAttemptMs", d.url, d.format,
          d.sealed_secrets AS "sealedSecrets", t.body, t.type,
          ${jsonTime(sql`coalesce(e.stored_at, t.created_at)`)} AS timestamp, e.data,
          e.sequence::float8 AS sequence
        FROM taken t JOIN destinations d ON d.id = t.destination_id LEFT JOIN events e ON e.id = t.event_id`),
    )
    const groups = await groupsOf(
      tx,
      rows.filter(({ type, body }) => type === 'group' && body === null).map(({ id }) => id),
      publicUrl,
    )
    return rows.map(({ timestamp, data: stored, sequence, ...row }) => {
      const { id, eventId, type } = row
      const data = stored === null ? groups.get(id) : eventData(type, stored, sequence, publicUrl)
      return { ...row, event: data === undefined ? null : { id: eventId, type, timestamp, data } }
    })
  })
}

/**
 * The newest state of a subject takes the place of undelivered ones that have waited for long enough. It is tried at once,
 * but not before the time that the receiver asked for, and one a minute of a destination; others keep the older one's time.
 */
async function replaceOlder(tx: Database, timeScale: number): Promise<void> {
  const types = sql`ANY(${sql.param([...REPLACEABLE])}::text[])`
  const isLong = sql`p.id <> l.id AND coalesce(p.ready_at, p.created_at) < now() - make_interval(secs => ${REPLACED_AFTER_S}::float8 / ${timeScale}::float8)`
  const broken = rowsOf<BrokenGroup>(
    await tx.execute(sql`
    WITH stuck AS MATERIALIZED (
      SELECT DISTINCT l.destination_id, l.subject FROM destinations d JOIN enterprises n ON n.id = d.enterprise_id
      JOIN deliveries l ON l.destination_id = d.id
      WHERE ${isDue} AND ${isServed} AND l.type = ${types} AND ${ofFirst(isLong)}
    ), pending AS MATERIALIZED (
      SELECT l.*, row_number() OVER newest AS age, first_value(l.event_id) OVER newest AS newest_event,
        first_value(l.id) OVER newest AS newest_id, coalesce(bool_or(a.leased_until > now()) OVER same, false) AS is_under_way,
        max(a.not_before) OVER same AS wait_until, min(a.next_attempt_at) FILTER (WHERE a.attempts > 0) OVER same AS next_at
      FROM deliveries l JOIN stuck USING (destination_id, subject)
      -- what is attempted: the delivery, or its group
      JOIN deliveries a ON a.destination_id = l.destination_id AND a.event_id = coalesce(l.group_id, l.event_id)
        AND (l.group_id IS NOT NULL OR a.id = l.id) AND a.status = 'pending'
      WHERE l.status = 'pending' AND l.type = ${types}
      WINDOW same AS (PARTITION BY l.destination_id, l.subject),
        newest AS (PARTITION BY l.destination_id, l.subject ORDER BY l.number DESC, l.id DESC)
    ), replaced AS (
      UPDATE deliveries l SET status = 'replaced', replaced_by = p.newest_event, next_attempt_at = NULL, lease = NULL,
        leased_until = NULL
      FROM pending p WHERE l.id = p.id AND p.age > 1 AND NOT p.is_under_way
      RETURNING l.destination_id, l.group_id, p.newest_event, p.newest_id, p.wait_until, p.next_at
    ), placed AS MATERIALIZED (
      SELECT newest_id, destination_id, wait_until, next_at,
        row_number() OVER (PARTITION BY destination_id ORDER BY newest_id) = 1 AND NOT EXISTS (
          SELECT FROM destinations d WHERE d.id = destination_id AND d.replaced_at > now() - make_interval(secs => ${TRIAL_S})
        ) AS is_tried
      FROM (SELECT DISTINCT newest_id, destination_id, wait_until, next_at FROM replaced) AS each
    ), trials AS (
      UPDATE destinations SET replaced_at = now()
      WHERE id IN (SELECT destination_id FROM placed WHERE is_tried AND coalesce(wait_until, now()) <= now())
    ), moved AS (
      UPDATE deliveries l SET not_before = wait_until,
        next_attempt_at = greatest(wait_until, CASE WHEN is_tried THEN now() ELSE coalesce(next_at, now()) END)
      FROM placed WHERE l.id = newest_id
    )
    SELECT destination_id AS "destinationId", group_id AS "groupId", newest_event AS "replacedBy" FROM replaced
    WHERE group_id IS NOT NULL`),
  )
  await breakGroups(tx, broken)
}

/** Keeps what is sent, so that each attempt sends the same bytes. @returns false if another attempt has the delivery */
export async function keepBody(db: Database, { id, lease }: DueDelivery, body: Uint8Array): Promise<boolean> {
  const kept = await db.execute(
    sql`UPDATE deliveries SET body = ${sql.param(body)}::bytea WHERE id = ${id} AND lease = ${lease} RETURNING id`,
  )
  return rowsOf(kept).length > 0
}

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

/** Stores how an attempt ended. A destination that is gone, or fails for too long, is disabled. */
export function endAttempt(db: Database, delivery: DueDelivery, end: AttemptEnd): Promise<void> {
  const { id, lease, destinationId } = delivery
  return db.transaction(async (tx) => {
    const next = end.status === 'failed' ? end.next : undefined
    const status = next === undefined ? end.status : 'pending'
    const notBefore = end.status === 'failed' ? end.notBefore : undefined
    const ended = await tx.execute(sql`
      UPDATE deliveries SET status = ${status}, status_code = ${end.statusCode}::integer, failure = ${end.failure},
        answer = ${end.answer}, duration_ms = ${end.durationMs}::integer, lease = NULL, leased_until = NULL,
        next_attempt_at = ${next?.toISOString() ?? null}::timestamptz, not_before = ${notBefore?.toISOString() ?? null}::timestamptz
      WHERE id = ${id} AND lease = ${lease} AND status = 'pending' RETURNING type`)
    const [row] = rowsOf<{ type: string }>(ended)
    if (row?.type === 'group' && status !== 'pending') await endMembers(tx, id)
    // of another attempt, or a test of a destination, which says nothing about its events
    if (row === undefined || row.type === 'destination.test') return
    if (end.status === 'delivered') await noteSuccess(tx, destinationId)
    else await noteFailure(tx, destinationId, end)
  })
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
  await addPersonMails(
    tx,
    sql`SELECT ${enterpriseId}::text AS owner_id, 'destination.disabled' AS type, ${id}::text || ' ' || now()::text AS key,
      jsonb_build_object('destinationId', ${id}::text, 'name', ${name}::text, 'reason', ${reason}::text) AS data`,
  )
}
