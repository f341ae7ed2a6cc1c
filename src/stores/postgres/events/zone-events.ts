/** Events of zone rules: a sensor entered, left or stayed in polygons of the rule's layer. */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { jsonTime, recordEvents } from './events.ts'

/** What all of them have, of the rule `r`, the sensor `s` and the asset `o`. */
const facts = (at: SQL): SQL => sql`'ruleId', r.id, 'ruleName', r.name, 'sensorId', s.id, 'sensorName', s.name,
  'assetId', s.asset_id, 'assetName', o.name, 'at', ${jsonTime(at)}`

/**
 * Crossings of rules and sensors that are gone are dropped.
 * @param crossings a JSON array of lines of zones/event-file.ts
 */
export async function recordZoneEvents(db: Database, crossings: string): Promise<void> {
  const given = sql`jsonb_to_recordset((SELECT ${crossings}::text::jsonb)) AS g (enterprise integer, rule text,
    sensor integer, at text, event text, longitude float8, latitude float8, zones jsonb, layer text, layer_version integer)`
  const at = sql`(g.at || 'Z')::timestamptz`
  await db.transaction(async (tx) => {
    const concerned = rowsOf<{ id: string }>(
      await tx.execute(sql`SELECT DISTINCT e.id FROM ${given} JOIN enterprises e ON e.number = g.enterprise`),
    )
    await recordEvents(
      tx,
      concerned.map(({ id }) => id),
      sql`
        SELECT e.id AS enterprise_id, CASE g.event WHEN 'enter' THEN 'zone.entered' ELSE 'zone.left' END AS type,
          r.id || ' ' || s.id || ' ' || g.at AS key, r.id || ' ' || s.id AS subject, r.severity, r.id AS rule_id,
          s.id AS sensor_id, row_number() OVER (ORDER BY g.at, r.id, s.id) AS ordinal,
          jsonb_build_object(${facts(at)}, 'severity', r.severity, 'layerId', g.layer, 'layerVersion', g.layer_version,
            'featureIds', g.zones, 'location', jsonb_build_array(g.longitude, g.latitude)) AS data
        FROM ${given}
        JOIN enterprises e ON e.number = g.enterprise
        JOIN sensors s ON s.number = g.sensor AND s.enterprise_id = e.id
        JOIN zone_rules r ON r.id = g.rule AND r.enterprise_id = e.id
        JOIN assets o ON o.id = s.asset_id`,
    )
  })
}

/**
 * Events beside alerts of rules about staying. To be called directly before the events of the alerts are recorded.
 * @param enterpriseIds of all those events: locks that are taken twice in another order would be a deadlock
 */
export async function recordDwells(
  tx: Database,
  alerts: readonly { id: string }[],
  enterpriseIds: readonly string[],
): Promise<void> {
  if (alerts.length === 0) return
  await recordEvents(
    tx,
    enterpriseIds,
    sql`
      SELECT a.enterprise_id, 'zone.dwelled' AS type, a.id AS key, r.id || ' ' || s.id AS subject, a.severity,
        r.id AS rule_id, s.id AS sensor_id, row_number() OVER (ORDER BY a.fired_at, a.id) AS ordinal,
        jsonb_build_object(${facts(sql`a.fired_at`)}, 'severity', a.severity, 'layerId', r.layer_id,
          'featureIds', jsonb_build_array(a.polygon), 'alertId', a.id, 'startedAt', ${jsonTime(sql`a.started_at`)}) AS data
      FROM alerts a
      JOIN zone_rules r ON r.id = a.rule_id
      JOIN sensors s ON s.id = a.sensor_id
      JOIN assets o ON o.id = s.asset_id
      WHERE a.id = ANY(${sql.param(alerts.map(({ id }) => id))}::text[])`,
  )
}
