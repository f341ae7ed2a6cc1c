/** Names of the rules, sensors and layers in zone events. */

import { listRules, MAX_RULES } from '../stores/postgres/alerts/rules.ts'
import type { Database } from '../stores/postgres/client.ts'
import { layerNames } from '../stores/postgres/sensors/fleet.ts'
import type { FleetIndexes } from './fleet/fleet-index.ts'
import type { EventNames } from './zone-events.ts'

export async function eventNames(db: Database, fleets: FleetIndexes, enterprise: { id: string }): Promise<EventNames> {
  const [{ rows }, { items }] = await Promise.all([
    // loading the times and states of all sensors would take longer than loading the events of one
    fleets.named(enterprise),
    listRules(db, enterprise.id, { limit: MAX_RULES, cursor: undefined }, { kind: 'zone' }),
  ])
  const layerIds = [...new Set(items.flatMap(({ layerId }) => layerId ?? []))]
  return {
    rules: new Map(items.map((rule) => [rule.id, rule])),
    layers: await layerNames(db, enterprise.id, layerIds),
    sensors: rows,
  }
}
