/**
 * All that the judging process remembers: the runs of all rules, and the sensors that they watch. It is a function of the
 * snapshot, the rules, the sensors and the segments, so a process that is replaced finds the same episodes again.
 *
 * More than 400 lines, since judging, changes of rules and sensors, and snapshots use the same private lists.
 */
import { collectGarbageIfGrown } from '../../lib/gc-pressure.ts'
import type { JudgeInput, LateSpan, WatchedLayer, WatchedRule, WatchedSensor } from '../protocol.ts'
import { createRun } from './create-run.ts'
import { GivenUpRun, isOfRule } from './given-up-run.ts'
import { judgeCall } from './judge-call.ts'
import { LateSpans } from './late-spans.ts'
import type { Change, Crossing, Places, RunState } from './run.ts'
import { type SecondJudgement, secondJudgement } from './second-judgement.ts'
import { CallReadings, type Column } from './segment-readings.ts'
import { type JudgedRule, removeSlot, Shape } from './sensor-slots.ts'
import { SilenceRun } from './silence-run.ts'
import { SnapshotReader, SnapshotWriter } from './snapshot-bytes.ts'

/** Receives what is found. `retentionDays`: of the reading that is judged. */
export type Findings = {
  change(rule: WatchedRule, sensor: number, change: Change, firstChannel: string | undefined): void
  crossing(rule: WatchedRule, sensor: number, crossing: Crossing, retentionDays: number): void
}

/** @returns undefined for a layer that is gone: its rules are not judged */
export type PlacesOf = (layer: WatchedLayer['id'], bufferM: number) => Places | undefined

/** Begins the section of a rule that was given up, which has only the rule's meaning and the reason. */
const GIVEN_UP = 'given up '

/**
 * Sensors, or readings, after which the memory of the process is looked at. Bun collects when the garbage is large in
 * relation to what is kept, and the lists are so large that a gigabyte of it would come together.
 */
const LOOKED_AT_EVERY = 20_000
/** Sensors of a new rule are read within this time. */
const NEW_RULE_MS = 60_000

export class JudgingState {
  /** The newest judged segment; -1 for none. */
  sequence = -1
  rulesVersion = Number.NaN
  sensorsVersion = Number.NaN
  downtimes: JudgeInput['downtimes'] = []
  spentDays: JudgeInput['spentDays'] = []
  private readonly judged = new Map<string, JudgedRule>()
  private readonly shapes = new Map<string, Shape>()
  /**
   * The index of each sensor in the lists. `quietOf` and `activeOf` are fields of WatchedSensor, NaN for null. `begunOf`
   * is the `activeOf` from which its rules started again.
   */
  private readonly indexes = new Map<number, number>()
  private readonly shapeOf: (Shape | undefined)[] = []
  private readonly firstOf: number[] = []
  private readonly quietOf: number[] = []
  private readonly activeOf: number[] = []
  private readonly begunOf: number[] = []
  /** `usualMs` of WatchedSensor; NaN for a sensor that never sent anything. */
  private readonly usualOf: number[] = []
  /** `begunOf` of the sensors of a snapshot, until the sensor is read. */
  private restoredBegun = new Map<number, number>()
  private readonly free: number[] = []
  private readonly call = new CallReadings()
  /** Of the call, for the channels of the rule that is judged. */
  private readonly columns: (Column | undefined)[] = []
  /** Indexes in the call of readings that are late for the rule that is judged. */
  private readonly late: number[] = []
  private untilLook = LOOKED_AT_EVERY
  private findings: Findings | undefined

  /**
   * @param name as the server names the state
   * @param beganMs the server's clock when the state began without a snapshot that should have been there: silences do
   *   not count from before. -Infinity if nothing is missing
   */
  constructor(
    readonly name: string,
    private beganMs: number,
  ) {}

  /** Memory, roughly. */
  get bytes(): number {
    let bytes = 64 * this.indexes.size
    for (const { run, sensors } of this.judged.values()) bytes += run.bytes + 8 * sensors.length
    return bytes
  }

