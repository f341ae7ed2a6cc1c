/**
 * Judges rules again where late readings belong. A late reading takes nothing back; what it reveals is an episode of its
 * own. At first ten minutes around the late readings are read, and more only for sensors whose rules are not certainly ok
 * there: at most 31 days, 200,000 readings of a sensor, and a million of all sensors of a call.
 */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import { isStoreLost } from '../store-errors.ts'
import { createBackoff } from '../stores/backoff.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type Around, readingsAround, writeReadingsAround } from '../stores/clickhouse/queries/readings-around.ts'
import { WORKER_READABLE } from '../stores/empty-folder.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import { layersOfRules, recordedAlerts } from '../stores/postgres/alerts/recorded-alerts.ts'
import type { Database } from '../stores/postgres/client.ts'
import { newId } from '../stores/postgres/ids.ts'
import { findLayer } from '../stores/postgres/layers/layers.ts'
import type { LateSpan, WatchedLayer } from './protocol.ts'
import rejudge, { type RejudgeData, type SpanAgain } from './rejudge.ts'

export type LateJudgingDeps = {
  db: Database
  clickhouse: ClickHouse
  engine: Pick<Engine, 'run'>
  layerFiles: LayerFiles
  scratchDir: string
  timeoutMs: number
  /** Stores a file of changes (protocol.ts). */
  store(path: string): Promise<void>
  observer: LateObserver
}

export type LateObserver = {
  failed(error: unknown, attempt: number): void
  /** Called when late readings are abandoned: they reveal nothing. */
  gaveUp(spans: number): void
}

export type LateJudging = {
  /**
   * Judges the spans of segments again, before later segments are judged: so a process that judges them again after a
   * kill knows the same as the first one. Resolves when what they reveal is stored.
   * @throws LostState, and the reason of `stop`
   */
  judge(spans: readonly LateSpan[]): Promise<void>
  stop(): void
}

/** The process has been replaced, so the segments are judged again, and their late readings with them. */
export class LostState extends Error {}

const MINUTE_MS = 60_000
/** How far around the late readings the rounds look. */
const REACHES_MS = [10 * MINUTE_MS, 120 * MINUTE_MS, 1_440 * MINUTE_MS, 31 * 1_440 * MINUTE_MS]
/** Readings in one call of the process: live judging waits for a tenth of a second. */
const CALL_READINGS = 200_000
/** Readings for all spans together, beyond which no wider reach is read. */
const ALL_READINGS = 1_000_000
/** Sensors in one statement, and spans in one call. */
const CALL_SENSORS = 200
const CALL_SPANS = 1_000
const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 10_000
/** Limit for failures that no store caused: the data would cause them forever. */
const MAX_FAILURES = 5
const MEMORY_BYTES = 256 * 2 ** 20

type Span = { rule: string; sensor: number; firstMs: number; lastMs: number }
/** The spans of some sensors, whose readings one call judges. */
type Call = { spans: Span[]; around: Around[]; readings: number; isWhole: boolean }

