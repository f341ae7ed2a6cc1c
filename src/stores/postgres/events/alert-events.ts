/** Events of alerts: each begins and ends with one, and fires again when its severity changes or nobody reacts. */
import { sql } from 'drizzle-orm'
import { isSilencedAlone } from '../alerts/silences.ts'
import type { Database } from '../client.ts'
import { jsonTime, recordEvents } from './events.ts'

export type StoredAlert = { id: string; enterprise_id: string }

const isHeld = isSilencedAlone({
  enterpriseId: sql`a.enterprise_id`,
  ruleId: sql`a.rule_id`,
  sensorId: sql`a.sensor_id`,
})

/** The record of GET /alerts/{id} as it is now; that of an alert that fires has no end. */
const RECORD = sql`jsonb_build_object(
  'id', a.id, 'ruleId', a.rule_id, 'ruleName', r.name, 'sensorId', a.sensor_id, 'sensorName', s.name,
  'assetId', s.asset_id, 'assetName', o.name, 'polygon', a.polygon, 'severity', a.severity,
  'startedAt', ${jsonTime(sql`a.started_at`)}, 'firedAt', ${jsonTime(sql`a.fired_at`)},
  'detectedAt', ${jsonTime(sql`a.detected_at`)},
  'resolvedAt', CASE WHEN ends THEN ${jsonTime(sql`a.resolved_at`)} END,
  'resolvedBy', CASE WHEN ends THEN a.resolved_by END,
  'value', a.value, 'values', a."values", 'late', a.late,
  'silenced', ${isHeld},
  'acknowledgedBy', a.acknowledged_by, 'acknowledgedAt', ${jsonTime(sql`a.acknowledged_at`)}, 'comment', a.comment,
  'at', ${jsonTime(sql`moment`)})`

/** An alert that fires already, and is sent once more. */
export type AgainFiring = StoredAlert & {
  /** What makes the event, besides the alert. */
  key: string
  /** Fields that are added to the record, or replace fields with the same name. */
  more: object
  /** When it happened, as JSON has it. */
  at: string
}

/** Alerts that a silence holds now are kept, so that they are sent when it ends. */
async function keepHeld(tx: Database, firing: readonly StoredAlert[]): Promise<void> {
  if (firing.length === 0) return
  await tx.execute(sql`
    INSERT INTO held_alerts SELECT a.id, a.enterprise_id FROM alerts a
    WHERE a.id = ANY(${sql.param(firing.map(({ id }) => id))}::text[]) AND a.resolved_at IS NULL AND ${isHeld}
    ON CONFLICT DO NOTHING`)
}

/** To be called at the end of the transaction that stored the alerts, for all of them at once. */
export async function recordAlertEvents(
  tx: Database,
  {
    fired = [],
    resolved = [],
    again = [],
  }: { fired?: readonly StoredAlert[]; resolved?: readonly StoredAlert[]; again?: readonly AgainFiring[] },
): Promise<void> {
  const changed = [...fired, ...resolved, ...again]
  if (changed.length === 0) return
  const ids = (alerts: readonly StoredAlert[]) => sql`unnest(${sql.param(alerts.map(({ id }) => id))}::text[])`
  await keepHeld(tx, [...fired, ...again])
  // who gets an alert for its severity gets its later events too, so the highest severity that was reached counts
  await recordEvents(
    tx,
    [...new Set(changed.map((alert) => alert.enterprise_id))],
    sql`
      SELECT a.enterprise_id, CASE WHEN ends THEN 'alert.resolved' ELSE 'alert.firing' END AS type, a.id || key AS key,
        a.rule_id || ' ' || a.sensor_id AS subject, coalesce(a.highest_severity, a.severity) AS severity, a.rule_id,
        a.sensor_id, ${RECORD} || more AS data, row_number() OVER (ORDER BY moment, a.fired_at, ends, a.id, key) AS ordinal
      FROM (
        SELECT id, false AS ends, '' AS key, '{}'::jsonb AS more, NULL::timestamptz AS at FROM ${ids(fired)} AS id
        UNION ALL SELECT id, true, '', '{}', NULL FROM ${ids(resolved)} AS id
        UNION ALL SELECT id, false, ' ' || key, more, at
        FROM jsonb_to_recordset((SELECT ${JSON.stringify(again)}::text::jsonb)) AS a (id text, key text, more jsonb, at timestamptz)
      ) AS changed
      JOIN alerts a USING (id)
      CROSS JOIN LATERAL (SELECT coalesce(at, CASE WHEN ends THEN a.resolved_at ELSE a.fired_at END) AS moment) AS moments
      LEFT JOIN zone_rules r ON r.id = a.rule_id
      LEFT JOIN sensors s ON s.id = a.sensor_id
      LEFT JOIN assets o ON o.id = s.asset_id`,
  )
}