  private away(fromMs: number, toMs: number): number {
    let away = 0
    for (const [from, to] of this.downtimes) away += Math.max(0, Math.min(to, toMs) - Math.max(from, fromMs))
    return away
  }

  setRules(rules: readonly WatchedRule[], version: number, nowMs: number): void {
    const changed = new Set<string>()
    const wanted = new Set(rules.map(({ id }) => id))
    for (const id of this.judged.keys())
      if (!wanted.has(id)) {
        this.judged.delete(id)
        changed.add(id)
      }
    for (const rule of rules) {
      const known = this.judged.get(rule.id)
      if (known !== undefined && meaningOf(known.rule) === meaningOf(rule)) {
        known.rule = rule
        known.run.rule = rule
      } else {
        this.judged.set(rule.id, this.newJudged(rule))
        changed.add(rule.id)
      }
    }
    this.rulesVersion = version
    if (changed.size > 0) this.reshape(changed, nowMs)
  }

  private newJudged(rule: WatchedRule): JudgedRule {
    const run = createRun(
      rule,
      {
        change: (slot, change) => this.findings?.change(one.rule, one.sensors[slot] as number, change, run.channels[0]),
        crossing: (slot, crossing) =>
          this.findings?.crossing(
            one.rule,
            one.sensors[slot] as number,
            crossing,
            this.call.keepDays[this.call.reading] as number,
          ),
      },
      {
        away: (fromMs, toMs) => this.away(fromMs, toMs),
        spentUntil: () => this.spentDays.find(({ enterprise }) => enterprise === one.rule.enterprise)?.untilMs ?? [],
      },
      (slot) => this.usualOf[this.indexes.get(one.sensors[slot] as number) as number] as number,
    )
    const beganMs = Math.max(rule.sinceMs, this.beganMs)
    const one: JudgedRule = {
      rule,
      sinceMs: rule.sinceMs,
      hasLayer: rule.layer !== undefined,
      run,
      sensors: [],
      beganMs,
      restored: undefined,
    }
    return one
  }

  /** Gives the sensors of changed rules another shape. */
  private reshape(changed: ReadonlySet<string>, nowMs: number): void {
    const outdated = new Set<Shape>()
    for (const [key, shape] of this.shapes)
      if (shape.rules.some((id) => changed.has(id))) {
        this.shapes.delete(key)
        outdated.add(shape)
      }
    if (outdated.size === 0) return
    for (const [sensor, index] of this.indexes) {
      const shape = this.shapeOf[index] as Shape
      if (outdated.has(shape)) this.bind(sensor, index, this.shapeFor(shape.rules, shape.channels), nowMs)
    }
  }

  private shapeFor(rules: readonly string[], channels: Readonly<Record<string, number>>): Shape {
    const key = JSON.stringify([rules, channels])
    let shape = this.shapes.get(key)
    if (shape === undefined) {
      const judged = rules.flatMap((id) => this.judged.get(id) ?? [])
      const numbers = judged.map(({ run }) => run.channels.map((channel) => channels[channel] ?? -1))
      shape = new Shape(key, rules, channels, judged, numbers)
      this.shapes.set(key, shape)
    }
    return shape
  }

  /** @param isComplete whether other sensors are no longer watched */
  setSensors(sensors: Iterable<WatchedSensor>, isComplete: boolean, version: number, nowMs: number): void {
    const left = isComplete ? new Set(this.indexes.keys()) : undefined
    for (const { number, rules, channels, quietSinceMs, activeSinceMs, usualMs } of sensors) {
      this.lookAtMemory(1)
      left?.delete(number)
      if (rules.length === 0) {
        this.unwatch(number)
        continue
      }
      let index = this.indexes.get(number)
      if (index === undefined) {
        index = this.free.pop() ?? this.shapeOf.length
        this.indexes.set(number, index)
        this.shapeOf[index] = undefined
        this.begunOf[index] = this.restoredBegun.get(number) ?? activeSinceMs ?? Number.NaN
      }
      this.quietOf[index] = quietSinceMs ?? Number.NaN
      this.activeOf[index] = activeSinceMs ?? Number.NaN
      this.usualOf[index] = usualMs ?? Number.NaN
      this.bind(number, index, this.shapeFor(rules, channels), nowMs)
    }
    for (const number of left ?? []) this.unwatch(number)
    if (isComplete) this.dropRestored()
    this.sensorsVersion = version
  }

