/** The union of two layers of one kind of geometry: shared parts with the attributes of both, all other parts with their own. */
import { Type } from '@sinclair/typebox'
import { loadGeos } from '../../lib/geo/geometry/geos.ts'
import { dimensionOf } from '../../lib/geo/geometry/wkb.ts'
import { type Feature, withFeatures } from '../../lib/geo/layers/layer.ts'
import { GeometrySet, placeOf } from '../../lib/geo/overlay/geometry-set.ts'
import { joinedFields } from '../../lib/geo/overlay/overlay.ts'
import { NO_INDEX } from '../../lib/geo/overlay/row-operations.ts'
import {
  inputFeatureCount,
  layerOutput,
  layerResult,
  readCompared,
  requireKind,
  vectorFile,
  vectorOutput,
} from '../layers.ts'
import { withOverlay } from '../overlays.ts'
import { file, integerResult } from '../params.ts'
import { madeValid, VECTOR_TOOL } from '../row-part.ts'
import { rowsOf, workOnRows } from '../shared-rows.ts'
import { defineTool, type RunContext } from '../tool.ts'

export default defineTool({
  id: 'vector.union',
  route: '/union',
  version: '1.2.0',
  title: { en: 'Union', ar: 'اتحاد' },
  description: {
    en: 'Combines two layers of polygons, of lines or of points: parts that both cover have the attributes of both layers, all other parts keep their own.',
    ar: 'يجمع طبقتين من المضلعات أو من الخطوط أو من النقاط: للأجزاء المشتركة صفات الطبقتين، ولبقية الأجزاء صفات طبقتها.',
  },
  keywords: ['union', 'overlay', 'combine'],
  credits: 2,
  ...VECTOR_TOOL,
  saved: { second: { field: 'overlay', kind: 'layer' }, returnsSecondFields: true },
  input: Type.Object({
    file: vectorFile(),
    overlay: file('vector', {
      title: { en: 'Other layer', ar: 'الطبقة الأخرى' },
      en: 'The other layer, with the same kind of geometry, in any CRS',
      ar: 'الطبقة الأخرى، بنوع الأشكال نفسه وبأي نظام إحداثيات',
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
    const a = await madeValid(layer.features, 'file', context, layer.warnings)
    return withOverlay(overlay, 'overlay', context, layer.crs, async (other) => {
      const b = await madeValid(other.features(), 'overlay', context, layer.warnings)
      const kinds = dimensionsOf(b)
      if (kinds.length > 1) requireKind(b, dimensionsOf(a)[0] ?? 2, 'overlay')
      if (kinds.length === 1) requireKind(a, kinds[0] as number, 'file')
      // a row with the index of another feature is a common part, one without is the rest of a feature
      const first = {
        operation: 'union',
        options: {},
        field: 'file',
        warnings: layer.warnings,
        rows: rowsOf(a),
        others: other.set,
      } as const
      const [blankA, blankB]: [unknown[], null[]] = [layer.fields.map(() => null), other.fields.map(() => null)]
      const [common, onlyA]: [Feature[], Feature[]] = [[], []]
      // the rows are not kept, because the second half needs the memory
      for (const { values, geometry } of (await workOnRows(first, inHalf(context, 0))).rows) {
        const [index, otherIndex] = values as [number, number]
        const valuesOfOther = otherIndex === NO_INDEX ? blankB : other.valuesOf(otherIndex)
        const list = otherIndex === NO_INDEX ? onlyA : common
        list.push({ values: (a[index] as Feature).values.concat(valuesOfOther), geometry })
      }
      const geometryAt = (index: number) => a[index]?.geometry ?? null
      const set = new GeometrySet(await loadGeos(), geometryAt, a.length, placeOf(layer.crs))
      const options = { keep: 'difference' } as const
      const second = {
        operation: 'clipOrErase',
        options,
        field: 'overlay',
        warnings: layer.warnings,
        rows: rowsOf(b),
        others: set,
      } as const
      const ofB = await workOnRows(second, inHalf(context, 1)).finally(() => set.free())
      const onlyB = ofB.rows.map(({ values: [index], geometry }) => ({
        values: blankA.concat((b[index as number] as Feature).values),
        geometry,
      }))
      const features = common.concat(onlyA, onlyB)
      const out = withFeatures(layer, features, joinedFields(layer.fields, other.fields))
      return layerResult(out, output, file, 'union', context, {
        inputFeatureCount: a.length,
        overlayFeatureCount: other.featureCount,
      })
    })
  },
})

const inHalf = (context: RunContext, half: number): RunContext => ({
  ...context,
  progress: (share) => context.progress((half + share) / 2),
})

const dimensionsOf = (features: readonly Feature[]): number[] => [
  ...new Set(features.flatMap(({ geometry }) => (geometry === null ? [] : [dimensionOf(geometry)]))),
]
