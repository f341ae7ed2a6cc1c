/** Maps sensor numbers to sensors and assets, cached until a sensor or an asset changes. */
import { createChangeCache } from '../../stores/change-cache.ts'
import type { Changes } from '../../stores/changes.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { listSensorsWithAssets, type SensorWithAsset } from '../../stores/postgres/sensors/sensors.ts'

export type SensorIndex = {
  /** By sensor number. */
  sensors: ReadonlyMap<number, SensorWithAsset>
  /** Whether any asset has more than one sensor. */
  isShared: boolean
}
export type SensorIndexes = { of(enterpriseId: string): Promise<SensorIndex> }

const MAX_CACHED_SENSORS = 1_000_000

export function createSensorIndexes(db: Database, changes: Changes): SensorIndexes {
  const cache = createChangeCache({
    load: async (enterpriseId: string) => indexSensors(await listSensorsWithAssets(db, enterpriseId)),
    maxSize: MAX_CACHED_SENSORS,
    // an enterprise without sensors takes memory too
    sizeOf: ({ sensors }) => 1 + sensors.size,
    invalidatedBy: {
      changes,
      kinds: ['sensor', 'asset', 'enterprise', 'missed'],
      concerns: (ids, _, enterpriseId) => ids.includes(enterpriseId),
    },
  })
  return { of: cache.get }
}

export function indexSensors(all: readonly SensorWithAsset[]): SensorIndex {
  const sensors = new Map(all.map((sensor) => [sensor.number, sensor]))
  return { sensors, isShared: new Set(all.map(({ assetId }) => assetId)).size < all.length }
}
