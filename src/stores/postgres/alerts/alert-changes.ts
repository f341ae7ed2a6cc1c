/**
 * Stores what the judging process found, and ends alerts whose rule or sensor changes. Both hold a lock of the
 * enterprise: an alert is either stored before such a change, which then ends it, or is judged to be outdated.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { type AgainFiring, recordAlertEvents, type StoredAlert } from '../events/alert-events.ts'
import { jsonTime } from '../events/events.ts'
import { recordDwells } from '../events/zone-events.ts'
import { rowsOf } from '../rows.ts'
import type { ALERT_ENDS } from './alert-schema.ts'
import { SEVERITIES } from './rule-schema.ts'

/** The first key of locks by enterprise; the second one is the enterprise's number. */
const LOCKS = 48
/** Alerts that one statement ends: a rule may fire for 100,000 sensors, whose rows would hold the server's thread. */
const BATCH = 1_000

const text = (values: readonly string[]): SQL => sql`${sql.param(values)}::text[]`
const fromMs = (ms: SQL): SQL => sql`to_timestamp(${ms} / 1000)`
const rankOf = (severity: SQL): SQL => sql`array_position(${text(SEVERITIES)}, ${severity})`

/** Whether the rule `r` watches the sensor `s`. */
export const isWatched = sql`(r.all_sensors OR s.tags && r.tags
  OR EXISTS (SELECT FROM zone_rule_sensors w WHERE w.rule_id = r.id AND w.sensor_id = s.id))`

/** Throws in the transaction of an instance that may not store anything any more. */
export type Fence = (tx: Database) => Promise<void>
export const unfenced: Fence = async () => undefined

/** Changes as JSON in a statement. The subquery reads the text once; the planner would read a plain value several times. */
const parsed = (changes: string): SQL => sql`(SELECT ${changes}::text::jsonb)`

/** Whether an end by the judge or by a change: the highest severity that was reached stays. */
const endedAs = (at: SQL, by: SQL): SQL => sql`resolved_at = greatest(${at}, fired_at), resolved_by = ${by},
  severity = coalesce(highest_severity, severity)`

/**
 * Stores changes, a JSON array of JudgedChange. Changes that are stored already change nothing.
 * Alerts of rules and sensors that are gone, or were changed since they were judged, are dropped.
 * @returns ids of the enterprises whose alerts changed
 */
export async function storeAlertChanges(db: Database, changes: string, fence = unfenced): Promise<ReadonlySet<string>> {
  const changed: { firing: ChangedAlert[]; severity: SeverityChange[]; resolved: ChangedAlert[] } = {
    firing: [],
    severity: [],
    resolved: [],
  }
  await db.transaction(async (tx) => {
    await fence(tx)
    await tx.execute(sql`
      SELECT pg_advisory_xact_lock_shared(${LOCKS}, enterprise)
      FROM (SELECT DISTINCT enterprise FROM jsonb_to_recordset(${parsed(changes)}) AS g (enterprise integer)) AS locked`)
    const types = { firing: storeFiring, severity: storeSeverities, resolved: storeResolved }
    for (const type of ['firing', 'severity', 'resolved'] as const)
      if (changes.includes(`"type":"${type}"`))
        changed[type] = rowsOf<ChangedAlert & SeverityChange>(await tx.execute(types[type](changes)))
    const { firing: fired, severity, resolved } = changed
    await recordDwells(
      tx,
      fired.filter(({ stayed }) => stayed),
      enterprisesOf(changed),
    )
    await recordAlertEvents(tx, {
      fired,
      resolved: [...fired.filter(({ ended }) => ended), ...resolved],
      again: againFiring(fired, severity),
    })
  })
  return new Set(enterprisesOf(changed))
}

const enterprisesOf = (changed: Record<string, readonly StoredAlert[]>): string[] => [
  ...new Set(Object.values(changed).flatMap((alerts) => alerts.map((alert) => alert.enterprise_id))),
]

/** `ended`: an alert that was stored with its end. `stayed`: in a polygon. */
type ChangedAlert = StoredAlert & { ended?: boolean; stayed?: boolean }
type SeverityChange = StoredAlert & { severity: string; previousSeverity: string; at: string }

/** Alerts with another severity than before. The event of one that fires just now has the new severity already. */
function againFiring(fired: readonly StoredAlert[], changes: readonly SeverityChange[]): AgainFiring[] {
  const isNew = new Set(fired.map(({ id }) => id))
  return changes
    .filter(({ id, severity, previousSeverity }) => severity !== previousSeverity && !isNew.has(id))
    .map(({ severity, previousSeverity, at, ...alert }) => ({
      ...alert,
      key: `${severity} ${at}`,
      more: { severity, previousSeverity },
      at,
    }))
}

