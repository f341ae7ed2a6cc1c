/**
 * Counts an enterprise's readings of the day over all instances. Each instance reserves blocks in Redis and counts
 * within them; it returns unused readings within seconds. If Redis loses its memory, each instance restores its own
 * count, which is in its log, with its next block or review.
 */
import { createKeyedMutex } from '../stores/keyed-mutex.ts'
import type { DayKeys } from '../stores/redis/day-counts.ts'
import { type DayCounts, type OwnDayCounts, utcDay } from './day-counts.ts'

type Block = { day: number; end: number; others: number; limit: number; usedAtReview: number }

const LARGEST_BLOCK = 1_000_000
const REVIEW_MS = 1_000

export function shareDayCounts(own: OwnDayCounts, keys: DayKeys, onError: (error: unknown) => void): DayCounts {
  const blocks = new Map<number, Block>()
  // requests to Redis about one enterprise run one at a time; otherwise two would reserve the same remainder
  const enterpriseLocks = createKeyedMutex<number>()

  function blockOf(enterprise: number, nowMs: number): Block | undefined {
    const block = blocks.get(enterprise)
    return block?.day === utcDay(nowMs) ? block : undefined
  }

  async function enlarge(enterprise: number, requested: number, limit: number, nowMs: number): Promise<number> {
    const day = utcDay(nowMs)
    const used = own.used(enterprise, nowMs)
    const others = blockOf(enterprise, nowMs)?.others ?? 0
    // blocks get smaller near the limit, so that no instance holds readings that another one needs
    const ahead = Math.max(0, Math.min(LARGEST_BLOCK, Math.floor((limit - others - used - requested) / 16)))
    const { mine, others: known } = await keys.reserve(enterprise, day, used + requested + ahead, used, limit)
    blocks.set(enterprise, { day, end: mine, others: known, limit, usedAtReview: used })
    const available = Math.min(mine, limit - known) - used
    return own.reserve(enterprise, Math.max(0, Math.min(requested, available)), Number.POSITIVE_INFINITY, nowMs)
  }

  /** Reserves within the block; undefined if the block is too small. */
  function fromBlock(enterprise: number, requested: number, limit: number, nowMs: number): number | undefined {
    const block = blockOf(enterprise, nowMs)
    const after = own.used(enterprise, nowMs) + requested
    if (block === undefined || after > block.end || after > limit - block.others) return undefined
    return own.reserve(enterprise, requested, Number.POSITIVE_INFINITY, nowMs)
  }

  /** Returns unused readings and updates the count of the other instances. */
  async function review(enterprise: number): Promise<void> {
    const block = blocks.get(enterprise)
    const nowMs = Date.now()
    if (block === undefined || block.day !== utcDay(nowMs)) {
      blocks.delete(enterprise)
      return
    }
    const used = own.used(enterprise, nowMs)
    const requested = used === block.usedAtReview ? used : block.end
    const { mine, others } = await keys.reserve(enterprise, block.day, requested, used, block.limit)
    blocks.set(enterprise, { ...block, end: mine, others, usedAtReview: used })
  }
  let reviewing = false
  setInterval(() => {
    if (reviewing) return
    reviewing = true
    Promise.all([...blocks.keys()].map((enterprise) => enterpriseLocks.run(enterprise, () => review(enterprise))))
      .catch(onError)
      .finally(() => {
        reviewing = false
      })
  }, REVIEW_MS).unref()

  return {
    used: (enterprise, nowMs) => own.used(enterprise, nowMs) + (blockOf(enterprise, nowMs)?.others ?? 0),
    reserve(enterprise, requested, limit, nowMs) {
      const granted = enterpriseLocks.isLocked(enterprise) ? undefined : fromBlock(enterprise, requested, limit, nowMs)
      if (granted !== undefined) return granted
      return enterpriseLocks.run(
        enterprise,
        async () =>
          fromBlock(enterprise, requested, limit, nowMs) ?? (await enlarge(enterprise, requested, limit, nowMs)),
      )
    },
    release: own.release,
    replay: own.replay,
    writeSnapshot: own.writeSnapshot,
  }
}
