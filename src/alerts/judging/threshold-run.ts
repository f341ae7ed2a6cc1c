/**
 * Threshold rules: ok, pending, firing, ok. The device's own time alone counts, one counted reading after the other.
 *
 * - Pending: the conditions hold for `forMs` of time that readings cover. A step between two counted readings that is
 *   longer than `maxGapMs` is a gap: it restarts the time (`reset`) or adds nothing (`hold`).
 * - Firing: each condition holds up to its clear value, and keeps its state without a new value. A gap ends nothing.
 * - A rule with steps is judged once for each value; the lowest one decides when the alert begins and ends.
 *
 * Most readings meet no condition, so that path reads and writes a few numbers and allocates nothing.
 */
import { compare } from '../compare.ts'
import { type Condition, type Operator, SEVERITIES, type Severity, type ThresholdRule } from '../rule.ts'
import { isInSchedule } from '../schedule.ts'
import { addTime, addTimes, newestTime, RHYTHM_WIDTH, SHORTEST_INTERVAL_MS, usualIntervalMs } from './rhythm.ts'
import { areComplete, isAfter, NEWEST, RowRun } from './row-run.ts'
import type { RunState, Sink } from './run.ts'
import { areInSquare, type CallReadings, type Column } from './segment-readings.ts'

/** Gaps are longer than this many usual intervals, where a rule does not say. */
const GAP_INTERVALS = 3

/**
 * A row has the levels first, then the place, then the channels, so that what each reading needs is close together. Offsets
 * in a level's numbers: SUM is the covered time while pending; while firing, the end of what held, or NaN.
 */
const FIRST_LEVEL = 1
const [PHASE, ONSET, SUM] = [0, 1, 2]
const LEVEL_WIDTH = 3
/** Offsets in a channel's numbers. Without a default gap only the last time matters. */
const [VALUE, TIME, RHYTHM] = [0, 1, 1]

/** A phase is OK, PENDING, or FIRING with the conditions that hold, and with the severity when it fired, as bits. */
const [OK, PENDING, FIRING] = [0, 1, 2]
const HELD_SHIFT = 2
const MAX_HELD = 9
const HELD_MASK = (1 << MAX_HELD) - 1
const SEVERITY_SHIFT = HELD_SHIFT + MAX_HELD

type Level = { severity: Severity; conditions: { channel: number; op: Operator; value: number; clearValue: number }[] }

export class ThresholdRun extends RowRun<ThresholdRule> {
  private readonly levels: Level[]
  private readonly channelWidth: number
  private readonly place: number
  private readonly firstChannel: number
  /** The bits of all conditions, and that of `within`. */
  private readonly all: number
  private readonly withinBit: number
  /** Of the reading that is judged; NaN until it is needed. */
  private gapMs = Number.NaN

  constructor(rule: ThresholdRule, sink: Sink) {
    const channels = [...new Set(rule.conditions.map(({ channel }) => channel))]
    const channelWidth = 1 + (rule.maxGapMs === undefined ? RHYTHM_WIDTH : 1)
    const place = FIRST_LEVEL + (1 + rule.steps.length) * LEVEL_WIDTH
    const firstChannel = place + (rule.within === undefined ? 0 : 2)
    super(rule, channels, sink, firstChannel + channels.length * channelWidth)
    const levelOf = (severity: Severity, conditions: readonly Condition[]): Level => ({
      severity,
      conditions: conditions.map(({ channel, op, value, clearValue }) => ({
        channel: channels.indexOf(channel),
        op,
        value: Number(value),
        clearValue: clearValue ?? Number(value),
      })),
    })
    this.levels = [
      levelOf(rule.severity, rule.conditions),
      ...rule.steps.map(({ severity, value, clearValue }) =>
        levelOf(
          severity,
          rule.conditions.map((condition) => ({ ...condition, value, clearValue })),
        ),
      ),
    ]
    this.channelWidth = channelWidth
    this.place = place
    this.firstChannel = firstChannel
    this.all = (1 << rule.conditions.length) - 1
    this.withinBit = rule.within === undefined ? 0 : 1 << rule.conditions.length
  }

  protected begin(_slot: number, row: number): void {
    const { data } = this
    for (let channel = row + this.firstChannel; channel < row + this.width; channel += this.channelWidth) {
      data[channel + VALUE] = Number.NaN
      if (this.rule.maxGapMs !== undefined) data[channel + TIME] = Number.NaN
    }
    if (this.withinBit !== 0) data[row + this.place] = Number.NaN
  }

