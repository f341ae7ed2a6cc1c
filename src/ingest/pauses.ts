/**
 * Responses are delayed so that ClickHouse, on the same cores, keeps up: a fleet that sends as fast as it gets responses
 * slows down to the rate of loading. Not while ClickHouse is unavailable, when a delay would not help.
 *
 * The delay follows the bytes that wait, measured in seconds of loading. It begins after a little more than one second
 * of them and doubles with each further sixth, so that it is small for a few fast callers and large enough for thousands.
 */
import type { Loader } from './loader.ts'
import type { Wal } from './wal.ts'

const LONGEST_PAUSE_MS = 500
const FIRST_PAUSE_MS = 5
const WAITING_FREELY_S = 1.1
const DOUBLES_S = 1 / 6
/**
 * Share of a segment that may wait for any time. A fleet that sends little is not delayed by one slow insert, and inserts
 * on a slow disk stay large: with small ones, whose fixed cost dominates, loading would seem slower and slower.
 */
const LITTLE = 0.5

/** Share of the disk limit that segments under check may take before responses are delayed. */
const CHECKED_FREELY = 0.25
const PAUSE_FOR_A_SEGMENT_MS = 5
const LONGEST_CHECK_PAUSE_MS = 100

/** @returns how long the next response waits, in milliseconds */
export function createPauses(
  wal: Wal,
  loader: Loader,
  { ceilingBytes, segmentBytes }: { ceilingBytes: number; segmentBytes: number },
): () => number {
  const checkedFreelyBytes = ceilingBytes * CHECKED_FREELY

  function pauseForLoading(): number {
    const bytes = wal.bytesOnDisk() - loader.checking().bytes
    const overS = bytes / loader.bytesPerSecond() - WAITING_FREELY_S
    if (overS <= 0 || bytes < segmentBytes * LITTLE) return 0
    return Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * (2 ** (overS / DOUBLES_S) - 1))
  }

  function pauseForChecks(): number {
    const segments = (loader.checking().bytes - checkedFreelyBytes) / segmentBytes
    return segments <= 0 ? 0 : Math.min(LONGEST_CHECK_PAUSE_MS, segments * PAUSE_FOR_A_SEGMENT_MS)
  }

  return () => (loader.failing() ? 0 : Math.max(pauseForLoading(), pauseForChecks()))
}
