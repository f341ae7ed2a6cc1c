/**
 * Brings sealed segments into ClickHouse in the order in which they were written. Deletes each once ClickHouse has
 * stored it and its zone checks are complete.
 *
 * Each attempt has its own deduplication token, so a segment whose acknowledgement was lost is stored again;
 * the table keeps one copy of a reading (ReplacingMergeTree). Repeating the token would risk losing readings:
 * ClickHouse notes the token before the rows are there, and ignores the repeat after a crash between the two.
 */
import { createBackoff } from '../stores/backoff.ts'
import { endFailed, kindOf, tracing } from '../tracing.ts'
import type { Segment } from './segments.ts'
import type { Wal } from './wal.ts'

export type LoaderOptions = {
  wal: Wal
  /** Stores a segment durably; called again with the same segment and another token until it succeeds. */
  store(segment: Segment, token: string): Promise<void>
  /**
   * Prepares a check of a segment that is about to be stored; never rejects. The check runs once the segment is stored,
   * while later ones are loaded, and resolves with whether it completed; until then the file stays. A check that keeps
   * the file for itself moves it.
   */
  beforeStore(segment: Segment): Promise<SegmentCheck | undefined>
  /** Longest time that rows wait before they are loaded; less while inserts are slow. */
  intervalMs: number
  onStored(segment: Segment, durationMs: number): void
  onError(error: unknown, segment: Segment, attempt: number): void
}

/** Moves a segment's file out of the log. @returns gives it back, so that the log can write it again */
export type MoveSegment = (to: string) => Promise<() => Promise<void>>
export type SegmentCheck = (move: MoveSegment) => Promise<boolean>

export type Loader = {
  /**
   * Resolves once everything logged before `position` is in ClickHouse.
   * @throws Error if that takes longer than `timeoutMs`
   */
  loadedThrough(position: number, timeoutMs: number): Promise<void>
  loadedPosition(): number
  failing(): boolean
  /** The recent rate of inserts; starts optimistic. */
  bytesPerSecond(): number
  /** Estimated bytes of the running insert that ClickHouse has already, by the recent rate. */
  storedBytes(nowMs: number): number
  /** Segments that are stored and still being checked. */
  checking(): { segments: number; bytes: number }
  /** Tries once to load the log, and stops. */
  stop(): Promise<void>
}

/** Target delay until an answered reading can be queried: its wait, and two inserts if one had just begun. */
const READABLE_WITHIN_MS = 900
/** While inserts are slow, short intervals would make small parts, which ClickHouse has to merge again. */
const SHORTEST_INTERVAL_MS = 400
const FIRST_BYTES_PER_SECOND = 40 * 2 ** 20
/** Weight of the last insert in the recent insert rate. */
const RATE_SMOOTHING = 0.3
/** Smaller inserts do not change the rate. */
const MIN_RATE_SAMPLE_BYTES = 2 ** 21
const FIRST_RETRY_MS = 250
const LONGEST_RETRY_MS = 5_000
const FAILING_PATIENCE_MS = 500
/** Checks that are not done by then run again after the next start. */
const STOP_PATIENCE_MS = 3_000

