/** Areas within a distance of each feature, in metres on the ellipsoid. */
import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { type FieldText, inPlace, type Place } from '../../field-texts/bilingual.ts'
import { fieldText, mustBe } from '../../field-texts/field-text.ts'
import { loadGeos } from '../../lib/geo/geometry/geos.ts'
import { cutAtAntimeridian } from '../../lib/geo/geometry/globe.ts'
import type { Wkb } from '../../lib/geo/geometry/wkb.ts'
import { type Feature, fieldIndex, type Layer, WGS84, withFeatures } from '../../lib/geo/layers/layer.ts'
import { unionAll } from '../../lib/geo/overlay/union.ts'
import { layerOutput, layerResult, ofField, readLayer, vectorFile, vectorOutput } from '../layers.ts'
import { choice, columnOf, described, flag, flagResult, integerResult, number } from '../params.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { workOnRows } from '../shared-rows.ts'
import { defineTool } from '../tool.ts'

const METRES = { m: 1, km: 1000, ft: 0.3048, mi: 1609.344 } as const
type Unit = keyof typeof METRES
const MAX_M = 100_000

/** @throws AppError VALIDATION_FAILED naming the field */
function metresOf(value: unknown, unit: Unit, field: string, place?: Place, column?: string): number {
  const textOf = (fault: FieldText): FieldText =>
    inPlace(place, column === undefined ? fault : fieldText('inColumn', { column, fault }))
  const distance = typeof value === 'number' ? value : Number(String(value ?? '').trim() || Number.NaN)
  if (!Number.isFinite(distance)) throw invalidField(field, 'number', textOf(mustBe(fieldText('number'))))
  const metres = distance * METRES[unit]
  if (metres === 0) throw invalidField(field, 'notZero', textOf(fieldText('notZero')))
  if (Math.abs(metres) > MAX_M)
    throw invalidField(field, 'range', textOf(fieldText('metresNotZero', { least: -MAX_M, most: MAX_M })))
  return metres
}

