/** Converts coordinates from one notation to all three. */
import { Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import {
  type Axis,
  COORDINATE_FORMATS,
  type CoordinateFormat,
  formatCoordinate,
  parseCoordinate,
} from '../../lib/geo/formats/csv/coordinate-format.ts'
import { InputError } from '../../lib/input-error.ts'
import { decimalOf } from '../../lib/number-text.ts'
import { choice, described, list, textResult } from '../params.ts'
import { defineTool } from '../tool.ts'

const coordinate = () => Type.Union([Type.Number(), Type.String({ maxLength: 60 })])

/** @throws AppError VALIDATION_FAILED naming the point */
function degreesOf(value: number | string, format: CoordinateFormat, axis: Axis, point: number): number {
  const field = `points.${point}.${axis}`
  const limit = axis === 'lon' ? 180 : 90
  if (format === 'dd') {
    const degrees = typeof value === 'string' ? decimalOf(value) : value
    if (degrees === undefined || !Number.isFinite(degrees))
      throw invalidField(field, 'number', fieldText('decimalDegrees'))
    if (Math.abs(degrees) > limit)
      throw invalidField(field, 'range', fieldText('between', { least: -limit, most: limit }))
    return degrees
  }
  if (typeof value !== 'string')
    throw invalidField(field, 'string', fieldText('notation', { notation: format.toUpperCase() }))
  try {
    return parseCoordinate(value, format, axis)
  } catch (error) {
    if (error instanceof InputError) throw invalidField(field, error.rule, error.text)
    throw error
  }
}

const pair = (schema: ReturnType<typeof Type.Number> | ReturnType<typeof Type.String>) =>
  Type.Object({ lon: schema, lat: schema })

export default defineTool({
  id: 'convert.convert-coordinates',
  route: '/convert-coordinates',
  version: '1.1.0',
  title: { en: 'Convert coordinates', ar: 'تحويل صيغ الإحداثيات' },
  description: {
    en: 'Converts coordinates between decimal degrees, degrees and decimal minutes, and degrees, minutes and seconds. The result has all three notations.',
    ar: 'يحوّل الإحداثيات بين الدرجات العشرية والدرجات والدقائق العشرية والدرجات والدقائق والثواني. تتضمن النتيجة الصيغ الثلاث.',
  },
  keywords: ['coordinates', 'dms', 'ddm', 'decimal degrees', 'notation'],
  credits: 0,
  lane: 'bun',
  inputKind: 'json',
  outputKind: 'json',
  input: Type.Object({
    from_format: choice(
      COORDINATE_FORMATS,
      {
        title: { en: 'Notation', ar: 'صيغة الإحداثيات' },
        en: 'Notation of the points: dd decimal degrees, dms degrees, minutes and seconds, ddm degrees and decimal minutes',
        ar: 'صيغة النقاط: dd درجات عشرية، dms درجات ودقائق وثوانٍ، ddm درجات ودقائق عشرية',
      },
      {
        titles: {
          dd: { en: 'Decimal degrees (30.5)', ar: 'درجات عشرية (30.5)' },
          dms: { en: 'Degrees, minutes, seconds (30°30′0″ N)', ar: 'درجات ودقائق وثوانٍ (‎30°30′0″ N)' },
          ddm: { en: 'Degrees, decimal minutes (30°30.0′ N)', ar: 'درجات ودقائق عشرية (‎30°30.0′ N)' },
        },
      },
    ),
    points: list(
      Type.Object({ lon: coordinate(), lat: coordinate() }, { additionalProperties: false }),
      {
        title: { en: 'Points', ar: 'النقاط' },
        en: 'The points: numbers for dd, text for dms and ddm',
        ar: 'أرقام لصيغة dd ونصوص لصيغتي dms وddm',
      },
      { minItems: 1 },
    ),
  }),
  output: Type.Object({
    fromFormat: textResult('Notation of the points', 'صيغة النقاط'),
    results: described(
      Type.Array(Type.Object({ dd: pair(Type.Number()), dms: pair(Type.String()), ddm: pair(Type.String()) })),
      { en: 'Each point in all three notations', ar: 'كل نقطة بالصيغ الثلاث' },
    ),
  }),
  examples: [
    { name: 'from decimal degrees', input: { from_format: 'dd', points: [{ lon: 13.405, lat: 52.52 }] } },
    {
      name: 'from degrees, minutes and seconds',
      input: { from_format: 'dms', points: [{ lon: '13°24\'18"E', lat: '52°31\'12"N' }] },
    },
  ],
  async run({ from_format, points }) {
    const results = points.map((point, i) => {
      const lon = degreesOf(point.lon, from_format, 'lon', i)
      const lat = degreesOf(point.lat, from_format, 'lat', i)
      const as = (format: 'dms' | 'ddm') => ({
        lon: formatCoordinate(lon, format, 'lon'),
        lat: formatCoordinate(lat, format, 'lat'),
      })
      return { dd: { lon, lat }, dms: as('dms'), ddm: as('ddm') }
    })
    return { data: { fromFormat: from_format, results } }
  },
})