export function startLoader(options: LoaderOptions, startPosition: number): Loader {
  const { wal } = options
  let loaded = startPosition
  let stopping = false
  let attempt = 0
  let insertMs = 0
  let rate = FIRST_BYTES_PER_SECOND
  let storing: { bytes: number; sinceMs: number } | undefined
  let wake = Promise.withResolvers<void>()
  const waiters: { position: number; resolve: () => void }[] = []

  function reach(position: number): void {
    loaded = Math.max(loaded, position)
    for (let i = waiters.length - 1; i >= 0; i--) {
      const waiter = waiters[i] as (typeof waiters)[number]
      if (waiter.position > loaded) continue
      waiters.splice(i, 1)
      waiter.resolve()
    }
  }

  const shouldLoad = (): boolean => stopping || waiters.length > 0 || wal.sealedSegments() > 0
  const stopped = new AbortController()

  const checks = new Set<Promise<void>>()
  let checkedBytes = 0

  async function check(segment: Segment, work: SegmentCheck): Promise<void> {
    let isMoved = false
    const move: MoveSegment = async (to) => {
      const giveBack = await wal.move(segment, to)
      isMoved = true
      return giveBack
    }
    try {
      if ((await work(move)) && !isMoved) await wal.drop(segment)
    } catch (error) {
      options.onError(error, segment, 1)
    }
  }

  async function storeSegment(segment: Segment): Promise<boolean> {
    const work = await options.beforeStore(segment)
    const { on } = tracing
    const { id, rows, bytes } = segment
    const span = on?.beginLinked('load', segment.links, {
      'groundwave.segment.id': id,
      'groundwave.rows': rows,
      'groundwave.bytes': bytes,
    })
    const backoff = createBackoff(FIRST_RETRY_MS, LONGEST_RETRY_MS)
    for (attempt = 0; ; attempt++) {
      const startedMs = performance.now()
      storing = { bytes: segment.bytes, sinceMs: startedMs }
      try {
        const store = (): Promise<void> => options.store(segment, Bun.randomUUIDv7())
        await (on === undefined || span === undefined ? store() : on.within(span, store))
        insertMs = performance.now() - startedMs
        if (segment.bytes > MIN_RATE_SAMPLE_BYTES) rate += RATE_SMOOTHING * ((segment.bytes * 1000) / insertMs - rate)
        if (work === undefined) await wal.drop(segment)
        else {
          checkedBytes += segment.bytes
          const checking = check(segment, work).finally(() => {
            checkedBytes -= segment.bytes
            checks.delete(checking)
          })
          checks.add(checking)
        }
        storing = undefined
        attempt = 0
        span?.end()
        options.onStored(segment, performance.now() - startedMs)
        return true
      } catch (error) {
        storing = undefined
        options.onError(error, segment, attempt + 1)
        span?.addEvent('retry', { 'error.type': kindOf(error) })
        if (stopping) {
          endFailed(span, error)
          return false
        }
        await backoff.pause(stopped.signal)
      }
    }
  }

  async function run(): Promise<void> {
    let lastMs = performance.now()
    while (true) {
      wake = Promise.withResolvers()
      if (!shouldLoad()) await Promise.race([wal.untilRows(), wake.promise])
      const wantedMs = Math.max(SHORTEST_INTERVAL_MS, READABLE_WITHIN_MS - 2 * insertMs)
      const restMs = lastMs + Math.min(options.intervalMs, wantedMs) - performance.now()
      if (restMs > 0 && !shouldLoad()) await Promise.race([Bun.sleep(restMs), wake.promise, wal.untilSealed()])
      lastMs = performance.now()
      const position = wal.position()
      const segment = await wal.nextSegment()
      if (segment === undefined) {
        // no segment is left: all rows up to the position are loaded, or could not be logged
        reach(position)
        if (stopping) return
        continue
      }
      if (!(await storeSegment(segment))) return
      reach(segment.endPosition)
    }
  }

  const running = run()

  return {
    async loadedThrough(position, timeoutMs) {
      if (loaded >= position) return
      // while ClickHouse is unavailable there is little point in waiting
      const patienceMs = attempt > 0 ? Math.min(timeoutMs, FAILING_PATIENCE_MS) : timeoutMs
      const done = Promise.withResolvers<void>()
      const waiter = { position, resolve: done.resolve }
      waiters.push(waiter)
      wake.resolve()
      const timer = setTimeout(() => {
        const index = waiters.indexOf(waiter)
        if (index >= 0) waiters.splice(index, 1)
        done.reject(new Error(`the log was not loaded into ClickHouse within ${patienceMs} ms`))
      }, patienceMs)
      try {
        await done.promise
      } finally {
        clearTimeout(timer)
      }
    },
    loadedPosition: () => loaded,
    failing: () => attempt > 0,
    bytesPerSecond: () => rate,
    storedBytes: (nowMs) =>
      storing === undefined ? 0 : Math.min(storing.bytes, ((nowMs - storing.sinceMs) * rate) / 1000),
    checking: () => ({ segments: checks.size, bytes: checkedBytes }),
    async stop() {
      stopping = true
      stopped.abort()
      wake.resolve()
      await running
      await Promise.race([Promise.all(checks), Bun.sleep(STOP_PATIENCE_MS)])
    },
  }
}
