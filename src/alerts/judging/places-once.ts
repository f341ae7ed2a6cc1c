/** Places of a layer that several rules ask about the same location. */
import type { Places } from './run.ts'

/** Rules that share a layer ask for the same location one after the other. */
export function onceForEachLocation(places: Places | undefined): Places | undefined {
  if (places === undefined) return undefined
  let [longitude, latitude] = [Number.NaN, Number.NaN]
  let around = { inside: [], near: [] } as ReturnType<Places['around']>
  return {
    around(ofLongitude, ofLatitude) {
      if (ofLongitude !== longitude || ofLatitude !== latitude) around = places.around(ofLongitude, ofLatitude)
      longitude = ofLongitude
      latitude = ofLatitude
      return around
    },
    idOf: (polygon) => places.idOf(polygon),
  }
}
