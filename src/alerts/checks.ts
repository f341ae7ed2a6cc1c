/**
 * Judges stored segments by alert rules, in a separate process that keeps the state of the rules in memory. Segments are
 * kept until a snapshot of that state is on disk. After any failure, a process continues from the snapshot and judges the
 * later segments again: it finds the same episodes.
 */
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { MoveSegment } from '../ingest/loader.ts'
import type { Segment } from '../ingest/segments.ts'
import { isStoreLost } from '../store-errors.ts'
import { createBackoff } from '../stores/backoff.ts'
import { newId } from '../stores/postgres/ids.ts'
import { createJudgingProcess, type JudgeCall, type JudgingProcessDeps } from './judging-process.ts'
import type { JudgeData, LateSpan } from './protocol.ts'
import type { RetainedSegment, SegmentToKeep } from './retained-segments.ts'
import { createSuspects } from './suspects.ts'
import type { WatchedRules } from './watch-files.ts'

export type AlertChecksDeps = JudgingProcessDeps & {
  scratchDir: string
  results: JudgedResults
  /** Whether ingestion needs the processor. */
  isBusy(): boolean
  /** Judging does not yield to ingestion while more bytes of segments wait. */
  yieldBytes: number
  observer: AlertObserver
}

/** Where the results of judging go. Each call may be repeated. */
export type JudgedResults = {
  /** @param path of the file `changes` */
  changes(path: string): Promise<void>
  /** @param path of the file `events` */
  events(path: string): Promise<void>
  /** Resolves when what late readings reveal is stored. */
  late(spans: readonly LateSpan[]): Promise<void>
  /** Called when the state of the rules is lost, so that nothing would end the alerts that fire. */
  lost(): Promise<void>
}

export type AlertObserver = {
  judged(changes: number, events: number, durationMs: number): void
  failed(error: unknown, attempt: number): void
  /** Called when readings, or what was found in them, are abandoned. */
  gaveUp(what: string): void
}

/** Segments in ClickHouse that are still to be judged. `rulesGivenUp`: because judging them threw. */
export type AlertStatus = { segments: number; bytes: number; lagSeconds: number; rulesGivenUp: number }

export type OldestRowMs = () => number | undefined | null

export type AlertChecks = {
  /** Whether rules watch sensors of a segment's enterprises. */
  watches(segment: Segment): Promise<boolean>
  /** Takes a stored segment, to be judged after the earlier ones. @param move moves its file */
  keep(segment: Segment, move: MoveSegment): Promise<void>
  status(): AlertStatus
  unjudgedBytes(): number
  /**
   * The server is ready, so silences count from now on.
   * @param oldestRowMs when the oldest readings came in that are not stored yet; null while that is not known, and
   *   silences wait
   */
  begin(oldestRowMs: OldestRowMs): void
  stop(): Promise<void>
}

/** The loop of one server that judges. */
export type Judging = Omit<AlertChecks, 'keep'> & {
  keep(segment: SegmentToKeep, move: MoveSegment): Promise<void>
  /** The newest segment whose changes are stored. */
  judgedTo(): number
}

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 10_000
/** Limit for failures that no store caused: the data would cause them forever. */
const MAX_FAILURES = 5
const TICK_MS = 1_000
/** A reading that came in takes at most this long until it is in the log. */
export const SETTLE_MS = 500
const SNAPSHOT_MS = 60_000
const SNAPSHOT_BYTES = 256 * 2 ** 20
/** Bytes of segments in one call. */
const CALL_BYTES = 64 * 2 ** 20
/** A stop writes a snapshot if at most this much is left to be judged. */
const LAST_SNAPSHOT_BYTES = 32 * 2 ** 20
const STOP_MS = 3_000
/** Judging yields to ingestion until a segment has waited for this long. */
const YIELD_MS = 30_000

/** Without segments: their late readings change the state after the call that judges them. */
const SNAPSHOT_CALL: JudgeCall = { segments: [], nowMs: null, wantsSnapshot: true }

/** Whether rules watch sensors of a segment's enterprises. */
export const isWatchedBy = (rules: WatchedRules, { sensors }: Pick<Segment, 'sensors'>): boolean =>
  rules.values().some(({ enterprise }) => sensors.has(enterprise))

const hasSilences = (rules: WatchedRules): boolean => rules.values().some(({ kind }) => kind === 'silence')
const bytesOf = (segments: readonly RetainedSegment[]): number => segments.reduce((sum, { bytes }) => sum + bytes, 0)

