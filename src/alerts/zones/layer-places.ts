/** The layer of a rule, as its run asks for the surroundings of a location. */
import type { CachedLayer } from '../../lib/geo/layers/cached-layer.ts'
import type { Places } from '../judging/run.ts'

/** @param bufferM 0 for `within` */
export function placesOf(layer: CachedLayer, bufferM: number): Places {
  const ids = new Map<number, string>()
  return {
    around: (longitude, latitude) => layer.sidesAt(longitude, latitude, bufferM),
    get steadyDegrees() {
      return layer.steadyDegrees
    },
    idOf(slot) {
      const id = ids.get(slot) ?? layer.idOf(slot)
      ids.set(slot, id)
      return id
    },
  }
}