  private unwatch(sensor: number): void {
    const index = this.indexes.get(sensor)
    if (index === undefined) return
    const shape = this.shapeOf[index] as Shape
    const first = this.firstOf[index] as number
    for (const [i, one] of shape.judged.entries()) removeSlot(one, shape.slots[first + i] as number)
    this.leave(shape, first)
    this.indexes.delete(sensor)
    this.shapeOf[index] = undefined
    this.free.push(index)
  }

  private leave(shape: Shape, first: number): void {
    shape.remove(first)
    if (shape.size === 0 && this.shapes.get(shape.key) === shape) this.shapes.delete(shape.key)
  }

  /** Gives a sensor a shape: the rules that stay keep what they know of it, the others begin or end. */
  private bind(sensor: number, index: number, next: Shape, nowMs: number): void {
    const before = this.shapeOf[index]
    const firstBefore = this.firstOf[index] as number
    if (before !== next) {
      const first = next.add()
      const kept = new Set<number>()
      for (const [i, one] of next.judged.entries()) {
        const own = before?.indexIn(next, i)
        if (own !== undefined) kept.add(own)
        next.slots[first + i] =
          own === undefined
            ? this.newSlot(one, sensor, index, nowMs)
            : ((before as Shape).slots[firstBefore + own] as number)
      }
      for (const [i, one] of (before?.judged ?? []).entries())
        if (!kept.has(i)) removeSlot(one, (before as Shape).slots[firstBefore + i] as number)
      if (before !== undefined) this.leave(before, firstBefore)
      this.shapeOf[index] = next
      this.firstOf[index] = first
    }
    this.pauseOrResume(index)
  }

  private newSlot(one: JudgedRule, sensor: number, index: number, nowMs: number): number {
    const known = one.restored?.get(sensor)
    if (known !== undefined) {
      one.restored?.delete(sensor)
      return known
    }
    const activeMs = this.activeOf[index] as number
    const fromMs = Math.max(one.beganMs ?? nowMs, Number.isNaN(activeMs) ? Number.NEGATIVE_INFINITY : activeMs)
    const slot = one.run.add(Number.isNaN(this.usualOf[index]) ? Number.NEGATIVE_INFINITY : fromMs)
    one.sensors[slot] = sensor
    return slot
  }

  private pauseOrResume(index: number): void {
    const shape = this.shapeOf[index] as Shape
    const first = this.firstOf[index] as number
    const quietMs = this.quietOf[index] as number
    const activeMs = this.activeOf[index] as number
    for (const [i, { run }] of shape.judged.entries()) {
      if (!(run instanceof SilenceRun)) continue
      const slot = shape.slots[first + i] as number
      if (Number.isNaN(quietMs)) run.resume(slot, Number.isNaN(activeMs) ? undefined : activeMs)
      else run.pause(slot, quietMs)
    }
  }

  /** Sensors of the snapshot that are no longer watched. */
  private dropRestored(): void {
    for (const one of this.judged.values()) {
      for (const slot of one.restored?.values() ?? []) removeSlot(one, slot)
      one.restored = undefined
    }
    this.restoredBegun.clear()
  }

  /** Before `setRules`, `setSensors`, `judge` and `tick`, because each of them may find something. */
  reportTo(findings: Findings): void {
    this.findings = findings
  }

  setPlaces(placesOf: PlacesOf): void {
    const shared = new Map<string, Places | undefined>()
    for (const { rule, run } of this.judged.values()) {
      if (rule.layer === undefined) continue
      const key = `${rule.layer} ${rule.bufferM}`
      if (!shared.has(key)) shared.set(key, placesOf(rule.layer, rule.bufferM))
      run.places = shared.get(key)
    }
  }

