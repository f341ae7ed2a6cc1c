/** What runs have in common: a row of numbers for each sensor, in one array that grows. Freed rows are used again. */
import type { Places, Run, RunState, Sink } from './run.ts'
import type { CallReadings, Column } from './segment-readings.ts'
import type { SnapshotReader, SnapshotWriter } from './snapshot-bytes.ts'

const FIRST_ROWS = 4
/** Conditions of a rule. */
const MAX_CHANNELS = 8

/** The first number of each row: `at` of the newest counted reading, -Infinity before the first one. */
export const NEWEST = 0

/** Of all runs, because a thousand arrays would not stay in the processor's cache. */
const VALUES = new Float64Array(MAX_CHANNELS)

export abstract class RowRun<Rule extends Run['rule']> implements Run {
  readonly values = VALUES
  places: Places | undefined
  protected data: Float64Array
  protected rows = 0
  private free: number[] = []

  /** @param width numbers in a row */
  constructor(
    public rule: Rule,
    readonly channels: readonly string[],
    protected readonly sink: Sink,
    protected readonly width: number,
  ) {
    this.data = new Float64Array(FIRST_ROWS * width)
  }

  get bytes(): number {
    return this.data.byteLength
  }

  add(sinceMs: number): number {
    const slot = this.free.pop() ?? this.rows++
    const row = slot * this.width
    if (row + this.width > this.data.length) {
      const larger = new Float64Array(this.data.length * 2)
      larger.set(this.data)
      this.data = larger
    }
    this.data.fill(0, row, row + this.width)
    this.data[row + NEWEST] = Number.NEGATIVE_INFINITY
    this.begin(slot, row, sinceMs)
    return slot
  }

  remove(slot: number): void {
    this.data[slot * this.width + NEWEST] = Number.NaN
    this.free.push(slot)
  }

  /** @param row the index of the row's first number; the numbers after NEWEST are 0 */
  protected abstract begin(slot: number, row: number, sinceMs: number): void
  abstract push(slot: number, atMs: number, receivedMs: number, longitude: number, latitude: number): boolean
  abstract pushRest(slot: number, call: CallReadings, columns: readonly (Column | undefined)[], from: number): boolean
  abstract stateOf(slot: number): RunState

  newestOf(slot: number): number {
    return this.data[slot * this.width + NEWEST] as number
  }

  tick(_nowMs: number): void {
    // only silences have a clock
  }

  save(writer: SnapshotWriter): void {
    writer.numbers(this.data.subarray(0, this.rows * this.width))
  }

  load(reader: SnapshotReader): void {
    this.data = reader.numbers()
    this.rows = this.data.length / this.width
    for (let slot = 0; slot < this.rows; slot++)
      if (Number.isNaN(this.data[slot * this.width + NEWEST])) this.free.push(slot)
    if (this.rows === 0) this.data = new Float64Array(FIRST_ROWS * this.width)
  }
}

/** Whether each reading of a call has a value of every channel. */
export function areComplete(columns: readonly (Column | undefined)[], { count }: CallReadings): columns is Column[] {
  for (let i = 0; i < columns.length; i++) if (columns[i]?.count !== count) return false
  return true
}

/** Whether the readings of a call from an index on are newer than a reading, and each newer than the one before. */
export const isAfter = (newestMs: number, { times, longestStepMs }: CallReadings, from: number): boolean =>
  (times[from] as number) > newestMs && !Number.isNaN(longestStepMs)
