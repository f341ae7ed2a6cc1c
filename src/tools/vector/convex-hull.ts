/** The smallest convex polygon around all features. */
import { Type } from '@sinclair/typebox'
import { loadGeos } from '../../lib/geo/geos.ts'
import { type Feature, withFeatures } from '../../lib/geo/layer.ts'
import { COLLECTION, collect, isEmpty, vertexCount, type Wkb } from '../../lib/geo/wkb.ts'
import { inputFeatureCount, layerOutput, layerResult, ofField, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { described } from '../params.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.convex-hull',
  route: '/convex-hull',
  version: '1.2.0',
  title: { en: 'Convex hull', ar: 'الغلاف المحدب' },
  description: {
    en: 'Returns the smallest convex polygon around all features.',
    ar: 'ينشئ أصغر مضلع محدب يحيط بجميع العناصر.',
  },
  keywords: ['hull', 'convex', 'extent'],
  credits: 1,
  lane: 'node',
  async: true,
  inputKind: 'vector',
  outputKind: 'vector',
  saved: {},
  input: Type.Object({
    file: vectorFile(),
    ...vectorOutput(),
  }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    hullVertices: described(Type.Integer(), { en: 'Vertices of the hull', ar: 'عدد رؤوس الغلاف' }),
  }),
  examples: [{ name: 'around stations', input: { file: 'stations.geojson', target_format: 'geojson' } }],
  async run({ file, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    const geos = await loadGeos()
    const geometries = layer.features.map(({ geometry }) => geometry).filter((wkb): wkb is Wkb => wkb !== null)
    const features: Feature[] = []
    let hullVertices = 0
    if (geometries.length > 0) {
      const hull = await ofField('file', () => geos.run(collect(COLLECTION, geometries), (g) => geos.convexHull(g)))
      if (!isEmpty(hull)) {
        // the last vertex of a ring repeats the first
        hullVertices = Math.max(1, vertexCount(hull) - 1)
        features.push({ values: [], geometry: hull })
      }
    }
    const out = withFeatures(layer, features, [])
    const inputFeatureCount = layer.features.length
    return layerResult(out, output, file, 'convex_hull', context, { inputFeatureCount, hullVertices })
  },
})
