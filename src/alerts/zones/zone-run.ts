/** Judges the positions of many sensors by one zone rule. Positions are the only readings that count. */
import { isAfter, NEWEST, RowRun } from '../judging/row-run.ts'
import type { Places, RunState, Sink } from '../judging/run.ts'
import type { CallReadings } from '../judging/segment-readings.ts'
import type { SnapshotReader, SnapshotWriter } from '../judging/snapshot-bytes.ts'
import { isInSchedule } from '../schedule.ts'
import type { Side, SideState } from '../zone-side.ts'
import {
  type AnyZoneRule,
  type At,
  isCrossing,
  judgePosition,
  type KeptZone,
  sideOf,
  type ZoneJudging,
  type ZoneMemory,
} from './zone-memory.ts'

/** Offsets in a row: since when the rule is ok, and a square in which no position changes anything, of size 0 for none. */
const [OK_SINCE, WEST, SOUTH, SIZE] = [1, 2, 3, 4]
const WIDTH = 5
/** A sensor's memory, roughly. */
const KEPT_BYTES = 500

export class ZoneRun extends RowRun<AnyZoneRule> {
  private readonly memories = new Map<number, ZoneMemory>()
  /** The slot that is judged. */
  private slot = 0
  private readonly judging: ZoneJudging

  constructor(rule: AnyZoneRule, sink: Sink) {
    super(rule, [], sink, WIDTH)
    this.judging = {
      rule,
      idOf: (polygon) => (this.places as Places).idOf(polygon),
      isOpen: (atMs) => this.rule.schedule === undefined || isInSchedule(this.rule.schedule, atMs),
      change: (change) => this.sink.change(this.slot, change),
      crossing: (crossing) => this.sink.crossing(this.slot, crossing),
    }
  }

  override get bytes(): number {
    return super.bytes + KEPT_BYTES * this.memories.size
  }

  protected begin(): void {
    // nothing is known
  }

  override remove(slot: number): void {
    super.remove(slot)
    this.memories.delete(slot)
  }

  push(slot: number, atMs: number, _receivedMs: number, longitude: number, latitude: number): boolean {
    if (Number.isNaN(longitude)) return true
    const { data } = this
    const row = slot * WIDTH
    const newestMs = data[row + NEWEST] as number
    if (atMs <= newestMs) return false
    data[row + NEWEST] = atMs
    if (newestMs === Number.NEGATIVE_INFINITY) data[row + OK_SINCE] = atMs
    const [east, north] = [longitude - (data[row + WEST] as number), latitude - (data[row + SOUTH] as number)]
    const size = data[row + SIZE] as number
    if (east >= 0 && north >= 0 && east < size && north < size) return true
    const after = this.judge(slot, row, { atMs, longitude, latitude })
    const steady = after === undefined || isSettled(this.rule, after) ? (this.places?.steadyDegrees ?? 0) : 0
    data[row + SIZE] = steady
    if (steady > 0) {
      data[row + WEST] = Math.floor((longitude + 180) / steady) * steady - 180
      data[row + SOUTH] = Math.floor((latitude + 90) / steady) * steady - 90
    }
    return true
  }

  /** Where all locations are in the square in which nothing changes. */
  pushRest(slot: number, call: CallReadings, _columns: unknown, from: number): boolean {
    if (call.located === 0) return true
    const { data } = this
    const row = slot * WIDTH
    if (call.located < call.count || !isAfter(data[row + NEWEST] as number, call, from)) return false
    const [west, south] = [data[row + WEST] as number, data[row + SOUTH] as number]
    const size = data[row + SIZE] as number
    const { west: mostWest, south: mostSouth, east, north } = call
    if (!(mostWest - west >= 0 && mostSouth - south >= 0 && east - west < size && north - south < size)) return false
    data[row + NEWEST] = call.times[call.count - 1] as number
    return true
  }

  private judge(slot: number, row: number, at: At): ZoneMemory | undefined {
    const around = (this.places as Places).around(at.longitude, at.latitude)
    const before = this.memories.get(slot)
    if (before === undefined && around.inside.length === 0 && this.rule.when !== 'outside') return undefined
    this.slot = slot
    this.judging.rule = this.rule
    const wasOk = before === undefined || isOk(this.rule, before)
    const after = judgePosition(this.judging, before, at, around)
    if (after === undefined) this.memories.delete(slot)
    else if (before === undefined) this.memories.set(slot, after)
    if (!wasOk && (after === undefined || isOk(this.rule, after))) this.data[row + OK_SINCE] = at.atMs
    return after
  }

  stateOf(slot: number): RunState {
    const row = slot * WIDTH
    if (this.data[row + NEWEST] === Number.NEGATIVE_INFINITY) return { state: 'unknown', sinceMs: Number.NaN }
    const phases = [...(this.memories.get(slot) ?? [])].flatMap(([, { state }]) => phaseOf(this.rule, state) ?? [])
    const firing = phases.filter(({ state }) => state === 'firing')
    const [first] = (firing.length > 0 ? firing : phases).sort((a, b) => a.sinceMs - b.sinceMs)
    return first ?? { state: 'ok', sinceMs: this.data[row + OK_SINCE] as number }
  }

  override save(writer: SnapshotWriter): void {
    super.save(writer)
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

  override load(reader: SnapshotReader): void {
    super.load(reader)
    // the layer may be another one
    for (let row = 0; row < this.data.length; row += WIDTH) this.data[row + SIZE] = 0
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

/** Whether positions with the same surroundings change nothing, however many there are. */
function isSettled(rule: AnyZoneRule, memory: ZoneMemory): boolean {
  for (const { state } of memory.values())
    if (state.run !== undefined || phaseOf(rule, state)?.state === 'pending') return false
  return true
}

const SIDES: readonly Side[] = ['inside', 'outside']

function numbersOf({ state: { side, sinceMs, run, firedMs }, longitude, latitude }: KeptZone): Float64Array {
  const own = [side === undefined ? -1 : SIDES.indexOf(side), sinceMs, firedMs ?? Number.NaN, longitude, latitude]
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
