/**
 * Judges the readings of segments by all alert rules, in a worker process that keeps the state of all rules in memory
 * between calls (protocol.ts).
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { defineWorkerTask } from '../engine/worker-task.ts'
import type { CachedLayer } from '../lib/geo/layers/cached-layer.ts'
import { createEventFile, type EventFile } from '../zones/event-file.ts'
import { type ChangeFile, createChangeFile } from './judging/change-file.ts'
import { judgingMemory } from './judging/judging-memory.ts'
import { type Findings, JudgingState } from './judging/judging-state.ts'
import { withLayers } from './judging/open-layers.ts'
import { readSnapshot, UnreadableSnapshot, writeSnapshot } from './judging/snapshot-file.ts'
import type { JudgeData, JudgeInput, WatchedRule, WatchedSensor } from './protocol.ts'
import { placesOf } from './zones/layer-places.ts'

/** The result's data is a JudgeData. */
export default defineWorkerTask<JudgeInput>({
  id: 'alerts.judge',
  lane: 'readings',
  async run(input, { scratch }) {
    const { state, refused } = stateFor(input)
    if (state === undefined) return { data: { ...NOTHING, needs: 'everything' } satisfies JudgeData }
    // what is left of a call that fails is not the state of any segment
    judgingMemory.state = undefined
    const changes = createChangeFile(join(scratch, 'changes'))
    const events = createEventFile(join(scratch, 'events'))
    let late: JudgeData['late']
    try {
      late = await withLayers(input.layers, (layers) =>
        judgeAll(state, input, layers, findingsIn(changes, events, input)),
      )
    } finally {
      changes.close()
      events.close()
    }
    const snapshot = join(scratch, 'snapshot')
    if (input.wantsSnapshot) writeSnapshot(snapshot, state.save())
    judgingMemory.state = state
    const { sequence } = state
    const found = { changes: changes.count, events: events.count, late, givenUp: state.givenUp() }
    const data: JudgeData = { needs: null, refused, sequence, ...found }
    const files = [
      ...(changes.count > 0 ? [outputOf('changes', changes.path)] : []),
      ...(events.count > 0 ? [outputOf('events', events.path)] : []),
      ...(input.wantsSnapshot ? [outputOf('snapshot', snapshot)] : []),
    ]
    return { data, files }
  },
})

const NOTHING: JudgeData = { needs: null, refused: null, sequence: -1, changes: 0, events: 0, late: [], givenUp: [] }

const outputOf = (filename: string, path: string) => ({
  role: 'output' as const,
  path,
  filename,
  mediaType: 'application/octet-stream',
})

const nowOf = ({ nowMs }: JudgeInput): number => nowMs ?? Date.now()

/** The state of the process, or a new one if the call has all that it takes. */
function stateFor(input: JudgeInput): { state: JudgingState | undefined; refused: string | null } {
  const { state: name, snapshot, rules, sensors } = input
  const known = judgingMemory.state
  const isCurrent =
    known?.name === name &&
    known.sequence >= (snapshot?.sequence ?? -1) &&
    (rules.path !== null || known.rulesVersion === rules.version) &&
    (sensors.path !== null || known.sensorsVersion === sensors.version)
  if (isCurrent) return { state: known, refused: null }
  judgingMemory.state = undefined
  if (rules.path === null || sensors.path === null || !sensors.isComplete) return { state: undefined, refused: null }
  if (snapshot === null) return { state: new JudgingState(name, Number.NEGATIVE_INFINITY), refused: null }
  try {
    return { state: restored(input, snapshot.path), refused: null }
  } catch (error) {
    if (!(error instanceof UnreadableSnapshot)) throw error
    return { state: new JudgingState(name, nowOf(input)), refused: error.message }
  }
}

function restored(input: JudgeInput, path: string): JudgingState {
  const sections = readSnapshot(path)
  const state = new JudgingState(input.state, Number.NEGATIVE_INFINITY)
  setRules(state, input)
  state.load(sections)
  return state
}

function setRules(state: JudgingState, input: JudgeInput): void {
  const { path, version } = input.rules
  if (path === null || state.rulesVersion === version) return
  state.setRules(JSON.parse(readFileSync(path, 'utf8')) as WatchedRule[], version, nowOf(input))
}

function judgeAll(
  state: JudgingState,
  input: JudgeInput,
  layers: ReadonlyMap<string, CachedLayer>,
  findings: Findings,
): JudgeData['late'] {
  const { sensors, segments, downtimes, nowMs } = input
  state.reportTo(findings)
  state.downtimes = downtimes
  setRules(state, input)
  if (sensors.path !== null && state.sensorsVersion !== sensors.version)
    state.setSensors(sensorsIn(sensors.path), sensors.isComplete, sensors.version, nowOf(input))
  state.setPlaces((id, bufferM) => {
    const layer = layers.get(id)
    return layer && placesOf(layer, bufferM)
  })
  const bytes = segments.values().map(({ sequence, path }) => ({ sequence, bytes: readFileSync(path) }))
  const late = state.judge(bytes, nowOf(input))
  if (nowMs !== null) state.tick(nowMs)
  return late
}

function* sensorsIn(path: string): Generator<WatchedSensor> {
  for (const line of readFileSync(path, 'utf8').split('\n')) if (line !== '') yield JSON.parse(line) as WatchedSensor
}

function findingsIn(changes: ChangeFile, events: EventFile, { layers }: JudgeInput): Findings {
  const versions = new Map(layers.map(({ id, version }) => [id, version]))
  return {
    change: (rule, sensor, change, firstChannel) => changes.add(rule, sensor, change, firstChannel),
    crossing(rule, sensor, { atMs, longitude, latitude, polygons }, retentionDays) {
      if (rule.kind !== 'zone' || (rule.when !== 'enter' && rule.when !== 'leave') || rule.layer === undefined) return
      const { id, enterprise, sinceMs, when, layer } = rule
      const position = { ms: atMs, longitude, latitude, own: undefined }
      const segmentRule = { id, enterprise, event: when, sinceMs, sensors: null }
      events.add(
        { rule: segmentRule, sensor, position, zones: polygons, retentionDays },
        layer,
        versions.get(layer) as number,
      )
    },
  }
}
