/** The union of two layers of one kind of geometry: shared parts with the attributes of both, all other parts with their own. */
import { Type } from '@sinclair/typebox'
import { GeometrySet } from '../../lib/geo/geometry-set.ts'
import { loadGeos } from '../../lib/geo/geos.ts'
import { type Feature, withFeatures } from '../../lib/geo/layer.ts'
import { clipOrEraseFeatures, intersectFeatures, joinedFields, validFeatures } from '../../lib/geo/overlay.ts'
import { dimensionOf } from '../../lib/geo/wkb.ts'
import {
  inputFeatureCount,
  layerOutput,
  layerResult,
  ofField,
  readLayer,
  requireKind,
  vectorFile,
  vectorOutput,
} from '../layers.ts'
import { withOverlay } from '../overlays.ts'
import { described, file } from '../params.ts'
import { defineTool } from '../tool.ts'

export default defineTool({
  id: 'vector.union',
  route: '/union',
  version: '1.1.0',
  title: { en: 'Union', ar: 'اتحاد' },
  description: {
    en: 'Combines two layers of polygons, of lines or of points: parts that both cover have the attributes of both layers, all other parts keep their own.',
    ar: 'يجمع طبقتين من المضلعات أو من الخطوط أو من النقاط: للأجزاء المشتركة صفات الطبقتين، ولبقية الأجزاء صفات طبقتها.',
  },
  keywords: ['union', 'overlay', 'combine'],
  credits: 2,
  lane: 'node',
  async: true,
  inputKind: 'vector',
  outputKind: 'vector',
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
    overlayFeatureCount: described(Type.Integer(), {
      en: 'Features of the other layer',
      ar: 'عدد عناصر الطبقة الأخرى',
    }),
  }),
  examples: [
    {
      name: 'districts and zones',
      input: { file: 'districts.geojson', overlay: 'zones.geojson', target_format: 'geojson' },
    },
  ],
  async run({ file, overlay, ...output }, context) {
    const layer = await readLayer(file, 'file', context)
    const a = await ofField('file', () => validFeatures(layer.features))
    return withOverlay(overlay, 'overlay', context, layer.crs, async (other) => {
      const b = await ofField('overlay', () => validFeatures(other.features()))
      const kinds = dimensionsOf(b)
      if (kinds.length > 1) requireKind(b, dimensionsOf(a)[0] ?? 2, 'overlay')
      if (kinds.length === 1) requireKind(a, kinds[0] as number, 'file')
      const third = (part: number) => (share: number) => context.progress((part + share) / 3)
      const common = await intersectFeatures(a, other.set, other.valuesOf, third(0))
      const onlyA = await clipOrEraseFeatures(a, other.set, 'difference', third(1))
      const set = new GeometrySet(await loadGeos(), (index) => a[index]?.geometry ?? null, a.length)
      const onlyB = await clipOrEraseFeatures(b, set, 'difference', third(2)).finally(() => set.free())
      const [blankA, blankB] = [layer.fields.map(() => null), other.fields.map(() => null)]
      const features = [
        ...common,
        ...onlyA.map(({ values, geometry }) => ({ values: [...values, ...blankB], geometry })),
        ...onlyB.map(({ values, geometry }) => ({ values: [...blankA, ...values], geometry })),
      ]
      const out = withFeatures(layer, features, joinedFields(layer.fields, other.fields))
      return layerResult(out, output, file, 'union', context, {
        inputFeatureCount: a.length,
        overlayFeatureCount: other.featureCount,
      })
    })
  },
})

const dimensionsOf = (features: readonly Feature[]): number[] => [
  ...new Set(features.flatMap(({ geometry }) => (geometry === null ? [] : [dimensionOf(geometry)]))),
]
