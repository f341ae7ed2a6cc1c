/** Changes of the states of an enterprise's sensors between two polls. */

import { inTurns } from '../../event-loop-yield.ts'
import { formatTimestamp } from '../../ingest/timestamp.ts'
import type { StateItem } from '../stream/stream-watcher.ts'
import type { Fleet, FleetRow } from './fleet-index.ts'
import { noStates, type StateCounts } from './fleet-list.ts'
import { SENSOR_STATES, type SensorState, stateOf, worseOf } from './sensor-state.ts'

export type StateLook = {
  /** Indexes of SENSOR_STATES, by sensor number. */
  known: ReadonlyMap<number, number>
  /** The state of each asset, which is the state of its worst sensor. */
  assets: ReadonlyMap<string, number>
  counts: StateCounts
}

export type StateChanges = {
  /** Compares the next poll with this state, unless there is an earlier state to compare with. */
  begin(look: StateLook): void
  /**
   * @returns the sensors whose state changed since the last poll, counts of all sensors, and whether the counts changed
   */
  look(fleet: Fleet): Promise<{ changed: StateItem[]; counts: StateCounts; isOther: boolean }>
}

const itemOf = (row: FleetRow, { known, assets }: StateLook): StateItem => ({
  sensorId: row.id,
  assetId: row.assetId,
  state: SENSOR_STATES[known.get(row.number) as number] as SensorState,
  assetState: SENSOR_STATES[assets.get(row.assetId) as number] as SensorState,
  lastAt: row.lastMs === 0 ? null : formatTimestamp(row.lastMs),
  intervalMs: row.intervalMs === 0 ? null : row.intervalMs,
  refused: row.refused,
})

export function createStateChanges(): StateChanges {
  let before: StateLook | undefined
  return {
    begin(look) {
      before ??= look
    },
    async look(fleet) {
      const last = before
      const rows: FleetRow[] = []
      const now = await lookAtStates(fleet, (row, index) => {
        if (last !== undefined && last.known.get(row.number) !== index) rows.push(row)
      })
      before = now
      const changed: StateItem[] = []
      await inTurns(rows.length, (i) => changed.push(itemOf(rows[i] as FleetRow, now)))
      return { changed, counts: now.counts, isOther: JSON.stringify(now.counts) !== JSON.stringify(last?.counts) }
    },
  }
}

export async function lookAtStates(
  { byName }: Fleet,
  onState: (row: FleetRow, index: number) => void = () => undefined,
): Promise<StateLook> {
  const nowMs = Date.now()
  const counts = noStates()
  const known = new Map<number, number>()
  const assets = new Map<string, number>()
  await inTurns(byName.length, (i) => {
    const row = byName[i] as FleetRow
    const index = stateOf(row, nowMs)
    counts[SENSOR_STATES[index] as SensorState]++
    known.set(row.number, index)
    assets.set(row.assetId, worseOf(index, assets.get(row.assetId)))
    onState(row, index)
  })
  return { known, assets, counts }
}
