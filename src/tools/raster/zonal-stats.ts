/** Statistics of the raster cells whose centre is in each polygon. */
import { Type } from '@sinclair/typebox'
import { noCrs, reproject } from '../../lib/geo/formats/gdal/gdal-read.ts'
import { polygonsOf } from '../../lib/geo/geometry/globe.ts'
import { collect, envelopeOf, MULTI_POLYGON, mapPositions, type Wkb } from '../../lib/geo/geometry/wkb.ts'
import { type Crs, type Feature, type Field, freeName, type Layer, withFeatures } from '../../lib/geo/layers/layer.ts'
import { InputError } from '../../lib/input-error.ts'
import { type Bounds, georeferenceOf, mapBounds } from '../../lib/raster/open-raster.ts'
import { STATS, type Stat, zonalStatistics } from '../../lib/raster/zonal.ts'
import { append } from '../../lists.ts'
import { type Warning, warning } from '../../warnings/warning.ts'
import { inputFeatureCount, layerOutput, layerResult, readPolygons, vectorOutput } from '../layers.ts'
import { choice, described, file, integerResult, jsonText } from '../params.ts'
import { bandField, checkedBand, withRaster } from '../rasters.ts'
import { VECTOR_TOOL } from '../row-part.ts'
import { defineTool, type Text } from '../tool.ts'

const STAT_TITLES: Record<Stat, Text> = {
  count: { en: 'Count', ar: 'العدد' },
  sum: { en: 'Sum', ar: 'المجموع' },
  mean: { en: 'Mean', ar: 'المتوسط' },
  min: { en: 'Minimum', ar: 'الحد الأدنى' },
  max: { en: 'Maximum', ar: 'الحد الأقصى' },
  median: { en: 'Median', ar: 'الوسيط' },
  std: { en: 'Standard deviation', ar: 'الانحراف المعياري' },
  range: { en: 'Range', ar: 'المدى' },
  majority: { en: 'Most frequent value', ar: 'القيمة الأكثر تكرارًا' },
  minority: { en: 'Rarest value', ar: 'القيمة الأقل تكرارًا' },
  variety: { en: 'Different values', ar: 'عدد القيم المختلفة' },
}
const WHOLE: ReadonlySet<Stat> = new Set(['count', 'variety'])

