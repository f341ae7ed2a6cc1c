/**
 * Looks for sensors whose state changed, and stores an event for each. One instance looks, every few seconds, at figures of
 * all sensors that ClickHouse keeps beside the readings; nothing is done when a reading comes in. Only differences from the
 * last look reach PostgreSQL.
 */
import { inTurns } from '../../event-loop-yield.ts'
import type { Changes } from '../../stores/changes.ts'
import type { ClickHouse } from '../../stores/clickhouse/client.ts'
import { allPulses } from '../../stores/clickhouse/sensor-activity.ts'
import { type PeriodicWrites, startWrites } from '../../stores/periodic-writes.ts'
import type { Database } from '../../stores/postgres/client.ts'
import {
  noteStateLook,
  type StateWatch,
  storeStates,
  switchedSensors,
  takeStateWatch,
} from '../../stores/postgres/events/state-events.ts'
import { REFUSED_FOR_MS, SENSOR_STATES, type SensorState, stateOf } from './sensor-state.ts'

export type StateWatchDeps = {
  db: Database
  clickhouse: ClickHouse
  changes: Changes
  instanceId: string
  /** When the oldest readings came in that are not stored yet: sensors are judged as of then. */
  oldestRowMs(): number | undefined
  onError(error: unknown): void
}

const LOOK_MS = 10_000
/** Sensors of one transaction. */
const BATCH = 1_000
/** Of a sensor that never sent anything. */
const NEW = SENSOR_STATES.indexOf('new')
const TIMED: readonly SensorState[] = ['late', 'silent']

/** The time without looks between the newest reading and now: it makes no sensor late or silent. */
const awayMs = ({ awayFromMs, awayUntilMs }: StateWatch, lastMs: number, nowMs: number): number =>
  Math.max(0, Math.min(awayUntilMs, nowMs) - Math.max(awayFromMs, lastMs))

export function startStateWatch(deps: StateWatchDeps): PeriodicWrites {
  const { db, clickhouse, changes, instanceId, oldestRowMs, onError } = deps
  const { signal } = new AbortController()
  /** Indexes of SENSOR_STATES by sensor number, as they are stored; undefined before the first look. */
  let known: Uint8Array | undefined
  let knownTerm: number | undefined
  /** Sensors that may have been switched; undefined: any. */
  let touched: Set<string> | undefined

  changes.subscribe((change) => {
    if (change.kind === 'missed') touched = undefined
    if (change.kind === 'sensor') touched?.add(change.id)
  })

  /** States by sensor number, as if all sensors were on. */
  async function readStates(watch: StateWatch): Promise<Uint8Array> {
    const nowMs = Math.min(Date.now(), oldestRowMs() ?? Number.POSITIVE_INFINITY)
    const { rows, columns, cells } = await allPulses(clickhouse, nowMs - REFUSED_FOR_MS, signal)
    let highest = 0
    await inTurns(rows, (row) => {
      highest = Math.max(highest, cells[row * columns] as number)
    })
    const states = new Uint8Array(Math.max(highest + 1, known?.length ?? 0)).fill(NEW)
    await inTurns(rows, (row) => {
      const at = row * columns
      const lastMs = cells[at + 1] as number
      const facts = {
        enabled: true,
        held: false,
        lastMs,
        intervalMs: cells[at + 2] as number,
        callRefusedMs: cells[at + 3] as number,
        acceptedMs: cells[at + 4] as number,
      }
      const state = stateOf(facts, nowMs)
      const isTimed = TIMED.includes(SENSOR_STATES[state] as SensorState)
      states[cells[at] as number] = isTimed ? stateOf(facts, nowMs - awayMs(watch, lastMs, nowMs)) : state
    })
    return states
  }

  async function look(): Promise<void> {
    const watch = await takeStateWatch(db, instanceId)
    if (watch?.term !== knownTerm) {
      known = undefined
      touched = undefined
    }
    knownTerm = watch?.term
    if (watch === undefined) return
    const states = await readStates(watch)
    const before = known
    // if this fails, everything is compared again
    known = undefined
    const changed = new Set<number>()
    await inTurns(states.length, (number) => {
      if (before === undefined || (before[number] ?? NEW) !== states[number]) changed.add(number)
    })
    const ids = touched && [...touched]
    touched = new Set()
    for (const number of ids?.length === 0 ? [] : await switchedSensors(db, ids)) changed.add(number)
    const left = changed.values()
    for (let batch = [...left.take(BATCH)]; batch.length > 0; batch = [...left.take(BATCH)]) {
      const seen = batch.map((number) => ({ number, state: SENSOR_STATES[states[number] ?? NEW] as SensorState }))
      if (!(await storeStates(db, watch.term, seen))) return
    }
    await noteStateLook(db, watch)
    known = states
  }

  return startWrites(LOOK_MS, look, (error) => {
    touched = undefined
    onError(error)
  })
}
