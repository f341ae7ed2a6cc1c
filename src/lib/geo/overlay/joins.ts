/** Spatial joins: pairs of features of two layers that satisfy a spatial predicate. */

import { loadGeos, type Predicate } from '../geometry/geos.ts'
import type { Feature } from '../layers/layer.ts'
import type { GeometrySet } from './geometry-set.ts'
import type { Progress } from './overlay.ts'
import { OverlaySubject } from './overlay-subject.ts'

/** For each feature, the ascending indexes of the members of `others` for which `feature predicate other` holds. */
export async function findMatches(
  features: readonly Pick<Feature, 'geometry'>[],
  others: GeometrySet,
  predicate: Predicate,
  progress: Progress,
): Promise<number[][]> {
  const geos = await loadGeos()
  return features.map(({ geometry: wkb }, i) => {
    if (i % 256 === 0) progress(i / features.length)
    if (wkb === null) return []
    const set = others.seenFrom(wkb)
    const near = set.near(wkb)
    if (near.length === 0) return []
    const subject = new OverlaySubject(geos, set, wkb)
    try {
      return near.filter((ordinal) => subject.relates(predicate, ordinal))
    } finally {
      subject.free()
    }
  })
}