export function createAlertChecks(deps: AlertChecksDeps): Judging {
  const { changes, scratchDir, retained, downtimes, watch, results, isBusy, yieldBytes, observer } = deps
  const process = createJudgingProcess(deps)
  const suspects = createSuspects(MAX_FAILURES)
  const stopping = new AbortController()
  let wake = Promise.withResolvers<void>()
  let ready: { ms: number; oldestRowMs: OldestRowMs } | undefined
  /** Segments on their way here. */
  let keeping = 0
  /** The newest segment whose changes are stored. */
  let judged = retained.snapshot()?.sequence ?? 0
  let waiting: readonly RetainedSegment[] = retained.list()
  let waitingBytes = bytesOf(waiting)
  let tickedMs = Number.NEGATIVE_INFINITY
  let snapshotMs = performance.now()
  let bytesSinceSnapshot = 0
  let isChangedSinceSnapshot = false
  let adopting: Promise<void> | undefined
  let givenUp: ReadonlySet<string> = new Set()
  /** Whether the state of the rules is on disk, or follows from the segments there. */
  let hasState = downtimes.hadHeartbeat || waiting.length > 0 || retained.snapshot() !== null

  function refreshWaiting(): void {
    waiting = retained.list().filter(({ sequence }) => sequence > judged)
    waitingBytes = bytesOf(waiting)
  }

  function restart(): void {
    process.restart()
    judged = retained.snapshot()?.sequence ?? 0
    bytesSinceSnapshot = 0
    refreshWaiting()
  }

  /** Only what waits can be judged later: without segments, silences are looked at. */
  function yields(): boolean {
    const [oldest] = waiting
    return oldest !== undefined && isBusy() && waitingBytes < yieldBytes && Date.now() < oldest.keptMs + YIELD_MS
  }

  /** The call that is due. @param taken segments that waited before the rules were read */
  function nextCall(rules: WatchedRules, taken: readonly RetainedSegment[]): JudgeCall | undefined {
    const nowMs = performance.now()
    const segments = suspects.limit(taken, CALL_BYTES)
    const oldestMs = ready === undefined ? null : ready.oldestRowMs()
    const ticks = hasSilences(rules) && oldestMs !== null && keeping === 0 && segments.length === waiting.length
    // readings that came in before this time are judged by this call, or were before
    const clockMs = Math.min(Date.now() - SETTLE_MS, oldestMs ?? Number.POSITIVE_INFINITY)
    const isDue = nowMs >= snapshotMs + SNAPSHOT_MS || bytesSinceSnapshot + bytesOf(segments) >= SNAPSHOT_BYTES
    if (isDue && adopting === undefined && isChangedSinceSnapshot && judged > 0) return SNAPSHOT_CALL
    if (segments.length === 0 && !(ticks && nowMs >= tickedMs + TICK_MS)) return undefined
    return { segments, nowMs: ticks ? clockMs : null, wantsSnapshot: false }
  }

  async function run(call: JudgeCall, rules: WatchedRules): Promise<void> {
    const startedMs = performance.now()
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const answer = await process.judge(call, rules, scratch)
      if (answer === undefined) return restart()
      const { data, files } = answer
      if (data.refused !== null) await loseState(data.refused)
      if (files.events !== undefined) await store(results.events, files.events, 'zone events')
      if (files.changes !== undefined) await store(results.changes, files.changes, 'alerts')
      // before later segments, so that a process that judges them again after a kill knows the same as this one
      if (data.late.length > 0) await results.late(data.late)
      noteGivenUp(data.givenUp)
      judged = Math.max(judged, data.sequence)
      refreshWaiting()
      bytesSinceSnapshot += bytesOf(call.segments)
      if (call.segments.length > 0 || data.changes > 0) isChangedSinceSnapshot = true
      if (call.nowMs !== null) tickedMs = startedMs
      observer.judged(data.changes, data.events, performance.now() - startedMs)
      if (files.snapshot === undefined) return
      const taken = `${scratch}.snapshot`
      await rename(files.snapshot, taken)
      snapshotMs = performance.now()
      bytesSinceSnapshot = 0
      isChangedSinceSnapshot = false
      adopting = adopt(taken, data.sequence).finally(() => {
        adopting = undefined
      })
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  function noteGivenUp(rules: JudgeData['givenUp']): void {
    for (const { rule, why } of rules) if (!givenUp.has(rule)) observer.gaveUp(`rule ${rule}: ${why}`)
    givenUp = new Set(rules.map(({ rule }) => rule))
  }

  async function adopt(path: string, sequence: number): Promise<void> {
    try {
      await retained.replaceSnapshot(path, sequence)
      refreshWaiting()
    } catch (error) {
      observer.failed(error, 1)
      await rm(path, { force: true })
    }
  }

  async function loseState(why: string): Promise<void> {
    observer.gaveUp(`the state of the alert rules: ${why}`)
    await results.lost()
    await retained.dropSnapshot()
  }

  /** Repeats until the file is stored, or given up because its content is refused. */
  async function store(put: (path: string) => Promise<void>, path: string, what: string): Promise<void> {
    const backoff = createBackoff(FIRST_RETRY_MS, LONGEST_RETRY_MS)
    for (let attempt = 1, failures = 0; ; attempt++)
      try {
        return await put(path)
      } catch (error) {
        if (stopping.signal.aborted) throw error
        observer.failed(error, attempt)
        if (!isStoreLost(error) && ++failures >= MAX_FAILURES) return observer.gaveUp(what)
        await backoff.pause(stopping.signal)
      }
  }

  /** Keeps state only while there are rules. */
  async function prepare(rules: WatchedRules): Promise<void> {
    if (rules.size > 0) {
      if (!hasState) await results.lost()
      hasState = true
      if (ready !== undefined) await downtimes.begin(ready.ms)
    } else if (hasState || retained.list().length > 0) {
      await Promise.all([retained.clear(), downtimes.clear()])
      hasState = false
      noteGivenUp([])
      restart()
    }
  }

  async function work(): Promise<void> {
    const backoff = createBackoff(FIRST_RETRY_MS, LONGEST_RETRY_MS)
    for (let attempt = 1; !stopping.signal.aborted; ) {
      let call: JudgeCall | undefined
      try {
        // later segments may have readings for a rule that is made while the rules are read
        const taken = waiting
        const rules = await watch.rules()
        await prepare(rules)
        call = rules.size === 0 || yields() ? undefined : nextCall(rules, taken)
        await (call === undefined ? pause(rules) : run(call, rules))
        suspects.passed(judged)
        attempt = 1
        backoff.reset()
      } catch (error) {
        if (!stopping.signal.aborted) observer.failed(error, attempt++)
        restart()
        const abandoned = call && !isStoreLost(error) ? suspects.failed(call.segments) : undefined
        if (abandoned !== undefined) {
          observer.gaveUp(`segment ${abandoned.sequence}`)
          await retained.drop(abandoned)
          refreshWaiting()
        }
        await backoff.pause(stopping.signal)
      }
    }
  }

  /** Waits for segments or rules, or until a tick or a snapshot may be due. */
  async function pause(rules: WatchedRules): Promise<void> {
    const timer = rules.size === 0 ? undefined : setTimeout(() => wake.resolve(), TICK_MS)
    await wake.promise
    clearTimeout(timer)
    wake = Promise.withResolvers()
  }

  changes.subscribe(({ kind }) => {
    if (kind === 'zone-rule' || kind === 'missed') wake.resolve()
  })
  const working = work()

  async function end(): Promise<void> {
    await working
    await adopting
    const hasNews = (isChangedSinceSnapshot && judged > 0) || waiting.length > 0
    if (!hasNews || !process.isCurrent() || waitingBytes > LAST_SNAPSHOT_BYTES) return
    const rules = await watch.rules()
    if (waiting.length > 0) await run({ segments: waiting, nowMs: null, wantsSnapshot: false }, rules)
    await run(SNAPSHOT_CALL, rules)
    await adopting
  }

  return {
    watches: async (segment) => isWatchedBy(await watch.rules(), segment),
    async keep(segment, move) {
      keeping++
      try {
        await retained.keep(segment, move)
        refreshWaiting()
      } finally {
        keeping--
      }
      wake.resolve()
    },
    status: () => ({
      segments: waiting.length,
      bytes: waitingBytes,
      lagSeconds: waiting[0] === undefined ? 0 : (Date.now() - waiting[0].keptMs) / 1000,
      rulesGivenUp: givenUp.size,
    }),
    unjudgedBytes: () => waitingBytes,
    judgedTo: () => judged,
    begin(oldestRowMs) {
      ready = { ms: Date.now(), oldestRowMs }
      wake.resolve()
    },
    async stop() {
      stopping.abort()
      wake.resolve()
      await Promise.race([end().catch((error: unknown) => observer.failed(error, 1)), Bun.sleep(STOP_MS)])
      await downtimes.stop()
    },
  }
}
