/**
 * Paces responses so that ClickHouse, on the same cores, keeps up: a fleet that sends as fast as it gets responses
 * slows down to the rate of loading. Not while ClickHouse is unavailable, when waiting would not help.
 *
 * Responses leave one after the other, at a share of the rate of loading that falls with the backlog, so that all
 * connections wait equally long. A fleet that sends less than ClickHouse loads never waits, even right after a peak.
 */
import type { Loader } from './loader.ts'
import type { Wal } from './wal.ts'

const LONGEST_WAIT_MS = 500
/** Seconds of loading that may wait before responses are paced. */
const WAITING_FREELY_S = 1.1
/** The share at the smallest paced backlog; it halves with each further `HALVES_S` of loading. */
const MAX_RATE_SHARE = 2
const HALVES_S = 0.6
/**
 * Share of a segment that may wait for any time. A fleet that sends little is not delayed by one slow insert, and
 * inserts on a slow disk stay large: with small inserts, whose fixed cost dominates, the measured rate would keep
 * falling.
 */
const LITTLE = 0.5

/** Share of the disk limit that segments under check may take before responses are delayed. */
const CHECKED_FREELY = 0.5
const PAUSE_FOR_A_SEGMENT_MS = 5
const LONGEST_CHECK_PAUSE_MS = 100

export type PacingLimits = {
  ceilingBytes: number
  segmentBytes: number
  /** Bytes of stored segments that alert rules have not judged yet. */
  unjudgedBytes?: (() => number) | undefined
}

/** @returns delay in milliseconds of the response to a call whose rows took `bytes` in the log */
export function createPacing(
  wal: Pick<Wal, 'bytesOnDisk'>,
  loader: Pick<Loader, 'bytesPerSecond' | 'checking' | 'failing' | 'storedBytes'>,
  { ceilingBytes, segmentBytes, unjudgedBytes = () => 0 }: PacingLimits,
): (bytes: number, nowMs: number) => number {
  const checkedFreelyBytes = ceilingBytes * CHECKED_FREELY
  /** When the last response leaves. */
  let lastLeavesMs = 0

  function waitForLoading(bytes: number, nowMs: number): number {
    const waiting = wal.bytesOnDisk() - loader.checking().bytes - loader.storedBytes(nowMs)
    const rate = loader.bytesPerSecond()
    const overS = waiting / rate - WAITING_FREELY_S
    if (overS <= 0 || waiting < segmentBytes * LITTLE) return 0
    const share = MAX_RATE_SHARE * 2 ** (-overS / HALVES_S)
    const leavesMs = Math.max(nowMs, lastLeavesMs) + (bytes * 1000) / (rate * share)
    lastLeavesMs = Math.min(leavesMs, nowMs + LONGEST_WAIT_MS)
    return lastLeavesMs - nowMs
  }

  function waitForChecks(): number {
    const segments = (loader.checking().bytes + unjudgedBytes() - checkedFreelyBytes) / segmentBytes
    return segments <= 0 ? 0 : Math.min(LONGEST_CHECK_PAUSE_MS, segments * PAUSE_FOR_A_SEGMENT_MS)
  }

  return (bytes, nowMs) => (loader.failing() ? 0 : Math.max(waitForLoading(bytes, nowMs), waitForChecks()))
}
