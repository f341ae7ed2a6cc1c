/** Changes of the states of an enterprise's sensors from one look to the next. */
import { formatTimestamp } from '../ingest/timestamp.ts'
import { inTurns } from '../turns.ts'
import type { Fleet, FleetRow } from './fleet-index.ts'
import { noStates, type StateCounts } from './fleet-list.ts'
import { SENSOR_STATES, type SensorState, stateOf } from './sensor-state.ts'
import type { StateItem } from './stream-watcher.ts'

export type StateChanges = {
  /** @returns the sensors whose state is another one than at the last look, none at the first; and counts of all */
  look(fleet: Fleet): Promise<{ changed: StateItem[]; counts: StateCounts; isOther: boolean }>
}

const itemOf = (row: FleetRow, state: SensorState): StateItem => ({
  ...{ sensorId: row.id, assetId: row.assetId, state },
  lastAt: row.lastMs === 0 ? null : formatTimestamp(row.lastMs),
  intervalMs: row.intervalMs === 0 ? null : row.intervalMs,
  refused: row.refused,
})

export function createStateChanges(): StateChanges {
  let before: Map<number, number> | undefined
  let countsBefore = ''
  return {
    async look({ byName }) {
      const nowMs = Date.now()
      const counts = noStates()
      const changed: StateItem[] = []
      const known = new Map<number, number>()
      await inTurns(byName.length, (i) => {
        const row = byName[i] as FleetRow
        const index = stateOf(row, nowMs)
        const state = SENSOR_STATES[index] as SensorState
        counts[state]++
        known.set(row.number, index)
        if (before !== undefined && before.get(row.number) !== index) changed.push(itemOf(row, state))
      })
      before = known
      const text = JSON.stringify(counts)
      const isOther = text !== countsBefore
      countsBefore = text
      return { changed, counts, isOther }
    },
  }
}

/** All states, for a reader that has none yet. */
export async function countStates({ byName }: Fleet): Promise<StateCounts> {
  const nowMs = Date.now()
  const counts = noStates()
  await inTurns(byName.length, (i) => {
    counts[SENSOR_STATES[stateOf(byName[i] as FleetRow, nowMs)] as SensorState]++
  })
  return counts
}
