/**
 * Which runs judge a sensor, and the slot of the sensor in each of them. Sensors with the same rules and channel numbers
 * share a shape, and slots are in arrays of numbers: as objects of their own, 100,000 sensors would make each garbage
 * collection slow.
 */
import type { WatchedRule } from '../protocol.ts'
import type { Run } from './run.ts'

/** A rule, its run, and the sensor in each slot of the run: 0 for none. */
export type JudgedRule = {
  rule: WatchedRule
  /** Fields of `rule` that each reading needs. */
  readonly sinceMs: number
  readonly hasLayer: boolean
  run: Run
  sensors: number[]
  /** The server's clock from which silences count, for sensors that are watched from the rule's beginning. */
  beganMs: number | undefined
  /** Slots of a snapshot by sensor, until their sensor is read. */
  restored: Map<number, number> | undefined
}

export function removeSlot(one: JudgedRule, slot: number): void {
  one.run.remove(slot)
  one.sensors[slot] = 0
}

export class Shape {
  /** The slots of a sensor in the runs of `judged` are next to each other. */
  slots: Int32Array
  size = 0
  private readonly free: number[] = []
  private readonly indexes: ReadonlyMap<JudgedRule, number>

  /**
   * @param key names the shape
   * @param rules ids, also of rules that are not known yet
   * @param numbers for each judged rule and each channel of its run: the channel's number in these sensors, -1 for none
   */
  constructor(
    readonly key: string,
    readonly rules: readonly string[],
    readonly channels: Readonly<Record<string, number>>,
    readonly judged: readonly JudgedRule[],
    readonly numbers: readonly (readonly number[])[],
  ) {
    this.slots = new Int32Array(judged.length * 4)
    this.indexes = new Map(judged.map((one, i) => [one, i]))
  }

  /** @returns the index of the first slot of a new sensor */
  add(): number {
    const { length } = this.judged
    const first = this.free.pop() ?? this.size * length
    this.size++
    if (first + length > this.slots.length) {
      const larger = new Int32Array(this.slots.length * 2)
      larger.set(this.slots)
      this.slots = larger
    }
    return first
  }

  remove(first: number): void {
    this.size--
    this.free.push(first)
  }

  /**
   * The index here of a rule that a sensor keeps when it gets another shape. A channel that was removed, or made again,
   * starts again.
   */
  indexIn(next: Shape, index: number): number | undefined {
    const own = this.indexes.get(next.judged[index] as JudgedRule)
    if (own === undefined) return undefined
    const now = next.numbers[index] as readonly number[]
    return (this.numbers[own] as readonly number[]).every((number, i) => number === -1 || number === now[i])
      ? own
      : undefined
  }
}
