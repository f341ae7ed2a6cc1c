/** Rules with alerts that fire and alerts that ended, as the store has them. */
import { alertIdOf } from '../../../src/alerts/alert-id.ts'
import { newId } from '../../../src/stores/postgres/ids.ts'
import type { Instance, MadeSensor } from '../server/instance.ts'
import { withSql } from '../stores/with-sql.ts'

export type SeededAlert = {
  rule: string
  sensor: MadeSensor
  severity: 'info' | 'warning' | 'critical'
  /** Minutes ago. */
  started: number
  resolved?: number
  value?: number
  late?: boolean
}

/** Rules are off: the server judges no readings by them, and the alerts stay as they are. */
export async function seedRule(
  instance: Instance,
  enterpriseId: string,
  name: string,
  { kind = 'threshold', note = '', definition = {} }: { kind?: string; note?: string; definition?: object } = {},
): Promise<string> {
  const id = newId('rul')
  await withSql(
    instance,
    (sql) => sql`INSERT INTO zone_rules
      (id, enterprise_id, kind, name, note, all_sensors, enabled, definition, since, created_at, updated_at)
      VALUES (${id}, ${enterpriseId}, ${kind}, ${name}, ${note}, true, false, ${definition}, now(), now(), now())`,
  )
  return id
}

/** @returns the ids of the alerts, in their order */
export async function seedAlerts(instance: Instance, enterpriseId: string, seeded: SeededAlert[]): Promise<string[]> {
  const nowMs = Date.now()
  const ago = (minutes: number): string => new Date(nowMs - minutes * 60_000).toISOString()
  const rows = seeded.map((alert) => ({
    id: alertIdOf(alert.rule, alert.sensor.number, null, Date.parse(ago(alert.started))),
    enterprise_id: enterpriseId,
    rule_id: alert.rule,
    sensor_id: alert.sensor.id,
    severity: alert.severity,
    started_at: ago(alert.started),
    fired_at: ago(alert.started),
    detected_at: ago(alert.started),
    resolved_at: alert.resolved === undefined ? null : ago(alert.resolved),
    resolved_by: alert.resolved === undefined ? null : 'cleared',
    value: alert.value ?? null,
    values: alert.value === undefined ? {} : { temperature: alert.value },
    late: alert.late ?? false,
  }))
  await withSql(instance, async (sql) => {
    for (const row of rows) await sql`INSERT INTO alerts ${sql(row)}`
  })
  return rows.map(({ id }) => id)
}

/** A few alerts of each kind. @returns the id of one that fires */
export async function portalAlerts(
  instance: Instance,
  enterpriseId: string,
  [pump, harbour, roof, cold, truck]: MadeSensor[],
): Promise<string> {
  const all = [pump, harbour, roof, cold, truck]
  const [a, b, c, d, e] = all as [MadeSensor, MadeSensor, MadeSensor, MadeSensor, MadeSensor]
  const warm = await seedRule(instance, enterpriseId, 'Cold store too warm', {
    note: 'Call the duty engineer. Steps: https://wiki.example.org/cold-store?id=7.',
    definition: { conditions: [{ channel: 'temperature', op: '>', value: 20 }] },
  })
  const silent = await seedRule(instance, enterpriseId, 'Silent for long', { kind: 'silence' })
  const [first = ''] = await seedAlerts(instance, enterpriseId, [
    { rule: warm, sensor: d, severity: 'critical', started: 95, value: 23.4 },
    { rule: silent, sensor: c, severity: 'warning', started: 40 },
    { rule: silent, sensor: d, severity: 'warning', started: 30 },
    { rule: silent, sensor: e, severity: 'warning', started: 140 },
    { rule: warm, sensor: a, severity: 'info', started: 20, value: 20.4 },
    { rule: warm, sensor: a, severity: 'critical', started: 600, resolved: 500, value: 22.25 },
    { rule: warm, sensor: b, severity: 'warning', started: 3_000, resolved: 2_990, value: 20.1, late: true },
  ])
  return first
}
