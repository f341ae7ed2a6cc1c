/** Checks whether the features of a layer are inside reference polygons. */
import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { kindsOf } from '../../lib/geo/geometry/repair.ts'
import { type Feature, type Layer, WGS84 } from '../../lib/geo/layers/layer.ts'
import { passes, type Relation } from '../../lib/geo/overlay/inside.ts'
import { NO_INDEX, RELATIONS } from '../../lib/geo/overlay/row-operations.ts'
import { warning } from '../../warnings/warning.ts'
import { ofField, readCompared, vectorFile } from '../layers.ts'
import { withPolygons } from '../overlays.ts'
import { choice, described, file, flagResult, jsonText, number } from '../params.ts'
import { partOfRows } from '../row-part.ts'
import { rowsOf, workOnRows } from '../shared-rows.ts'
import { defineTool } from '../tool.ts'

const count = Type.Integer({ minimum: 0 })
const rounded = (percent: number): number => Math.round(percent * 1e6) / 1e6

export default defineTool({
  id: 'vector.inside-check',
  route: '/inside-check',
  version: '1.2.0',
  title: { en: 'Inside check', ar: 'فحص الوقوع داخل' },
  description: {
    en: 'Reports for each feature how much of it is inside the polygons of a reference layer, by area, length or number of points in an equal-area projection, and whether that satisfies a rule. The boundary counts as inside.',
    ar: 'يبيّن لكل عنصر مقدار ما يقع منه داخل مضلعات الطبقة المرجعية بالمساحة أو الطول أو النقاط في إسقاط متساوي المساحات، وهل يحقق القاعدة. تُعد الحدود من الداخل.',
  },
  keywords: ['inside', 'within', 'boundary', 'compliance', 'geofence'],
  credits: 1,
  lane: 'node',
  async: true,
  inputKind: 'vector',
  outputKind: 'json',
  saved: {
    second: { field: 'reference', kind: 'polygons' },
    returnsSecondFields: true,
    rule: { kind: 'rule', percent: 'percent', referenceFields: 'reference_fields' },
  },
  input: Type.Object({
    file: vectorFile(),
    reference: file('vector', {
      title: { en: 'Reference', ar: 'الطبقة المرجعية' },
      en: 'The reference polygons, in any CRS',
      ar: 'المضلعات المرجعية، بأي نظام إحداثيات',
    }),
    rule: choice(
      ['inside', 'partly', 'percent'],
      {
        title: { en: 'Rule', ar: 'القاعدة' },
        en: 'When a feature passes: completely inside, partly inside, or inside by at least a percentage',
        ar: 'متى يُقبل العنصر: إذا كان كله في الداخل، أو جزء منه، أو نسبة مئوية منه على الأقل',
      },
      {
        default: 'inside',
        titles: {
          inside: { en: 'Completely inside', ar: 'في الداخل بالكامل' },
          partly: { en: 'At least partly inside', ar: 'جزء منه على الأقل في الداخل' },
          percent: { en: 'Inside by a percentage', ar: 'نسبة مئوية منه في الداخل' },
        },
      },
    ),
    percent: Type.Optional(
      number(
        {
          title: { en: 'Percentage', ar: 'النسبة المئوية' },
          en: 'The percentage that must be inside',
          ar: 'النسبة المئوية التي يجب أن تقع في الداخل',
        },
        { minimum: 0, maximum: 100 },
        { 'x-svc-usedWhen': { field: 'rule', equals: 'percent' } },
      ),
    ),
    reference_fields: Type.Optional(
      jsonText(Type.Array(Type.String({ maxLength: 256 }), { maxItems: 100, 'x-svc-columnOf': 'reference' }), {
        title: { en: 'Columns to return', ar: 'الأعمدة المطلوبة' },
        en: 'Columns of the reference to return',
        ar: 'أعمدة الطبقة المرجعية المطلوبة في النتائج',
      }),
    ),
  }),
  output: Type.Object({
    passed: flagResult('Whether every feature passes', 'هل قُبلت كل العناصر'),
    counts: described(Type.Object({ inside: count, partial: count, outside: count, passed: count }), {
      en: 'Number of features by relation, and of those that pass',
      ar: 'عدد العناصر بحسب قيمة relation، وعدد المقبول منها',
    }),
    results: described(
      Type.Array(
        Type.Object({
          index: count,
          id: Type.Optional(Type.Union([Type.String(), Type.Number()])),
          relation: Type.String({ enum: ['inside', 'partial', 'outside'] }),
          percentInside: Type.Number({ minimum: 0, maximum: 100 }),
          pass: Type.Boolean(),
          matchCount: count,
          reference: Type.Object({}, { additionalProperties: true, 'x-secondFields': true }),
        }),
      ),
      {
        en: 'For each feature: id is the id of the feature, if it has one; relation is inside, partial or outside; reference contains the columns of the reference feature with the largest overlap',
        ar: 'لكل عنصر: id معرّف العنصر إن وُجد؛ relation تكون inside أو partial أو outside؛ وreference تضم أعمدة العنصر المرجعي الأكثر تداخلًا',
      },
    ),
  }),
  examples: [
    {
      name: 'districts in zones, at least half',
      input: {
        file: 'districts.geojson',
        reference: 'zones.geojson',
        rule: 'percent',
        percent: 50,
        reference_fields: '["zone"]',
      },
    },
  ],
  async run({ file, reference, rule, percent, reference_fields = [] }, context) {
    if (rule === 'percent' && percent === undefined)
      throw invalidField('percent', 'required', fieldText('requiredWhen', { field: 'rule', value: 'percent' }))
    const layer = await readCompared(file, 'file', context, WGS84)
    warnOfMixed(layer)
    return withPolygons(reference, 'reference', context, WGS84, async (polygons) => {
      const columns = reference_fields.map((name) => {
        const column = polygons.fields.findIndex((field) => field.name === name)
        if (column >= 0) return { name, column }
        const known = polygons.fields.map((field) => field.name).join(', ')
        throw invalidField(
          'reference_fields',
          'column',
          fieldText('columnOfReference', { name, columns: known || fieldText('none') }),
        )
      })
      const options = { findReference: columns.length > 0 }
      const rows = rowsOf(layer.features)
      const task = {
        operation: 'inside',
        options,
        field: 'file',
        warnings: layer.warnings,
        rows,
        others: polygons.set,
        othersField: 'reference',
      } as const
      const found = await ofField('file', () => workOnRows(task, context))
      const counts = { inside: 0, partial: 0, outside: 0, passed: 0 }
      const results = found.rows.map(({ values: numbers }) => {
        const [index, code, percentInside, matchCount, ordinal] = numbers as [number, number, number, number, number]
        const relation = RELATIONS[code] as Relation
        const { id } = layer.features[index] as Feature
        const pass = passes(relation, percentInside, rule, percent)
        counts[relation]++
        if (pass) counts.passed++
        const values = ordinal === NO_INDEX || columns.length === 0 ? undefined : polygons.valuesOf(ordinal)
        const picked = values === undefined ? [] : columns.map(({ name, column }) => [name, values[column] ?? null])
        return {
          index,
          ...(id !== undefined && { id }),
          relation,
          percentInside: rounded(percentInside),
          pass,
          matchCount,
          reference: Object.fromEntries(picked),
        }
      })
      return {
        data: { passed: counts.passed === results.length, counts, results },
        features: results.length,
        warnings: layer.warnings,
      }
    })
  },
  part: partOfRows,
})

/** Areas, lengths and points have no common measure. */
function warnOfMixed({ features, warnings }: Layer): void {
  const isMixed = ({ geometry }: Feature): boolean => geometry !== null && kindsOf(geometry).length > 1
  const mixed = features.filter(isMixed).length
  if (mixed > 0) warnings.push(warning('onlyHighestKindCounts', { n: mixed, feature: features.findIndex(isMixed) }))
}
