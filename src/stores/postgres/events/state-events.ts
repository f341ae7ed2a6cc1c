/** Events of sensors whose state changed, and the one instance that looks for them (sql/postgres/0053-event-types.sql). */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { jsonTime, recordEvents } from './events.ts'

export type StateWatch = {
  term: number
  /** The last time without looks. */
  awayFromMs: number
  awayUntilMs: number
}

/** Another instance may look after this time without a look, which counts as time without looks. */
const AWAY = sql`interval '30 seconds'`
const msOf = (column: string) => sql`(extract(epoch FROM ${sql.raw(column)}) * 1000)::float8`

/** @returns undefined while another instance looks */
export async function takeStateWatch(db: Database, instanceId: string): Promise<StateWatch | undefined> {
  const [taken] = rowsOf<StateWatch>(
    await db.execute(sql`
      UPDATE sensor_state_watch SET term = term + (instance_id IS DISTINCT FROM ${instanceId})::integer,
        instance_id = ${instanceId}
      WHERE instance_id IS NULL OR instance_id = ${instanceId} OR seen_at < now() - ${AWAY}
      RETURNING term::float8 AS term,
        CASE WHEN seen_at < now() - ${AWAY} THEN ${msOf('seen_at')} ELSE ${msOf('away_from')} END AS "awayFromMs",
        CASE WHEN seen_at < now() - ${AWAY} THEN ${msOf('now()')} ELSE ${msOf('away_until')} END AS "awayUntilMs"`),
  )
  return taken
}

/** A look has ended. */
export async function noteStateLook(db: Database, { term, awayFromMs, awayUntilMs }: StateWatch): Promise<void> {
  await db.execute(sql`
    UPDATE sensor_state_watch SET seen_at = now(), away_from = to_timestamp(${awayFromMs}::float8 / 1000),
      away_until = to_timestamp(${awayUntilMs}::float8 / 1000)
    WHERE term = ${term}::bigint`)
}

/** Numbers of sensors that were switched or held, or are no longer. @param ids undefined for all sensors */
export async function switchedSensors(db: Database, ids: readonly string[] | undefined): Promise<number[]> {
  const rows = await db.execute(sql`
    SELECT s.number FROM sensors s LEFT JOIN sensor_states t ON t.sensor_id = s.id
    WHERE (CASE WHEN NOT s.enabled THEN 'off' WHEN s.held THEN 'held' END)
      IS DISTINCT FROM (CASE WHEN t.state IN ('off', 'held') THEN t.state END)
      ${ids === undefined ? sql`` : sql`AND s.id = ANY(${sql.param(ids)}::text[])`}`)
  return rowsOf<{ number: number }>(rows).map(({ number }) => number)
}

/** `state`: of a sensor that is on and not held. */
export type SeenState = { number: number; state: string }

/**
 * Stores states, and an event for each that changed. A sensor begins as new; the first state that is seen of one that is
 * older than these events is no change.
 * @returns false if another instance looks
 */
export const storeStates = (db: Database, term: number, seen: readonly SeenState[]): Promise<boolean> =>
  db.transaction(async (tx) => {
    const held = await tx.execute(sql`SELECT 1 FROM sensor_state_watch WHERE term = ${term}::bigint FOR SHARE`)
    if (rowsOf(held).length === 0) return false
    const changed = rowsOf<{ id: string; enterprise: string; before: string }>(
      await tx.execute(sql`
        WITH seen AS MATERIALIZED (
          SELECT s.id, s.enterprise_id, t.sensor_id IS NULL AS is_first,
            CASE WHEN NOT s.enabled THEN 'off' WHEN s.held THEN 'held' ELSE g.state END AS state,
            coalesce(t.state, CASE WHEN s.created_at > (SELECT applied_at FROM migrations WHERE number = 53) THEN 'new' END)
              AS before
          FROM unnest(${sql.param(seen.map(({ number }) => number))}::integer[],
            ${sql.param(seen.map(({ state }) => state))}::text[]) AS g (number, state)
          JOIN sensors s ON s.number = g.number LEFT JOIN sensor_states t ON t.sensor_id = s.id
          FOR KEY SHARE OF s
        ), stored AS (
          INSERT INTO sensor_states (sensor_id, enterprise_id, state, since)
          SELECT id, enterprise_id, state, now() FROM seen WHERE is_first OR state <> before ORDER BY id
          ON CONFLICT (sensor_id) DO UPDATE SET state = excluded.state, since = excluded.since
        )
        SELECT id, enterprise_id AS enterprise, before FROM seen WHERE state <> before`),
    )
    if (changed.length === 0) return true
    await recordEvents(
      tx,
      [...new Set(changed.map(({ enterprise }) => enterprise))],
      sql`
        SELECT s.enterprise_id, 'sensor.state' AS type, s.id || ' ' || t.since::text AS key, s.id AS subject,
          NULL::text AS severity, NULL::text AS rule_id, s.id AS sensor_id, row_number() OVER (ORDER BY s.id) AS ordinal,
          jsonb_build_object('sensorId', s.id, 'sensorName', s.name, 'assetId', s.asset_id, 'assetName', o.name,
            'state', t.state, 'previousState', c.before, 'at', ${jsonTime(sql`t.since`)}) AS data
        FROM unnest(${sql.param(changed.map(({ id }) => id))}::text[],
          ${sql.param(changed.map(({ before }) => before))}::text[]) AS c (id, before)
        JOIN sensor_states t ON t.sensor_id = c.id
        JOIN sensors s ON s.id = c.id
        JOIN assets o ON o.id = s.asset_id`,
    )
    return true
  })