export default defineTool({
  id: 'raster.zonal-stats',
  route: '/zonal-stats',
  version: '1.2.0',
  title: { en: 'Zonal statistics', ar: 'إحصاءات المناطق' },
  description: {
    en: 'Computes statistics of the raster cells whose centre is in each polygon, with a column for each statistic. Zones and raster may have different CRSs. Nodata and masked cells are ignored. A zone without cells has the count 0 and no other values.',
    ar: 'يعطي كل مضلع إحصاءات خلايا البيانات النقطية التي يقع مركزها داخله: عمود لكل إحصاء. قد يختلف نظاما الإحداثيات؛ ولا تُحسب الخلايا الخالية أو المحجوبة؛ والمنطقة التي لا خلايا فيها عددها 0 وليست لها قيم أخرى.',
  },
  keywords: ['zonal', 'statistics', 'raster', 'zones', 'mean'],
  credits: 2,
  tier: 'pro',
  ...VECTOR_TOOL,
  saved: { input: 'polygons', second: { field: 'raster', kind: 'raster' } },
  input: Type.Object({
    file: file('vector', {
      title: { en: 'File', ar: 'الملف' },
      en: 'The zones: polygons in any vector format and CRS',
      ar: 'المناطق: مضلعات بأي صيغة متجهة ونظام إحداثيات',
    }),
    raster: file('raster', {
      title: { en: 'Raster', ar: 'الصورة النقطية' },
      en: 'The raster: GeoTIFF',
      ar: 'البيانات النقطية: GeoTIFF',
    }),
    ...vectorOutput(),
    band: bandField(),
    stats: jsonText(
      Type.Array(choice(STATS, { en: 'A statistic', ar: 'إحصاء' }, { titles: STAT_TITLES }), {
        minItems: 1,
        maxItems: STATS.length,
        uniqueItems: true,
      }),
      {
        title: { en: 'Statistics', ar: 'الإحصاءات' },
        en: 'The statistics to compute, each with a column',
        ar: 'الإحصاءات المطلوبة، ولكل منها عمود',
      },
      ['mean', 'max'],
    ),
  }),
  output: Type.Object({
    ...layerOutput,
    inputFeatureCount,
    zones: integerResult('Zones', 'عدد المناطق'),
    zonesWithData: integerResult(
      'Zones with at least one valid cell',
      'عدد المناطق التي فيها خلية صالحة واحدة على الأقل',
    ),
    band: integerResult('Band of the raster', 'نطاق البيانات النقطية'),
    stats: described(Type.Array(Type.String()), {
      en: 'Statistics in the order of the columns',
      ar: 'الإحصاءات بترتيبها',
    }),
  }),
  examples: [
    {
      name: 'elevation of two plots',
      input: {
        file: 'plots.geojson',
        raster: 'dem.tif',
        target_format: 'geojson',
        stats: ['count', 'mean', 'min', 'max'],
      },
    },
  ],
  async run({ file, raster, band, stats, ...output }, context) {
    const layer = await readPolygons(file, 'file', context)
    const warnings = [...layer.warnings]
    const { rows, withData } = await withRaster(raster, 'raster', context, async (opened) => {
      const { crs, controlPoints } = opened
      if (crs === undefined && controlPoints === undefined) throw noCrs()
      const transform = georeferenceOf(opened)
      if (crs === undefined) throw noCrs()
      const bandWarnings = await checkedBand(band, opened)
      const inCrs = await zonesIn(layer, crs)
      const zones = crs.geographic ? onEachTurn(inCrs, mapBounds(opened, transform), warnings) : inCrs
      const away = zones.filter(({ geometry }, i) => geometry === null && layer.features[i]?.geometry !== null).length
      if (away > 0) warnings.push(warning('zonesOutsideArea', { n: away }))
      append(warnings, bandWarnings)
      const found = await zonalStatistics(opened, transform, band, zones, stats, context.progress)
      append(warnings, found.warnings)
      return found
    })
    const fields: Field[] = [...layer.fields]
    for (const stat of stats) {
      const name = freeName(fields, stat)
      if (name !== stat) warnings.push(warning('statisticRenamed', { statistic: stat, column: name }))
      fields.push({ name, type: WHOLE.has(stat) ? 'integer' : 'real' })
    }
    const features = layer.features.map(
      (feature, i): Feature => ({ ...feature, values: [...feature.values, ...(rows[i] as (number | null)[])] }),
    )
    const out = { ...withFeatures(layer, features, fields), warnings }
    const count = layer.features.length
    return layerResult(out, output, file, 'zonal', context, {
      inputFeatureCount: count,
      zones: count,
      zonesWithData: withData,
      band,
      stats,
    })
  },
})

/** Zones shifted to the longitudes of a raster in degrees, which may start at −180, at 0 or elsewhere. */
function onEachTurn(zones: readonly Feature[], [west, , east]: Bounds, warnings: Warning[]): Feature[] {
  let isMoved = false
  const placed = zones.map((zone): Feature => {
    if (zone.geometry === null) return zone
    const own = polygonsOf(zone.geometry)
    const parts = own.flatMap((part) => {
      const [minX, , maxX] = envelopeOf(part)
      const copies: Wkb[] = []
      for (let turn = Math.ceil((west - maxX) / 360); minX + 360 * turn < east; turn++)
        copies.push(turn === 0 ? part : movedBy(part, 360 * turn))
      return copies
    })
    if (parts.every((part) => own.includes(part))) return zone
    isMoved = true
    return { ...zone, geometry: collect(MULTI_POLYGON, parts) }
  })
  if (isMoved && east - west > 360 + 1e-9) warnings.push(warning('rasterWiderThanTurn'))
  return placed
}

const movedBy = (wkb: Wkb, degrees: number): Wkb =>
  mapPositions(wkb, (x, y, out) => {
    out[0] = x + degrees
    out[1] = y
  })

/** Zones in the raster's CRS. A zone outside its area of use gets no geometry; such zones are located by bisection. */
async function zonesIn(layer: Layer, crs: Crs): Promise<Feature[]> {
  const { features } = layer
  try {
    return (await reproject(layer, crs, true)).features
  } catch (error) {
    if (!(error instanceof InputError)) throw error
    if (features.length === 1) return features.map((feature) => ({ ...feature, geometry: null }))
    const middle = features.length >> 1
    const halves = [features.slice(0, middle), features.slice(middle)]
    return (await Promise.all(halves.map((half) => zonesIn(withFeatures(layer, half), crs)))).flat()
  }
}
