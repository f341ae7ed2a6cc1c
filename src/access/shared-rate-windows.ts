/** Windows in Redis, for instances that count together. */
import type { WindowKeys } from '../stores/redis/rate-windows.ts'
import { SLICES, type Windows, waitMs } from './rate-windows.ts'

export function createSharedWindows(keys: WindowKeys): Windows {
  return {
    async take(key, amount, limit, windowMs) {
      const sliceMs = windowMs / SLICES
      const full = await keys.take(key, amount, limit, sliceMs, SLICES)
      return full === undefined ? 0 : waitMs(full.counts, full.excess, sliceMs, full.nowMs)
    },
  }
}