export default defineTool({
  id: 'vector.buffer',
  route: '/buffer',
  version: '1.2.0',
  title: { en: 'Buffer', ar: 'حرم' },
  description: {
    en: 'Creates the area within a distance of each feature, in metres on the ellipsoid, correct at any latitude, at the poles and across the antimeridian. A negative distance shrinks polygons; features that disappear are left out.',
    ar: 'ينشئ المنطقة الواقعة ضمن مسافة من كل عنصر بالأمتار على الإهليلج، صحيحة عند أي خط عرض وعند القطبين وعبر خط التاريخ. المسافة السالبة تقلّص المضلعات، وتُستبعد العناصر التي تختفي.',
  },
  keywords: ['buffer', 'distance', 'proximity', 'zone'],
  credits: 1,
  ...VECTOR_TOOL,
  saved: {},
  input: Type.Object({
    file: vectorFile(),
    ...vectorOutput(),
    distance_by: choice(
      ['value', 'field'],
      {
        title: { en: 'Distance source', ar: 'مصدر المسافة' },
        en: 'One distance for all features, or a column with the distance of each',
        ar: 'مسافة واحدة لكل العناصر، أو عمود فيه مسافة كل عنصر',
      },
      {
        default: 'value',
        titles: {
          value: { en: 'One distance for all', ar: 'مسافة واحدة للكل' },
          field: { en: 'A column', ar: 'عمود' },
        },
      },
    ),
    distance_m: number(
      {
        title: { en: 'Distance', ar: 'المسافة' },
        en: 'Distance in the chosen unit; must not be 0',
        ar: 'المسافة بالوحدة المختارة؛ يجب ألا تكون 0',
      },
      { default: 100 },
      {
        'x-svc-usedWhen': { field: 'distance_by', equals: 'value' },
        'x-svc-unitInput': 'unit',
        'x-svc-bounds': { minimum: -MAX_M, maximum: MAX_M },
        'x-svc-boundsUnit': 'm',
      },
    ),
    distance_field: Type.Optional(
      columnOf(
        'file',
        {
          title: { en: 'Distance column', ar: 'عمود المسافات' },
          en: 'Column with the distance of each feature',
          ar: 'العمود الذي فيه مسافة كل عنصر',
        },
        { 'x-svc-usedWhen': { field: 'distance_by', equals: 'field' }, 'x-svc-unitInput': 'unit' },
      ),
    ),
    unit: choice(
      ['m', 'km', 'ft', 'mi'],
      { title: { en: 'Unit', ar: 'الوحدة' }, en: 'Unit of the distance', ar: 'وحدة المسافة' },
      {
        default: 'm',
        titles: {
          m: { en: 'Metres (m)', ar: 'متر (m)' },
          km: { en: 'Kilometres (km)', ar: 'كيلومتر (km)' },
          ft: { en: 'Feet (ft)', ar: 'قدم (ft)' },
          mi: { en: 'Miles (mi)', ar: 'ميل (mi)' },
        },
      },
    ),
    dissolve: flag(
      {
        title: { en: 'Dissolve', ar: 'إذابة الحدود' },
        en: 'Merge all areas into one',
        ar: 'دمج كل المناطق في منطقة واحدة',
      },
      false,
    ),
    cap_style: choice(
      ['round', 'flat', 'square'],
      { title: { en: 'Line ends', ar: 'نهايات الخطوط' }, en: 'Shape of line ends', ar: 'شكل نهايات الخطوط' },
      {
        default: 'round',
        titles: {
          round: { en: 'Round', ar: 'دائرية' },
          flat: { en: 'Flat, at the end of the line', ar: 'مستوية عند نهاية الخط' },
          square: { en: 'Square, beyond the end', ar: 'مربعة بعد نهاية الخط' },
        },
      },
    ),
  }),
  output: Type.Object({
    ...layerOutput,
    dissolved: flagResult('Whether the areas were merged', 'هل دُمجت المناطق'),
    distanceM: described(Type.Union([Type.Number(), Type.Null()]), {
      en: 'The distance in metres; null if it comes from a column',
      ar: 'المسافة بالأمتار؛ null إن حددها عمود',
    }),
    droppedCount: integerResult('Features that disappeared', 'العناصر التي اختفت'),
  }),
  examples: [
    {
      name: 'a kilometre around stations',
      input: { file: 'stations.geojson', target_format: 'geojson', distance_m: 1, unit: 'km' },
    },
    {
      name: 'by a column, as one',
      input: {
        file: 'stations.geojson',
        target_format: 'gpkg',
        distance_by: 'field',
        distance_field: 'range_m',
        dissolve: true,
      },
    },
  ],
  async run({ file, distance_by, distance_m, distance_field, unit, dissolve, cap_style, ...output }, context) {
    const byField = distance_by === 'field'
    if (byField && distance_field === undefined)
      throw invalidField(
        'distance_field',
        'required',
        fieldText('requiredWhen', { field: 'distance_by', value: 'field' }),
      )
    const distanceM = byField ? null : metresOf(distance_m, unit, 'distance_m')
    const layer = await readLayer(file, 'file', context, WGS84, true)
    const distanceOf = byField ? columnDistance(layer, distance_field as string, unit) : () => distanceM as number
    const rows = layer.features.map(({ values, geometry }, row) => ({
      values: [row, distanceOf(values, row)],
      geometry,
    }))
    const task = {
      operation: 'buffer',
      options: { cap: cap_style },
      field: 'file',
      warnings: layer.warnings,
      rows,
    } as const
    const { rows: areas } = await ofField('file', () => workOnRows(task, context))
    const features = areas.map(({ values: [row], geometry }) => ({
      ...(layer.features[row as number] as Feature),
      geometry,
    }))
    const droppedCount = layer.features.length - features.length
    const out = dissolve ? await asOne(layer, features) : withFeatures(layer, features)
    const data = { dissolved: dissolve, distanceM, droppedCount }
    return layerResult(out, output, file, 'buffer', context, data)
  },
})

function columnDistance(layer: Layer, name: string, unit: Unit): (values: readonly unknown[], row: number) => number {
  const column = fieldIndex(layer, name)
  if (column < 0) {
    const known = layer.fields.map((field) => field.name).join(', ')
    throw invalidField('distance_field', 'column', fieldText('columnOfFile', { columns: known || 'none' }))
  }
  return (values, row) => metresOf(values[column], unit, 'distance_field', { feature: row }, name)
}

async function asOne(layer: Layer, features: readonly Feature[]): Promise<Layer> {
  const geos = await loadGeos()
  if (features.length === 0) return withFeatures(layer, [], [])
  const union = unionAll(
    geos,
    features.map(({ geometry }) => geometry as Wkb),
  )
  return withFeatures(layer, [{ values: [], geometry: cutAtAntimeridian(geos, union) }], [])
}
