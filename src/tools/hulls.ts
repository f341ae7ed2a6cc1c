/** What the hulls share: one polygon around all features. */
import { loadGeos } from '../lib/geo/geos.ts'
import { type Layer, withFeatures } from '../lib/geo/layer.ts'
import { COLLECTION, collect, isEmpty, vertexCount, type Wkb } from '../lib/geo/wkb.ts'
import { ofField } from './layers.ts'

export async function convexHull(geometries: readonly Wkb[]): Promise<Wkb> {
  const geos = await loadGeos()
  return ofField('file', () => geos.run(collect(COLLECTION, geometries), (g) => geos.convexHull(g)))
}

/** @returns a layer with the hull, without a feature when the layer has no geometries */
export async function aroundAll(layer: Layer, hullOf: (geometries: readonly Wkb[]) => Promise<Wkb>) {
  const geometries = layer.features.map(({ geometry }) => geometry).filter((wkb): wkb is Wkb => wkb !== null)
  const hull = geometries.length === 0 ? undefined : await hullOf(geometries)
  if (hull === undefined || isEmpty(hull)) return { out: withFeatures(layer, [], []), hullVertices: 0 }
  // the last vertex of a ring repeats the first
  const hullVertices = Math.max(1, vertexCount(hull) - 1)
  return { out: withFeatures(layer, [{ values: [], geometry: hull }], []), hullVertices }
}
