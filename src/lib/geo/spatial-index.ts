/** An index of features by their envelopes: a packed Hilbert R-tree (flatbush). */
import Flatbush from 'flatbush'
import type { Feature } from './layer.ts'
import { type Envelope, envelopeOf } from './wkb.ts'

export type SpatialIndex = {
  /** Places of features whose envelopes meet this one, in ascending order. */
  search(envelope: Envelope): number[]
}

export function indexOf(features: readonly Feature[]): SpatialIndex {
  const places: number[] = []
  const envelopes: Envelope[] = []
  features.forEach(({ geometry }, place) => {
    if (geometry === null) return
    const envelope = envelopeOf(geometry)
    if (envelope[0] > envelope[2]) return
    places.push(place)
    envelopes.push(envelope)
  })
  if (places.length === 0) return { search: () => [] }
  const tree = new Flatbush(places.length)
  for (const envelope of envelopes) tree.add(...envelope)
  tree.finish()
  return {
    search: (envelope) =>
      tree
        .search(...envelope)
        .map((i) => places[i] as number)
        .sort((a, b) => a - b),
  }
}
