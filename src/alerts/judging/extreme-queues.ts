/**
 * The lowest (or highest) value of a moving window of time: a queue of the values that can still become it, in order of
 * time. A newer value drops those before it that it makes irrelevant, so the first entry is the extreme.
 *
 * The queues of a run are rings in one array, with a few numbers of each in its row: as objects, 100,000 of them would make
 * each garbage collection slow.
 */
import type { SnapshotReader, SnapshotWriter } from './snapshot-bytes.ts'

/** Numbers that a queue takes in a row: where its ring is, how many entries it has place for, and those in use. */
const [RING, SIZE, FIRST, COUNT] = [0, 1, 2, 3]
export const QUEUE_WIDTH = 4

/** A time and a value. */
const ENTRY = 2
/** Sizes are powers of two. */
const FIRST_SIZE = 4

/** Values by time, from an index on and before another one. `oldestMs`: the beginning of the last one's window. */
type Span = { times: Float64Array; values: Float64Array; from: number; to: number; oldestMs: number }

export class ExtremeQueues {
  private rings: Float64Array = new Float64Array(ENTRY * FIRST_SIZE)
  private used = 0
  /** Rings that are no longer used, by their size. */
  private readonly free = new Map<number, number[]>()

  get bytes(): number {
    return this.rings.byteLength
  }

  /** @param queue the index of its first number in the rows */
  begin(rows: Float64Array, queue: number): void {
    rows[queue + RING] = this.take(FIRST_SIZE)
    rows[queue + SIZE] = FIRST_SIZE
    rows[queue + FIRST] = 0
    rows[queue + COUNT] = 0
  }

  end(rows: Float64Array, queue: number): void {
    this.give(rows[queue + RING] as number, rows[queue + SIZE] as number)
  }

  private take(size: number): number {
    const known = this.free.get(size)?.pop()
    if (known !== undefined) return known
    const ring = this.used
    this.used += ENTRY * size
    if (this.used > this.rings.length) {
      const larger = new Float64Array(Math.max(this.used, this.rings.length * 2))
      larger.set(this.rings)
      this.rings = larger
    }
    return ring
  }

  private give(ring: number, size: number): void {
    const known = this.free.get(size)
    if (known === undefined) this.free.set(size, [ring])
    else known.push(ring)
  }

  /**
   * Adds a value to a queue. @param sign 1 for the lowest value, -1 for the highest
   * @returns the extreme of the values from `oldestMs` on
   */
  push(rows: Float64Array, queue: number, sign: 1 | -1, atMs: number, value: number, oldestMs: number): number {
    const { rings } = this
    const ring = rows[queue + RING] as number
    const last = (rows[queue + SIZE] as number) - 1
    let first = rows[queue + FIRST] as number
    let count = rows[queue + COUNT] as number
    while (count > 0) {
      const newest = ring + ENTRY * ((first + count - 1) & last)
      if (sign * ((rings[newest + 1] as number) - value) < 0) break
      count--
    }
    while (count > 0 && (rings[ring + ENTRY * first] as number) < oldestMs) {
      first = (first + 1) & last
      count--
    }
    rows[queue + FIRST] = first
    rows[queue + COUNT] = count
    if (count > last) this.grow(rows, queue)
    return this.append(rows, queue, atMs, value)
  }

  /** The extreme of a queue's values, also of those before the window, and another one. */
  lead(rows: Float64Array, queue: number, other: number, extreme: (a: number, b: number) => number): number {
    if (rows[queue + COUNT] === 0) return other
    const first = (rows[queue + RING] as number) + ENTRY * (rows[queue + FIRST] as number)
    return extreme(other, this.rings[first + 1] as number)
  }

  /** Adds values one after the other. Of those only the last ones that are the extreme of all later ones matter. */
  pushAll(rows: Float64Array, queue: number, sign: 1 | -1, { times, values, from, to, oldestMs }: Span): void {
    const kept: number[] = []
    let extreme = Number.POSITIVE_INFINITY
    for (let i = to - 1; i >= from && (times[i] as number) >= oldestMs; i--) {
      const value = sign * (values[i] as number)
      if (value >= extreme) continue
      extreme = value
      kept.push(i)
    }
    for (const i of kept.reverse()) this.push(rows, queue, sign, times[i] as number, values[i] as number, oldestMs)
  }

  private append(rows: Float64Array, queue: number, atMs: number, value: number): number {
    const { rings } = this
    const ring = rows[queue + RING] as number
    const last = (rows[queue + SIZE] as number) - 1
    const first = rows[queue + FIRST] as number
    const count = rows[queue + COUNT] as number
    const entry = ring + ENTRY * ((first + count) & last)
    rings[entry] = atMs
    rings[entry + 1] = value
    rows[queue + COUNT] = count + 1
    return rings[ring + ENTRY * first + 1] as number
  }

  /** A full ring moves to one of twice its size, with its first entry at the beginning. */
  private grow(rows: Float64Array, queue: number): void {
    const ring = rows[queue + RING] as number
    const size = rows[queue + SIZE] as number
    const first = ring + ENTRY * (rows[queue + FIRST] as number)
    const next = this.take(2 * size)
    this.rings.copyWithin(next, first, ring + ENTRY * size)
    this.rings.copyWithin(next + ring + ENTRY * size - first, ring, first)
    this.give(ring, size)
    rows[queue + RING] = next
    rows[queue + SIZE] = 2 * size
    rows[queue + FIRST] = 0
  }

  save(writer: SnapshotWriter): void {
    writer.numbers(this.rings.subarray(0, this.used))
    writer.number(this.free.size)
    for (const [size, rings] of this.free) {
      writer.number(size)
      writer.numbers(Float64Array.from(rings))
    }
  }

  load(reader: SnapshotReader): void {
    this.rings = reader.numbers()
    this.used = this.rings.length
    for (let left = reader.number(); left > 0; left--) this.free.set(reader.number(), Array.from(reader.numbers()))
  }
}
