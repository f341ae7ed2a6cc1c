/** Merges the geometries of all features, or of features with the same value in a column. */
import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { loadGeos } from '../../lib/geo/geometry/geos.ts'
import type { Wkb } from '../../lib/geo/geometry/wkb.ts'
import { type Feature, type Field, fieldIndex, freeName, type Layer, withFeatures } from '../../lib/geo/layers/layer.ts'
import { hasMadeHeights } from '../../lib/geo/overlay/made-heights.ts'
import { unionAll } from '../../lib/geo/overlay/union.ts'
import {
  inputFeatureCount,
  layerOutput,
  layerResult,
  ofField,
  readCompared,
  vectorFile,
  vectorOutput,
} from '../layers.ts'
import { choice, columnOf, described, integerResult } from '../params.ts'
import { madeValid, VECTOR_TOOL } from '../row-part.ts'
import { heightWarnings } from '../shared-rows.ts'
import { defineTool } from '../tool.ts'

const AGGREGATES = ['count', 'sum', 'mean', 'min', 'max'] as const
type Aggregate = (typeof AGGREGATES)[number]

export default defineTool({
  id: 'vector.dissolve',
  route: '/dissolve',
  version: '1.2.0',
  title: { en: 'Dissolve', ar: 'إذابة الحدود' },
  description: {
    en: 'Merges the geometries of all features into one, or of those with the same value in a column.',
    ar: 'يدمج أشكال جميع العناصر في شكل واحد، أو أشكال العناصر المتساوية القيمة في عمود.',
  },
  keywords: ['dissolve', 'union', 'merge', 'aggregate', 'group'],
  credits: 1,
  ...VECTOR_TOOL,
  saved: {},
  input: Type.Object({
    file: vectorFile(),
    ...vectorOutput(),
    by: Type.Optional(
      columnOf('file', {
        title: { en: 'Group by', ar: 'التجميع حسب' },
        en: 'Column to group by; without it all features are one group',
        ar: 'عمود التجميع؛ بدونه تكون كل العناصر مجموعة واحدة',
      }),
    ),
    agg: choice(
      AGGREGATES,
      {
        title: { en: 'Aggregate', ar: 'التجميع' },
        en: 'Aggregate that is computed for each group',
        ar: 'القيمة التي تُحسب لكل مجموعة',
      },
      {
        default: 'count',
        titles: {
          count: { en: 'Count', ar: 'العدد' },
          sum: { en: 'Sum', ar: 'المجموع' },
          mean: { en: 'Mean', ar: 'المتوسط' },
          min: { en: 'Minimum', ar: 'الحد الأدنى' },
          max: { en: 'Maximum', ar: 'الحد الأقصى' },
        },
      },
    ),
    agg_field: Type.Optional(
      columnOf('file', {
        title: { en: 'Aggregated column', ar: 'عمود التجميع' },
        en: 'Column of numbers for sum, mean, min and max',
        ar: 'عمود الأرقام الذي تُحسب منه sum وmean وmin وmax',
      }),
    ),
  }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    groups: integerResult('Groups', 'عدد المجموعات'),
    groupField: described(Type.Union([Type.String(), Type.Null()]), {
      en: 'The column to group by; null for a single group',
      ar: 'عمود المجموعات؛ null لمجموعة واحدة',
    }),
  }),
  examples: [
    {
      name: 'districts by region, with their population',
      input: { file: 'districts.geojson', target_format: 'geojson', by: 'region', agg: 'sum', agg_field: 'population' },
    },
  ],
  async run({ file, by, agg, agg_field, ...output }, context) {
    if (agg !== 'count' && agg_field === undefined)
      throw invalidField('agg_field', 'required', fieldText('requiredWhen', { field: 'agg', value: agg }))
    const layer = await readCompared(file, 'file', context)
    const column = columnIn(layer, 'by', by)
    const numbers = agg === 'count' ? -1 : columnIn(layer, 'agg_field', agg_field)
    if (numbers >= 0 && !['integer', 'integer64', 'real'].includes((layer.fields[numbers] as Field).type))
      throw invalidField('agg_field', 'number', fieldText('numberColumn'))
    const features = await madeValid(layer.features, 'file', context, layer.warnings)
    const groups = Map.groupBy(features, ({ values }) => (column < 0 ? null : (values[column] ?? null)))
    const out = await dissolved(layer, groups, column, agg, numbers, context.progress)
    return layerResult(out, output, file, 'dissolved', context, {
      inputFeatureCount: layer.features.length,
      groups: groups.size,
      groupField: by ?? null,
    })
  },
})

function columnIn(layer: Layer, field: string, name: string | undefined): number {
  if (name === undefined) return -1
  const column = fieldIndex(layer, name)
  if (column >= 0) return column
  const known = layer.fields.map((own) => own.name).join(', ')
  throw invalidField(field, 'column', fieldText('columnOfFile', { columns: known || 'none' }))
}

async function dissolved(
  layer: Layer,
  groups: ReadonlyMap<unknown, Feature[]>,
  column: number,
  agg: Aggregate,
  numbers: number,
  progress: (share: number) => void,
): Promise<Layer> {
  const geos = await loadGeos()
  const groupField = layer.fields[column]
  const fields: Field[] = groupField === undefined ? [] : [groupField]
  const aggregated = layer.fields[numbers]
  const name = aggregated === undefined ? 'count' : `${agg}_${aggregated.name}`
  fields.push({ name: freeName(fields, name), type: agg === 'count' ? 'integer' : 'real' })
  const features: Feature[] = []
  const madeHeights: number[] = []
  for (const [value, members] of groups) {
    progress(features.length / groups.size)
    const wkbs = members.map(({ geometry }) => geometry).filter((wkb): wkb is Wkb => wkb !== null)
    const geometry = wkbs.length === 0 ? null : await ofField('file', () => unionAll(geos, wkbs))
    if (geometry !== null && hasMadeHeights(geometry, wkbs)) madeHeights.push(features.length)
    const aggregateValue = agg === 'count' ? members.length : aggregate(agg, members, numbers)
    features.push({ values: groupField === undefined ? [aggregateValue] : [value, aggregateValue], geometry })
  }
  return {
    ...withFeatures(layer, features, fields),
    warnings: [...layer.warnings, ...heightWarnings('result', madeHeights)],
  }
}

/** Aggregate of the values that are not null; null when there are none. */
function aggregate(agg: Exclude<Aggregate, 'count'>, members: readonly Feature[], column: number): number | null {
  const found = members.map(({ values }) => values[column]).filter((value) => typeof value === 'number')
  if (found.length === 0) return null
  const sum = found.reduce((total, value) => total + value, 0)
  if (agg === 'sum') return sum
  if (agg === 'mean') return sum / found.length
  return found.reduce((best, value) => (agg === 'min' ? Math.min(best, value) : Math.max(best, value)))
}
