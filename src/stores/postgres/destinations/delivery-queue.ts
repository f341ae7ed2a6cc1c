/** Deliveries that are still to be made: which are due, and which instance makes them. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { type EventType, eventData, jsonTime } from '../events/events.ts'
import { rowsOf } from '../rows.ts'
import { type BrokenGroup, breakGroups, formGroups, groupsOf, isHeldToNow, membersTaken } from './delivery-groups.ts'
import type { Format } from './formats.ts'

/**
 * Until the end of the transaction. The driver keeps plans, and one that was made while the table was small would read all
 * of it later.
 */
export const BY_INDEX = sql`set_config('enable_seqscan', 'off', true)`
/** The lock of everybody who takes deliveries, so that limits hold for all instances together. */
const LOCK = sql`pg_advisory_xact_lock(50, 0), ${BY_INDEX}`
/** An attempt takes at most 15 seconds. The connections of a dead instance stay taken until then. */
export const LEASE_S = 30
/** At the same time. */
const PER_DESTINATION = 4
const PER_ENTERPRISE = 32
/** States: a newer one makes an older one worthless. */
const REPLACEABLE: readonly EventType[] = ['alert.firing', 'alert.resolved', 'sensor.state']
const REPLACED_AFTER_S = 300
const TRIAL_S = 60
/** Of a destination in a look. */
const SEEN = 16
/** Deliveries that wait from a look on. */
const BEHIND = 400
/** Subjects, and their deliveries, in a look. */
const STUCK = 100
const REPLACED_AT_ONCE = 1_000

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
  /** What is sent; of a test, the event in the standard form. Null if each attempt makes it. */
  body: Uint8Array | null
  type: string
  /** An event, or a group of events with the type `group`; null for a test. */
  event: { id: string; type: string; timestamp: string; data: Record<string, unknown> } | null
}

const replaceableTypes = sql`ANY(${sql.param([...REPLACEABLE])}::text[])`
const isServed = sql`(d.enabled OR l.type = 'destination.test')`
const isFree = sql`(l.leased_until IS NULL OR l.leased_until < now())`
/** One that waits has another one of its subject before it, or is held for a group, or a member of one. */
const isDue = sql`l.status = 'pending' AND NOT l.waits AND l.next_attempt_at <= now() AND ${isFree}`
/** Of the first one of a subject that is not under way. */
const isOutdated = sql`l.status = 'pending' AND l.replaces_at <= now() AND ${isFree}`
/** When the delivery could be sent first. */
const sinceOf = (delivery: SQL): SQL => sql`coalesce(${delivery}.ready_at, ${delivery}.created_at)`
/** What is attempted for a member `l` of a group, as a table; nothing for others. */
const groupOf = sql`(SELECT g.attempts, g.next_attempt_at, g.not_before, g.leased_until > now() AS is_under_way FROM deliveries g
  WHERE l.group_id IS NOT NULL AND g.destination_id = l.destination_id AND g.event_id = l.group_id AND g.status = 'pending'
  ORDER BY g.leased_until NULLS LAST, g.id LIMIT 1)`
/** Destinations that wait for the time of a delivery: one look-up for each, in the order of the index `deliveries_due`. */
const asking = sql`asking (id) AS (
  (SELECT destination_id FROM deliveries WHERE status = 'pending' AND NOT waits
    ORDER BY destination_id, next_attempt_at, number LIMIT 1)
  UNION ALL
  SELECT (SELECT destination_id FROM deliveries WHERE status = 'pending' AND NOT waits AND destination_id > asking.id
    ORDER BY destination_id, next_attempt_at, number LIMIT 1) FROM asking WHERE id IS NOT NULL
)`
/**
 * The first pending delivery of the subject of `l`, as a table; mails wait for ever here, since mail-queue.ts has them. The
 * LIMIT keeps the planner to one look-up a row.
 */
