/** The smallest convex polygon around all features. */
import { Type } from '@sinclair/typebox'
import { aroundAll, convexHull } from '../hulls.ts'
import { inputFeatureCount, layerOutput, layerResult, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { integerResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
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
  ...VECTOR_TOOL,
  saved: {},
  input: Type.Object({
    file: vectorFile(),
    ...vectorOutput(),
  }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    hullVertices: integerResult('Vertices of the hull', 'عدد رؤوس الغلاف'),
  }),
  examples: [{ name: 'around stations', input: { file: 'stations.geojson', target_format: 'geojson' } }],
  async run({ file, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    const { out, hullVertices } = await aroundAll(layer, convexHull)
    const inputFeatureCount = layer.features.length
    return layerResult(out, output, file, 'convex_hull', context, { inputFeatureCount, hullVertices })
  },
})
