/**
 * The union of many polygons. Polygons whose envelopes are not connected, directly or through other envelopes, cannot
 * touch each other, so each connected cluster is united separately.
 */
import type { Geos } from '../geometry/geos.ts'
import { polygonsOf } from '../geometry/globe.ts'
import { indexOf } from '../geometry/spatial-index.ts'
import { collect, dimensionsOf, MULTI_POINT, type Wkb } from '../geometry/wkb.ts'

export function unionAll(geos: Geos, wkbs: readonly Wkb[]): Wkb {
  // a union also splits lines and points at their intersections, so they always take this path
  if (wkbs.length < 2 || wkbs.some((wkb) => dimensionsOf(wkb).join() !== '2')) return geos.unionOf(wkbs)
  const polygons = wkbs.flatMap(polygonsOf)
  const united = clusters(polygons).flatMap((members) =>
    members.length === 1 ? members : polygonsOf(geos.unionOf(members)),
  )
  return united.length === 1 ? (united[0] as Wkb) : collect(MULTI_POINT + 2, united)
}

/** Connected components by union-find over an index of the envelopes. */
function clusters(polygons: readonly Wkb[]): Wkb[][] {
  const spatialIndex = indexOf((ordinal) => polygons[ordinal] as Wkb, polygons.length)
  const parents = polygons.map((_, ordinal) => ordinal)
  function root(ordinal: number): number {
    let at = ordinal
    while (parents[at] !== at) {
      parents[at] = parents[parents[at] as number] as number
      at = parents[at] as number
    }
    return at
  }
  polygons.forEach((polygon, ordinal) => {
    for (const other of spatialIndex.near(polygon)) if (other > ordinal) parents[root(other)] = root(ordinal)
  })
  return [...Map.groupBy(polygons, (_, ordinal) => root(ordinal)).values()]
}
