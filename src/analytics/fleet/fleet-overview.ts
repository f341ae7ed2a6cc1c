/** Figures of a whole fleet. */

import { inTurns } from '../../event-loop-yield.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { acceptedBetween } from '../../stores/clickhouse/sensor-activity.ts'
import type { Enterprise } from '../readings.ts'
import type { Fleet, FleetRow } from './fleet-index.ts'
import type { StateCounts } from './fleet-list.ts'
import { lookAtStates } from './state-changes.ts'

export type FleetOverview = {
  total: number
  states: StateCounts
  /** Readings accepted in the last whole minute. */
  readingsPerMinute: number
  /** Readings and calls of the last hour. */
  refusedLastHour: number
}

const MINUTE_MS = 60_000
/** Length of the periods of counts, which are written at most two seconds late. */
const PERIOD_MS = 10_000
const LATE_MS = 3_000

export async function fleetOverview(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  fleet: Fleet,
  signal: AbortSignal,
): Promise<FleetOverview> {
  const toMs = Math.floor((Date.now() - LATE_MS) / PERIOD_MS) * PERIOD_MS
  const range = { fromMs: toMs - MINUTE_MS, toMs }
  let refusedLastHour = 0
  const [readingsPerMinute, { counts: states }] = await Promise.all([
    acceptedBetween(clickhouse, enterprise.number, range, signal),
    lookAtStates(fleet),
  ])
  await inTurns(fleet.byName.length, (i) => {
    refusedLastHour += (fleet.byName[i] as FleetRow).refused
  })
  return { total: fleet.byName.length, states, readingsPerMinute, refusedLastHour }
}