  /** @returns readings that were late */
  judge(segments: Iterable<{ sequence: number; bytes: Uint8Array }>, nowMs: number): LateSpan[] {
    for (const one of this.judged.values()) if (nowMs > one.rule.sinceMs + NEW_RULE_MS) one.beganMs = undefined
    const late = new LateSpans()
    for (const { sequence, bytes } of segments) {
      if (sequence <= this.sequence) continue
      this.call.each(
        bytes,
        (sensor) => this.indexes.has(sensor),
        () => this.judgeCall(late),
      )
      this.sequence = sequence
    }
    return late.list
  }

  /** @param count of sensors or readings that come next */
  private lookAtMemory(count: number): void {
    this.untilLook -= count
    if (this.untilLook > 0) return
    this.untilLook = LOOKED_AT_EVERY
    collectGarbageIfGrown()
  }

  private judgeCall(late: LateSpans): void {
    const { call } = this
    this.lookAtMemory(call.count)
    const { sensor, receivedMs } = call
    const index = this.indexes.get(sensor) as number
    const { judged, numbers, slots } = this.shapeOf[index] as Shape
    const first = this.firstOf[index] as number
    const activeMs = this.activeOf[index] as number
    if (receivedMs >= activeMs && activeMs !== this.begunOf[index]) this.beginAnew(index)
    if (Number.isNaN(this.usualOf[index])) this.usualOf[index] = 0
    let lateFor: string[][] | undefined
    for (let i = 0; i < judged.length; i++) {
      const one = judged[i] as JudgedRule
      if (receivedMs < one.sinceMs || (one.hasLayer && one.run.places === undefined)) continue
      const own = numbers[i] as readonly number[]
      this.columns.length = own.length
      for (let j = 0; j < own.length; j++) this.columns[j] = call.column(own[j] as number)
      try {
        judgeCall(one.run, slots[first + i] as number, call, this.columns, this.late)
      } catch (error) {
        giveUp(one, error)
      }
      if (this.late.length === 0) continue
      lateFor ??= Array.from({ length: call.count }, () => [])
      for (const reading of this.late) lateFor[reading]?.push(one.rule.id)
      this.late.length = 0
    }
    for (const [reading, rules] of (lateFor ?? []).entries())
      if (rules.length > 0) late.add(sensor, rules, call.times[reading] as number)
  }

  /** The alerts of a sensor ended when it was switched off. Silences have a clock of their own (`resume`). */
  private beginAnew(index: number): void {
    const { judged, slots } = this.shapeOf[index] as Shape
    const first = this.firstOf[index] as number
    for (const [i, one] of judged.entries()) {
      if (one.run instanceof SilenceRun) continue
      const slot = slots[first + i] as number
      const sensor = one.sensors[slot] as number
      removeSlot(one, slot)
      slots[first + i] = one.run.add(Number.NEGATIVE_INFINITY)
      one.sensors[slots[first + i] as number] = sensor
    }
    this.begunOf[index] = this.activeOf[index] as number
  }

  tick(nowMs: number): void {
    for (const one of this.judged.values())
      try {
        one.run.tick(nowMs)
      } catch (error) {
        giveUp(one, error)
      }
  }

  /** Rules whose judging threw. They are not judged, also by a process that continues from a snapshot. */
  givenUp(): { rule: string; why: string }[] {
    return [...this.judged.values()].flatMap(({ rule, run }) =>
      run instanceof GivenUpRun ? [{ rule: rule.id, why: run.why }] : [],
    )
  }

  /** @returns undefined for a sensor that the rule does not watch */
  stateOf(rule: string, sensor: number): RunState | undefined {
    const index = this.indexes.get(sensor)
    if (index === undefined) return undefined
    const shape = this.shapeOf[index] as Shape
    const own = shape.judged.findIndex((one) => one.rule.id === rule)
    if (own < 0) return undefined
    const [activeMs, begunMs] = [this.activeOf[index] as number, this.begunOf[index] as number]
    const isOff = !Number.isNaN(this.quietOf[index])
    // its alerts ended when it was switched off
    if (isOff || (activeMs !== begunMs && !Number.isNaN(activeMs))) return { state: 'unknown', sinceMs: Number.NaN }
    const slot = shape.slots[(this.firstOf[index] as number) + own] as number
    return (shape.judged[own] as JudgedRule).run.stateOf(slot)
  }

