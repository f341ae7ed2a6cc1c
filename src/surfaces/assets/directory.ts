/** Maps sensor numbers to sensors and assets, cached until a sensor or an asset changes. */
import type { Changes } from '../../stores/changes.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { listSensorsWithAssets, type SensorWithAsset } from '../../stores/postgres/sensors.ts'

export type SensorIndex = {
  /** By sensor number. */
  sensors: ReadonlyMap<number, SensorWithAsset>
  /** Whether any asset has more than one sensor. */
  isShared: boolean
}
export type Directory = { of(enterpriseId: string): Promise<SensorIndex> }

/** Maximum number of cached enterprises; the oldest is evicted first. */
const MAX_CACHED = 100
const INVALIDATING = new Set(['sensor', 'asset', 'enterprise', 'missed'])

export function createDirectory(db: Database, changes: Changes): Directory {
  let cache = new Map<string, Promise<SensorIndex>>()
  changes.subscribe(({ kind }) => {
    // a lookup that started before the change writes to the old map, which is no longer read
    if (INVALIDATING.has(kind)) cache = new Map()
  })
  return {
    of(enterpriseId) {
      const known = cache
      const found = known.get(enterpriseId)
      if (found !== undefined) return found
      const lookup = listSensorsWithAssets(db, enterpriseId).then((all) => indexSensors(all))
      known.set(enterpriseId, lookup)
      lookup.catch(() => known.delete(enterpriseId))
      for (const oldest of known.keys()) {
        if (known.size <= MAX_CACHED) break
        known.delete(oldest)
      }
      return lookup
    },
  }
}

export function indexSensors(all: readonly SensorWithAsset[]): SensorIndex {
  const sensors = new Map(all.map((sensor) => [sensor.number, sensor]))
  return { sensors, isShared: new Set(all.map(({ assetId }) => assetId)).size < all.length }
}
