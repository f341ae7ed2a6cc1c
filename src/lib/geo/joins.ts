/** Spatial joins: which features of one layer stand in a relation to which of another. */
import { loadGeos, type Predicate } from './geos.ts'
import type { Feature } from './layer.ts'
import { PolygonSet, type Progress, WORTH_PREPARING } from './overlay.ts'
import { vertexCount, type Wkb } from './wkb.ts'

/** The same relation with the sides changed, since it is the other layer that is prepared. */
const CONVERSE: Record<Predicate, Predicate> = {
  intersects: 'intersects',
  within: 'contains',
  contains: 'within',
  crosses: 'crosses',
  touches: 'touches',
  overlaps: 'overlaps',
}

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
        return near.filter((place) =>
          vertexCount(others[place]?.geometry as Wkb) > WORTH_PREPARING
            ? geos.testPrepared(CONVERSE[predicate], set.prepare(place), geometry)
            : geos.testPrepared(predicate, prepared, set.geometry(place)),
        )
      } finally {
        geos.unprepare(prepared)
        geos.free(geometry)
      }
    })
  } finally {
    set.free()
  }
}