  push(slot: number, atMs: number, _receivedMs: number, longitude: number, latitude: number): boolean {
    const { data, values } = this
    const row = slot * this.width
    const isLocated = this.withinBit !== 0 && !Number.isNaN(longitude)
    let isCounted = isLocated
    for (let i = 0; i < this.channels.length; i++) isCounted ||= !Number.isNaN(values[i])
    if (!isCounted) return true
    const newestMs = data[row + NEWEST] as number
    if (atMs <= newestMs) return false
    if (isLocated) {
      data[row + this.place] = atMs
      data[row + this.place + 1] = this.isInside(longitude, latitude)
    }
    const first = row + FIRST_LEVEL
    if (newestMs === Number.NEGATIVE_INFINITY) data[first + ONSET] = atMs
    this.gapMs = Number.NaN
    const before = this.firingLevel(first)
    const startedMs = data[first + ONSET] as number
    for (let level = 0; level < this.levels.length; level++) this.judge(level, row, atMs, isLocated)
    for (let i = 0; i < this.channels.length; i++) this.remember(row, i, atMs)
    data[row + NEWEST] = atMs
    this.report(slot, before, startedMs, atMs)
    return true
  }

  /** Where no value of the call begins or ends what a level knows. */
  pushRest(slot: number, call: CallReadings, columns: readonly (Column | undefined)[], from: number): boolean {
    const { data, firstChannel } = this
    const { count, times } = call
    const row = slot * this.width
    const newestMs = data[row + NEWEST] as number
    if (!areComplete(columns, call) || !isAfter(newestMs, call, from)) return false
    const hasPlaces = this.withinBit !== 0 && call.located > 0
    if (hasPlaces && call.located < count) return false
    const last = count - 1
    const atMs = times[last] as number
    const isInside = hasPlaces ? this.isInside(call.longitudes[last] as number, call.latitudes[last] as number) : 0
    const isOutOfPlace =
      hasPlaces && (isInside === 1) !== (this.rule.within === 'inside') && areInSquare(call, this.places?.steadyDegrees)
    const first = row + FIRST_LEVEL
    const mostMs = this.rule.maxGapMs ?? GAP_INTERVALS * SHORTEST_INTERVAL_MS
    const coveredMs = Math.max(call.longestStepMs, (times[from] as number) - newestMs) <= mostMs ? atMs - newestMs : NaN
    for (let i = 0; i < this.levels.length; i++)
      if (!this.isSteady(this.levels[i] as Level, first + i * LEVEL_WIDTH, columns, isOutOfPlace, coveredMs))
        return false
    if (hasPlaces) {
      data[row + this.place] = atMs
      data[row + this.place + 1] = isInside
    }
    if (newestMs === Number.NEGATIVE_INFINITY) data[first + ONSET] = times[from] as number
    for (let level = first; level < row + this.place; level += LEVEL_WIDTH)
      if (data[level + PHASE] === PENDING) data[level + SUM] = (data[level + SUM] as number) + coveredMs
      else data[level + SUM] = Number.NaN
    for (let i = 0; i < columns.length; i++) {
      const own = row + firstChannel + i * this.channelWidth
      data[own + VALUE] = (columns[i] as Column).values[last] as number
      if (this.rule.maxGapMs === undefined) addTimes(data, own + RHYTHM, times, from, count)
      else data[own + TIME] = atMs
    }
    data[row + NEWEST] = atMs
    return true
  }

  /**
   * Whether a level stays ok, stays pending, or continues to fire by the same conditions, with all values of the columns.
   * @param coveredMs the time from the newest reading to the last one; NaN if it may have a gap
   */
  private isSteady(
    { conditions }: Level,
    own: number,
    columns: readonly Column[],
    isOutOfPlace: boolean,
    coveredMs: number,
  ): boolean {
    const phase = this.data[own + PHASE] as number
    if (phase === OK) return isOutOfPlace || !this.isMet(heldBy(conditions, columns, someHold) | this.withinBit)
    if (this.withinBit !== 0) return false
    if (phase === PENDING)
      return (
        (this.data[own + SUM] as number) + coveredMs < this.rule.forMs &&
        this.isMet(heldBy(conditions, columns, allHold))
      )
    const held = (phase >> HELD_SHIFT) & HELD_MASK
    if (!this.isMet(held)) return false
    return conditions.every(({ channel, op, value, clearValue }, i) => {
      const column = columns[channel] as Column
      return (held & (1 << i)) === 0 ? !someHold(column, op, value) : allHold(column, op, value, clearValue)
    })
  }

