/**
 * Events that follow the first one of their rule, and are sent together. They are held until the window ends, and then
 * become members of a group: a delivery of the type `group`, under the id of an event that nobody can pull. Members stay
 * pending, so that later events of their subjects wait for the group, and end as the group ends.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { type EventRow, eventData, jsonTime, tryEventsLock } from '../events/events.ts'
import { newDeliveryId } from '../events/subscribers.ts'
import { rowsOf } from '../rows.ts'

/** A message names as many events of its group. */
const GROUP_EVENTS = 100

/** The delivery `l` waits for its window, or the window has ended and it waits for earlier events. */
const isHeld = sql`l.held AND l.status = 'pending'`

/** The same, and the look has to try it for a group. */
export const isHeldToNow = sql`${isHeld} AND l.next_attempt_at <= now()`

/**
 * Makes groups of the deliveries whose window has ended, to be called with the lock of deliveries. What has an earlier event
 * of its subject before it stays held without a time until that one ends; what is alone is sent by itself. An enterprise whose
 * events are being recorded waits for the next call, so that nothing of a window comes too late for its group.
 */
export async function formGroups(tx: Database): Promise<void> {
  const enterprises = rowsOf<{ id: string }>(
    await tx.execute(sql`
      SELECT id FROM (
        SELECT n.id, n.number FROM enterprises n
        WHERE n.status = 'active' AND n.id IN (SELECT l.enterprise_id FROM deliveries l WHERE ${isHeldToNow})
        FOR KEY SHARE OF n SKIP LOCKED
      ) AS concerned WHERE ${tryEventsLock(sql`number`)}`),
  )
  if (enterprises.length === 0) return
  // rows that somebody else changes are left out, so that nothing here waits. Nobody ends a delivery of the destinations
  const destinations = rowsOf<{ id: string }>(
    await tx.execute(sql`
      SELECT d.id FROM destinations d WHERE d.enabled AND d.enterprise_id = ANY(${sql.param(enterprises.map(({ id }) => id))}::text[])
        AND d.id IN (SELECT l.destination_id FROM deliveries l WHERE ${isHeldToNow})
      ORDER BY d.id FOR NO KEY UPDATE OF d SKIP LOCKED`),
  )
  if (destinations.length === 0) return
  await tx.execute(sql`
    WITH ended AS MATERIALIZED (
      SELECT l.id, l.destination_id, l.enterprise_id, l.rule_id, l.number, EXISTS (SELECT FROM deliveries p
          WHERE p.destination_id = l.destination_id AND p.subject = l.subject AND p.status = 'pending'
            AND (p.number, p.id) < (l.number, l.id) AND (NOT p.held OR coalesce(p.next_attempt_at > now(), true))) AS is_behind
      FROM deliveries l
      WHERE ${isHeldToNow}
        AND l.destination_id = ANY(${sql.param(destinations.map(({ id }) => id))}::text[])
      FOR NO KEY UPDATE OF l SKIP LOCKED
    ), behind AS (
      UPDATE deliveries l SET next_attempt_at = NULL FROM ended WHERE l.id = ended.id AND is_behind
    ), ready AS MATERIALIZED (
      SELECT * FROM ended WHERE NOT is_behind
    ), formed AS MATERIALIZED (
      SELECT destination_id, enterprise_id, rule_id, max(number) AS number,
        CASE WHEN count(*) > 1 THEN 'evt_' || replace(gen_random_uuid()::text, '-', '') END AS group_id
      FROM ready GROUP BY destination_id, enterprise_id, rule_id
    ), made AS (
      INSERT INTO deliveries (id, destination_id, enterprise_id, event_id, number, type, subject, rule_id)
      SELECT ${newDeliveryId(sql`number`)}, destination_id, enterprise_id, group_id, number, 'group', group_id, rule_id
      FROM formed WHERE group_id IS NOT NULL
    )
    UPDATE deliveries l SET held = false, group_id = formed.group_id, waits = formed.group_id IS NOT NULL,
      next_attempt_at = CASE WHEN formed.group_id IS NULL THEN l.next_attempt_at END
    FROM ready JOIN formed USING (destination_id, rule_id) WHERE l.id = ready.id`)
}

export type BrokenGroup = { destinationId: string; groupId: string; replacedBy: string }

