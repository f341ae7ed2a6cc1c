/** Calls of the process that judges readings, with everything that it needs to know. */
import { join } from 'node:path'
import type { Engine } from '../engine/engine.ts'
import { createChangeCache } from '../stores/change-cache.ts'
import type { Changes } from '../stores/changes.ts'
import type { LayerFiles } from '../stores/layer-files.ts'
import type { Database } from '../stores/postgres/client.ts'
import { newId } from '../stores/postgres/ids.ts'
import { findLayer } from '../stores/postgres/layers/layers.ts'
import type { Downtimes } from './downtimes.ts'
import judgeTask from './judge.ts'
import type { JudgeData, JudgeInput, WatchedLayer } from './protocol.ts'
import type { RetainedSegment, RetainedSegments } from './retained-segments.ts'
import type { SpentDays } from './spent-days.ts'
import type { WatchedRules, WatchFiles } from './watch-files.ts'

export type JudgingProcessDeps = {
  db: Database
  changes: Changes
  engine: Pick<Engine, 'run'>
  layerFiles: LayerFiles
  timeoutMs: number
  retained: RetainedSegments
  downtimes: Downtimes
  spentDays: SpentDays
  watch: WatchFiles
}

export type JudgeCall = { segments: readonly RetainedSegment[]; nowMs: number | null; wantsSnapshot: boolean }
export type JudgeAnswer = { data: JudgeData; files: Partial<Record<'changes' | 'events' | 'snapshot', string>> }

export type JudgingProcess = {
  /**
   * @param scratch the folder of the call, which gets its files
   * @returns undefined if the process needs the segments after the snapshot again, and everything else
   */
  judge(call: JudgeCall, rules: WatchedRules, scratch: string): Promise<JudgeAnswer | undefined>
  /** The next call restores the state from the snapshot, whatever the process knows. */
  restart(): void
  /** Whether the process knows all that it was sent. */
  isCurrent(): boolean
}

const MEMORY_BYTES = 256 * 2 ** 20

export function createJudgingProcess(deps: JudgingProcessDeps): JudgingProcess {
  const { db, changes, engine, layerFiles, timeoutMs, retained, downtimes, spentDays, watch } = deps
  const knownLayers = createChangeCache({
    load: (id: string) => findLayer(db, id),
    maxSize: 10_000,
    invalidatedBy: { changes, kinds: ['layer', 'missed'], concerns: (ids, _, id) => ids.includes(id) },
  })
  let state = newId('run')
  let hasEverything = false

  /** Layers that the positions of these segments are compared with. */
  function layersOf(rules: WatchedRules, segments: readonly RetainedSegment[]): Set<string> {
    const ids = new Set<string>()
    for (const { layerId, enterprise } of rules.values())
      if (layerId !== null && segments.some(({ enterprises }) => enterprises?.includes(enterprise) ?? true))
        ids.add(layerId)
    return ids
  }

  async function withLayers<T>(ids: Iterable<string>, use: (layers: WatchedLayer[]) => Promise<T>): Promise<T> {
    const layers: WatchedLayer[] = []
    const releases: (() => void)[] = []
    try {
      for (const id of ids) {
        const layer = await knownLayers.get(id)
        const file = layer && (await layerFiles.open(id, layer.version))
        // the layer was deleted after the rules were read
        if (file === undefined) continue
        releases.push(file.release)
        layers.push({ id, path: file.path, version: file.version, bytes: file.bytes })
      }
      return await use(layers)
    } finally {
      for (const release of releases) release()
    }
  }

  async function run(input: JudgeInput, scratch: string): Promise<JudgeAnswer> {
    const reads = [...input.segments, ...input.layers, input.snapshot ?? []].flat().map(({ path }) => path)
    const dataPath = join(scratch, 'data.json')
    const limits = { deadlineMs: timeoutMs, plan: 'max', memoryBytes: MEMORY_BYTES } as const
    const result = await engine.run(judgeTask, input, { ...limits, tenant: 'alerts', scratch, reads, dataPath })
    const data = (result.dataPath === undefined ? result.data : await Bun.file(dataPath).json()) as JudgeData
    return { data, files: Object.fromEntries((result.files ?? []).map(({ filename, path }) => [filename, path])) }
  }

  return {
    async judge({ segments, nowMs, wantsSnapshot }, rules, scratch) {
      const watched = await watch.write(rules, scratch, !hasEverything)
      const snapshot = retained.snapshot()
      const spent = await spentDays(rules)
      const given = segments.map(({ sequence, path }) => ({ sequence, path }))
      const answer = await withLayers(layersOf(rules, segments), (layers) => {
        const clock = { nowMs, downtimes: downtimes.list(), spentDays: spent }
        return run({ state, snapshot, ...watched, layers, segments: given, ...clock, wantsSnapshot }, scratch)
      })
      hasEverything = answer.data.needs === null
      return hasEverything ? answer : undefined
    },
    restart() {
      state = newId('run')
      hasEverything = false
    },
    isCurrent: () => hasEverything,
  }
}
