/** Rate windows in Redis, shared by several instances. */
import type { RateWindowKeys } from '../stores/redis/rate-windows.ts'
import { type RateWindows, SLICES, waitMs } from './rate-windows.ts'

export function createSharedRateWindows(keys: RateWindowKeys): RateWindows {
  return {
    async take(key, amount, limit, windowMs) {
      const sliceMs = windowMs / SLICES
      const full = await keys.take(key, amount, limit, sliceMs, SLICES)
      return full === undefined ? 0 : waitMs(full.counts, full.excess, sliceMs, full.nowMs)
    },
  }
}
