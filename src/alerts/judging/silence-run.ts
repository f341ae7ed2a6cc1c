/**
 * Silence: more than `forMs` between two readings of a sensor, or of one of its channels. Live it fires when nothing newer
 * was received for so long, by the server's clock; a silence that only the next reading shows is recorded as late. Time
 * without a server does not count, and silences count again from the end of a day whose readings were spent. `received`
 * decides again when the next reading comes, so what is found does not depend on when the clock was looked at, and judging
 * a segment again finds the same.
 */
import type { SilenceRule } from '../rule.ts'
import { nextOpening } from '../schedule.ts'
import {
  addTime,
  addTimes,
  hasInterval,
  moveNewest,
  RHYTHM_WIDTH,
  SHORTEST_INTERVAL_MS,
  usualIntervalMs,
} from './rhythm.ts'
import { areComplete, NEWEST, RowRun } from './row-run.ts'
import type { Pauses, RunState, Sink } from './run.ts'
import type { CallReadings, Column } from './segment-readings.ts'

/** Silences last this many usual intervals, where a rule does not say. */
const SILENT_INTERVALS = 10

/**
 * Offsets in a row. FROM: when a silence began, by the device's clock; HEARD: when it began by the server's. FIRED: NaN
 * while the alert does not fire. PAUSED: since when silences do not count, NaN while they do. ACTIVE: silences do not count
 * from before. LOOK: the clock need not be looked at before. FOR: `forMs`; where it follows the rhythm, NaN until it is
 * needed.
 */
const [FROM, HEARD, FIRED, PAUSED, ACTIVE, LOOK, SINCE, VALUE, FOR, RHYTHM] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]

export class SilenceRun extends RowRun<SilenceRule> {
  /** No silence is shorter, whatever the rhythm. */
  private readonly shortestMs: number

  constructor(
    rule: SilenceRule,
    sink: Sink,
    private readonly pauses: Pauses,
    private readonly usualMs: (slot: number) => number,
  ) {
    const channels = rule.channel === undefined ? [] : [rule.channel]
    super(rule, channels, sink, rule.forMs === undefined ? RHYTHM + RHYTHM_WIDTH : RHYTHM)
    this.shortestMs = rule.forMs ?? SILENT_INTERVALS * SHORTEST_INTERVAL_MS
  }

  protected begin(_slot: number, row: number, sinceMs: number): void {
    this.data[row + FIRED] = Number.NaN
    this.data[row + VALUE] = Number.NaN
    this.data[row + FOR] = this.rule.forMs ?? Number.NaN
    this.activate(row, sinceMs)
  }

  private activate(row: number, sinceMs: number): void {
    this.data[row + ACTIVE] = sinceMs
    this.data[row + PAUSED] = Number.NaN
    this.countFrom(row, sinceMs, sinceMs)
  }

  private countFrom(row: number, fromMs: number, heardMs: number): void {
    this.data[row + FROM] = fromMs
    this.data[row + HEARD] = heardMs
    this.data[row + LOOK] = 0
  }

  push(slot: number, atMs: number, receivedMs: number): boolean {
    const { data } = this
    const row = slot * this.width
    const { channel } = this.rule
    if (channel !== undefined && Number.isNaN(this.values[0])) return true
    const newestMs = data[row + NEWEST] as number
    if (atMs <= newestMs) return false
    const isSameCall = channel === undefined && receivedMs === data[row + HEARD] && newestMs === data[row + FROM]
    if (newestMs === Number.NEGATIVE_INFINITY) data[row + SINCE] = atMs
    data[row + NEWEST] = atMs
    // a segment that is judged again may be from before a pause that is known already
    if (receivedMs >= (data[row + ACTIVE] as number)) {
      if (Number.isNaN(data[row + PAUSED])) this.find(slot, atMs, receivedMs)
      this.resolve(slot, atMs)
      this.countFrom(row, atMs, receivedMs)
      if (receivedMs > (data[row + PAUSED] as number)) data[row + PAUSED] = Number.NaN
    }
    if (channel !== undefined) data[row + VALUE] = this.values[0] as number
    if (this.rule.forMs === undefined) {
      if (isSameCall) moveNewest(data, row + RHYTHM, atMs)
      else addTime(data, row + RHYTHM, atMs)
      data[row + FOR] = Number.NaN
    }
    return true
  }

  /** After the first reading of a call, where none of its steps is a silence. */
  pushRest(slot: number, call: CallReadings, columns: readonly (Column | undefined)[], from: number): boolean {
    const { data } = this
    const { count, times, receivedMs } = call
    const row = slot * this.width
    // NaN if two readings have the same time
    if (!areComplete(columns, call) || !(call.longestStepMs <= this.shortestMs)) return false
    if (from === 0 || data[row + HEARD] !== receivedMs || data[row + FROM] !== times[from - 1]) return false
    if (!(receivedMs >= (data[row + ACTIVE] as number)) || data[row + NEWEST] !== times[from - 1]) return false
    const lastMs = times[count - 1] as number
    data[row + NEWEST] = lastMs
    this.countFrom(row, lastMs, receivedMs)
    const [column] = columns
    if (column !== undefined) data[row + VALUE] = column.values[count - 1] as number
    if (this.rule.forMs === undefined) {
      if (column === undefined) moveNewest(data, row + RHYTHM, lastMs)
      else addTimes(data, row + RHYTHM, times, from, count)
      data[row + FOR] = Number.NaN
    }
    return true
  }