function storeFiring(changes: string): SQL {
  return sql`
    WITH stored AS (
      INSERT INTO alerts (id, enterprise_id, rule_id, sensor_id, polygon, severity, started_at, fired_at, value, "values",
        late, resolved_at, resolved_by)
      SELECT g.id, e.id, r.id, s.id, g.polygon, g.severity, ${fromMs(sql`g."startedMs"`)}, ${fromMs(sql`g."firedMs"`)},
        g.value, g."values", g.late,
        CASE WHEN quiet.since IS NOT NULL THEN greatest(quiet.since, ${fromMs(sql`g."firedMs"`)}) END,
        CASE WHEN quiet.since IS NOT NULL THEN 'sensor-off' END
      FROM jsonb_to_recordset(${parsed(changes)}) AS g (id text, type text, rule text, "sinceMs" float8,
        enterprise integer, sensor integer, polygon text, "startedMs" float8, "firedMs" float8, severity text,
        value float8, "values" jsonb, late boolean)
      JOIN enterprises e ON e.number = g.enterprise
      JOIN sensors s ON s.number = g.sensor AND s.enterprise_id = e.id
      JOIN zone_rules r ON r.id = g.rule AND r.enterprise_id = e.id AND r.enabled
        AND date_trunc('milliseconds', r.since) = ${fromMs(sql`g."sinceMs"`)}
      CROSS JOIN LATERAL (SELECT least(s.quiet_since, e.quiet_since) AS since) AS quiet
      WHERE g.type = 'firing' AND ${isWatched} AND (g."values" = '{}'
        OR g."values" - ARRAY(SELECT c.name FROM channels c WHERE c.sensor_id = s.id AND c.active) = '{}')
      ON CONFLICT (id) DO NOTHING
      RETURNING id, enterprise_id, resolved_at IS NOT NULL AS ended, polygon IS NOT NULL AS stayed
    ) SELECT * FROM stored`
}

function storeSeverities(changes: string): SQL {
  return sql`
    WITH stored AS (
      UPDATE alerts a SET severity = g.severity, severity_at = ${fromMs(sql`g."atMs"`)},
        highest_severity = (${text(SEVERITIES)})[greatest(g.highest, ${rankOf(sql`coalesce(a.highest_severity, a.severity)`)})]
      FROM (
        SELECT DISTINCT ON (id) *, max(${rankOf(sql`severity`)}) OVER (PARTITION BY id) AS highest
        FROM jsonb_to_recordset(${parsed(changes)}) AS given (id text, type text, "atMs" float8, severity text)
        WHERE type = 'severity' ORDER BY id, "atMs" DESC
      ) AS g JOIN alerts before ON before.id = g.id
      WHERE a.id = g.id AND a.resolved_at IS NULL
        AND (a.severity_at IS NULL OR a.severity_at < ${fromMs(sql`g."atMs"`)})
      RETURNING a.id, a.enterprise_id, a.severity, before.severity AS "previousSeverity", ${jsonTime(sql`a.severity_at`)} AS at
    ) SELECT * FROM stored`
}

function storeResolved(changes: string): SQL {
  return sql`
    WITH stored AS (
      UPDATE alerts a SET ${endedAs(fromMs(sql`g."resolvedMs"`), sql`'cleared'`)}
      FROM jsonb_to_recordset(${parsed(changes)}) AS g (id text, type text, "resolvedMs" float8)
      WHERE g.type = 'resolved' AND a.id = g.id AND a.resolved_at IS NULL
      RETURNING a.id, a.enterprise_id
    ) SELECT * FROM stored`
}

export type AlertEnd = Exclude<(typeof ALERT_ENDS)[number], 'cleared'>

/** Firing alerts of all these rules, or of all these sensors; of the enterprise without either. */
export type EndingAlerts = {
  ruleIds?: readonly string[] | undefined
  sensorIds?: readonly string[] | undefined
  /** Only of sensors that their rule does not watch any more, by its list of sensors or by tags. */
  onlyUnwatched?: boolean
}

/**
 * Ends firing alerts, by the server's clock. To be called in the transaction of a change, after the change, so that it
 * finds every alert that was stored before.
 * @returns their number
 */
export async function resolveAlerts(
  tx: Database,
  enterpriseId: string,
  { ruleIds, sensorIds, onlyUnwatched = false }: EndingAlerts,
  by: AlertEnd,
): Promise<number> {
  await lockAlerts(tx, enterpriseId)
  for (let ended = 0; ; ) {
    const resolved = rowsOf<StoredAlert>(
      await tx.execute(sql`
        UPDATE alerts SET ${endedAs(sql`clock_timestamp()`, sql`${by}`)}
        WHERE id = ANY(ARRAY(SELECT id FROM alerts a
          WHERE enterprise_id = ${enterpriseId} AND resolved_at IS NULL
            ${ruleIds === undefined ? sql`` : sql`AND rule_id = ANY(${text(ruleIds)})`}
            ${sensorIds === undefined ? sql`` : sql`AND sensor_id = ANY(${text(sensorIds)})`}
            ${
              onlyUnwatched
                ? sql`AND NOT EXISTS (SELECT FROM zone_rules r, sensors s
                    WHERE r.id = a.rule_id AND s.id = a.sensor_id AND ${isWatched})`
                : sql``
            }
          LIMIT ${BATCH}::integer))
        RETURNING id, enterprise_id`),
    )
    await recordAlertEvents(tx, { resolved })
    ended += resolved.length
    if (resolved.length < BATCH) return ended
  }
}

/** Waits for alerts that are being stored; later ones wait for the end of the transaction. */
async function lockAlerts(tx: Database, enterpriseId: string): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(${LOCKS}, number) FROM enterprises WHERE id = ${enterpriseId}`)
}
