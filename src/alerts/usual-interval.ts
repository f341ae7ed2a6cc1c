/**
 * The usual interval between the values of a channel: the lower median of the last eight intervals. It is at least five
 * seconds, and five minutes while there is no interval. The same rule as for the states of sensors
 * (analytics/fleet/sensor-state.ts), for one channel instead of the calls of a sensor.
 */

const INTERVALS = 8
const SHORTEST_MS = 5_000
const UNKNOWN_MS = 300_000
/** Gaps are longer than this many usual intervals, where a rule does not say. */
const GAP_INTERVALS = 3

/** Newest values of a channel. `times` has the last nine times, ascending; the newest is that of `value`. */
export type ChannelHistory = { value: number; times: readonly number[] }

/** @param before history up to the reading before the one that is judged */
export function usualIntervalMs(before: ChannelHistory | undefined): number {
  const times = before?.times ?? []
  if (times.length < 2) return UNKNOWN_MS
  const intervals = times.slice(1).map((time, i) => time - (times[i] as number))
  intervals.sort((a, b) => a - b)
  return Math.max(SHORTEST_MS, intervals[(intervals.length - 1) >> 1] as number)
}

/** The default of `maxGapSeconds`: of several channels the longest counts. */
export const defaultGapMs = (before: readonly (ChannelHistory | undefined)[]): number =>
  before.reduce((longest, history) => Math.max(longest, GAP_INTERVALS * usualIntervalMs(history)), 0)

export function withValue(before: ChannelHistory | undefined, value: number, atMs: number): ChannelHistory {
  return { value, times: [...(before?.times ?? []).slice(-INTERVALS), atMs] }
}