export function createLateJudging(deps: LateJudgingDeps): LateJudging {
  const { db, clickhouse, engine, layerFiles, scratchDir, timeoutMs, store, observer } = deps
  const stopping = new AbortController()
  const { signal } = stopping

  async function withLayers<T>(rules: readonly string[], use: (layers: WatchedLayer[]) => Promise<T>): Promise<T> {
    const releases: (() => void)[] = []
    const layers: WatchedLayer[] = []
    try {
      for (const id of await layersOfRules(db, rules)) {
        const layer = await findLayer(db, id)
        const file = layer && (await layerFiles.open(id, layer.version))
        // the layer was deleted meanwhile
        if (file === undefined) continue
        releases.push(file.release)
        layers.push({ id, path: file.path, version: file.version, bytes: file.bytes })
      }
      return await use(layers)
    } finally {
      for (const release of releases) release()
    }
  }

  /** @returns the spans that need more readings */
  async function run({ spans, around, isWhole }: Call): Promise<Span[]> {
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const readings = join(scratch, 'readings')
      await Bun.write(readings, '', { mode: WORKER_READABLE })
      await writeReadingsAround(clickhouse, readings, around, signal)
      const reach = new Map(around.map((one) => [one.sensor, one]))
      const wanted = spans.map((span) => ({ ...span, ...(reach.get(span.sensor) as Around) }))
      const again: SpanAgain[] = wanted.map((span) => ({ ...span, isWhole, recorded: [] }))
      for (const { index, polygon, startedMs, resolvedMs } of await recordedAlerts(db, wanted))
        again[index]?.recorded.push({ polygon: polygon ?? undefined, startedMs, resolvedMs })
      const path = join(scratch, 'spans')
      await Bun.write(path, JSON.stringify(again), { mode: WORKER_READABLE })
      const { data, files } = await withLayers([...new Set(spans.map(({ rule }) => rule))], (layers) => {
        const limits = { deadlineMs: timeoutMs, plan: 'max', memoryBytes: MEMORY_BYTES } as const
        const reads = layers.map((layer) => layer.path)
        // no signal: a process that is killed loses the state of the rules
        return engine.run(rejudge, { readings, spans: path, layers }, { ...limits, tenant: 'alerts', scratch, reads })
      })
      const { isLost, more } = data as RejudgeData
      if (isLost) throw new LostState('the judging process has no state')
      const changes = files?.[0]?.path
      if (changes !== undefined) await store(changes)
      return more.map((index) => spans[index] as Span)
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  /** Repeats until it is done, or given up. @param spans their number */
  async function repeated<T>(spans: number, work: () => Promise<T>): Promise<T | undefined> {
    const backoff = createBackoff(FIRST_RETRY_MS, LONGEST_RETRY_MS)
    for (let attempt = 1, failures = 0; ; attempt++)
      try {
        return await work()
      } catch (error) {
        if (signal.aborted || error instanceof LostState) throw error
        observer.failed(error, attempt)
        if (!isStoreLost(error) && ++failures >= MAX_FAILURES) {
          observer.gaveUp(spans)
          return undefined
        }
        await backoff.pause(signal)
        signal.throwIfAborted()
      }
  }

  /**
   * Calls for spans of a round. A sensor with too many readings in a wider reach is judged by the one before.
   * @param most readings of all sensors
   */
  async function callsOf(spans: readonly Span[], round: number, most: number): Promise<Call[]> {
    const calls: Call[] = []
    let all = 0
    const bySensor = [...Map.groupBy(spans, ({ sensor }) => sensor)]
    const isLast = round === REACHES_MS.length - 1
    const reached = (own: readonly Span[], reachMs: number): Around => ({
      sensor: (own[0] as Span).sensor,
      fromMs: Math.min(...own.map(({ firstMs }) => firstMs)) - reachMs,
      toMs: Math.max(...own.map(({ lastMs }) => lastMs)) + reachMs,
    })
    for (let first = 0; first < bySensor.length; first += CALL_SENSORS) {
      const group = bySensor.slice(first, first + CALL_SENSORS)
      const counts = await readingsAround(
        clickhouse,
        group.map(([, own]) => reached(own, REACHES_MS[round] as number)),
        signal,
      )
      let call: Call | undefined
      for (const [sensor, own] of group) {
        const count = counts.get(sensor) ?? 0
        if (round > 0 && (count > CALL_READINGS || all + count > most)) {
          calls.push({
            spans: own,
            around: [reached(own, REACHES_MS[round - 1] as number)],
            readings: 0,
            isWhole: true,
          })
          continue
        }
        if (
          call === undefined ||
          call.readings + count > CALL_READINGS ||
          call.spans.length + own.length > CALL_SPANS
        ) {
          call = { spans: [], around: [], readings: 0, isWhole: isLast }
          calls.push(call)
        }
        call.spans.push(...own)
        call.around.push(reached(own, REACHES_MS[round] as number))
        call.readings += count
        all += count
      }
    }
    return calls
  }

  return {
    async judge(spans) {
      let left: Span[] = spans.flatMap(({ sensor, rules, firstMs, lastMs }) =>
        rules.map((rule) => ({ rule, sensor, firstMs, lastMs })),
      )
      let most = ALL_READINGS
      for (let round = 0; left.length > 0 && round < REACHES_MS.length; round++) {
        const calls = (await repeated(left.length, () => callsOf(left, round, most))) ?? []
        left = []
        for (const call of calls) {
          left.push(...((await repeated(call.spans.length, () => run(call))) ?? []))
          most -= call.readings
        }
      }
    },
    stop: () => stopping.abort(),
  }
}
