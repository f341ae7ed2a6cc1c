/** Keeps the parts of a layer that are inside a mask. */
import { Type } from '@sinclair/typebox'
import { clipEraseInput, clipOrErase } from '../clip-erase.ts'
import { inputFeatureCount, layerOutput } from '../layers.ts'
import { integerResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.clip',
  route: '/clip',
  version: '1.2.0',
  title: { en: 'Clip', ar: 'قص' },
  description: {
    en: 'Keeps the parts of a layer that are inside the polygons of a mask, or on its lines and points. Attributes are kept.',
    ar: 'يُبقي أجزاء الطبقة الواقعة داخل مضلعات القناع أو على خطوطه ونقاطه، مع الإبقاء على الصفات.',
  },
  keywords: ['clip', 'cut', 'mask', 'crop'],
  credits: 2,
  ...VECTOR_TOOL,
  saved: { second: { field: 'mask', kind: 'polygons' } },
  input: clipEraseInput(),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    droppedCount: integerResult('Features that are completely outside the mask', 'العناصر الواقعة كلها خارج القناع'),
  }),
  examples: [
    {
      name: 'districts and a frame',
      input: { file: 'districts.geojson', mask: 'frame.geojson', target_format: 'geojson' },
    },
  ],
  run: (input, context) => clipOrErase(input, 'intersection', 'clipped', context),
})
