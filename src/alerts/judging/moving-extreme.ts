/**
 * The lowest (or highest) value of a moving window of time: a queue of the values that can still become it, in order of
 * time. A newer value drops those before it that it makes irrelevant, so the first entry is the extreme.
 */
import type { SnapshotReader, SnapshotWriter } from './snapshot-bytes.ts'

const FIRST_ENTRIES = 4

export class MovingExtreme {
  /** Time and value of each entry, in a ring whose size is a power of two. */
  private entries = new Float64Array(2 * FIRST_ENTRIES)
  private first = 0
  private count = 0

  /** @param sign 1 for the lowest value, -1 for the highest */
  constructor(private readonly sign: 1 | -1) {}

  /** Adds a value. @returns the extreme of the values from `oldestMs` on */
  push(atMs: number, value: number, oldestMs: number): number {
    while (this.count > 0 && this.sign * (this.value(this.count - 1) - value) >= 0) this.count--
    while (this.count > 0 && (this.entries[this.index(0)] as number) < oldestMs) {
      this.first++
      this.count--
    }
    if (2 * this.count === this.entries.length) this.grow()
    const at = this.index(this.count++)
    this.entries[at] = atMs
    this.entries[at + 1] = value
    return this.value(0)
  }

  private index(entry: number): number {
    return (2 * (this.first + entry)) & (this.entries.length - 1)
  }

  private value(entry: number): number {
    return this.entries[this.index(entry) + 1] as number
  }

  private grow(): void {
    const larger = new Float64Array(2 * this.entries.length)
    larger.set(this.inOrder())
    this.entries = larger
    this.first = 0
  }

  private inOrder(): Float64Array {
    const list = new Float64Array(2 * this.count)
    for (let i = 0; i < this.count; i++) list.set(this.entries.subarray(this.index(i), this.index(i) + 2), 2 * i)
    return list
  }

  save(writer: SnapshotWriter): void {
    writer.numbers(this.inOrder())
  }

  load(reader: SnapshotReader): void {
    const list = reader.numbers()
    this.count = list.length / 2
    while (this.entries.length < list.length) this.entries = new Float64Array(2 * this.entries.length)
    this.entries.set(list)
  }
}
