/** Splits multi-part geometries: each part becomes a feature with the same attributes. */
import { Type } from '@sinclair/typebox'
import { sharingId } from '../../lib/geo/formats/feature-ids.ts'
import { isEmpty, MULTI_POINT, partsOf, typeOf, type Wkb } from '../../lib/geo/geometry/wkb.ts'
import { type Feature, withFeatures } from '../../lib/geo/layers/layer.ts'
import { inputFeatureCount, layerOutput, layerResult, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { integerResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { defineTool } from '../tool.ts'

/** Parts of a geometry that are not empty, recursively, down to single geometries. */
const simpleParts = (wkb: Wkb): Wkb[] =>
  isEmpty(wkb) ? [] : typeOf(wkb) < MULTI_POINT ? [wkb] : partsOf(wkb).flatMap(simpleParts)

export default defineTool({
  id: 'vector.explode',
  route: '/explode',
  version: '1.2.0',
  title: { en: 'Explode', ar: 'تفكيك' },
  description: {
    en: 'Splits multi-part geometries: each part becomes a feature, and attributes are copied to every part.',
    ar: 'يجعل كل جزء من الشكل المتعدد عنصرًا مستقلًا مع نسخ الصفات إليه.',
  },
  keywords: ['explode', 'multipart', 'singlepart', 'split'],
  credits: 1,
  ...VECTOR_TOOL,
  saved: {},
  input: Type.Object({ file: vectorFile(), ...vectorOutput() }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    multipartCount: integerResult('Multi-part features', 'عدد العناصر متعددة الأجزاء'),
    partsCreated: integerResult('Features made from their parts', 'عدد العناصر الناتجة عنها'),
  }),
  examples: [{ name: 'islands', input: { file: 'islands.geojson', target_format: 'geojson' } }],
  async run({ file, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    let multipartCount = 0
    let partsCreated = 0
    const features = layer.features.flatMap((feature): Feature[] => {
      const { geometry } = feature
      if (geometry === null || typeOf(geometry) < MULTI_POINT) return [feature]
      const parts = simpleParts(geometry)
      multipartCount++
      partsCreated += parts.length
      // an empty geometry has no parts, but its attributes are kept
      if (parts.length === 0) return [{ ...feature, geometry: null }]
      return sharingId(parts.map((part) => ({ ...feature, geometry: part.slice() })))
    })
    const data = { inputFeatureCount: layer.features.length, multipartCount, partsCreated }
    return layerResult(withFeatures(layer, features), output, file, 'exploded', context, data)
  },
})
