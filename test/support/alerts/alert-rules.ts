/** Alert rules and alerts of a server, written and read in its database. */

import { type Instance, type Organization, outcomeOf } from '../server/instance.ts'
import { connectTo } from '../stores/with-sql.ts'
import { until } from '../until.ts'

export type AlertRow = {
  id: string
  rule_id: string
  sensor_id: string
  started_at: Date
  fired_at: Date
  detected_at: Date
  resolved_at: Date | null
  resolved_by: string | null
  value: number | null
  late: boolean
}
export type RuleDraft = { id: string; kind: 'threshold' | 'silence'; definition: object }

export const above = (value: number, more: object = {}) => ({
  conditions: [{ channel: 'a', op: '>', value }],
  ...more,
})

/** Rules for all sensors of the organization. */
export async function putRules(
  instance: Instance,
  { id: enterpriseId }: Organization,
  rules: readonly RuleDraft[],
): Promise<void> {
  const sql = connectTo(instance)
  try {
    for (const { id, kind, definition } of rules)
      await sql`INSERT INTO zone_rules (id, enterprise_id, kind, name, all_sensors, definition, since)
        VALUES (${id}, ${enterpriseId}, ${kind}, ${id}, true, ${JSON.stringify(definition)}::text::jsonb, now() - interval '1 second')`
  } finally {
    await sql.close()
  }
  // the server reads the rules again
  await instance.manage('PATCH', `/enterprises/${enterpriseId}`, { name: 'Changed' })
}

export async function storedAlerts(instance: Instance, { id }: Organization): Promise<AlertRow[]> {
  const sql = connectTo(instance)
  try {
    const rows = (await sql`SELECT * FROM alerts WHERE enterprise_id = ${id} ORDER BY id`) as AlertRow[]
    return rows.map((row) => ({ ...row }))
  } finally {
    await sql.close()
  }
}

/** A sample of /metrics. */
async function sample(instance: Instance, name: string): Promise<number> {
  const text = await (await fetch(`${instance.url()}/metrics`)).text()
  return Number(text.match(new RegExp(`^${name} (\\S+)$`, 'm'))?.[1] ?? Number.NaN)
}

/** Resolves when all accepted readings are stored and judged. */
export async function untilJudged(instance: Instance): Promise<void> {
  for (const name of ['log_segments', 'alert_segments'])
    await until(async () => (await sample(instance, name)) === 0, name)
}

/**
 * With the first rule of a server all alerts end, since nothing is known of their state. Alerts that are inserted after
 * this stay as they are.
 */
export async function firstRuleJudged(instance: Instance): Promise<void> {
  const own = await instance.organization()
  const sensor = await instance.sensor(own.id, [{ name: 'a', measurement: 'number' }])
  const response = await fetch(`${instance.url()}/enterprise/v1/assets/rules`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': own.publicKey, 'x-api-secret': own.secretKey },
    body: JSON.stringify({ kind: 'threshold', name: 'First', sensorIds: [sensor.id], ...above(70) }),
  })
  const { data: rule } = (await response.json()) as { data: { id: string } }
  await outcomeOf(await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { a: 1 } }] }))
  await until(async () => {
    const { data } = await instance.query<{ items: { state: string }[] }>(own, `/rules/${rule.id}/states`)
    return data.items.some(({ state }) => state === 'ok')
  }, 'the first reading to be judged')
}
