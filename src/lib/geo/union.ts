/**
 * The union of many polygons: those whose envelopes do not meet, not even by way of others, need not be overlaid with
 * each other, so each such cluster is put together on its own.
 */
import type { Geos } from './geos.ts'
import { polygonsOf } from './globe.ts'
import { indexOf } from './spatial-index.ts'
import { collect, dimensionOf, MULTI_POINT, type Wkb } from './wkb.ts'

export function unionAll(geos: Geos, wkbs: readonly Wkb[]): Wkb {
  // lines and points are noded by a union, alone or not
  if (wkbs.length < 2 || wkbs.some((wkb) => dimensionOf(wkb) !== 2)) return geos.unionOf(wkbs)
  const polygons = wkbs.flatMap(polygonsOf)
  const united = clusters(polygons).flatMap((members) =>
    members.length === 1 ? members : polygonsOf(geos.unionOf(members)),
  )
  return united.length === 1 ? (united[0] as Wkb) : collect(MULTI_POINT + 2, united)
}

/** By union-find over an index of the envelopes. */
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
