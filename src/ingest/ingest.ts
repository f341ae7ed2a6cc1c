/**
 * The path of a request's readings: validate, deduplicate, append to the log, answer. The loader stores them in ClickHouse in
 * the background. A reading is accepted once it is on this machine's disk, not earlier.
 */
import { AppError } from '../errors.ts'
import { nextPass } from '../event-loop-yield.ts'
import { endFailed, type Span, tracing } from '../tracing.ts'
import { type Batch, createBatch, OUTCOME, type SensorProfile } from './batch.ts'
import { type ChangedCount, type DayCounts, type OwnDayCounts, openDayCounts } from './day-counts.ts'
import type { Dedup, StoredReadings } from './dedup.ts'
import { type LoaderOptions, startLoader } from './loader.ts'
import { createMemoryDedup } from './memory-dedup.ts'
import { createPacing } from './pacing.ts'
import { recoverSegments } from './recovery.ts'
import type { Segment } from './segments.ts'
import { markSuperseded } from './superseded.ts'
import { type ReadingsCall, refusalOf, reserveDay } from './validate.ts'
import { openWal, type Wal } from './wal.ts'

export type IngestOptions = {
  dir: string
  segmentBytes: number
  ceilingBytes: number
  claimsBytes: number
  /** Dedup and counts shared by several instances; without it this process holds both. */
  shared?: SharedParts | undefined
  loadIntervalMs: number
  /** How long a request may wait for ClickHouse to look up stored readings. */
  lookupTimeoutMs: number
  /** Whether a response waits until ClickHouse has the readings; for machines whose own disk is not reliable. */
  ackAfterLoad: boolean
  stored: Pick<StoredReadings, 'newestTimes' | 'allNewestTimes' | 'storedTimes'>
  storeSegment: LoaderOptions['store']
  beforeStore: LoaderOptions['beforeStore']
  /** Bytes of stored segments, outside of the log, that alert rules have not judged yet. */
  unjudgedBytes?: (() => number) | undefined
  observer: IngestObserver
}

export type SharedParts = {
  /** @param flush resolves when every row that this instance had logged before the call is in ClickHouse */
  dedup(flush: () => Promise<void>): Dedup
  counts(own: OwnDayCounts): DayCounts
}

export type IngestObserver = {
  outcome(accepted: number, duplicates: number, refused: number): void
  /** Called for calls with refused readings. */
  refused(readings: readonly { reason: string }[]): void
  segmentStored(segment: Segment, durationMs: number): void
  segmentDamaged(copy: string, intactBytes: number): void
  walFailed(error: unknown): void
  loadFailed(error: unknown, segment: Segment, attempt: number): void
}

export type Ingest = {
  /** To be called before the body of a sensor's call is read. @throws AppError SENSOR_RATE_LIMITED */
  checkRate(profile: SensorProfile, nowMs: number): void
  /** Counts a request whose body was refused with `error` before `accept`. @throws AppError SENSOR_RATE_LIMITED */
  countCall(profile: SensorProfile, nowMs: number, error: unknown): Promise<void>
  /**
   * Accepts a request's readings. `render` builds the response from the validated batch, which it must not keep; the
   * promise resolves with the response once every reading that it reports as accepted or duplicate is durable.
   * @throws AppError SENSOR_READINGS_BATCH_INVALID, SENSOR_READINGS_DAILY_LIMIT, INGEST_UNAVAILABLE
   */
  accept<T>(call: ReadingsCall, render: (batch: Batch) => T): Promise<T>
  status(): IngestStatus
  /** Resolves once every reading that this instance has accepted is in ClickHouse. */
  flush(): Promise<void>
  /** Whether more than a whole segment waits for ClickHouse: what can wait leaves the processor to ingestion. */
  isBusy(): boolean
  /** When the oldest rows that are not in ClickHouse yet, or are being checked, came in; undefined for none. */
  oldestRowMs(): number | undefined
  /** Readings that this instance accepted today (UTC), by the number of the enterprise. */
  readToday(nowMs: number): ReadonlyMap<number, number>
  /** Counts of the day that have changed since the last call. */
  takeChangedCounts(nowMs: number): ChangedCount[]
  stop(): Promise<void>
}

