/** Which asset a sensor's number stands for, kept in memory until something of it changes. */
import type { Changes } from '../../stores/changes.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { type SensorPlace, sensorPlaces } from '../../stores/postgres/sensors.ts'

export type Places = {
  /** By the sensors' numbers. */
  places: ReadonlyMap<number, SensorPlace>
  /** Whether any asset has more than one sensor. */
  isShared: boolean
}
export type Directory = { of(enterpriseId: string): Promise<Places> }

/** Enterprises that are kept; the oldest goes first. */
const MAX_KEPT = 100
const FORGETS = new Set(['sensor', 'asset', 'enterprise', 'missed'])

export function createDirectory(db: Database, changes: Changes): Directory {
  let kept = new Map<string, Promise<Places>>()
  changes.subscribe(({ kind }) => {
    // what a look-up that began before brings goes into a map that nobody reads any more
    if (FORGETS.has(kind)) kept = new Map()
  })
  return {
    of(enterpriseId) {
      const known = kept
      const found = known.get(enterpriseId)
      if (found !== undefined) return found
      const asked = sensorPlaces(db, enterpriseId).then((all) => placesOf(all))
      known.set(enterpriseId, asked)
      asked.catch(() => known.delete(enterpriseId))
      for (const oldest of known.keys()) {
        if (known.size <= MAX_KEPT) break
        known.delete(oldest)
      }
      return asked
    },
  }
}

export function placesOf(all: readonly SensorPlace[]): Places {
  const places = new Map(all.map((place) => [place.number, place]))
  return { places, isShared: new Set(all.map(({ assetId }) => assetId)).size < all.length }
}
