/**
 * Checks the parts of this process every few seconds, and stores the results: the newest report of each process in one
 * row, so that every instance can show all of them; a row whenever the state of a part changes; a row of figures for
 * each minute. While PostgreSQL is away, changes and minutes wait in memory and are written with their own times.
 *
 * A round is a ping of each store and one small write, a few milliseconds of CPU in five seconds. It is not on the path
 * of readings or calls.
 */
import type { LaneReport } from '../engine/lane-report.ts'
import type { IngestStatus } from '../ingest/ingest.ts'
import type { Database } from '../stores/postgres/client.ts'
import * as history from '../stores/postgres/operator/health-history.ts'
import { type PartChecks, type PartReport, runCheck, wordsOf } from './parts.ts'
import type { ProcessFigures } from './process-figures.ts'

/** A call whose body is being received. */
export type UploadReport = { path: string; caller: string; bytes: number; startedAt: string }

export type InstanceReport = {
  parts: PartReport[]
  figures: Omit<ProcessFigures, 'readings'> & {
    loopDelayMs: number
    diskFreeBytes: number
    diskTotalBytes: number
  }
  /** Null for a job worker. */
  ingest: IngestStatus | null
  lanes: LaneReport[]
  uploads: UploadReport[]
}

export type InstanceState = Omit<history.StoredInstance, 'report'> & {
  /** `silent`: not stopped, but without a recent report. */
  status: 'running' | 'silent' | 'stopped'
  report: InstanceReport
}

export type MonitorDeps = {
  db: Database
  instance: { id: string; name: string; version: string }
  checks: PartChecks
  figures(): ProcessFigures
  longestDelay(): number
  disk(): Promise<{ freeBytes: number; totalBytes: number }>
  ingest: (() => IngestStatus) | undefined
  lanes(): LaneReport[]
  uploads(): UploadReport[]
  /** Runs with every round, when the database can be reached. */
  beside(): Promise<void>
  onError(error: unknown): void
}

export type Monitor = {
  /** Every process that has reported recently; this one with its current state. */
  instances(): Promise<InstanceState[]>
  stop(): Promise<void>
}

const ROUND_MS = 5_000
const MINUTE_MS = 60_000
const SILENT_MS = 30_000
/** Processes that ended longer ago are history. */
const SHOWN_MS = 24 * 3_600_000
const KEEP_MS = 31 * 24 * 3_600_000
const CLEAN_UP_MS = 6 * 3_600_000
/** Maximum number of rows that wait in memory for the database: a day of minutes. */
const MAX_WAITING_ROWS = 1_440
/** The name of the part that represents the process itself. */
const PROCESS = 'process'

