/** What is stored of the states of a rule: its sensors, and their alerts. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'
import { rowsOf } from '../rows.ts'

/** Times are in milliseconds since 1970. */
export type StoredState = {
  /** Of the sensor. */
  id: string
  number: number
  /** The firing alert of the sensor; the first one, if the rule has one for each polygon. */
  alertId: string | null
  startedMs: number | null
  /** Whether the sensor is off or held, or its enterprise suspended: the rule does not judge it. */
  isOff: boolean
  /** When the newest alert ended because the conditions did not hold any more; null after another end. */
  clearedMs: number | null
}

/** The sensors that a rule watches, by their ids. */
export async function storedStates(
  db: Database,
  enterpriseId: string,
  ruleId: string,
  { limit, cursor = '' }: PageQuery,
): Promise<Page<StoredState>> {
  const rows = rowsOf<StoredState>(
    await db.execute(sql`
      SELECT s.id, s.number, firing.id AS "alertId", extract(epoch FROM firing.started_at)::float8 * 1000 AS "startedMs",
        (s.quiet_since IS NOT NULL OR e.quiet_since IS NOT NULL) AS "isOff",
        CASE WHEN ended.resolved_by = 'cleared' THEN extract(epoch FROM ended.resolved_at)::float8 * 1000 END AS "clearedMs"
      FROM zone_rules r JOIN sensors s ON s.enterprise_id = r.enterprise_id JOIN enterprises e ON e.id = r.enterprise_id
      LEFT JOIN LATERAL (
        SELECT id, started_at FROM alerts a
        WHERE a.enterprise_id = ${enterpriseId} AND a.rule_id = r.id AND a.sensor_id = s.id AND a.resolved_at IS NULL
        ORDER BY fired_at, id LIMIT 1) AS firing ON true
      LEFT JOIN LATERAL (
        SELECT resolved_at, resolved_by FROM alerts a
        WHERE firing.id IS NULL AND a.sensor_id = s.id AND a.rule_id = r.id
        ORDER BY fired_at DESC, id DESC LIMIT 1) AS ended ON true
      WHERE r.id = ${ruleId} AND r.enterprise_id = ${enterpriseId} AND s.id > ${cursor}
        AND (r.all_sensors OR s.tags && r.tags
          OR EXISTS (SELECT FROM zone_rule_sensors w WHERE w.rule_id = r.id AND w.sensor_id = s.id))
      ORDER BY s.id LIMIT ${limit + 1}`),
  )
  return pageOf(rows, limit)
}