  /** Begins a second judgement, beside the live one. @returns undefined for a sensor that the rule does not watch */
  again(rule: string, sensor: number): SecondJudgement | undefined {
    const index = this.indexes.get(sensor)
    if (index === undefined) return undefined
    const shape = this.shapeOf[index] as Shape
    const own = shape.judged.findIndex((one) => one.rule.id === rule)
    if (own < 0 || (shape.judged[own] as JudgedRule).run instanceof GivenUpRun) return undefined
    return secondJudgement(shape, own, this.firstOf[index] as number, sensor)
  }

  /** The sections of a snapshot: one about the state, and one for each rule. The next one takes the memory of the last. */
  *save(): Generator<Uint8Array> {
    const writer = new SnapshotWriter()
    writer.number(this.sequence)
    writer.number(this.beganMs)
    const begun = [...this.indexes].flatMap(([sensor, index]) => {
      const begunMs = this.begunOf[index] as number
      return Number.isNaN(begunMs) ? [] : [sensor, begunMs]
    })
    writer.numbers(Float64Array.from(begun))
    yield writer.take()
    for (const { rule, run, sensors } of this.judged.values()) {
      if (run instanceof GivenUpRun) {
        writer.text(GIVEN_UP + meaningOf(rule))
        writer.text(run.why)
        yield writer.take()
        continue
      }
      writer.text(meaningOf(rule))
      writer.numbers(Float64Array.from(sensors))
      run.save(writer)
      yield writer.take()
    }
  }

  /** Continues another process's state, directly after the rules are set and before the sensors are. */
  load(sections: readonly Buffer[]): void {
    const [head, ...others] = sections.map((section) => new SnapshotReader(section)) as [
      SnapshotReader,
      ...SnapshotReader[],
    ]
    this.sequence = head.number()
    this.beganMs = head.number()
    const begun = head.numbers()
    for (let i = 0; i < begun.length; i += 2) this.restoredBegun.set(begun[i] as number, begun[i + 1] as number)
    for (const sensor of this.watchedIn(others))
      if (!this.restoredBegun.has(sensor)) this.restoredBegun.set(sensor, Number.NaN)
  }

  /** Reads the sections of rules. @returns the sensors that the rules watch */
  private watchedIn(sections: readonly SnapshotReader[]): Set<number> {
    const watched = new Set<number>()
    const byMeaning = new Map([...this.judged.values()].map((one) => [meaningOf(one.rule), one]))
    for (const reader of sections) {
      const text = reader.text()
      const isGivenUp = text.startsWith(GIVEN_UP)
      const one = byMeaning.get(isGivenUp ? text.slice(GIVEN_UP.length) : text)
      // the rule was changed or deleted since
      if (one === undefined) continue
      if (isGivenUp) {
        one.run = new GivenUpRun(one.rule, reader.text())
        continue
      }
      one.sensors = Array.from(reader.numbers())
      one.run.load(reader)
      one.beganMs = undefined
      one.restored = new Map()
      for (const [slot, sensor] of one.sensors.entries()) {
        if (sensor === 0) continue
        one.restored.set(sensor, slot)
        watched.add(sensor)
      }
    }
    return watched
  }
}

/** Other rules are judged on. @throws the error if it is not of the rule */
function giveUp(one: JudgedRule, error: unknown): void {
  if (!isOfRule(error)) throw error
  one.run = new GivenUpRun(one.rule, error.message)
  one.sensors = []
}

/** All of a rule but what may change without an end of its alerts. */
const meaningOf = ({ severity: _, schedule: __, ...meaning }: WatchedRule): string => JSON.stringify(meaning)
