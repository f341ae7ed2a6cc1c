/**
 * Sliding windows of counts: calls per minute, files per hour. A window is divided into sixty slices, so an entry leaves
 * it at most one sixtieth of the window late.
 */
export type RateWindows = {
  /**
   * Adds the amount to a window if the limit allows all of it.
   * @returns 0, or the estimated wait in milliseconds
   */
  take(key: string, amount: number, limit: number, windowMs: number): Promise<number>
}

export const SLICES = 60

/** Number of windows at which empty ones are dropped; then twice the number that remained. */
const SWEEP_AT = 10_000

/** Loads the counts from before the start of this process, on the first use of a window. */
export type Seed = (key: string, windowMs: number) => Promise<{ ms: number; amount: number }[]>

export function createMemoryRateWindows(seed: Seed, now: () => number = Date.now): RateWindows {
  const windows = new Map<string, { counts: Map<number, number>; windowMs: number }>()
  const seeding = new Map<string, Promise<void>>()
  let sweepAt = SWEEP_AT

  async function begin(key: string, windowMs: number): Promise<void> {
    const counts = new Map<number, number>()
    const sliceMs = windowMs / SLICES
    for (const { ms, amount } of await seed(key, windowMs)) {
      const slice = Math.floor(ms / sliceMs)
      counts.set(slice, (counts.get(slice) ?? 0) + amount)
    }
    windows.set(key, { counts, windowMs })
  }

  /** Callers choose some keys, such as addresses: empty windows are dropped. */
  function sweep(): void {
    for (const [key, { counts, windowMs }] of windows) {
      const oldest = Math.floor(now() / (windowMs / SLICES)) - SLICES
      if (!seeding.has(key) && ![...counts.keys()].some((slice) => slice >= oldest)) windows.delete(key)
    }
    sweepAt = Math.max(SWEEP_AT, windows.size * 2)
  }

  return {
    async take(key, amount, limit, windowMs) {
      if (windows.size >= sweepAt) sweep()
      if (!windows.has(key)) {
        let under = seeding.get(key)
        if (under === undefined) {
          under = begin(key, windowMs).finally(() => seeding.delete(key))
          seeding.set(key, under)
        }
        await under
      }
      // another call may have dropped the window again, since it is empty
      const { counts } = windows.get(key) ?? { counts: new Map<number, number>() }
      if (!windows.has(key)) windows.set(key, { counts, windowMs })
      const sliceMs = windowMs / SLICES
      const slice = Math.floor(now() / sliceMs)
      let sum = 0
      for (const [at, count] of counts)
        if (at <= slice - SLICES - 1) counts.delete(at)
        else sum += count
      if (sum + amount > limit) return waitMs(counts, sum + amount - limit, sliceMs, now())
      counts.set(slice, (counts.get(slice) ?? 0) + amount)
      return 0
    },
  }
}

/** Time until enough of the oldest slices have left the window. */
export function waitMs(counts: ReadonlyMap<number, number>, excess: number, sliceMs: number, nowMs: number): number {
  let left = excess
  for (const slice of [...counts.keys()].sort((a, b) => a - b)) {
    left -= counts.get(slice) ?? 0
    if (left <= 0) return Math.max(1, (slice + SLICES + 1) * sliceMs - nowMs)
  }
  return SLICES * sliceMs
}
