/** Maps sensor numbers to sensors and assets, by the fleet in memory. */
import { inTurns } from '../../event-loop-yield.ts'
import type { FleetIndexes, FleetRow } from './fleet-index.ts'

/** A sensor's number and its asset. */
export type SensorWithAsset = Pick<FleetRow, 'number' | 'id' | 'assetId' | 'assetName'>

export type SensorIndex = {
  /** By sensor number. */
  sensors: ReadonlyMap<number, SensorWithAsset>
  /** Whether any asset has more than one sensor. */
  isShared: boolean
}
export type SensorIndexes = { of(enterpriseId: string): Promise<SensorIndex> }

/** Whether assets have several sensors, by the list of sensors, which is replaced after each change of a sensor. */
const shared = new WeakMap<readonly FleetRow[], Promise<boolean>>()

async function findShared(byName: readonly FleetRow[]): Promise<boolean> {
  const assets = new Set<string>()
  await inTurns(byName.length, (i) => assets.add((byName[i] as FleetRow).assetId))
  return assets.size < byName.length
}

export function createSensorIndexes(fleets: FleetIndexes): SensorIndexes {
  return {
    async of(id) {
      const { rows, byName } = await fleets.named({ id })
      let isShared = shared.get(byName)
      if (isShared === undefined) {
        isShared = findShared(byName)
        shared.set(byName, isShared)
      }
      return { sensors: rows, isShared: await isShared }
    },
  }
}
