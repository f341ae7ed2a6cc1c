/**
 * The path of a call's readings: judge, claim, log, answer; the loader brings them to ClickHouse beside it.
 * A reading counts as stored from the moment it is on disk here, and no earlier.
 */
import { readFile, truncate, unlink } from 'node:fs/promises'
import { AppError } from '../errors.ts'
import { type Batch, createBatch, FATE, type SensorProfile } from './batch.ts'
import { createClaims, type StoredReadings } from './claims.ts'
import { type DayCounts, openDayCounts } from './day-counts.ts'
import { judgeBody, parseReadings } from './judge.ts'
import { type Loader, startLoader } from './loader.ts'
import { type Log, listSegments, openLog, type Segment } from './log.ts'
import { walkSegment } from './row.ts'
import { MS_PER_DAY } from './timestamp.ts'

export type IngestOptions = {
  dir: string
  segmentBytes: number
  ceilingBytes: number
  claimsBytes: number
  loadIntervalMs: number
  /** How long a call may wait for ClickHouse to tell what is stored. */
  lookupTimeoutMs: number
  /** Whether an answer waits until ClickHouse has the readings, for people whose disk here is not safe enough. */
  ackAfterLoad: boolean
  stored: Omit<StoredReadings, 'loadedThrough'>
  storeSegment(segment: Segment): Promise<void>
  observer: IngestObserver
}

export type IngestObserver = {
  outcome(accepted: number, duplicates: number, refused: number): void
  segmentStored(segment: Segment, durationMs: number): void
  segmentDamaged(path: string, lostBytes: number): void
  logFailed(error: unknown): void
  loadFailed(error: unknown, segment: Segment, attempt: number): void
}

export type ReadingsCall = {
  profile: SensorProfile
  readingsPerDay: number
  body: Uint8Array
  nowMs: number
}

export type Ingest = {
  /**
   * Takes a call's readings. `render` sees the judged batch (only while it runs) and makes the answer; the promise
   * resolves with it once every reading it calls accepted or duplicate is durable.
   * @throws AppError SENSOR_READINGS_BATCH_INVALID, SENSOR_READINGS_DAILY_LIMIT, INGEST_UNAVAILABLE
   */
  accept<T>(call: ReadingsCall, render: (batch: Batch) => T): Promise<T>
  /** Resolves when all that was accepted so far can be queried. */
  flush(timeoutMs: number): Promise<void>
  status(): IngestStatus
  stop(): Promise<void>
}

export type IngestStatus = {
  takesMore: boolean
  loading: 'ok' | 'failing'
  bytesWaiting: number
  segmentsWaiting: number
  sensorsInMemory: number
}

export async function openIngest(options: IngestOptions): Promise<Ingest> {
  const { observer } = options
  const counts = await openDayCounts(options.dir, Date.now())
  const left = await recoverSegments(options.dir, counts, observer)
  const log = await openLog(
    {
      dir: options.dir,
      segmentBytes: options.segmentBytes,
      ceilingBytes: options.ceilingBytes,
      onSeal: counts.writeSnapshot,
      onError: observer.logFailed,
    },
    left,
  )
  const startPosition = log.position()
  const loader = startLoader(
    {
      log,
      store: options.storeSegment,
      intervalMs: options.loadIntervalMs,
      onStored: observer.segmentStored,
      onError: observer.loadFailed,
    },
    0,
  )
  const claims = createClaims(
    { ...options.stored, loadedThrough: (position) => loader.loadedThrough(position, options.lookupTimeoutMs) },
    options.claimsBytes,
    startPosition,
  )
  const batches: Batch[] = []

  return {
    async accept(call, render) {
      if (!log.takesMore()) throw unavailable('the log has reached its ceiling')
      const batch = batches.pop() ?? createBatch()
      const { enterprise, sensor } = call.profile
      let granted = 0
      let answer: ReturnType<typeof render>
      try {
        judgeBody(call.body, call.profile, batch, call.nowMs)
        if (counts.used(enterprise, call.nowMs) >= call.readingsPerDay) throw daySpent(call.nowMs)
        const marking = claims.mark(sensor, batch, log.position())
        try {
          if (marking !== undefined) await lookedUp(marking)
          granted = grantDay(counts, call, batch)
          appendRows(log, call, batch, granted)
          claims.add(sensor, batch, log.position())
        } finally {
          claims.release(sensor)
        }
        answer = render(batch)
        observer.outcome(granted, batch.count - granted - batch.refused.length, batch.refused.length)
      } finally {
        batches.push(batch)
      }
      try {
        await log.durable()
      } catch (cause) {
        if (granted > 0) {
          claims.forget(sensor, log.position())
          counts.giveBack(enterprise, granted, call.nowMs)
        }
        throw unavailable('the log could not be written', cause)
      }
      if (options.ackAfterLoad) await loadedInTime(loader, log.position(), options.lookupTimeoutMs)
      return answer
    },

    flush: (timeoutMs) => loader.loadedThrough(log.position(), timeoutMs),

    status: () => ({
      takesMore: log.takesMore(),
      loading: loader.failing() ? 'failing' : 'ok',
      bytesWaiting: log.bytesOnDisk(),
      segmentsWaiting: log.segmentsOnDisk(),
      sensorsInMemory: claims.size(),
    }),

    async stop() {
      await loader.stop()
      await log.close()
    },
  }
}

