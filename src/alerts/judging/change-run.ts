/**
 * Rules about a change of a value within a window of time: up from the lowest value of the window, down from the
 * highest. The window [t - `withinMs`, t] includes the value that is judged.
 */
import type { ChangeRule } from '../rule.ts'
import { isInSchedule } from '../schedule.ts'
import { ExtremeQueues, QUEUE_WIDTH } from './extreme-queues.ts'
import { areComplete, isAfter, NEWEST, RowRun } from './row-run.ts'
import type { RunState, Sink } from './run.ts'
import type { CallReadings, Column } from './segment-readings.ts'
import type { SnapshotReader, SnapshotWriter } from './snapshot-bytes.ts'

/** Offsets in a row. LOW is the queue of the lowest value, before that of the highest. A direction may need only one. */
const [PHASE, ONSET, LOW] = [1, 2, 3]

const [OK, PENDING, FIRING] = [0, 1, 2]

export class ChangeRun extends RowRun<ChangeRule> {
  private readonly queues = new ExtremeQueues()
  private readonly hasLow: boolean
  private readonly hasHigh: boolean
  private readonly high: number

  constructor(rule: ChangeRule, sink: Sink) {
    const { direction } = rule
    const high = direction === 'down' ? LOW : LOW + QUEUE_WIDTH
    super(rule, [rule.channel], sink, direction === 'up' ? high : high + QUEUE_WIDTH)
    this.hasLow = direction !== 'down'
    this.hasHigh = direction !== 'up'
    this.high = high
  }

  override get bytes(): number {
    return super.bytes + this.queues.bytes
  }

  protected begin(_slot: number, row: number): void {
    if (this.hasLow) this.queues.begin(this.data, row + LOW)
    if (this.hasHigh) this.queues.begin(this.data, row + this.high)
  }

  override remove(slot: number): void {
    super.remove(slot)
    const row = slot * this.width
    if (this.hasLow) this.queues.end(this.data, row + LOW)
    if (this.hasHigh) this.queues.end(this.data, row + this.high)
  }

  push(slot: number, atMs: number): boolean {
    const { data, rule, sink } = this
    const value = this.values[0] as number
    const row = slot * this.width
    if (Number.isNaN(value)) return true
    const newestMs = data[row + NEWEST] as number
    if (atMs <= newestMs) return false
    data[row + NEWEST] = atMs
    if (newestMs === Number.NEGATIVE_INFINITY) data[row + ONSET] = atMs
    const oldestMs = atMs - rule.withinMs
    let [rise, fall] = [Number.NEGATIVE_INFINITY, Number.NEGATIVE_INFINITY]
    if (this.hasLow) rise = value - this.queues.push(data, row + LOW, 1, atMs, value, oldestMs)
    if (this.hasHigh) fall = this.queues.push(data, row + this.high, -1, atMs, value, oldestMs) - value
    const phase = data[row + PHASE] as number
    if (rise < rule.by && fall < rule.by) {
      if (phase === OK) return true
      const startedMs = data[row + ONSET] as number
      data[row + PHASE] = OK
      data[row + ONSET] = atMs
      if (phase === FIRING) sink.change(slot, { type: 'resolved', startedMs, resolvedMs: atMs, polygon: undefined })
      return true
    }
    if (phase === OK) data[row + ONSET] = atMs
    if (phase === FIRING) return true
    data[row + PHASE] = PENDING
    if (rule.schedule !== undefined && !isInSchedule(rule.schedule, atMs)) return true
    data[row + PHASE] = FIRING
    sink.change(slot, {
      type: 'firing',
      startedMs: data[row + ONSET] as number,
      firedMs: atMs,
      severity: rule.severity,
      values: { [rule.channel]: value },
      polygon: undefined,
      late: false,
    })
    return true
  }

  /** Where the rule is ok, and no two values of the call and the window are far enough apart. */
  pushRest(slot: number, call: CallReadings, columns: readonly (Column | undefined)[], from: number): boolean {
    const { data, rule, queues } = this
    const { count, times } = call
    const row = slot * this.width
    const newestMs = data[row + NEWEST] as number
    if (!areComplete(columns, call) || !isAfter(newestMs, call, from)) return false
    if (data[row + PHASE] !== OK) return false
    const column = columns[0] as Column
    if (this.hasLow && column.most - queues.lead(data, row + LOW, column.least, Math.min) >= rule.by) return false
    if (this.hasHigh && queues.lead(data, row + this.high, column.most, Math.max) - column.least >= rule.by)
      return false
    if (newestMs === Number.NEGATIVE_INFINITY) data[row + ONSET] = times[from] as number
    const lastMs = times[count - 1] as number
    data[row + NEWEST] = lastMs
    const span = { times, values: column.values, from, to: count, oldestMs: lastMs - rule.withinMs }
    if (this.hasLow) queues.pushAll(data, row + LOW, 1, span)
    if (this.hasHigh) queues.pushAll(data, row + this.high, -1, span)
    return true
  }

  stateOf(slot: number): RunState {
    const row = slot * this.width
    if (this.data[row + NEWEST] === Number.NEGATIVE_INFINITY) return { state: 'unknown', sinceMs: Number.NaN }
    const state = (['ok', 'pending', 'firing'] as const)[this.data[row + PHASE] as 0 | 1 | 2]
    return { state, sinceMs: this.data[row + ONSET] as number }
  }

  override save(writer: SnapshotWriter): void {
    super.save(writer)
    this.queues.save(writer)
  }

  override load(reader: SnapshotReader): void {
    super.load(reader)
    this.queues.load(reader)
  }
}