const firstOfSubject = sql`(SELECT p.id, p.type, p.waits AND NOT p.held AND p.group_id IS NULL AS can_go FROM deliveries p
  WHERE p.destination_id = l.destination_id AND p.subject = l.subject AND p.status = 'pending' AND p.recipient IS NULL
  ORDER BY p.number, p.id LIMIT 1)`

export type TakeOptions = {
  limit: number
  /** Divides the time after which newer states take the place of older ones. */
  timeScale: number
  publicUrl: string
  /** Called for a delivery without a body: what all its attempts send, or null if each of them makes it. */
  bodyOf(delivery: DueDelivery): Uint8Array | null
}

export type Taken = {
  deliveries: DueDelivery[]
  /** Whether the next look should begin at once, because this one did not see all that is due. */
  isMore: boolean
}

type Row = Omit<DueDelivery, 'event' | 'lease'> & {
  timestamp: string
  data: Record<string, unknown> | null
  sequence: number
}

/**
 * What a look finds. One without anything due must be cheap: every instance looks all the time. Without a parameter, so that
 * the driver keeps no plan.
 */
async function toDo(db: Database): Promise<{ isAnyHeld: boolean; isAnyDue: boolean; isAnyOutdated: boolean }> {
  const [found] = rowsOf<{ isAnyHeld: boolean; isAnyDue: boolean; isAnyOutdated: boolean }>(
    await db.execute(sql`
      WITH RECURSIVE ${asking}
      SELECT EXISTS (SELECT FROM deliveries l WHERE ${isHeldToNow}) AS "isAnyHeld",
        EXISTS (SELECT FROM asking CROSS JOIN LATERAL (
          SELECT FROM deliveries l WHERE l.destination_id = asking.id AND ${isDue}
          ORDER BY l.next_attempt_at, l.number LIMIT 1) AS due
        ) AS "isAnyDue",
        EXISTS (SELECT FROM (
          SELECT l.replaces_at FROM deliveries l WHERE ${isOutdated} ORDER BY l.replaces_at LIMIT 1) AS outdated) AS "isAnyOutdated"`),
  )
  if (found === undefined) throw new Error('a query without FROM returned no row')
  return found
}

/**
 * Takes deliveries that are due, at most `limit`: of each subject the first one that is pending. Of each destination it sees
 * the first `SEEN` that are due. Others of their subjects wait from then on, so that each is seen once.
 */