  override tick(nowMs: number): void {
    const { data, width } = this
    const spentUntilMs = this.pauses.spentUntil().at(-1)
    if (spentUntilMs !== undefined && nowMs < spentUntilMs) return
    for (let slot = 0, row = 0; slot < this.rows; slot++, row += width) {
      const heardMs = data[row + HEARD] as number
      if (
        nowMs - heardMs <= this.shortestMs ||
        nowMs - heardMs <= this.forMs(slot) ||
        nowMs < (data[row + LOOK] as number)
      )
        continue
      if (!Number.isNaN(data[row + FIRED]) || !Number.isNaN(data[row + PAUSED]) || Number.isNaN(data[row + NEWEST]))
        continue
      this.find(slot, undefined, nowMs)
    }
  }

  /** Until two calls show the rhythm to this run, it is the one that the sensor had before. */
  private forMs(slot: number): number {
    const { data } = this
    const row = slot * this.width
    if (Number.isNaN(data[row + FOR])) {
      const before = hasInterval(data, row + RHYTHM) ? 0 : this.usualMs(slot)
      const usualMs = before > 0 ? Math.max(SHORTEST_INTERVAL_MS, before) : usualIntervalMs(data, row + RHYTHM)
      data[row + FOR] = SILENT_INTERVALS * usualMs
    }
    return data[row + FOR] as number
  }

  /**
   * Fires if the silence was too long by the next reading, or by the server's clock.
   * @param atMs the next reading; undefined for none yet @param clockMs the server's clock, when that one was received
   */
  private find(slot: number, atMs: number | undefined, clockMs: number): void {
    const { data, rule } = this
    const row = slot * this.width
    // a sensor that never sent anything is new, and not silent
    if (!Number.isNaN(data[row + FIRED]) || data[row + FROM] === Number.NEGATIVE_INFINITY) return
    const spentUntilMs = this.pauses.spentUntil().findLast((endMs) => endMs <= clockMs)
    if (spentUntilMs !== undefined && spentUntilMs > (data[row + HEARD] as number))
      this.countFrom(row, spentUntilMs, spentUntilMs)
    const fromMs = data[row + FROM] as number
    const heardMs = data[row + HEARD] as number
    const longestMs = Math.max(clockMs - heardMs, atMs === undefined ? 0 : atMs - fromMs)
    if (longestMs <= this.shortestMs) return
    const forMs = this.forMs(slot)
    const isTooLong = (sinceMs: number, untilMs: number): boolean =>
      untilMs - sinceMs > forMs && untilMs - sinceMs - this.pauses.away(sinceMs, untilMs) > forMs
    const byDevice = atMs !== undefined && isTooLong(fromMs, atMs)
    const byClock = isTooLong(heardMs, clockMs)
    if (!byDevice && !byClock) return
    const dueMs = fromMs + forMs
    const firedMs = rule.schedule === undefined ? dueMs : nextOpening(rule.schedule, dueMs)
    data[row + LOOK] = firedMs ?? Number.POSITIVE_INFINITY
    if (firedMs === undefined) return
    const opensInTime = byDevice && firedMs < atMs
    if (!opensInTime && !(byClock && (firedMs === dueMs || firedMs < clockMs))) return
    data[row + FIRED] = firedMs
    const value = data[row + VALUE] as number
    this.sink.change(slot, {
      type: 'firing',
      startedMs: fromMs,
      firedMs,
      severity: rule.severity,
      values: rule.channel === undefined || Number.isNaN(value) ? {} : { [rule.channel]: value },
      polygon: undefined,
      late: atMs !== undefined,
    })
  }

  private resolve(slot: number, endMs: number): void {
    const { data } = this
    const row = slot * this.width
    const firedMs = data[row + FIRED] as number
    if (Number.isNaN(firedMs)) return
    const resolvedMs = Math.max(endMs, firedMs)
    this.sink.change(slot, { type: 'resolved', startedMs: data[row + FROM] as number, resolvedMs, polygon: undefined })
    data[row + FIRED] = Number.NaN
    data[row + SINCE] = resolvedMs
  }

  /** Silences do not count from then on, until `resume` or a reading that is received later. */
  pause(slot: number, sinceMs: number): void {
    const row = slot * this.width
    const heardMs = this.data[row + HEARD] as number
    const hasSentSince = heardMs > sinceMs && heardMs > (this.data[row + ACTIVE] as number)
    if (!hasSentSince) this.data[row + PAUSED] = sinceMs
  }

  /** Silences count again, from then on at the earliest. */
  resume(slot: number, sinceMs: number | undefined): void {
    const row = slot * this.width
    this.data[row + PAUSED] = Number.NaN
    if (sinceMs === undefined || sinceMs <= (this.data[row + HEARD] as number)) return
    if (this.data[row + FROM] === Number.NEGATIVE_INFINITY) return
    this.resolve(slot, sinceMs)
    this.activate(row, sinceMs)
  }

  stateOf(slot: number): RunState {
    const row = slot * this.width
    if (!Number.isNaN(this.data[row + FIRED])) return { state: 'firing', sinceMs: this.data[row + FROM] as number }
    if (this.data[row + NEWEST] === Number.NEGATIVE_INFINITY) return { state: 'unknown', sinceMs: Number.NaN }
    return { state: 'ok', sinceMs: this.data[row + SINCE] as number }
  }
}
