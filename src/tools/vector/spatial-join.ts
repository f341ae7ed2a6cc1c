/** Joins the attributes of two layers by a spatial relation. */
import { Type } from '@sinclair/typebox'
import { sharingId } from '../../lib/geo/formats/feature-ids.ts'
import { PREDICATES } from '../../lib/geo/geometry/geos.ts'
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
import { withOverlay } from '../overlays.ts'
import { choice, file, integerResult, textResult } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { rowsOf, workOnRows } from '../shared-rows.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.spatial-join',
  route: '/spatial-join',
  version: '1.2.0',
  title: { en: 'Spatial join', ar: 'ربط مكاني' },
  description: {
    en: 'Adds the attributes of matching features of another layer to each feature, with one row for each match. An inner join leaves out features without a match.',
    ar: 'يضيف إلى كل عنصر صفات العناصر المطابقة من الطبقة الأخرى، بصف لكل تطابق. يستبعد inner العناصر بلا مطابق.',
  },
  keywords: ['join', 'spatial join', 'attributes', 'overlay'],
  credits: 2,
  tier: 'pro',
  ...VECTOR_TOOL,
  saved: { second: { field: 'join', kind: 'layer' }, returnsSecondFields: true },
  input: Type.Object({
    file: vectorFile(),
    join: file('vector', {
      title: { en: 'Layer to join', ar: 'الطبقة المربوطة' },
      en: 'The layer to join from, in any CRS',
      ar: 'الطبقة التي تُضاف صفاتها، بأي نظام إحداثيات',
    }),
    ...vectorOutput(),
    predicate: choice(
      PREDICATES,
      {
        title: { en: 'Spatial relation', ar: 'العلاقة' },
        en: 'Spatial relation of a feature to a feature of the other layer',
        ar: 'علاقة العنصر بعنصر الطبقة الأخرى',
      },
      {
        default: 'intersects',
        titles: {
          intersects: { en: 'Intersects', ar: 'يتقاطع مع' },
          within: { en: 'Is within', ar: 'يقع داخل' },
          contains: { en: 'Contains', ar: 'يحتوي' },
          crosses: { en: 'Crosses', ar: 'يعبر' },
          touches: { en: 'Touches', ar: 'يلامس' },
          overlaps: { en: 'Overlaps', ar: 'يتداخل مع' },
        },
      },
    ),
    how: choice(
      ['inner', 'left'],
      {
        title: { en: 'Join type', ar: 'نوع الربط' },
        en: 'Leave out features without a match, or keep them',
        ar: 'استبعاد العناصر بلا مطابق أو الإبقاء عليها',
      },
      {
        default: 'inner',
        titles: {
          inner: { en: 'Leave out features without a match', ar: 'استبعاد العناصر بلا مطابق' },
          left: { en: 'Keep all features', ar: 'الإبقاء على كل العناصر' },
        },
      },
    ),
  }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    joinFeatureCount: integerResult('Features of the other layer', 'عدد عناصر الطبقة الأخرى'),
    matchedCount: integerResult('Features with at least one match', 'عدد العناصر التي لها مطابق'),
    predicate: textResult('The spatial relation', 'العلاقة المطلوبة'),
  }),
  examples: [
    {
      name: 'stations in districts',
      input: { file: 'stations.geojson', join: 'districts.geojson', target_format: 'geojson', how: 'left' },
    },
  ],
  async run({ file, join, predicate, how, ...output }, context) {
    const layer = await readCompared(file, 'file', context)
    return withOverlay(join, 'join', context, layer.crs, async (other) => {
      const rows = rowsOf(layer.features)
      const task = {
        operation: 'join',
        options: { predicate },
        field: 'file',
        warnings: layer.warnings,
        rows,
        others: other.set,
        othersField: 'join',
      } as const
      const { rows: matches } = await ofField('file', () => workOnRows(task, context))
      let next = 0
      const blank = other.fields.map(() => null)
      let matchedCount = 0
      const features = layer.features.flatMap((feature, i): Feature[] => {
        const { values } = feature
        const ordinals: number[] = []
        for (; matches[next]?.values[0] === i; next++) ordinals.push(matches[next]?.values[1] as number)
        if (ordinals.length > 0) matchedCount++
        else if (how === 'left') return [{ ...feature, values: [...values, ...blank] }]
        const rows = ordinals.map((ordinal) => ({ ...feature, values: [...values, ...other.valuesOf(ordinal)] }))
        return sharingId(rows)
      })
      const out = withFeatures(layer, features, joinedFields(layer.fields, other.fields))
      return layerResult(out, output, file, 'joined', context, {
        inputFeatureCount: layer.features.length,
        joinFeatureCount: other.featureCount,
        matchedCount,
        predicate,
      })
    })
  },
})