  private isInside(longitude: number, latitude: number): number {
    return (this.places?.around(longitude, latitude).inside.length ?? 0) > 0 ? 1 : 0
  }

  private remember(row: number, channel: number, atMs: number): void {
    const value = this.values[channel] as number
    if (Number.isNaN(value)) return
    const own = row + this.firstChannel + channel * this.channelWidth
    this.data[own + VALUE] = value
    if (this.rule.maxGapMs === undefined) addTime(this.data, own + RHYTHM, atMs)
    else this.data[own + TIME] = atMs
  }

  private judge(index: number, row: number, atMs: number, isLocated: boolean): void {
    const { data, rule } = this
    const level = this.levels[index] as Level
    const own = row + FIRST_LEVEL + index * LEVEL_WIDTH
    const phase = data[own + PHASE] as number
    if (phase >= FIRING) {
      this.goOn(level, row, own, atMs, isLocated)
      return
    }
    const held = this.heldNow(level, row, atMs)
    if (!this.isMet(held)) {
      if (phase === PENDING) this.end(own, atMs)
      return
    }
    const stepMs = atMs - (data[row + NEWEST] as number)
    if (phase === PENDING && stepMs <= this.maxGapMs(row)) data[own + SUM] = (data[own + SUM] as number) + stepMs
    else if (phase === OK || rule.gap === 'reset') {
      data[own + ONSET] = atMs
      data[own + SUM] = 0
    }
    data[own + PHASE] = PENDING
    if ((data[own + SUM] as number) < rule.forMs) return
    if (rule.schedule !== undefined && !isInSchedule(rule.schedule, atMs)) return
    data[own + PHASE] = FIRING | (held << HELD_SHIFT) | (SEVERITIES.indexOf(rule.severity) << SEVERITY_SHIFT)
    data[own + SUM] = Number.NaN
  }

  private end(own: number, atMs: number): void {
    this.data[own + PHASE] = OK
    this.data[own + ONSET] = atMs
  }

  /** While the level fires. */
  private goOn({ conditions }: Level, row: number, own: number, atMs: number, isLocated: boolean): void {
    const { data, values, rule } = this
    const phase = data[own + PHASE] as number
    let held = (phase >> HELD_SHIFT) & HELD_MASK
    for (let i = 0; i < conditions.length; i++) {
      const { channel, op, value, clearValue } = conditions[i] as Level['conditions'][number]
      const now = values[channel] as number
      if (Number.isNaN(now)) continue
      const isHeld = (held & (1 << i)) === 0 ? compare(now, op, value) : goesOn(now, op, value, clearValue)
      held = isHeld ? held | (1 << i) : held & ~(1 << i)
    }
    if (isLocated) held = this.isWithin(row) ? held | this.withinBit : held & ~this.withinBit
    data[own + PHASE] = FIRING | (held << HELD_SHIFT) | ((phase >> SEVERITY_SHIFT) << SEVERITY_SHIFT)
    if (this.isMet(held)) {
      data[own + SUM] = Number.NaN
      return
    }
    if (Number.isNaN(data[own + SUM])) data[own + SUM] = atMs
    if (atMs - (data[own + SUM] as number) >= rule.keepFiringMs) this.end(own, atMs)
  }

  /** The conditions that hold by the newest values, as bits. */
  private heldNow({ conditions }: Level, row: number, atMs: number): number {
    const { data, values } = this
    let held = 0
    for (let i = 0; i < conditions.length; i++) {
      const { channel, op, value } = conditions[i] as Level['conditions'][number]
      let now = values[channel] as number
      if (Number.isNaN(now)) {
        const known = row + this.firstChannel + channel * this.channelWidth
        now = data[known + VALUE] as number
        if (Number.isNaN(now) || !this.isKnown(row, this.lastMs(known), atMs)) continue
      }
      if (compare(now, op, value)) held |= 1 << i
    }
    if (this.withinBit !== 0) {
      const placeMs = data[row + this.place] as number
      if (!Number.isNaN(placeMs) && this.isKnown(row, placeMs, atMs) && this.isWithin(row)) held |= this.withinBit
    }
    return held
  }

  private lastMs(channel: number): number {
    return this.rule.maxGapMs === undefined
      ? newestTime(this.data, channel + RHYTHM)
      : (this.data[channel + TIME] as number)
  }

