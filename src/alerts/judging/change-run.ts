/**
 * Rules about a change of a value within a window of time: up from the lowest value of the window, down from the
 * highest. The window [t - `withinMs`, t] includes the value that is judged.
 */
import type { ChangeRule } from '../rule.ts'
import { isInSchedule } from '../schedule.ts'
import { MovingExtreme } from './moving-extreme.ts'
import { NEWEST, RowRun } from './row-run.ts'
import type { RunState, Sink } from './run.ts'
import type { SnapshotReader, SnapshotWriter } from './snapshot-bytes.ts'

/** Offsets in a row. */
const [PHASE, ONSET] = [1, 2]
const WIDTH = 3

/** Of a window with a few values. */
const WINDOW_BYTES = 200

const [OK, PENDING, FIRING] = [0, 1, 2]

/** undefined for a direction that the rule does not look at. */
type Window = { low: MovingExtreme | undefined; high: MovingExtreme | undefined }

export class ChangeRun extends RowRun<ChangeRule> {
  private readonly windows: Window[] = []

  constructor(rule: ChangeRule, sink: Sink) {
    super(rule, [rule.channel], sink, WIDTH)
  }

  private newWindow(): Window {
    const { direction } = this.rule
    return {
      low: direction === 'down' ? undefined : new MovingExtreme(1),
      high: direction === 'up' ? undefined : new MovingExtreme(-1),
    }
  }

  override get bytes(): number {
    return super.bytes + WINDOW_BYTES * this.windows.length
  }

  protected begin(slot: number): void {
    this.windows[slot] = this.newWindow()
  }

  override remove(slot: number): void {
    super.remove(slot)
    this.windows[slot] = this.newWindow()
  }

  push(slot: number, atMs: number): boolean {
    const { data, rule, sink } = this
    const value = this.values[0] as number
    const row = slot * WIDTH
    if (Number.isNaN(value)) return true
    const newestMs = data[row + NEWEST] as number
    if (atMs <= newestMs) return false
    data[row + NEWEST] = atMs
    if (newestMs === Number.NEGATIVE_INFINITY) data[row + ONSET] = atMs
    const { low, high } = this.windows[slot] as Window
    const oldestMs = atMs - rule.withinMs
    // both queues take the value
    const rise = low === undefined ? Number.NEGATIVE_INFINITY : value - low.push(atMs, value, oldestMs)
    const fall = high === undefined ? Number.NEGATIVE_INFINITY : high.push(atMs, value, oldestMs) - value
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

  stateOf(slot: number): RunState {
    const row = slot * WIDTH
    if (this.data[row + NEWEST] === Number.NEGATIVE_INFINITY) return { state: 'unknown', sinceMs: Number.NaN }
    const state = (['ok', 'pending', 'firing'] as const)[this.data[row + PHASE] as 0 | 1 | 2]
    return { state, sinceMs: this.data[row + ONSET] as number }
  }

  override save(writer: SnapshotWriter): void {
    super.save(writer)
    for (const { low, high } of this.windows) {
      low?.save(writer)
      high?.save(writer)
    }
  }

  override load(reader: SnapshotReader): void {
    super.load(reader)
    for (let slot = 0; slot < this.rows; slot++) {
      const window = this.newWindow()
      window.low?.load(reader)
      window.high?.load(reader)
      this.windows[slot] = window
    }
  }
}
