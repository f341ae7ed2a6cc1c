/** Silence: more than `forMs` between two readings of a sensor, or of one of its channels. */
import type { Schedule } from './rule.ts'
import { nextOpening } from './schedule.ts'

export type Silence = { startedMs: number; firedMs: number; resolvedMs: number | undefined }

/**
 * The silence between two readings.
 * @param nextMs the next newer reading; undefined while there is none
 * @param nowMs the end of the time looked at
 * @returns undefined when it was too short, or ended before the schedule opened
 */
export function silenceBetween(
  { forMs, schedule }: { forMs: number; schedule?: Schedule | undefined },
  lastMs: number,
  nextMs: number | undefined,
  nowMs: number,
): Silence | undefined {
  const endMs = nextMs ?? nowMs
  if (endMs - lastMs <= forMs) return undefined
  const dueMs = lastMs + forMs
  const firedMs = schedule === undefined ? dueMs : nextOpening(schedule, dueMs)
  if (firedMs === undefined || firedMs >= endMs) return undefined
  return { startedMs: lastMs, firedMs, resolvedMs: nextMs }
}