export type IngestStatus = {
  takesMore: boolean
  loading: 'ok' | 'failing'
  bytesWaiting: number
  segmentsWaiting: number
  /** Segments that are in ClickHouse and are still being checked against zone rules. */
  segmentsChecked: number
  sensorsInMemory: number
  lagSeconds: number
}

/** With more refused parts than this, the answer that lists them is written in another turn than they were found in. */
const MANY_REFUSED = 2_000

export async function openIngest(options: IngestOptions): Promise<Ingest> {
  const { observer } = options
  const ownCounts = await openDayCounts(options.dir, Date.now())
  const left = await recoverSegments(options.dir, ownCounts, observer.segmentDamaged, observer.walFailed)
  const wal = await openWal(
    {
      dir: options.dir,
      segmentBytes: options.segmentBytes,
      ceilingBytes: options.ceilingBytes,
      onSeal: ownCounts.writeSnapshot,
      onError: observer.walFailed,
    },
    left,
  )
  const startPosition = wal.position()
  const loader = startLoader(
    {
      wal,
      store: options.storeSegment,
      beforeStore: options.beforeStore,
      intervalMs: options.loadIntervalMs,
      onStored: observer.segmentStored,
      onError: observer.loadFailed,
    },
    0,
  )
  const flush = (): Promise<void> => loader.loadedThrough(wal.position(), options.lookupTimeoutMs)
  const counts = options.shared?.counts(ownCounts) ?? ownCounts
  const dedup =
    options.shared?.dedup(flush) ??
    createMemoryDedup(
      { ...options.stored, loadedThrough: (position) => loader.loadedThrough(position, options.lookupTimeoutMs) },
      options.claimsBytes,
      startPosition,
    )
  const waitOf = createPacing(wal, loader, options)
  const { ceilingBytes, unjudgedBytes = () => 0 } = options
  // segments that cannot be judged would fill the disk, or their alerts would be lost
  const takesMore = (): boolean => wal.takesMore() && wal.bytesOnDisk() + unjudgedBytes() < ceilingBytes
  const batches: Batch[] = []

  async function countRefused(sensor: number, nowMs: number): Promise<void> {
    const counting = dedup.countCall(sensor, nowMs)
    if (counting !== undefined) await reached(counting, 'the request could not be counted')
  }

  function requireLookedUp(sensor: number): void {
    try {
      dedup.requireLookedUp(sensor)
    } catch (cause) {
      throw unavailable('the claim was lost', cause)
    }
  }

  return {
    checkRate: ({ sensor }, nowMs) => dedup.checkRate(sensor, nowMs),
    countCall: (profile, nowMs) => countRefused(profile.sensor, nowMs),

    async accept(call, render) {
      if (!takesMore()) throw unavailable('the log has reached its size limit')
      const batch = batches.pop() ?? createBatch()
      const { enterprise, sensor } = call.profile
      const isUncounted = call.isUpload === true || call.isUncounted === true
      const { on } = tracing
      // the step that is being done
      let step: Span | undefined
      let granted = 0
      let bytes = 0
      let isLogged = false
      let pending: ReturnType<Dedup['commit']>
      let answer: ReturnType<typeof render>
      try {
        step = on?.start('validate')
        const refusal = refusalOf(call, batch, counts)
        step?.setAttributes({ 'groundwave.readings': batch.count, 'groundwave.refused': batch.refused.length })
        if (refusal !== undefined) {
          if (!isUncounted) await countRefused(sensor, call.nowMs)
          throw refusal
        }
        step?.end()
        // nothing is claimed yet
        if (batch.refused.length > MANY_REFUSED) await nextPass()
        try {
          step = on?.start('claim')
          const lookingUp = dedup.lookup(call.profile, batch, wal.position(), call.nowMs, isUncounted)
          if (lookingUp !== undefined) await reached(lookingUp, 'stored readings could not be looked up')
          const granting = reserveDay(counts, call, batch)
          granted =
            typeof granting === 'number' ? granting : await reached(granting, 'the daily count could not be updated')
          // before anything is written, so that an error in it leaves nothing behind
          answer = render(batch)
          step?.end()
          step = on?.start('commit', { attributes: { 'groundwave.rows': granted } })
          const position = wal.position()
          requireLookedUp(sensor)
          isLogged = true
          appendRows(wal, call, batch, granted)
          bytes = wal.position() - position
          const place = granted > 0 ? on?.current() : undefined
          if (place !== undefined) wal.link(place)
          pending = dedup.commit(sensor, batch, wal.position())
        } catch (error) {
          if (!isLogged) counts.release(enterprise, granted, call.nowMs)
          dedup.release(sensor)
          throw error
        }
        observer.outcome(granted, batch.count - granted - batch.refused.length, batch.refused.length)
        if (batch.refused.length > 0) observer.refused(batch.refused)
      } catch (error) {
        endFailed(step, error)
        throw error
      } finally {
        batches.push(batch)
      }
      try {
        await wal.durable()
        step?.end()
      } catch (cause) {
        endFailed(step, cause)
        pending?.rollback()
        if (granted > 0) {
          dedup.forget(sensor, wal.position())
          counts.release(enterprise, granted, call.nowMs)
        }
        throw unavailable('writing to the write-ahead log failed', cause)
      }
      if (pending !== undefined)
        await reached(pending.confirm(), 'the readings could not be published to the other instances')
      const waitMs = waitOf(bytes, performance.now())
      if (waitMs > 0) await Bun.sleep(waitMs)
      if (options.ackAfterLoad) await reached(flush(), 'ClickHouse did not acknowledge in time')
      return answer
    },

    flush,

    status() {
      const oldestMs = wal.oldestRowMs()
      return {
        takesMore: takesMore(),
        loading: loader.failing() ? 'failing' : 'ok',
        bytesWaiting: wal.bytesOnDisk(),
        segmentsWaiting: wal.segmentsOnDisk(),
        segmentsChecked: loader.checking().segments,
        sensorsInMemory: dedup.size(),
        lagSeconds: oldestMs === undefined ? 0 : (Date.now() - oldestMs) / 1000,
      }
    },

    isBusy: () => wal.bytesOnDisk() - loader.checking().bytes > options.segmentBytes,
    oldestRowMs: wal.oldestRowMs,
    readToday: ownCounts.today,
    takeChangedCounts: ownCounts.takeChanged,

    async stop() {
      await loader.stop()
      await wal.close()
    },
  }
}