  private isKnown(row: number, ms: number, atMs: number): boolean {
    return ms === atMs || this.rule.gap === 'hold' || atMs - ms <= this.maxGapMs(row)
  }

  private isWithin(row: number): boolean {
    return (this.data[row + this.place + 1] === 1) === (this.rule.within === 'inside')
  }

  /** `within` is always one more condition that has to hold. */
  private isMet(held: number): boolean {
    const own = held & this.all
    return (this.rule.match === 'all' ? own === this.all : own !== 0) && (held & this.withinBit) === this.withinBit
  }

  /** Of several channels the longest usual interval counts. The channels' times are those before the reading. */
  private maxGapMs(row: number): number {
    if (this.rule.maxGapMs !== undefined) return this.rule.maxGapMs
    if (!Number.isNaN(this.gapMs)) return this.gapMs
    let longest = 0
    for (let i = 0; i < this.channels.length; i++)
      longest = Math.max(longest, usualIntervalMs(this.data, row + this.firstChannel + i * this.channelWidth + RHYTHM))
    this.gapMs = GAP_INTERVALS * longest
    return this.gapMs
  }

  /** The highest level that fires; -1 while the lowest one does not. */
  private firingLevel(first: number): number {
    if ((this.data[first + PHASE] as number) < FIRING) return -1
    let level = this.levels.length - 1
    while ((this.data[first + level * LEVEL_WIDTH + PHASE] as number) < FIRING) level--
    return level
  }

  private report(slot: number, before: number, startedMs: number, atMs: number): void {
    const { data, sink } = this
    const first = slot * this.width + FIRST_LEVEL
    const after = this.firingLevel(first)
    if (before === after) return
    const polygon = undefined
    if (after < 0) {
      sink.change(slot, { type: 'resolved', startedMs, resolvedMs: atMs, polygon })
      return
    }
    const own = SEVERITIES[(data[first + PHASE] as number) >> SEVERITY_SHIFT] as Severity
    const severityOf = (level: number): Severity => (level === 0 ? own : (this.levels[level] as Level).severity)
    if (before < 0) {
      const values: Record<string, number> = {}
      for (const [i, channel] of this.channels.entries()) {
        const value = data[slot * this.width + this.firstChannel + i * this.channelWidth + VALUE] as number
        if (!Number.isNaN(value)) values[channel] = value
      }
      const onsetMs = data[first + ONSET] as number
      const severity = severityOf(after)
      sink.change(slot, { type: 'firing', startedMs: onsetMs, firedMs: atMs, severity, values, polygon, late: false })
    } else {
      const [severity, previousSeverity] = [severityOf(after), severityOf(before)]
      sink.change(slot, { type: 'severity', startedMs, atMs, severity, previousSeverity, polygon })
    }
  }

  stateOf(slot: number): RunState {
    const row = slot * this.width
    const first = row + FIRST_LEVEL
    if (this.data[row + NEWEST] === Number.NEGATIVE_INFINITY) return { state: 'unknown', sinceMs: Number.NaN }
    const phase = this.data[first + PHASE] as number
    const sinceMs = this.data[first + ONSET] as number
    if (phase >= FIRING) return { state: 'firing', sinceMs }
    return { state: phase === PENDING ? 'pending' : 'ok', sinceMs }
  }
}

/** At a clear value that differs from its value a condition has ended, also for `>=` and `<=`. */
function goesOn(now: number, op: Operator, value: number, clearValue: number): boolean {
  if (clearValue === value) return compare(now, op, value)
  return op === '>' || op === '>=' ? now > clearValue : now < clearValue
}

/** The conditions that hold for a column, as bits. */
function heldBy(
  conditions: Level['conditions'],
  columns: readonly Column[],
  holds: (column: Column, op: Operator, value: number) => boolean,
): number {
  let held = 0
  for (let i = 0; i < conditions.length; i++) {
    const { channel, op, value } = conditions[i] as Level['conditions'][number]
    if (holds(columns[channel] as Column, op, value)) held |= 1 << i
  }
  return held
}

/** Whether a value between the least and the most may hold. */
function someHold({ least, most }: Column, op: Operator, value: number): boolean {
  if (op === '=') return least <= value && value <= most
  return compare(least, op, value) || compare(most, op, value)
}

/** Whether all values between the least and the most hold, and continue to hold. */
function allHold({ least, most }: Column, op: Operator, value: number, clearValue = value): boolean {
  if (op === '!=' && least <= value && value <= most) return false
  return goesOn(least, op, value, clearValue) && goesOn(most, op, value, clearValue)
}
