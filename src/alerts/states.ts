/** Reads states of a rule from the process that judges it. They are not stored, because they change with each reading. */
import { defineWorkerTask } from '../engine/worker-task.ts'
import { judgingMemory } from './judging/judging-memory.ts'
import type { RunState } from './judging/run.ts'

/** `sensors`: numbers. */
export type StatesInput = { rule: string; sensors: readonly number[] }
/** For each sensor; null if the process does not know it. */
export type StatesData = { states: (RunState | null)[] }

export default defineWorkerTask<StatesInput>({
  id: 'alerts.states',
  lane: 'readings',
  async run({ rule, sensors }) {
    const states = sensors.map((sensor) => judgingMemory.state?.stateOf(rule, sensor) ?? null)
    return { data: { states } satisfies StatesData }
  },
})
