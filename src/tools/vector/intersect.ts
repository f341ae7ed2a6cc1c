/** The intersections of two layers' features, with the attributes of both. */
import { Type } from '@sinclair/typebox'
import { type Feature, withFeatures } from '../../lib/geo/layers/layer.ts'
import { joinedFields } from '../../lib/geo/overlay/overlay.ts'
import {
  inputFeatureCount,
  layerOutput,
  layerResult,
  ofField,
  readCompared,
  vectorFile,
  vectorOutput,
} from '../layers.ts'
import { requireKinds, withOverlay } from '../overlays.ts'
import { file, integerResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { rowsOf, workOnRows } from '../shared-rows.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.intersect',
  route: '/intersect',
  version: '1.2.0',
  title: { en: 'Intersect', ar: 'تقاطع' },
  description: {
    en: 'Returns the parts that features of one layer share with features of another, with the attributes of both. Polygons share areas, lines with polygons or lines share lines, and points with anything share points.',
    ar: 'يعطي الأجزاء المشتركة بين عناصر طبقة وعناصر طبقة أخرى مع صفات الاثنتين: مساحات بين المضلعات، وخطوطًا بين الخطوط والمضلعات أو الخطوط، ونقاطًا بين النقاط وأي شكل.',
  },
  keywords: ['intersect', 'intersection', 'overlay'],
  credits: 2,
  ...VECTOR_TOOL,
  saved: { second: { field: 'overlay', kind: 'layer' }, returnsSecondFields: true },
  input: Type.Object({
    file: vectorFile(),
    overlay: file('vector', {
      title: { en: 'Other layer', ar: 'الطبقة الأخرى' },
      en: 'The other layer, in any CRS',
      ar: 'الطبقة الأخرى، بأي نظام إحداثيات',
    }),
    ...vectorOutput(),
  }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    overlayFeatureCount: integerResult('Features of the other layer', 'عدد عناصر الطبقة الأخرى'),
  }),
  examples: [
    {
      name: 'districts and zones',
      input: { file: 'districts.geojson', overlay: 'zones.geojson', target_format: 'geojson' },
    },
  ],
  async run({ file, overlay, ...output }, context) {
    const layer = await readCompared(file, 'file', context)
    return withOverlay(overlay, 'overlay', context, layer.crs, async (other) => {
      requireKinds(other, 'overlay')
      const { set, fields, featureCount, valuesOf } = other
      const rows = rowsOf(layer.features)
      const task = {
        operation: 'intersect',
        options: {},
        field: 'file',
        warnings: layer.warnings,
        rows,
        others: set,
        othersField: 'overlay',
      } as const
      const found = await ofField('file', () => workOnRows(task, context))
      const features = found.rows.map(({ values: [index, other], geometry }) => ({
        // a literal of two lists would take twice the memory
        values: (layer.features[index as number] as Feature).values.concat(valuesOf(other as number)),
        geometry,
      }))
      const out = withFeatures(layer, features, joinedFields(layer.fields, fields))
      return layerResult(out, output, file, 'intersect', context, {
        inputFeatureCount: layer.features.length,
        overlayFeatureCount: featureCount,
      })
    })
  },
})
