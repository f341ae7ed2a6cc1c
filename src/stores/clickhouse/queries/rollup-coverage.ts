/** The part of a range that a rollup holds, and the hours that must be computed from readings. */
import type { ClickHouse } from '../client.ts'
import { waitingHours } from '../maintenance/waiting-hours.ts'

const HOUR_MS = 3_600_000
/** Waiting hours that are this recent are cut off together, for all sensors; each older one is an exception. */
const RECENT_MS = 3 * HOUR_MS
/** With more exceptions, only readings are used. */
const MAX_EXCEPTIONS = 100_000

export type Range = { fromMs: number; toMs: number }

/**
 * The part of a range that a rollup covers: from `headMs` until `tailMs`, except for the listed units of sensors, in
 * seconds.
 */
export type Coverage = { headMs: number; tailMs: number; sensors: number[]; starts: number[] }

/** An hour is normally aggregated by then after its end (rollups.ts). */
const NORMALLY_ROLLED_MS = 600_000

/** The coverage if no hour waits longer than usual. */
export function expectedCoverage({ fromMs, toMs }: Range, unitMs: number): Coverage | undefined {
  const headMs = Math.ceil(fromMs / unitMs) * unitMs
  const tailMs = Math.floor(Math.min(toMs, Date.now() - NORMALLY_ROLLED_MS) / unitMs) * unitMs
  return tailMs <= headMs ? undefined : { headMs, tailMs, sensors: [], starts: [] }
}

/** The current coverage. @returns undefined if it is empty, or in too many pieces */
export async function coverageOf(
  clickhouse: ClickHouse,
  sensors: readonly number[],
  { fromMs, toMs }: Range,
  unitMs: number,
  signal: AbortSignal,
): Promise<Coverage | undefined> {
  const headMs = Math.ceil(fromMs / unitMs) * unitMs
  let tailMs = Math.floor(toMs / unitMs) * unitMs
  if (tailMs <= headMs) return undefined
  const range = { fromMs: headMs, toMs: tailMs, limit: MAX_EXCEPTIONS + 1 }
  const [waiting, hours] = await waitingHours(clickhouse, sensors, range, signal)
  if (hours.length > MAX_EXCEPTIONS) return undefined
  const startsMs = hours.map((hour) => Math.floor((hour * 1000) / unitMs) * unitMs)
  const recentMs = Date.now() - RECENT_MS
  for (const startMs of startsMs) if (startMs >= recentMs - unitMs) tailMs = Math.min(tailMs, startMs)
  const exceptions = new Map<string, [sensor: number, startMs: number]>()
  for (const [i, startMs] of startsMs.entries())
    if (startMs < tailMs) exceptions.set(`${waiting[i]} ${startMs}`, [waiting[i] as number, startMs])
  const units = [...exceptions.values()]
  return tailMs <= headMs
    ? undefined
    : { headMs, tailMs, sensors: units.map(([sensor]) => sensor), starts: units.map(([, ms]) => ms / 1000) }
}