export async function takeDeliveries(db: Database, options: TakeOptions): Promise<Taken> {
  const { limit, timeScale, publicUrl, bodyOf } = options
  let { isAnyHeld, isAnyDue, isAnyOutdated } = await toDo(db)
  if (isAnyHeld) {
    await db.transaction(async (tx) => {
      await tx.execute(sql`SELECT ${LOCK}`)
      await formGroups(tx)
    })
    ;({ isAnyDue, isAnyOutdated } = await toDo(db))
  }
  if (!isAnyDue && !isAnyOutdated) return { deliveries: [], isMore: false }
  const lease = Bun.randomUUIDv7()
  const replacedAfter = sql`make_interval(secs => ${REPLACED_AFTER_S}::float8 / ${timeScale}::float8)`
  return db.transaction(async (tx) => {
    await tx.execute(sql`SELECT ${LOCK}`)
    if (isAnyOutdated) await replaceOlder(tx)
    const rows = rowsOf<{ isMore: boolean } & (Row | { id: null })>(
      await tx.execute(sql`
        WITH RECURSIVE ${asking}, busy AS (
          SELECT destination_id, enterprise_id, count(*) AS connections FROM deliveries
          WHERE leased_until > now() GROUP BY destination_id, enterprise_id
        ), free AS MATERIALIZED (
          SELECT d.id, d.enabled, coalesce(busy.connections, 0) AS connections
          FROM asking JOIN destinations d USING (id) JOIN enterprises n ON n.id = d.enterprise_id AND n.status = 'active'
          LEFT JOIN busy ON busy.destination_id = d.id
          WHERE coalesce(busy.connections, 0) < ${PER_DESTINATION}
        ), seen AS MATERIALIZED (
          SELECT l.*, d.connections, first.id AS first_id, l.id = first.id AND l.type = ${replaceableTypes}
            AND ${sinceOf(sql`l`)} < now() - ${replacedAfter} AND EXISTS (
              SELECT FROM deliveries p WHERE p.destination_id = l.destination_id AND p.subject = l.subject
                AND p.status = 'pending' AND p.type = ${replaceableTypes} AND p.id <> l.id) AS is_outdated
          FROM free d CROSS JOIN LATERAL (
            SELECT l.id, l.destination_id, l.enterprise_id, l.type, l.subject, l.number, l.next_attempt_at, l.created_at, l.ready_at
            FROM deliveries l WHERE l.destination_id = d.id AND ${isDue} AND ${isServed}
            -- a number that the planner knows, so that it reads in the order of the index
            ORDER BY l.next_attempt_at, l.number LIMIT ${sql.raw(String(SEEN))}
          ) AS l CROSS JOIN LATERAL ${firstOfSubject} AS first
        ), due AS (
          SELECT *, connections + row_number() OVER (PARTITION BY destination_id ORDER BY next_attempt_at, number) AS of_destination
          FROM seen WHERE id = first_id AND NOT is_outdated
        ), allowed AS (
          SELECT id, row_number() OVER (PARTITION BY enterprise_id ORDER BY next_attempt_at) + coalesce((
            SELECT sum(connections) FROM busy WHERE busy.enterprise_id = due.enterprise_id), 0) AS of_enterprise
          FROM due WHERE of_destination <= ${PER_DESTINATION}
        ), picked AS (
          -- nothing here waits for a lock of a row, so nothing can wait for each other
          SELECT l.* FROM deliveries l JOIN allowed USING (id) WHERE of_enterprise <= ${PER_ENTERPRISE} AND ${isDue}
          ORDER BY l.next_attempt_at LIMIT ${limit}::integer FOR NO KEY UPDATE OF l SKIP LOCKED
        ), behind AS MATERIALIZED (
          -- the first one is kept from ending meanwhile, since its end lets the next one go
          SELECT l.id, first.id AS first_id, l.type = ${replaceableTypes} AND first.type = ${replaceableTypes}
            AND ${sinceOf(sql`first`)} < now() - ${replacedAfter} AND first.leased_until IS NULL AS is_first_outdated
          FROM seen JOIN deliveries l USING (id) JOIN deliveries first ON first.id = seen.first_id
          WHERE seen.id <> seen.first_id AND l.status = 'pending' AND first.status = 'pending'
          ORDER BY l.next_attempt_at LIMIT ${sql.raw(String(BEHIND))} FOR NO KEY UPDATE OF l SKIP LOCKED FOR SHARE OF first SKIP LOCKED
        ), waiting AS (
          UPDATE deliveries SET waits = true WHERE id IN (SELECT id FROM behind)
        ), outdated AS (
          UPDATE deliveries SET replaces_at = now() WHERE id IN (
            SELECT l.id FROM deliveries l WHERE l.id IN (
              SELECT id FROM seen WHERE is_outdated UNION SELECT first_id FROM behind WHERE is_first_outdated
            ) FOR NO KEY UPDATE SKIP LOCKED)
        )
        SELECT EXISTS (SELECT FROM seen WHERE id <> first_id OR is_outdated) AS "isMore", made.* FROM (VALUES (1)) AS always
        LEFT JOIN (
          SELECT t.id, t.destination_id AS "destinationId", t.event_id AS "eventId", t.attempts + 1 AS attempts,
            (extract(epoch FROM coalesce(t.first_attempt_at, now())) * 1000)::float8 AS "firstAttemptMs", d.url, d.format,
            d.sealed_secrets AS "sealedSecrets", t.body, t.type,
            ${jsonTime(sql`coalesce(e.stored_at, t.created_at)`)} AS timestamp, e.data,
            e.sequence::float8 AS sequence
          FROM picked t JOIN destinations d ON d.id = t.destination_id LEFT JOIN events e ON e.id = t.event_id
        ) AS made ON true`),
    )
    const made = rows.filter((row) => row.id !== null)
    const isMore = rows[0]?.isMore === true
    if (made.length === 0) return { deliveries: [], isMore }
    const groups = made.filter(({ type }) => type === 'group')
    const ids = (of: readonly Row[]): string[] => of.map(({ id }) => id)
    await membersTaken(tx, ids(groups), replaceableTypes, replacedAfter)
    const said = await groupsOf(tx, ids(groups.filter(({ body }) => body === null)), publicUrl)
    const deliveries = made.map(({ isMore: _, timestamp, data: stored, sequence, ...row }) => {
      const { id, eventId, type } = row
      const data = stored === null ? said.get(id) : eventData(type, stored, sequence, publicUrl)
      const delivery = { ...row, lease, event: data === undefined ? null : { id: eventId, type, timestamp, data } }
      return { ...delivery, body: row.body ?? bodyOf(delivery) }
    })
    await startAttempts(tx, lease, deliveries, replacedAfter)
    return { deliveries, isMore }
  })
}

