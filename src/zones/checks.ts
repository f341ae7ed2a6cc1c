/**
 * Checks readings against zone rules when their segment is stored, in a separate process. The segment's file is kept
 * until its events are stored, so an interrupted check is repeated. A repeated check produces the same events.
 */
import { chmod, mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import type { Segment } from '../ingest/segments.ts'
import { isStoreLost } from '../store-errors.ts'
import { createBackoff } from '../stores/backoff.ts'
import { createChangeCache } from '../stores/change-cache.ts'
import type { Changes } from '../stores/changes.ts'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { newestPositions, type PositionColumns, positionsAround } from '../stores/clickhouse/zone-events.ts'
import { WORKER_READABLE } from '../stores/empty-folder.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import { type CrossingRule, crossingRules } from '../stores/postgres/alerts/rules.ts'
import type { Database } from '../stores/postgres/client.ts'
import { newId } from '../stores/postgres/ids.ts'
import { findLayer } from '../stores/postgres/layers/layers.ts'
import segmentCheck, { type ZoneCheckData, type ZoneCheckInput, type ZoneLayer } from './segment-check.ts'
import type { SegmentRule } from './segment-rule.ts'
import { storeEventFile } from './store-events.ts'

export type ZoneChecksDeps = {
  db: Database
  clickhouse: ClickHouse
  changes: Changes
  engine: Engine
  layerFiles: LayerFiles
  scratchDir: string
  timeoutMs: number
  /** Whether other instances may receive readings of the same sensors. */
  isShared: boolean
  observer: ZoneObserver
}

export type ZoneObserver = {
  checked(events: number, durationMs: number): void
  failed(error: unknown, segment: Segment, attempt: number): void
  /** Called when a check is abandoned: the readings of the segment produce no events. */
  gaveUp(segment: Segment): void
}

export type ZoneChecks = {
  /** Called by the loader before it stores a segment. */
  beforeStore(segment: Segment): Promise<(() => Promise<boolean>) | undefined>
  stop(): void
}

/** Rules for a segment, and the stored positions to compare them with. */
type Plan = { rules: CrossingRule[]; known: PositionColumns | undefined }

const FIRST_RETRY_MS = 500
const LONGEST_RETRY_MS = 10_000
/** Limit for failures not caused by a store; a failure caused by the data would repeat forever. */
const MAX_FAILURES = 5
/** Memory for a segment and its positions; a higher value would evict cached layers. */
const CHECK_MEMORY_BYTES = 256 * 2 ** 20

export function createZoneChecks(deps: ZoneChecksDeps): ZoneChecks {
  const { db, clickhouse, changes, engine, layerFiles, scratchDir, timeoutMs, isShared, observer } = deps
  // one entry: the rules of all enterprises
  const rulesCache = createChangeCache({
    load: (_: 'all') => crossingRules(db),
    maxSize: 1,
    invalidatedBy: { changes, kinds: ['zone-rule', 'layer', 'sensor', 'enterprise', 'missed'] },
  })
  let running: Promise<unknown> = Promise.resolve()
  const stopping = new AbortController()

  async function rulesFor({ sensors }: Segment): Promise<CrossingRule[]> {
    const rules = await rulesCache.get('all')
    if (rules.size === 0) return []
    return [...sensors].flatMap(([enterprise, present]) =>
      (rules.get(enterprise) ?? []).filter((rule) => rule.sensors?.isDisjointFrom(present) !== true),
    )
  }

  /** The last stored position, before the segment, of each watched sensor. */
  async function newestBefore({ sensors }: Segment, rules: readonly CrossingRule[]): Promise<PositionColumns> {
    const enterprises = [...new Set(rules.map(({ enterprise }) => enterprise))]
    const watched = rules.flatMap(({ enterprise, sensors: own }) => [
      ...(sensors.get(enterprise) as ReadonlySet<number>).intersection(own ?? (sensors.get(enterprise) as Set<number>)),
    ])
    return newestPositions(clickhouse, enterprises, [...new Set(watched)], stopping.signal)
  }

  async function planFor(segment: Segment): Promise<Plan> {
    const rules = await rulesFor(segment)
    // other instances may store readings between this query and the insert
    return { rules, known: isShared || rules.length === 0 ? undefined : await newestBefore(segment, rules) }
  }

  async function run(input: ZoneCheckInput, scratch: string): Promise<ZoneCheckData> {
    const options = {
      scratch,
      reads: [input.path, ...input.layers.map(({ path }) => path)],
      deadlineMs: timeoutMs,
      plan: 'max',
      tenant: 'zones',
      memoryBytes: CHECK_MEMORY_BYTES,
    } as const
    const { data, files } = await engine.run(segmentCheck, input, options)
    const path = files?.[0]?.path
    if (path !== undefined) await storeEventFile(db, clickhouse, path)
    return data as ZoneCheckData
  }

  async function withLayers<T>(
    rules: readonly CrossingRule[],
    segment: Segment,
    use: (layers: ZoneLayer[]) => Promise<T>,
  ) {
    const layers: ZoneLayer[] = []
    const releases: (() => void)[] = []
    try {
      for (const [id, own] of Map.groupBy(rules, ({ layerId }) => layerId)) {
        const layer = await findLayer(db, id)
        const file = layer && (await layerFiles.open(id, layer.version))
        // the layer was deleted after the rules were read
        if (file === undefined) continue
        releases.push(file.release)
        const { path, version, bytes } = file
        layers.push({ id, path, version, bytes, rules: own.map((rule) => ruleFor(rule, segment)) })
      }
      return layers.length === 0 ? undefined : await use(layers)
    } finally {
      for (const release of releases) release()
    }
  }

  async function checkOnce(segment: Segment, { rules, known }: Plan): Promise<number> {
    const scratch = join(scratchDir, newId('run'))
    await mkdir(scratch)
    try {
      const events = await withLayers(rules, segment, async (layers) => {
        const { path } = segment
        await chmod(path, WORKER_READABLE)
        const knows = known === undefined ? 'nothing' : 'newest'
        const first = await run({ path, layers, known: known ?? [[], [], [], []], knows, only: null }, scratch)
        if (first.late.length === 0) return first.events
        const spans = first.late.map(
          ([sensor, own]) => [sensor, own.map(([firstMs, lastMs]) => ({ sensor, firstMs, lastMs }))] as const,
        )
        const around = join(scratch, 'positions.json')
        await Bun.write(around, JSON.stringify(await positionsAround(clickhouse, new Map(spans), stopping.signal)))
        const only = first.late.map(([sensor]) => sensor)
        const second = await run({ path, layers, known: around, knows: 'all', only }, scratch)
        return first.events + second.events
      })
      return events ?? 0
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  async function check(segment: Segment, plan: Plan | undefined): Promise<boolean> {
    const backoff = createBackoff(FIRST_RETRY_MS, LONGEST_RETRY_MS)
    for (let attempt = 1, failures = 0; !stopping.signal.aborted; attempt++) {
      const startedMs = performance.now()
      try {
        const whole = plan ?? { rules: await rulesFor(segment), known: undefined }
        if (whole.rules.length > 0) observer.checked(await checkOnce(segment, whole), performance.now() - startedMs)
        return true
      } catch (error) {
        if (stopping.signal.aborted) break
        observer.failed(error, segment, attempt)
        if (!isStoreLost(error) && ++failures >= MAX_FAILURES) {
          observer.gaveUp(segment)
          return true
        }
        await backoff.pause(stopping.signal)
      }
    }
    return false
  }

  return {
    async beforeStore(segment) {
      // if this fails, rules and positions are looked up after the segment is stored
      const plan = await planFor(segment).catch((error: unknown) => {
        observer.failed(error, segment, 0)
        return undefined
      })
      if (plan?.rules.length === 0) return undefined
      return () => {
        const next = running.then(() => check(segment, plan))
        running = next.catch(() => undefined)
        return next
      }
    },
    stop: () => stopping.abort(),
  }
}

/** The rule, reduced to sensors that occur in the segment. */
function ruleFor({ sensors, layerId: _, ...rule }: CrossingRule, segment: Segment): SegmentRule {
  const present = segment.sensors.get(rule.enterprise) as ReadonlySet<number>
  return { ...rule, sensors: sensors === undefined ? null : [...present.intersection(sensors)] }
}