export async function startMonitor(deps: MonitorDeps): Promise<Monitor> {
  const { db, instance } = deps
  const startedAt = new Date()
  const parts = new Map<string, PartReport>()
  let events: history.HealthEvent[] = []
  let samples: history.HealthSample[] = []
  let minute = newMinute()
  let report: InstanceReport | undefined
  let round: Promise<void> | undefined
  let cleanedMs = Number.NEGATIVE_INFINITY
  let isFailing = false
  let stopped = false

  function note(part: string, state: history.PartStateName, detail: string | null, at = new Date()): void {
    events.push({ part, state, detail, at })
    if (events.length > MAX_WAITING_ROWS) events.shift()
  }

  async function remember(): Promise<void> {
    const before = await history.findInstance(db, instance.id)
    if (before !== undefined && before.stoppedAt === null)
      note(PROCESS, 'failing', 'It ended without being stopped.', before.reportedAt)
    note(PROCESS, 'ok', null, startedAt)
    const known = (before?.report as InstanceReport | undefined)?.parts ?? []
    for (const { part, state, detail, at } of await history.newestEvents(db, instance.id)) {
      const lastError = known.find((one) => one.part === part)?.lastError ?? null
      if (part in deps.checks)
        parts.set(part, { part, state, since: at.toISOString(), detail, lastError, durationMs: 0 })
    }
  }

  async function checkAll(): Promise<void> {
    const results = await Promise.all(
      Object.entries(deps.checks).map(async ([part, check]) => [part, await runCheck(check)] as const),
    )
    const now = new Date()
    for (const [part, { state, detail, durationMs }] of results) {
      const before = parts.get(part)
      const since = before?.state === state ? before.since : now.toISOString()
      const lastError =
        state === 'failing' && detail !== null ? { at: now.toISOString(), text: detail } : (before?.lastError ?? null)
      // a part that works from the start is not an event
      if ((before?.state ?? 'ok') !== state) note(part, state, detail, now)
      parts.set(part, { part, state, since, detail, lastError, durationMs })
    }
  }

  async function measure(): Promise<void> {
    const { readings, ...figures } = deps.figures()
    const loopDelayMs = deps.longestDelay()
    const disk = await deps.disk()
    const ingest = deps.ingest?.() ?? null
    report = {
      parts: [...parts.values()],
      figures: { ...figures, loopDelayMs, diskFreeBytes: disk.freeBytes, diskTotalBytes: disk.totalBytes },
      ingest,
      lanes: deps.lanes(),
      uploads: deps.uploads(),
    }
    minute.add(readings, report)
    if (Date.now() < minute.endMs) return
    samples.push(minute.sample())
    if (samples.length > MAX_WAITING_ROWS) samples.shift()
    minute = newMinute()
  }

  async function write(): Promise<void> {
    const [newEvents, newSamples] = [events, samples]
    if (report !== undefined) await history.storeReport(db, { ...instance, startedAt, report })
    if (newEvents.length > 0) await history.storeEvents(db, instance.id, newEvents)
    events = events.slice(newEvents.length)
    if (newSamples.length > 0) await history.storeSamples(db, instance.id, newSamples)
    samples = samples.slice(newSamples.length)
    await deps.beside()
    if (performance.now() - cleanedMs < CLEAN_UP_MS) return
    cleanedMs = performance.now()
    await history.deleteHealthBefore(db, new Date(Date.now() - KEEP_MS))
  }

  /** The rounds of one process do not overlap; callers during a round get its result. */
  function turn(): Promise<void> {
    round ??= (async () => {
      await checkAll()
      await measure()
      try {
        await write()
        isFailing = false
      } catch (error) {
        // the part itself reports it; one line in the log is enough
        if (!isFailing) deps.onError(error)
        isFailing = true
      }
    })().finally(() => {
      round = undefined
    })
    return round
  }

  await remember()
  await turn()
  const timer = setInterval(() => void turn().catch(deps.onError), ROUND_MS)
  timer.unref()

  return {
    async instances() {
      const stored = await history.listInstances(db, new Date(Date.now() - SHOWN_MS))
      return stored.map((one) => {
        const isSilent = Date.now() - one.reportedAt.getTime() > SILENT_MS
        const status = one.stoppedAt !== null ? 'stopped' : isSilent ? 'silent' : 'running'
        const own = one.id === instance.id ? report : undefined
        const current = own ?? (one.report as InstanceReport)
        const lanes = own === undefined ? current.lanes : deps.lanes()
        return { ...one, status, report: { ...current, lanes } }
      })
    },
    async stop() {
      if (stopped) return
      stopped = true
      clearInterval(timer)
      await round
      note(PROCESS, 'stopped', null)
      try {
        await write()
        await history.storeStop(db, instance.id)
      } catch (error) {
        deps.onError(new Error(`the end of this process could not be noted: ${wordsOf(error)}`))
      }
    },
  }
}

/** Aggregates the rounds of a clock minute. */
function newMinute() {
  const startMs = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS
  const sample: history.HealthSample = {
    at: new Date(startMs),
    accepted: 0,
    duplicates: 0,
    refused: 0,
    lagSeconds: 0,
    segments: 0,
    logBytes: 0,
    loopDelayMs: 0,
    serverBytes: 0,
    serverCpu: 0,
    workersBytes: 0,
    workersCpu: 0,
    diskFreeBytes: 0,
  }
  let rounds = 0
  return {
    endMs: startMs + MINUTE_MS,
    add(readings: ProcessFigures['readings'], { figures, ingest }: InstanceReport): void {
      rounds++
      sample.accepted += readings.accepted
      sample.duplicates += readings.duplicates
      sample.refused += readings.refused
      sample.lagSeconds = Math.max(sample.lagSeconds, ingest?.lagSeconds ?? 0)
      sample.segments = Math.max(sample.segments, ingest?.segmentsWaiting ?? 0)
      sample.logBytes = Math.max(sample.logBytes, ingest?.bytesWaiting ?? 0)
      sample.loopDelayMs = Math.max(sample.loopDelayMs, figures.loopDelayMs)
      sample.serverBytes = Math.max(sample.serverBytes, figures.serverBytes)
      sample.serverCpu += figures.serverCpu
      sample.workersBytes = Math.max(sample.workersBytes, figures.workersBytes)
      sample.workersCpu += figures.workersCpu
      sample.diskFreeBytes = figures.diskFreeBytes
    },
    sample: (): history.HealthSample => ({
      ...sample,
      serverCpu: sample.serverCpu / Math.max(1, rounds),
      workersCpu: sample.workersCpu / Math.max(1, rounds),
    }),
  }
}
