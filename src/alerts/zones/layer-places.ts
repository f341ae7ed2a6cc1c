/** The layer of a rule, as its run asks for the surroundings of a location. */
import type { CachedLayer } from '../../lib/geo/layers/cached-layer.ts'
import type { Places } from '../judging/run.ts'

/** @param bufferM 0 for `within` */
export const placesOf = (layer: CachedLayer, bufferM: number): Places => ({
  around: (longitude, latitude) => layer.sidesAt(longitude, latitude, bufferM),
  idOf: (slot) => layer.idOf(slot),
})
