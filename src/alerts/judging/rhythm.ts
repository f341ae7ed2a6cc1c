/**
 * The usual interval between values of a channel, or between calls of a sensor: the lower median of the last eight
 * intervals. It is at least five seconds, and five minutes while there is no interval. The same rule as for the states of
 * sensors (analytics/fleet/sensor-state.ts). A rhythm is a count and the last nine times, in a run's row.
 */

const TIMES = 9
export const SHORTEST_INTERVAL_MS = 5_000
const UNKNOWN_MS = 300_000

/** Numbers that a rhythm takes. */
export const RHYTHM_WIDTH = 1 + TIMES

const sorted = new Float64Array(TIMES - 1)

export function addTime(data: Float64Array, rhythm: number, atMs: number): void {
  const count = data[rhythm] as number
  data[rhythm + 1 + (count % TIMES)] = atMs
  data[rhythm] = count + 1
}

/** Adds the times from an index on, before another one, as far as they matter. */
export function addTimes(data: Float64Array, rhythm: number, times: Float64Array, from: number, to: number): void {
  for (let i = Math.max(from, to - TIMES); i < to; i++) addTime(data, rhythm, times[i] as number)
}

/** Moves the newest time. */
export function moveNewest(data: Float64Array, rhythm: number, atMs: number): void {
  data[rhythm + 1 + (((data[rhythm] as number) - 1) % TIMES)] = atMs
}

/** NaN while there is no time. */
export function newestTime(data: Float64Array, rhythm: number): number {
  const count = data[rhythm] as number
  return count === 0 ? Number.NaN : (data[rhythm + 1 + ((count - 1) % TIMES)] as number)
}

export const hasInterval = (data: Float64Array, rhythm: number): boolean => (data[rhythm] as number) > 1

export function usualIntervalMs(data: Float64Array, rhythm: number): number {
  const count = data[rhythm] as number
  const intervals = Math.min(count, TIMES) - 1
  if (intervals < 1) return UNKNOWN_MS
  let before = data[rhythm + 1 + ((count - intervals - 1) % TIMES)] as number
  for (let i = 0; i < intervals; i++) {
    const time = data[rhythm + 1 + ((count - intervals + i) % TIMES)] as number
    const interval = time - before
    let at = i
    for (; at > 0 && (sorted[at - 1] as number) > interval; at--) sorted[at] = sorted[at - 1] as number
    sorted[at] = interval
    before = time
  }
  return Math.max(SHORTEST_INTERVAL_MS, sorted[(intervals - 1) >> 1] as number)
}
