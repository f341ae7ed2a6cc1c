/** Shared by the hull tools: one polygon around all features. */
import { loadGeos } from '../lib/geo/geometry/geos.ts'
import { onGlobe } from '../lib/geo/geometry/globe.ts'
import { sideBySide } from '../lib/geo/geometry/longitude.ts'
import { COLLECTION, collect, isEmpty, POINT, POLYGON, typeOf, vertexCount, type Wkb } from '../lib/geo/geometry/wkb.ts'
import { type Layer, withFeatures } from '../lib/geo/layers/layer.ts'
import { warning } from '../warnings/warning.ts'
import { ofField } from './layers.ts'

export async function convexHull(geometries: readonly Wkb[]): Promise<Wkb> {
  const geos = await loadGeos()
  return ofField('file', () => geos.run(collect(COLLECTION, geometries), (g) => geos.convexHull(g)))
}

/** @returns a layer with the hull, without a feature when the layer has no geometries */
export async function aroundAll(layer: Layer, hullOf: (geometries: readonly Wkb[]) => Promise<Wkb>) {
  const given = layer.features.map(({ geometry }) => geometry).filter((wkb): wkb is Wkb => wkb !== null)
  const geometries = layer.crs.geographic ? sideBySide(given) : given
  const hull = geometries.length === 0 ? undefined : await hullOf(geometries)
  if (hull === undefined || isEmpty(hull)) return { out: withFeatures(layer, [], []), hullVertices: 0 }
  const isArea = typeOf(hull) === POLYGON
  // the last vertex of a ring repeats the first
  const hullVertices = vertexCount(hull) - (isArea ? 1 : 0)
  const geometry = layer.crs.geographic ? onGlobe(await loadGeos(), hull) : hull
  const out = withFeatures(layer, [{ values: [], geometry }], [])
  const warnings = [...layer.warnings]
  if (!isArea) warnings.push(warning(typeOf(hull) === POINT ? 'hullIsPoint' : 'hullIsLine'))
  return { out: { ...out, warnings }, hullVertices }
}
