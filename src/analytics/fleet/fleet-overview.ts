/** Figures of a whole fleet. */

import { inTurns } from '../../event-loop-yield.ts'
import { formatTimestamp } from '../../ingest/timestamp.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { acceptedBetween, acceptedBySteps } from '../../stores/clickhouse/sensor-activity.ts'
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
/** Steps of the curve of a day. */
const STEP_MS = 600_000
const DAY_MS = 86_400_000
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

export type ReadingRates = {
  /** Start of the first step of `today`; `yesterday` begins a day earlier. */
  from: string
  stepSeconds: number
  /** Readings a minute in each step, by the time of their arrival. */
  today: number[]
  yesterday: number[]
}

/** The last 24 hours up to the last complete step, and the 24 hours before them. */
export async function readingRates(
  clickhouse: ClickHouse,
  enterprise: Enterprise,
  signal: AbortSignal,
): Promise<ReadingRates> {
  const toMs = Math.floor((Date.now() - LATE_MS) / STEP_MS) * STEP_MS
  const fromMs = toMs - 2 * DAY_MS
  const rates = new Array<number>((2 * DAY_MS) / STEP_MS).fill(0)
  const found = await acceptedBySteps(clickhouse, enterprise.number, { fromMs, toMs, stepMs: STEP_MS }, signal)
  for (const [step, count] of found) rates[step] = count / (STEP_MS / MINUTE_MS)
  const steps = DAY_MS / STEP_MS
  return {
    from: formatTimestamp(toMs - DAY_MS),
    stepSeconds: STEP_MS / 1000,
    today: rates.slice(steps),
    yesterday: rates.slice(0, steps),
  }
}