/** Waits for a store. If it fails, the client repeats the request; the readings are still stored only once. */
async function reached<T>(work: Promise<T>, failure: string): Promise<T> {
  try {
    return await work
  } catch (cause) {
    throw cause instanceof AppError && cause.status < 500 ? cause : unavailable(failure, cause)
  }
}

/** Appends the rows of the new readings, one call for each run of adjacent ones. */
function appendRows(wal: Wal, call: ReadingsCall, batch: Batch, rows: number): void {
  const { enterprise, sensor } = call.profile
  const ends = batch.rowEnds
  let left = rows
  for (let i = 0; i < batch.count; i++) {
    if (batch.outcomes[i] !== OUTCOME.NEW) continue
    const first = i
    while (i + 1 < batch.count && batch.outcomes[i + 1] === OUTCOME.NEW) i++
    const count = i + 1 - first
    markSuperseded(batch, first, i)
    wal.append(
      { enterprise, sensor, rows: count, oldestMs: oldestIn(batch.times, first, i), receivedAtMs: call.nowMs },
      batch.rows,
      ends[first] as number,
      ends[i + 1] as number,
    )
    left -= count
  }
  if (left !== 0) throw new Error(`${rows} new readings were counted but ${rows - left} were logged`)
}

function oldestIn(times: Float64Array, first: number, last: number): number {
  let oldest = times[first] as number
  for (let i = first + 1; i <= last; i++) if ((times[i] as number) < oldest) oldest = times[i] as number
  return oldest
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('INGEST_UNAVAILABLE', { retryAfterS: 5, cause: new Error(message, { cause }) })
}
