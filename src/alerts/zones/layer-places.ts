/** The layer of a rule, as its run asks for the surroundings of a location. */
import type { CachedLayer } from '../../lib/geo/layers/cached-layer.ts'
import type { Places, Surroundings } from '../judging/run.ts'

/** @param bufferM 0 for `within` */
export function placesOf(layer: CachedLayer, bufferM: number): Places {
  const ids = new Map<number, string>()
  // rules that share a layer ask for the same location one after the other
  let [longitude, latitude] = [Number.NaN, Number.NaN]
  let around: Surroundings = { inside: [], near: [] }
  const places = {
    steadyDegrees: 0,
    around(ofLongitude: number, ofLatitude: number): Surroundings {
      if (ofLongitude === longitude && ofLatitude === latitude) return around
      ;[longitude, latitude] = [ofLongitude, ofLatitude]
      around = layer.sidesAt(longitude, latitude, bufferM)
      places.steadyDegrees = layer.steadyDegrees
      return around
    },
    idOf(slot: number): string {
      const id = ids.get(slot) ?? layer.idOf(slot)
      ids.set(slot, id)
      return id
    },
  }
  return places
}