/** Keeps what is sent before it is sent, so that all attempts send the same bytes. */
async function startAttempts(
  tx: Database,
  lease: string,
  deliveries: readonly DueDelivery[],
  replacedAfter: SQL,
): Promise<void> {
  const bodies = deliveries.map(({ id, body }) => ({
    id,
    body: body === null ? null : Buffer.from(body).toString('base64'),
  }))
  await tx.execute(sql`
    UPDATE deliveries l SET lease = ${lease}, leased_until = now() + make_interval(secs => ${LEASE_S}), attempts = attempts + 1,
      first_attempt_at = coalesce(first_attempt_at, now()), body = coalesce(l.body, decode(g.body, 'base64')),
      replaces_at = CASE WHEN type = ${replaceableTypes} THEN ${sinceOf(sql`l`)} + ${replacedAfter} END
    FROM jsonb_to_recordset((SELECT ${JSON.stringify(bodies)}::text::jsonb)) AS g (id text, body text) WHERE l.id = g.id`)
}

/**
 * The newest state of a subject takes the place of undelivered ones that have waited for long enough. It is tried at once,
 * but not before the time that the receiver asked for, and one a minute of a destination; others keep the older one's time.
 * Of many, a part is replaced: the rest is outdated too, and follows with the next looks.
 */
