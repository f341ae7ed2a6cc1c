/** Firing alerts that a silence holds back from destinations: they are sent when it ends (sql/postgres/0057-held-alerts.sql). */
import { sql } from 'drizzle-orm'
import { isSilenced } from '../alerts/silences.ts'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { recordAlertEvents } from './alert-events.ts'
import { jsonTime } from './events.ts'

const BATCH = 1_000

export async function enterprisesWithHeldAlerts(db: Database): Promise<string[]> {
  const found = await db.execute(sql`SELECT DISTINCT enterprise_id AS id FROM held_alerts`)
  return rowsOf<{ id: string }>(found).map(({ id }) => id)
}

/**
 * Records `alert.firing` for alerts of an enterprise that no silence holds any more. Several instances may do this at the
 * same time.
 * @returns whether there may be more
 */
export function releaseHeldAlerts(db: Database, enterpriseId: string): Promise<boolean> {
  return db.transaction(async (tx) => {
    await tx.execute(sql`DELETE FROM held_alerts h USING alerts a
      WHERE h.enterprise_id = ${enterpriseId} AND a.id = h.alert_id AND a.resolved_at IS NOT NULL`)
    // an alert that somebody changes now is released later
    const released = rowsOf<{ id: string; enterprise_id: string; at: string }>(
      await tx.execute(sql`
        SELECT a.id, a.enterprise_id, ${jsonTime(sql`now()`)} AS at
        FROM held_alerts h JOIN alerts a ON a.id = h.alert_id
        WHERE h.enterprise_id = ${enterpriseId} AND a.resolved_at IS NULL
          AND NOT ${isSilenced({ enterpriseId, ruleId: sql`a.rule_id`, sensorId: sql`a.sensor_id` })}
        ORDER BY a.fired_at, a.id LIMIT ${BATCH}::integer FOR UPDATE OF h, a SKIP LOCKED`),
    )
    if (released.length === 0) return false
    await tx.execute(
      sql`DELETE FROM held_alerts WHERE alert_id = ANY(${sql.param(released.map(({ id }) => id))}::text[])`,
    )
    await recordAlertEvents(tx, {
      again: released.map((alert) => ({ ...alert, key: `released ${alert.at}`, more: {} })),
    })
    return released.length === BATCH
  })
}
