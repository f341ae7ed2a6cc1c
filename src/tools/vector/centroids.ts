/** One point for each feature: its centroid, or a point that is guaranteed to be inside. */
import { Type } from '@sinclair/typebox'
import { loadGeos } from '../../lib/geo/geometry/geos.ts'
import { onGlobe } from '../../lib/geo/geometry/globe.ts'
import { sideBySide } from '../../lib/geo/geometry/longitude.ts'
import { isEmpty } from '../../lib/geo/geometry/wkb.ts'
import { geometryType, withFeatures } from '../../lib/geo/layers/layer.ts'
import { layerOutput, layerResult, ofField, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { choice, textResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.centroids',
  route: '/centroids',
  version: '1.2.0',
  title: { en: 'Centroids', ar: 'المراكز' },
  description: {
    en: 'Converts each feature to one point: its centroid, or a point inside it.',
    ar: 'يحوّل كل عنصر إلى نقطة واحدة هي مركز ثقله أو نقطة داخله.',
  },
  keywords: ['centroid', 'center', 'point on surface', 'label point'],
  credits: 1,
  ...VECTOR_TOOL,
  saved: {},
  input: Type.Object({
    file: vectorFile(),
    ...vectorOutput(),
    method: choice(
      ['centroid', 'inside'],
      {
        title: { en: 'Method', ar: 'الطريقة' },
        en: 'The centroid, which may be outside of the feature, or a point inside',
        ar: 'مركز الثقل أو نقطة تقع داخل الشكل',
      },
      {
        default: 'centroid',
        titles: {
          centroid: { en: 'Centroid', ar: 'مركز الثقل' },
          inside: { en: 'Point inside the feature', ar: 'نقطة داخل الشكل' },
        },
      },
    ),
  }),
  output: Type.Object({
    ...layerOutput,
    inputGeometryType: textResult('Type of the geometries in the file', 'نوع الأشكال في الملف'),
  }),
  examples: [
    {
      name: 'points inside districts',
      input: { file: 'districts.geojson', target_format: 'geojson', method: 'inside' },
    },
  ],
  async run({ file, method, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    const geos = await loadGeos()
    const features = await ofField('file', () =>
      layer.features.map((feature) => {
        const { geometry } = feature
        if (geometry === null || isEmpty(geometry)) return { ...feature, geometry: null }
        const [drawn = geometry] = layer.crs.geographic ? sideBySide([geometry]) : []
        const point = geos.run(drawn, (g) => (method === 'inside' ? geos.pointOnSurface(g) : geos.centroid(g)))
        return { ...feature, geometry: drawn === geometry ? point : onGlobe(geos, point) }
      }),
    )
    const inputGeometryType = geometryType(layer)
    return layerResult(withFeatures(layer, features), output, file, 'centroids', context, { inputGeometryType })
  },
})
