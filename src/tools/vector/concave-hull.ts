/** A concave polygon around all features. */
import { Type } from '@sinclair/typebox'
import { concaveHull } from '../../lib/geo/concave-hull.ts'
import { loadGeos } from '../../lib/geo/geos.ts'
import { type Feature, withFeatures } from '../../lib/geo/layer.ts'
import { COLLECTION, collect, isEmpty, vertexCount, type Wkb } from '../../lib/geo/wkb.ts'
import { inputFeatureCount, layerOutput, layerResult, ofField, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { described, number } from '../params.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.concave-hull',
  route: '/concave-hull',
  version: '1.2.0',
  title: { en: 'Concave hull', ar: 'الغلاف المقعر' },
  description: {
    en: 'Returns a polygon around all features that follows their outline.',
    ar: 'ينشئ مضلعًا يحيط بجميع العناصر ويتبع حدودها.',
  },
  keywords: ['hull', 'concave', 'alpha shape', 'outline'],
  credits: 1,
  lane: 'node',
  async: true,
  inputKind: 'vector',
  outputKind: 'vector',
  saved: {},
  input: Type.Object({
    file: vectorFile(),
    ...vectorOutput(),
    ratio: number(
      {
        title: { en: 'Ratio', ar: 'النسبة' },
        en: 'How tight: 0.05 follows every inlet, 1 is the convex hull',
        ar: 'مدى الإحكام: 0.05 يتبع كل تجويف و1 هو الغلاف المحدب',
      },
      { minimum: 0.05, maximum: 1, default: 0.3 },
    ),
  }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    ratio: described(Type.Number(), { en: 'The ratio used', ar: 'النسبة المستخدمة' }),
    hullVertices: described(Type.Integer(), { en: 'Vertices of the hull', ar: 'عدد رؤوس الغلاف' }),
  }),
  examples: [{ name: 'around stations', input: { file: 'stations.geojson', target_format: 'geojson', ratio: 0.4 } }],
  async run({ file, ratio, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    const geos = await loadGeos()
    const geometries = layer.features.map(({ geometry }) => geometry).filter((wkb): wkb is Wkb => wkb !== null)
    const features: Feature[] = []
    let hullVertices = 0
    if (geometries.length > 0) {
      // collinear points have no area
      const hull =
        concaveHull(geometries, ratio) ??
        (await ofField('file', () => geos.run(collect(COLLECTION, geometries), (g) => geos.convexHull(g))))
      if (!isEmpty(hull)) {
        // the last vertex of a ring repeats the first
        hullVertices = Math.max(1, vertexCount(hull) - 1)
        features.push({ values: [], geometry: hull })
      }
    }
    const out = withFeatures(layer, features, [])
    const inputFeatureCount = layer.features.length
    return layerResult(out, output, file, 'concave_hull', context, { inputFeatureCount, ratio, hullVertices })
  },
})
