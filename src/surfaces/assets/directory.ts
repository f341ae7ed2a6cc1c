/** Which asset a sensor's number stands for, kept in memory until something of it changes. */
import type { Changes } from '../../stores/changes.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { type SensorPlace, sensorPlaces } from '../../stores/postgres/sensors.ts'

export type Directory = { of(enterpriseId: string): Promise<ReadonlyMap<number, SensorPlace>> }

/** Enterprises that are kept; the oldest goes first. */
const MAX_KEPT = 100
const FORGETS = new Set(['sensor', 'asset', 'enterprise', 'missed'])

export function createDirectory(db: Database, changes: Changes): Directory {
  let kept = new Map<string, Promise<ReadonlyMap<number, SensorPlace>>>()
  changes.subscribe(({ kind }) => {
    // what a look-up that began before brings goes into a map that nobody reads any more
    if (FORGETS.has(kind)) kept = new Map()
  })
  return {
    of(enterpriseId) {
      const known = kept
      const found = known.get(enterpriseId)
      if (found !== undefined) return found
      const asked = sensorPlaces(db, enterpriseId).then(
        (places) => new Map(places.map((place) => [place.number, place])),
      )
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