async function replaceOlder(tx: Database): Promise<void> {
  const replaced = rowsOf<{ destinationId: string; subject: string; broken: BrokenGroup[] }>(
    await tx.execute(sql`
      WITH stuck AS MATERIALIZED (
        SELECT l.id, l.destination_id, l.subject FROM deliveries l JOIN destinations d ON d.id = l.destination_id
        WHERE ${isOutdated} AND NOT EXISTS (SELECT FROM ${groupOf} AS g WHERE g.is_under_way) ORDER BY l.replaces_at LIMIT ${sql.raw(String(STUCK))} FOR NO KEY UPDATE OF d SKIP LOCKED
      ), newest AS MATERIALIZED (
        SELECT stuck.id AS stuck_id, stuck.destination_id, stuck.subject, p.id, p.event_id, p.not_before FROM stuck
        CROSS JOIN LATERAL (
          SELECT p.* FROM deliveries p
          WHERE p.destination_id = stuck.destination_id AND p.subject = stuck.subject AND p.status = 'pending'
            AND p.type = ${replaceableTypes}
          ORDER BY p.number DESC, p.id DESC LIMIT 1) AS p
      ), older AS MATERIALIZED (
        SELECT l.id, l.destination_id, l.subject, coalesce(g.not_before, l.not_before) AS not_before,
          coalesce(g.attempts, l.attempts) AS attempts, coalesce(g.next_attempt_at, l.next_attempt_at) AS next_attempt_at,
          newest.id AS newest_id, newest.event_id, newest.not_before AS newest_not_before
        FROM newest CROSS JOIN LATERAL (
          SELECT l.* FROM deliveries l
          WHERE l.destination_id = newest.destination_id AND l.subject = newest.subject AND l.status = 'pending'
            AND l.type = ${replaceableTypes} AND l.id <> newest.id AND ${isFree}
          ORDER BY l.number, l.id LIMIT ${sql.raw(String(REPLACED_AT_ONCE))}) AS l
        LEFT JOIN LATERAL ${groupOf} AS g ON true
        WHERE g.is_under_way IS NOT TRUE
        LIMIT ${sql.raw(String(REPLACED_AT_ONCE))}
      ), replaced AS (
        UPDATE deliveries l SET status = 'replaced', replaced_by = older.event_id, next_attempt_at = NULL, lease = NULL,
          leased_until = NULL
        FROM older WHERE l.id = older.id
        RETURNING l.destination_id, l.subject, l.group_id, l.replaced_by
      ), placed AS MATERIALIZED (
        SELECT each.*, row_number() OVER (PARTITION BY destination_id ORDER BY newest_id) = 1 AND NOT EXISTS (
          SELECT FROM destinations d WHERE d.id = destination_id AND d.replaced_at > now() - make_interval(secs => ${TRIAL_S})
        ) AS is_tried
        FROM (
          SELECT newest_id, destination_id, subject, greatest(max(not_before), max(newest_not_before)) AS wait_until,
            min(next_attempt_at) FILTER (WHERE attempts > 0) AS next_at
          FROM older GROUP BY newest_id, destination_id, subject
        ) AS each
      ), trials AS (
        UPDATE destinations SET replaced_at = now()
        WHERE id IN (SELECT destination_id FROM placed WHERE is_tried AND coalesce(wait_until, now()) <= now())
      ), next AS (
        UPDATE deliveries l SET not_before = wait_until, replaces_at = NULL,
          next_attempt_at = greatest(wait_until, CASE WHEN is_tried THEN now() ELSE coalesce(next_at, l.next_attempt_at) END)
        FROM placed WHERE l.id = newest_id
      ), alone AS (
        UPDATE deliveries SET replaces_at = NULL WHERE id IN (SELECT id FROM newest WHERE id = stuck_id)
          AND id NOT IN (SELECT newest_id FROM placed)
      )
      SELECT destination_id AS "destinationId", subject, coalesce((
        SELECT json_agg(json_build_object('destinationId', r.destination_id, 'groupId', r.group_id, 'replacedBy', r.replaced_by))
        FROM replaced r WHERE r.destination_id = placed.destination_id AND r.subject = placed.subject AND r.group_id IS NOT NULL
      ), '[]') AS broken FROM placed`),
  )
  const [destinations, subjects] = [replaced.map((one) => one.destinationId), replaced.map((one) => one.subject)]
  await breakGroups(
    tx,
    replaced.flatMap(({ broken }) => broken),
  )
  if (replaced.length > 0)
    await letFirstGo(
      tx,
      sql`SELECT * FROM unnest(${sql.param(destinations)}::text[], ${sql.param(subjects)}::text[]) AS of (destination_id, subject)`,
    )
}

/**
 * The first pending delivery of a subject does not wait. To be called by everybody who ends one, after it in the same
 * transaction, because those that wait are found only then.
 * @param subjects a query of destination_id and subject
 */
export async function letFirstGo(tx: Database, subjects: SQL): Promise<void> {
  await tx.execute(sql`
    WITH ended AS MATERIALIZED (${subjects}), ready AS (
      -- those that are held are tried for a group again
      UPDATE deliveries l SET next_attempt_at = now() FROM ended
      WHERE l.destination_id = ended.destination_id AND l.subject = ended.subject AND l.status = 'pending'
        AND l.held AND l.next_attempt_at IS NULL
    ), first AS MATERIALIZED (
      SELECT DISTINCT first.id FROM ended AS l CROSS JOIN LATERAL ${firstOfSubject} AS first WHERE can_go
    )
    UPDATE deliveries l SET waits = false FROM first WHERE l.id = first.id AND l.waits AND NOT l.held AND l.group_id IS NULL`)
}
