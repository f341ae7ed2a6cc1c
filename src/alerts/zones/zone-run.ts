/** Judges the positions of many sensors by one zone rule. Positions are the only readings that count. */
import type { Places, Run, RunState, Sink } from '../judging/run.ts'
import type { SnapshotReader, SnapshotWriter } from '../judging/snapshot-bytes.ts'
import { isInSchedule } from '../schedule.ts'
import type { Side, SideState } from '../zone-side.ts'
import {
  type AnyZoneRule,
  isCrossing,
  judgePosition,
  type KeptZone,
  sideOf,
  type ZoneJudging,
  type ZoneMemory,
} from './zone-memory.ts'

/** A slot that watches no sensor, and one that has seen no position. */
const FREE = Number.NaN
const NOTHING_SEEN = Number.NEGATIVE_INFINITY
const FIRST_SLOTS = 64
/** A sensor's memory, roughly. */
const KEPT_BYTES = 500

export class ZoneRun implements Run {
  rule: AnyZoneRule
  readonly channels: readonly string[] = []
  readonly values = new Float64Array(0)
  places: Places | undefined
  private readonly sink: Sink
  /** For each slot: the time of the newest position, and since when the rule is ok. */
  private newest: Float64Array = new Float64Array(FIRST_SLOTS).fill(FREE)
  private okSince: Float64Array = new Float64Array(FIRST_SLOTS)
  private readonly memories = new Map<number, ZoneMemory>()
  private readonly free: number[] = []
  private used = 0
  /** The slot that is judged. */
  private slot = 0
  private readonly judging: ZoneJudging

  constructor(rule: AnyZoneRule, sink: Sink) {
    this.rule = rule
    this.sink = sink
    this.judging = {
      rule,
      idOf: (polygon) => (this.places as Places).idOf(polygon),
      isOpen: (atMs) => this.rule.schedule === undefined || isInSchedule(this.rule.schedule, atMs),
      change: (change) => this.sink.change(this.slot, change),
      crossing: (crossing) => this.sink.crossing(this.slot, crossing),
    }
  }

  get bytes(): number {
    return 16 * this.newest.length + KEPT_BYTES * this.memories.size
  }

  add(): number {
    const slot = this.free.pop() ?? this.used++
    if (slot >= this.newest.length) {
      const [newest, okSince] = [this.newest, this.okSince]
      this.newest = new Float64Array(slot * 2).fill(FREE)
      this.newest.set(newest)
      this.okSince = new Float64Array(slot * 2)
      this.okSince.set(okSince)
    }
    this.newest[slot] = NOTHING_SEEN
    return slot
  }

  remove(slot: number): void {
    this.newest[slot] = FREE
    this.memories.delete(slot)
    this.free.push(slot)
  }

  push(slot: number, atMs: number, _receivedMs: number, longitude: number, latitude: number): boolean {
    if (Number.isNaN(longitude)) return true
    const newest = this.newest[slot] as number
    if (atMs <= newest) return false
    this.newest[slot] = atMs
    if (newest === NOTHING_SEEN) this.okSince[slot] = atMs
    const around = (this.places as Places).around(longitude, latitude)
    const before = this.memories.get(slot)
    if (before === undefined && around.inside.length === 0 && this.rule.when !== 'outside') return true
    this.slot = slot
    this.judging.rule = this.rule
    const wasOk = before === undefined || isOk(this.rule, before)
    const after = judgePosition(this.judging, before, { atMs, longitude, latitude }, around)
    if (after === undefined) this.memories.delete(slot)
    else if (before === undefined) this.memories.set(slot, after)
    if (!wasOk && (after === undefined || isOk(this.rule, after))) this.okSince[slot] = atMs
    return true
  }

  /** Positions alone change a zone. */
  tick(): void {}

  newestOf(slot: number): number {
    return this.newest[slot] as number
  }

  stateOf(slot: number): RunState {
    if (this.newest[slot] === NOTHING_SEEN) return { state: 'unknown', sinceMs: NOTHING_SEEN }
    const phases = [...(this.memories.get(slot) ?? [])].flatMap(([, { state }]) => phaseOf(this.rule, state) ?? [])
    const firing = phases.filter(({ state }) => state === 'firing')
    const [first] = (firing.length > 0 ? firing : phases).sort((a, b) => a.sinceMs - b.sinceMs)
    return first ?? { state: 'ok', sinceMs: this.okSince[slot] as number }
  }

  save(writer: SnapshotWriter): void {
    writer.numbers(this.newest.subarray(0, this.used))
    writer.numbers(this.okSince.subarray(0, this.used))
    writer.number(this.memories.size)
    for (const [slot, memory] of this.memories) {
      writer.number(slot)
      writer.number(memory.size)
      for (const [polygon, kept] of memory) {
        writer.text(polygon ?? '')
        writer.numbers(numbersOf(kept))
      }
    }
  }

  load(reader: SnapshotReader): void {
    this.newest = reader.numbers()
    this.okSince = reader.numbers()
    this.used = this.newest.length
    for (const [slot, at] of this.newest.entries()) if (Number.isNaN(at)) this.free.push(slot)
    const isWhole = this.rule.when === 'inside' || this.rule.when === 'outside'
    for (let left = reader.number(); left > 0; left--) {
      const memory: ZoneMemory = new Map()
      this.memories.set(reader.number(), memory)
      for (let zones = reader.number(); zones > 0; zones--) {
        const polygon = reader.text()
        memory.set(isWhole ? undefined : polygon, keptOf(reader.numbers()))
      }
    }
  }
}

/** Pending or firing; undefined: ok. A rule about crossings is never either. */
function phaseOf(rule: AnyZoneRule, { side, sinceMs, run, firedMs }: KeptZone['state']): RunState | undefined {
  if (isCrossing(rule)) return undefined
  const wanted = sideOf(rule)
  if (firedMs !== undefined) return { state: 'firing', sinceMs }
  if (side === wanted) return { state: 'pending', sinceMs }
  return run?.side === wanted ? { state: 'pending', sinceMs: run.firstMs } : undefined
}

function isOk(rule: AnyZoneRule, memory: ZoneMemory): boolean {
  for (const { state } of memory.values()) if (phaseOf(rule, state) !== undefined) return false
  return true
}

const SIDES: readonly Side[] = ['inside', 'outside']

function numbersOf({ state: { side, sinceMs, run, firedMs }, longitude, latitude }: KeptZone): Float64Array {
  const own = [side === undefined ? -1 : SIDES.indexOf(side), sinceMs, firedMs ?? FREE, longitude, latitude]
  return Float64Array.from(run === undefined ? own : [...own, SIDES.indexOf(run.side), run.firstMs, run.count])
}

function keptOf(numbers: Float64Array): KeptZone {
  const [side, sinceMs, firedMs, longitude, latitude, runSide, firstMs, count] = numbers as unknown as number[]
  const run: SideState['run'] =
    runSide === undefined
      ? undefined
      : { side: SIDES[runSide] as Side, firstMs: firstMs as number, count: count as number }
  return {
    state: {
      side: SIDES[side as number],
      sinceMs: sinceMs as number,
      firedMs: Number.isNaN(firedMs) ? undefined : firedMs,
      run,
    },
    longitude: longitude as number,
    latitude: latitude as number,
  }
}