/** Ends groups of which a newer event has replaced a member. The other members wait for a new group. All count its attempts. */
export async function breakGroups(tx: Database, groups: readonly BrokenGroup[]): Promise<void> {
  if (groups.length === 0) return
  await tx.execute(sql`
    WITH broken AS MATERIALIZED (
      SELECT DISTINCT ON (g.id) g.*, b."replacedBy" AS newer
      FROM jsonb_to_recordset(${JSON.stringify(groups)}::text::jsonb) AS b ("destinationId" text, "groupId" text, "replacedBy" text)
      JOIN deliveries g ON g.destination_id = b."destinationId" AND g.event_id = b."groupId" AND g.status = 'pending'
    ), ended AS (
      UPDATE deliveries g SET status = 'replaced', replaced_by = newer, next_attempt_at = NULL FROM broken WHERE g.id = broken.id
    )
    UPDATE deliveries m SET attempts = m.attempts + broken.attempts,
      first_attempt_at = coalesce(m.first_attempt_at, broken.first_attempt_at), held = m.status = 'pending',
      group_id = CASE WHEN m.status <> 'pending' THEN m.group_id END,
      next_attempt_at = CASE WHEN m.status = 'pending' THEN broken.next_attempt_at END,
      not_before = CASE WHEN m.status = 'pending' THEN broken.not_before END
    FROM broken WHERE m.destination_id = broken.destination_id AND m.group_id = broken.event_id
      AND m.status IN ('pending', 'replaced')`)
}

export type GroupData = { ruleId: string; count: number; events: readonly object[] }

/** What the messages of these deliveries of groups say, by the id of the delivery. */
export async function groupsOf(
  tx: Database,
  ids: readonly string[],
  publicUrl: string,
): Promise<ReadonlyMap<string, GroupData>> {
  if (ids.length === 0) return new Map()
  const rows = rowsOf<EventRow & { deliveryId: string; ruleId: string; count: number }>(
    await tx.execute(sql`
      SELECT g.id AS "deliveryId", g.rule_id AS "ruleId", members.count, e.id, e.type,
        ${jsonTime(sql`e.stored_at`)} AS timestamp, e.data, e.sequence::float8 AS sequence
      FROM deliveries g
      CROSS JOIN LATERAL (SELECT count(*)::integer AS count FROM deliveries m
        WHERE m.destination_id = g.destination_id AND m.group_id = g.event_id) AS members
      CROSS JOIN LATERAL (SELECT m.number, m.event_id FROM deliveries m
        WHERE m.destination_id = g.destination_id AND m.group_id = g.event_id ORDER BY m.number LIMIT ${GROUP_EVENTS}::integer) AS first
      JOIN events e ON e.id = first.event_id
      WHERE g.id = ANY(${sql.param(ids)}::text[]) ORDER BY first.number`),
  )
  const groups = Map.groupBy(rows, ({ deliveryId }) => deliveryId)
  return new Map(
    [...groups].map(([id, [first, ...others]]) => {
      const { ruleId, count } = first as NonNullable<typeof first>
      const events = [first as NonNullable<typeof first>, ...others].map(({ id, type, timestamp, data, sequence }) => ({
        id,
        type,
        timestamp,
        data: eventData(type, data, sequence, publicUrl),
      }))
      return [id, { ruleId, count, events }]
    }),
  )
}

/** From the first attempt of its group on, a member is replaced after some time, as others are from theirs on. */
export async function membersTaken(
  tx: Database,
  ids: readonly string[],
  types: SQL,
  replacedAfter: SQL,
): Promise<void> {
  if (ids.length === 0) return
  await tx.execute(sql`
    UPDATE deliveries m SET replaces_at = m.ready_at + ${replacedAfter}
    FROM deliveries g WHERE g.id = ANY(${sql.param(ids)}::text[]) AND m.destination_id = g.destination_id
      AND m.group_id = g.event_id AND m.status = 'pending' AND m.type = ${types} AND m.replaces_at IS NULL`)
}

/**
 * The members end as their groups did; another delivery of the same group may come later than its failure.
 * @returns a query of their subjects
 */
export async function endMembers(tx: Database, deliveryIds: readonly string[]): Promise<SQL> {
  const groups = sql`g.id = ANY(${sql.param(deliveryIds)}::text[]) AND m.destination_id = g.destination_id AND m.group_id = g.event_id`
  await tx.execute(sql`
    UPDATE deliveries m SET status = g.status, status_code = g.status_code, failure = g.failure, answer = g.answer,
      duration_ms = g.duration_ms, attempts = m.attempts + g.attempts,
      first_attempt_at = coalesce(m.first_attempt_at, g.first_attempt_at)
    FROM deliveries g WHERE ${groups} AND (m.status = 'pending' OR (m.status = 'failed' AND g.status = 'delivered'))`)
  return sql`SELECT m.destination_id, m.subject FROM deliveries g, deliveries m WHERE ${groups}`
}
