/**
 * Judges stored readings around late ones again, in the process that has the state of the rules (protocol.ts): where the
 * second judgement reaches the newest reading, live judging continues from it.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineWorkerTask } from '../engine/worker-task.ts'
import { createChangeFile } from './judging/change-file.ts'
import { judgeAgain, type Recorded } from './judging/judge-again.ts'
import { judgingMemory } from './judging/judging-memory.ts'
import type { JudgingState } from './judging/judging-state.ts'
import { withLayers } from './judging/open-layers.ts'
import type { Change } from './judging/run.ts'
import { type StoredRows, storedRows } from './judging/stored-rows.ts'
import type { WatchedLayer } from './protocol.ts'
import { placesOf } from './zones/layer-places.ts'

/** Late readings of a sensor for a rule, and the readings to judge again. */
export type SpanAgain = {
  rule: string
  sensor: number
  firstMs: number
  lastMs: number
  toMs: number
  /** Whether no other readings will be looked at. */
  isWhole: boolean
  recorded: Recorded[]
}

export type RejudgeInput = {
  /** A file of writeReadingsAround (stores/clickhouse/queries/readings-around.ts). */
  readings: string
  /** A JSON file of SpanAgain. */
  spans: string
  layers: WatchedLayer[]
}

/**
 * `isLost`: the process has no state; nothing was judged. `more`: indexes of spans that need more readings. The file
 * `changes` has lines of JudgedChange.
 */
export type RejudgeData = { isLost: boolean; more: number[] }

export default defineWorkerTask<RejudgeInput>({
  id: 'alerts.rejudge',
  lane: 'readings',
  async run({ readings, spans, layers }, { scratch }) {
    const { state } = judgingMemory
    if (state === undefined) return { data: { isLost: true, more: [] } satisfies RejudgeData }
    // what is left of a call that fails is not the state of any segment
    judgingMemory.state = undefined
    const file = createChangeFile(join(scratch, 'changes'))
    const data: RejudgeData = { isLost: false, more: [] }
    try {
      await withLayers(layers, (open) => {
        state.setPlaces((id, bufferM) => {
          const layer = open.get(id)
          return layer && placesOf(layer, bufferM)
        })
        const rows = storedRows(readFileSync(readings))
        for (const [i, span] of (JSON.parse(readFileSync(spans, 'utf8')) as SpanAgain[]).entries())
          if (judgeSpan(state, span, rows, file)) data.more.push(i)
      })
    } finally {
      file.close()
    }
    judgingMemory.state = state
    const output = {
      role: 'output' as const,
      path: file.path,
      filename: 'changes',
      mediaType: 'application/octet-stream',
    }
    return { data, files: file.count === 0 ? [] : [output] }
  },
})

/** @returns whether it needs more readings */
function judgeSpan(
  state: JudgingState,
  span: SpanAgain,
  rows: StoredRows,
  file: ReturnType<typeof createChangeFile>,
): boolean {
  const second = state.again(span.rule, span.sensor)
  if (second === undefined) return false
  const { rule, run, slot, numbers, live, newestMs } = second
  const found: Change[] = []
  state.reportTo({ change: (_rule, _sensor, change) => found.push(change), crossing: () => undefined })
  const isCrossing = rule.kind === 'zone' && (rule.when === 'enter' || rule.when === 'leave')
  // crossings have no episodes, and a layer may be gone
  if (isCrossing || (rule.layer !== undefined && run.places === undefined)) {
    second.drop()
    return false
  }
  const readings = rows.of(span.sensor, numbers, { sinceMs: rule.sinceMs, isByDevice: rule.kind === 'silence' })
  const present = numbers.map((number) => number !== -1)
  // it may not be stored yet
  const firing = live.state === 'firing' ? [{ polygon: undefined, startedMs: live.sinceMs, resolvedMs: null }] : []
  const recorded = [...span.recorded, ...firing]
  const result = judgeAgain({ ...span, rule, run, slot, found, live, newestMs, present, recorded, readings })
  if (result.needs === undefined && result.adopts) second.adopt()
  else second.drop()
  if (result.needs !== undefined) return true
  for (const change of result.episodes.flat()) file.add(rule, span.sensor, change, run.channels[0])
  return false
}
