/** Ends alerts with changes of sensors, enterprises and layers. To be called in the transaction of the change, after it. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { type Fence, resolveAlerts } from './alert-changes.ts'

/** Whether the judging process watches the rule `r`: all but plain crossings (zones/checks.ts). */
export const isJudged = sql`(r.kind <> 'zone' OR r.event NOT IN ('enter', 'leave')
  OR coalesce((r.definition ->> 'minReadings')::float8, 1) > 1 OR coalesce((r.definition ->> 'minSeconds')::float8, 0) > 0
  OR coalesce((r.definition ->> 'bufferM')::float8, 0) > 0)`

/** The channels that the rule `r` names, as a JSON array. */
export const namedChannels = sql`jsonb_path_query_array(r.definition, 'strict $.**.channel')`

type AlertedSensor = {
  id: string
  enterpriseId: string
  enabled: boolean
  held: boolean
  tags: readonly string[]
  channels: readonly { name: string; active: boolean }[]
}
const sends = ({ enabled, held }: AlertedSensor): boolean => enabled && !held
const activeNames = ({ channels }: AlertedSensor): string[] =>
  channels.filter(({ active }) => active).map(({ name }) => name)

export async function endAlertsOfChangedSensor(tx: Database, before: AlertedSensor, after: AlertedSensor) {
  const { id, enterpriseId } = after
  if (sends(before) !== sends(after)) {
    await (sends(after)
      ? tx.execute(sql`UPDATE sensors SET quiet_since = NULL, active_since = clock_timestamp() WHERE id = ${id}`)
      : tx.execute(sql`UPDATE sensors SET quiet_since = clock_timestamp() WHERE id = ${id}`))
    if (!sends(after)) await resolveAlerts(tx, enterpriseId, { sensorIds: [id] }, 'sensor-off')
  }
  if (before.tags.some((tag) => !after.tags.includes(tag)))
    await resolveAlerts(tx, enterpriseId, { sensorIds: [id], onlyUnwatched: true }, 'rule-changed')
  const kept = activeNames(after)
  const removed = activeNames(before).filter((name) => !kept.includes(name))
  if (removed.length === 0) return
  const rules = rowsOf<{ id: string }>(
    await tx.execute(sql`SELECT id FROM zone_rules r
      WHERE enterprise_id = ${enterpriseId} AND ${namedChannels} ?| ${sql.param(removed)}::text[]`),
  )
  if (rules.length === 0) return
  await resolveAlerts(tx, enterpriseId, { sensorIds: [id], ruleIds: rules.map((rule) => rule.id) }, 'rule-changed')
}

export const endAlertsOfDeletedSensor = (tx: Database, enterpriseId: string, id: string): Promise<number> =>
  resolveAlerts(tx, enterpriseId, { sensorIds: [id] }, 'sensor-deleted')

type AlertedEnterprise = { id: string; status: 'active' | 'suspended'; assetsHeld: boolean }
const isServed = ({ status, assetsHeld }: AlertedEnterprise): boolean => status === 'active' && !assetsHeld

export async function endAlertsOfChangedEnterprise(tx: Database, before: AlertedEnterprise, after: AlertedEnterprise) {
  const { id } = after
  if (isServed(before) === isServed(after)) return
  if (isServed(after)) {
    await tx.execute(sql`UPDATE enterprises SET quiet_since = NULL, active_since = clock_timestamp() WHERE id = ${id}`)
    return
  }
  await tx.execute(sql`UPDATE enterprises SET quiet_since = clock_timestamp() WHERE id = ${id}`)
  await resolveAlerts(tx, id, {}, 'sensor-off')
}

/** Rules start again when their layer was edited, was deleted, or has another owner. */
export async function endAlertsOfChangedLayer(tx: Database, layerId: string): Promise<void> {
  const rules = rowsOf<{ id: string; enterprise_id: string }>(
    await tx.execute(sql`
      UPDATE zone_rules r SET since = clock_timestamp() WHERE layer_id = ${layerId} AND enabled AND ${isJudged}
      RETURNING id, enterprise_id`),
  )
  for (const [enterpriseId, own] of Map.groupBy(rules, (rule) => rule.enterprise_id))
    await resolveAlerts(tx, enterpriseId, { ruleIds: own.map(({ id }) => id) }, 'rule-changed')
}

/** The state of all rules is lost, so nothing else would end these alerts. @returns ids of their enterprises */
export async function endAllAlerts(db: Database, fence: Fence): Promise<string[]> {
  const firing = rowsOf<{ enterprise_id: string }>(
    await db.execute(sql`SELECT DISTINCT enterprise_id FROM alerts WHERE resolved_at IS NULL`),
  )
  for (const { enterprise_id: id } of firing)
    await db.transaction(async (tx) => {
      await fence(tx)
      await resolveAlerts(tx, id, {}, 'rule-changed')
    })
  return firing.map(({ enterprise_id: id }) => id)
}
