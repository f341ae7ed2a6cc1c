/** Ends of alerts whose rule, layer or sensor changes. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import type { ALERT_ENDS } from './alert-schema.ts'

const text = (values: readonly string[]): SQL => sql`${sql.param(values)}::text[]`

export type AlertEnd = Exclude<(typeof ALERT_ENDS)[number], 'cleared'>

/** Firing alerts of all these rules, or of all these sensors; of the enterprise without either. */
export type EndingAlerts = {
  ruleIds?: readonly string[] | undefined
  sensorIds?: readonly string[] | undefined
  /** Only of sensors that their rule does not watch any more, by its list of sensors or by tags. */
  onlyUnwatched?: boolean
}

/** Ends firing alerts, by the server's clock. To be called in the transaction of a change, after the change. */
export async function resolveAlerts(
  tx: Database,
  enterpriseId: string,
  { ruleIds, sensorIds, onlyUnwatched = false }: EndingAlerts,
  by: AlertEnd,
): Promise<void> {
  await tx.execute(sql`
    UPDATE alerts a SET resolved_at = greatest(clock_timestamp(), fired_at), resolved_by = ${by}
    WHERE enterprise_id = ${enterpriseId} AND resolved_at IS NULL
      ${ruleIds === undefined ? sql`` : sql`AND rule_id = ANY(${text(ruleIds)})`}
      ${sensorIds === undefined ? sql`` : sql`AND sensor_id = ANY(${text(sensorIds)})`}
      ${
        onlyUnwatched
          ? sql`AND NOT EXISTS (SELECT FROM zone_rules r, sensors s WHERE r.id = a.rule_id AND s.id = a.sensor_id
              AND (r.all_sensors OR s.tags && r.tags OR EXISTS (
                SELECT FROM zone_rule_sensors w WHERE w.rule_id = r.id AND w.sensor_id = s.id)))`
          : sql``
      }`)
}
