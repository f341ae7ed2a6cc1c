/** When a webhook that failed is sent again. */

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const PAUSES = [5_000, 30_000, 2 * MINUTE, 10 * MINUTE, HOUR, 3 * HOUR, 6 * HOUR]
const LONGEST_RETRY_AFTER = 6 * HOUR
/** After as long without a success, an attempt is the last one, and a destination is disabled. */
export const GIVE_UP_AFTER_MS = 72 * HOUR
const JITTER = 0.2

export type FailedAttempts = {
  /** Attempts so far, all failed. */
  count: number
  firstAt: Date
  lastAt: Date
  /** What the receiver asked for after the last one. */
  retryAfterMs?: number | undefined
}

/**
 * The time of the next attempt, or undefined once the last one was three days or more after the first.
 * @param timeScale DELIVERY_TIME_SCALE, which divides the pauses and the three days, but not what a receiver asks for
 * @param random from 0 to 1
 */
export function nextAttemptAt(
  { count, firstAt, lastAt, retryAfterMs = 0 }: FailedAttempts,
  timeScale: number,
  random: () => number,
): Date | undefined {
  if (lastAt.getTime() - firstAt.getTime() >= GIVE_UP_AFTER_MS / timeScale) return undefined
  const pause = PAUSES[Math.min(count, PAUSES.length) - 1] as number
  const spread = pause * (1 - JITTER + 2 * JITTER * random())
  return new Date(lastAt.getTime() + Math.max(spread / timeScale, Math.min(retryAfterMs, LONGEST_RETRY_AFTER)))
}
