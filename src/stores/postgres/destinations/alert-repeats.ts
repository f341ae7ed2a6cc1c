/** Firing alerts that nobody has acknowledged, for destinations that get them again. */
import { sql } from 'drizzle-orm'
import { isSilenced } from '../alerts/silences.ts'
import type { Database } from '../client.ts'
import { recordAlertEvents } from '../events/alert-events.ts'
import { jsonTime } from '../events/events.ts'
import { subscribes } from '../events/subscribers.ts'
import { rowsOf } from '../rows.ts'

/** The first key of locks by enterprise; the second one is the enterprise's number. */
const LOCKS = 51
const BATCH = 1_000

/** Enterprises with a destination that gets alerts again. */
export async function enterprisesThatRepeat(db: Database): Promise<string[]> {
  const found = await db.execute(sql`SELECT DISTINCT d.enterprise_id AS id FROM destinations d
    WHERE d.repeat_seconds IS NOT NULL AND d.enabled AND 'alert.firing' = ANY(d.events)`)
  return rowsOf<{ id: string }>(found).map(({ id }) => id)
}

type Due = { id: string; enterprise_id: string; destinationId: string; repeat: number; at: string }

/**
 * Records the repetitions of an enterprise that are due: an event each, which goes to one destination. The pause begins
 * with the last change of the alert, and not before the destination was switched on or its pause was set. One instance
 * does this at a time.
 * @returns whether further ones may be due
 */
export function repeatAlerts(db: Database, enterpriseId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    const [locked] = rowsOf<{ isLocked: boolean }>(
      // the row first, as in recordEvents
      await tx.execute(sql`SELECT pg_try_advisory_xact_lock(${LOCKS}, number) AS "isLocked" FROM (
        SELECT number FROM enterprises WHERE id = ${enterpriseId} AND status = 'active' FOR KEY SHARE) AS concerned`),
    )
    if (locked?.isLocked !== true) return false
    // alerts that somebody changes now are not repeated, and those that are repeated do not change meanwhile
    const due = rowsOf<Due>(
      await tx.execute(sql`
        SELECT a.id, a.enterprise_id, d.id AS "destinationId", coalesce(r.repeats, 0) + 1 AS repeat, ${jsonTime(sql`now()`)} AS at
        FROM destinations d JOIN alerts a ON a.enterprise_id = d.enterprise_id
        LEFT JOIN alert_repeats r ON r.destination_id = d.id AND r.alert_id = a.id
        CROSS JOIN LATERAL (SELECT 'alert.firing' AS type, coalesce(a.highest_severity, a.severity) AS severity, a.rule_id,
          a.sensor_id, '{}'::jsonb AS data) AS e
        WHERE d.enterprise_id = ${enterpriseId} AND d.enabled AND a.resolved_at IS NULL AND a.acknowledged_at IS NULL
          AND greatest(a.changed_at, d.repeats_since, r.repeated_at) <= now() - make_interval(secs => d.repeat_seconds)
          AND ${subscribes}
          AND NOT ${isSilenced({ enterpriseId, ruleId: sql`a.rule_id`, sensorId: sql`a.sensor_id` })}
        ORDER BY a.fired_at, a.id, d.id LIMIT ${BATCH}::integer
        FOR UPDATE OF a SKIP LOCKED FOR KEY SHARE OF d SKIP LOCKED`),
    )
    if (due.length === 0) return false
    await tx.execute(sql`
      INSERT INTO alert_repeats (destination_id, alert_id, repeats, repeated_at)
      SELECT "destinationId", id, repeat, now()
      FROM jsonb_to_recordset(${JSON.stringify(due)}::text::jsonb) AS g (id text, "destinationId" text, repeat integer)
      ON CONFLICT (destination_id, alert_id) DO UPDATE SET repeats = excluded.repeats, repeated_at = excluded.repeated_at`)
    await recordAlertEvents(tx, {
      again: due.map(({ destinationId, repeat, at, ...alert }) => ({
        ...alert,
        key: `${destinationId} ${repeat}`,
        more: { repeat, repeatedFor: destinationId },
        at,
      })),
    })
    return due.length === BATCH
  })
}
