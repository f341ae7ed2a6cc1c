/** Events of enterprises (sql/postgres/0049-destinations.sql). */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { addDeliveries } from './subscribers.ts'

export const EVENT_TYPES = [
  'alert.firing',
  'alert.resolved',
  'zone.entered',
  'zone.left',
  'zone.dwelled',
  'sensor.state',
  'job.finished',
  'run.failed',
  'credits.low',
  'key.expiring',
  'tool-api.held',
  'tool-api.refusing',
  'destination.disabled',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

export type EnterpriseEvent = {
  id: string
  type: EventType
  /** When it was stored. */
  timestamp: string
  data: Record<string, unknown>
}

/** The first key of locks by enterprise; the second one is the enterprise's number. */
const LOCKS = 49
/** How long events are kept. */
export const EVENT_DAYS = 30
const KEPT = sql`make_interval(days => ${sql.raw(String(EVENT_DAYS))})`
const BATCH = 10_000
/** The id of an event, made from what makes the event, so that repeated work makes the same one. */
export const eventId = (type: SQL, key: SQL): SQL =>
  sql`'evt_' || left(encode(sha256(convert_to(${type} || ' ' || ${key}, 'UTF8')), 'hex'), 32)`
/** Of a row with these columns. */
export const EVENT_ID = eventId(sql`type`, sql`key`)

/** A time as answers of the API have it. */
export const jsonTime = (at: SQL): SQL => sql`to_char(${at} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/**
 * Records events, and deliveries to the destinations that subscribe to them, in the transaction of what makes them, as its
 * last step, once. An event that is there already is left out. The lock orders the events of an enterprise by their
 * commits: nobody sees an event before an earlier one.
 * @param source a query of enterprise_id, type, key, subject, severity, rule_id, sensor_id, data and ordinal; `type` and
 * `key` make the id
 */
export async function recordEvents(tx: Database, enterpriseIds: readonly string[], source: SQL): Promise<void> {
  // the rows first, as the events refer to them: a change of an enterprise locks its row before it ends alerts
  await tx.execute(sql`
    SELECT pg_advisory_xact_lock(${LOCKS}, number) FROM (
      SELECT number FROM enterprises WHERE id = ANY(${sql.param(enterpriseIds)}::text[]) ORDER BY number FOR KEY SHARE
    ) AS concerned`)
  await tx.execute(sql`
    WITH given AS MATERIALIZED (
      SELECT ${EVENT_ID} AS id, made.*
      FROM (${source}) AS made
    ), fresh AS MATERIALIZED (
      SELECT *, row_number() OVER (PARTITION BY enterprise_id, subject ORDER BY ordinal) AS place
      FROM given WHERE (SELECT true FROM events WHERE events.id = given.id) IS NULL
    ), counted AS (
      INSERT INTO event_subjects (enterprise_id, subject, sequence, changed_at)
      SELECT enterprise_id, subject, count(*), now() FROM fresh GROUP BY enterprise_id, subject
      ON CONFLICT (enterprise_id, subject) DO UPDATE
        SET sequence = event_subjects.sequence + excluded.sequence, changed_at = excluded.changed_at
      RETURNING enterprise_id, subject, sequence
    ), stored AS (
    INSERT INTO events (id, enterprise_id, type, subject, sequence, severity, rule_id, sensor_id, data)
    SELECT id, enterprise_id, type, subject,
      sequence - count(*) OVER (PARTITION BY enterprise_id, subject) + place, severity, rule_id, sensor_id, data
    FROM fresh JOIN counted USING (enterprise_id, subject) ORDER BY ordinal
    RETURNING *
    ), ${addDeliveries(sql`stored`)}`)
}

/** Nobody records an event of the enterprise before the transaction ends; false if somebody does. */
export const tryEventsLock = (number: SQL): SQL => sql`pg_try_advisory_xact_lock(${LOCKS}, ${number})`

export type EventRow = EnterpriseEvent & { sequence: number }

/** The data of an event as it is pulled and delivered. */
export function eventData(type: string, data: Record<string, unknown>, sequence: number, publicUrl: string) {
  const link = type.startsWith('alert.') ? { link: `${publicUrl}/portal/alerts/${String(data.id)}` } : {}
  return { ...data, sequence, ...link }
}

export type EventsQuery = {
  /** The number of the event after which they begin; 0 for the oldest. */
  after: number
  /** Any of them; all if it is empty. */
  types: readonly EventType[]
  limit: number
}

/** The number of an event of the enterprise; undefined for an unknown id. */
export async function eventNumber(db: Database, enterpriseId: string, id: string): Promise<number | undefined> {
  const [found] = rowsOf<{ number: number }>(
    await db.execute(
      sql`SELECT number::float8 AS number FROM events WHERE id = ${id} AND enterprise_id = ${enterpriseId}`,
    ),
  )
  return found?.number
}

/**
 * In the order in which they were committed.
 * @param publicUrl the address of the server in links
 */
export async function eventsAfter(
  db: Database,
  enterpriseId: string,
  { after, types, limit }: EventsQuery,
  publicUrl: string,
): Promise<EnterpriseEvent[]> {
  const rows = rowsOf<EventRow>(
    await db.execute(sql`
      SELECT id, type, ${jsonTime(sql`stored_at`)} AS timestamp, data, sequence::float8 AS sequence
      FROM events WHERE enterprise_id = ${enterpriseId} AND number > ${after}::bigint
        ${types.length === 0 ? sql`` : sql`AND type = ANY(${sql.param(types)}::text[])`}
      ORDER BY number LIMIT ${limit}::integer`),
  )
  return rows.map(({ sequence, data, ...event }) => ({
    ...event,
    data: eventData(event.type, data, sequence, publicUrl),
  }))
}

/** Deletes what is older than it is kept, in batches. */
export async function deleteOldEvents(db: Database, isStopped: () => boolean): Promise<void> {
  let deleted = BATCH
  while (deleted === BATCH && !isStopped()) {
    const gone = await db.execute(sql`
      DELETE FROM events WHERE id IN (SELECT id FROM events WHERE stored_at < now() - ${KEPT} LIMIT ${BATCH}) RETURNING id`)
    deleted = rowsOf(gone).length
  }
  // these end once: nothing counts on
  await db.execute(sql`DELETE FROM event_subjects WHERE subject ~ '^(job|run|key)_' AND changed_at < now() - ${KEPT}`)
  await db.execute(sql`DELETE FROM person_events WHERE stored_at < now() - ${KEPT}`)
}