async function lookedUp(marking: Promise<void>): Promise<void> {
  try {
    await marking
  } catch (cause) {
    throw unavailable('what is stored could not be looked up', cause)
  }
}

/** The rows stay in the log when this fails: sent again, they are answered as duplicates once they are loaded. */
async function loadedInTime(loader: Loader, position: number, timeoutMs: number): Promise<void> {
  try {
    await loader.loadedThrough(position, timeoutMs)
  } catch (cause) {
    throw unavailable('ClickHouse did not acknowledge in time', cause)
  }
}

/** Counts the batch's new readings against the day; those past the limit are refused. Returns how many stay new. */
function grantDay(counts: DayCounts, call: ReadingsCall, batch: Batch): number {
  let fresh = 0
  for (let i = 0; i < batch.count; i++) if (batch.fates[i] === FATE.NEW) fresh++
  const granted = counts.reserve(call.profile.enterprise, fresh, call.readingsPerDay, call.nowMs)
  if (granted === fresh) return granted
  // `at` is told as it was sent, and the batch only holds what it means
  const sent = parseReadings(call.body) as { at: string }[]
  let left = granted
  for (let i = 0; i < batch.count; i++) {
    if (batch.fates[i] !== FATE.NEW || left-- > 0) continue
    batch.fates[i] = FATE.REFUSED
    batch.refused.push({ at: (sent[i] as { at: string }).at, reason: 'SENSOR_READINGS_DAILY_LIMIT' })
  }
  return granted
}

/** Appends the rows of the new readings, a run of neighbours at a time. */
function appendRows(log: Log, call: ReadingsCall, batch: Batch, rows: number): void {
  const { enterprise, sensor } = call.profile
  const ends = batch.rowEnds
  let left = rows
  for (let i = 0; i < batch.count; i++) {
    if (batch.fates[i] !== FATE.NEW) continue
    const first = i
    while (i + 1 < batch.count && batch.fates[i + 1] === FATE.NEW) i++
    const count = i + 1 - first
    log.append(
      { enterprise, sensor, rows: count, receivedAtMs: call.nowMs },
      batch.rows,
      ends[first] as number,
      ends[i + 1] as number,
    )
    left -= count
  }
  if (left !== 0) throw new Error(`${rows} new readings were counted, ${rows - left} were logged`)
}

/** Cuts what no commit covers off the segments of an earlier process and counts the day's readings in them. */
async function recoverSegments(dir: string, counts: DayCounts, observer: IngestObserver): Promise<Segment[]> {
  const segments: Segment[] = []
  let endPosition = 0
  for (const { id, path } of await listSegments(dir)) {
    const bytes = await readFile(path)
    const sound = walkSegment(bytes, (row) => counts.replay(id, row.enterprise, row.receivedAtMs))
    if (sound.bytes < bytes.length) {
      observer.segmentDamaged(path, bytes.length - sound.bytes)
      if (sound.rows > 0) await truncate(path, sound.bytes)
    }
    if (sound.rows === 0) {
      await unlink(path)
      continue
    }
    endPosition += sound.bytes
    segments.push({ id, path, bytes: sound.bytes, rows: sound.rows, endPosition })
  }
  return segments
}

function unavailable(message: string, cause?: unknown): AppError {
  return new AppError('INGEST_UNAVAILABLE', { retryAfterS: 5, cause: new Error(message, { cause }) })
}

function daySpent(nowMs: number): AppError {
  const untilMidnightMs = MS_PER_DAY - (nowMs % MS_PER_DAY)
  return new AppError('SENSOR_READINGS_DAILY_LIMIT', { retryAfterS: Math.ceil(untilMidnightMs / 1000) })
}
