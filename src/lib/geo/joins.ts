/** Spatial joins: which features of one layer stand in a relation to which of another. */
import { loadGeos, type Predicate } from './geos.ts'
import type { Feature } from './layer.ts'
import { PolygonSet, type Progress } from './overlay.ts'

/** For each feature the places of those of `others` that `feature predicate other` holds for, in their order. */
export async function matches(
  features: readonly Feature[],
  others: readonly Feature[],
  predicate: Predicate,
  progress: Progress,
): Promise<number[][]> {
  const geos = await loadGeos()
  const set = new PolygonSet(geos, others)
  try {
    return features.map(({ geometry: wkb }, i) => {
      if (i % 256 === 0) progress(i / features.length)
      if (wkb === null) return []
      const near = set.near(wkb)
      if (near.length === 0) return []
      const geometry = geos.read(wkb)
      const prepared = geos.prepare(geometry)
      try {
        return near.filter((place) => set.test(predicate, geometry, prepared, place))
      } finally {
        geos.unprepare(prepared)
        geos.free(geometry)
      }
    })
  } finally {
    set.free()
  }
}
