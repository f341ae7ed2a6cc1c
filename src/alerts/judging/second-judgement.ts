/** A second judgement of a sensor by a rule, in a slot beside the live one. */
import type { WatchedRule } from '../protocol.ts'
import type { Run, RunState } from './run.ts'
import { removeSlot, type Shape } from './sensor-slots.ts'

/** `numbers`: of the run's channels in this sensor, -1 for none. At the end either `adopt` or `drop` is called. */
export type SecondJudgement = {
  rule: WatchedRule
  run: Run
  slot: number
  numbers: readonly number[]
  /** What live judging knows, and the newest reading that counted. */
  live: RunState
  newestMs: number
  /** The second judgement takes the place of the live one. */
  adopt(): void
  drop(): void
}

/** @param own the index of the rule in the shape @param first the sensor's first slot there */
export function secondJudgement(shape: Shape, own: number, first: number, sensor: number): SecondJudgement {
  const one = shape.judged[own] as Shape['judged'][number]
  const { rule, run, sensors } = one
  const live = shape.slots[first + own] as number
  const slot = run.add(Number.NEGATIVE_INFINITY)
  sensors[slot] = sensor
  return {
    rule,
    run,
    slot,
    numbers: shape.numbers[own] as readonly number[],
    live: run.stateOf(live),
    newestMs: run.newestOf(live),
    adopt() {
      shape.slots[first + own] = slot
      removeSlot(one, live)
    },
    drop: () => removeSlot(one, slot),
  }
}
