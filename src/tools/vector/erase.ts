/** What of a layer lies outside of the polygons of a mask; attributes are kept. */
import { Type } from '@sinclair/typebox'
import { withFeatures } from '../../lib/geo/layer.ts'
import { cutFeatures, validFeatures } from '../../lib/geo/overlay.ts'
import {
  inputFeatureCount,
  layerOutput,
  layerResult,
  ofField,
  readLayer,
  readPolygons,
  targetFormat,
  vectorFile,
} from '../layers.ts'
import { file, gives } from '../params.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.erase',
  route: '/erase',
  version: '1.0.0',
  title: { en: 'Erase', ar: 'محو' },
  description: {
    en: 'What of a layer lies outside of the polygons of a mask; attributes are kept.',
    ar: 'ما يقع من الطبقة خارج مضلعات القناع مع الإبقاء على الصفات.',
  },
  keywords: ['erase', 'difference', 'cut out'],
  credits: 2,
  lane: 'node',
  async: true,
  takes: 'vector',
  gives: 'vector',
  input: Type.Object({
    file: vectorFile(),
    mask: file('vector', { en: 'Polygons: the boundary, in any CRS', ar: 'المضلعات: الحدود، بأي نظام إحداثيات' }),
    target_format: targetFormat(),
  }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    droppedCount: gives(Type.Integer(), {
      en: 'Features that lie wholly within',
      ar: 'العناصر الواقعة كلها داخل القناع',
    }),
  }),
  examples: [
    {
      name: 'districts and a frame',
      input: { file: 'districts.geojson', mask: 'frame.geojson', target_format: 'geojson' },
    },
  ],
  async run({ file, mask, target_format }, context) {
    const layer = await readLayer(file, 'file', context)
    const polygons = await readPolygons(mask, 'mask', context, layer.crs)
    const valid = await ofField('file', () => validFeatures(layer.features))
    const features = await cutFeatures(valid, polygons.features, 'difference', context.progress)
    return layerResult(withFeatures(layer, features), target_format, file, 'erased', context, {
      inputFeatureCount: layer.features.length,
      droppedCount: layer.features.length - features.length,
    })
  },
})
