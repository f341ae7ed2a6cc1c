/** A concave polygon around all features. */
import { Type } from '@sinclair/typebox'
import { concaveHull } from '../../lib/geo/geometry/concave-hull.ts'
import { aroundAll, convexHull } from '../hulls.ts'
import { inputFeatureCount, layerOutput, layerResult, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { integerResult, number, numberResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
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
  ...VECTOR_TOOL,
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
    ratio: numberResult('The ratio used', 'النسبة المستخدمة'),
    hullVertices: integerResult('Vertices of the hull', 'عدد رؤوس الغلاف'),
  }),
  examples: [{ name: 'around stations', input: { file: 'stations.geojson', target_format: 'geojson', ratio: 0.4 } }],
  async run({ file, ratio, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    const { out, hullVertices } = await aroundAll(
      layer,
      // collinear points have no area
      async (geometries) => concaveHull(geometries, ratio) ?? convexHull(geometries),
    )
    const inputFeatureCount = layer.features.length
    return layerResult(out, output, file, 'concave_hull', context, { inputFeatureCount, ratio, hullVertices })
  },
})
