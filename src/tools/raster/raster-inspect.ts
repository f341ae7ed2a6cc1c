/** Describes a GeoTIFF: CRS, bounds, bands with statistics and histograms, and a preview image. */

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type } from '@sinclair/typebox'
import { fieldText } from '../../field-texts/field-text.ts'
import { stemOf } from '../../lib/file-name.ts'
import { InputError } from '../../lib/input-error.ts'
import { describeRaster } from '../../lib/raster/describe.ts'
import type { OpenRaster } from '../../lib/raster/open-raster.ts'
import { previewPng, shownBands } from '../../lib/raster/preview.ts'
import { summarise } from '../../lib/raster/statistics.ts'
import { type Warning, warning } from '../../warnings/warning.ts'
import { described, flagResult, integerResult, textResult } from '../params.ts'
import { rasterFile, withRaster } from '../rasters.ts'
import { defineTool } from '../tool.ts'

const PREVIEW_SIDE = 512
const MAX_BANDS = 1_000

const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])
const bounds = () => nullable(Type.Array(Type.Number(), { minItems: 4, maxItems: 4 }))
const figure = () => nullable(Type.Number())

export default defineTool({
  id: 'raster.raster-inspect',
  route: '/raster-inspect',
  version: '1.1.0',
  title: { en: 'Inspect raster', ar: 'فحص بيانات نقطية' },
  description: {
    en: 'Describes a GeoTIFF: CRS, resolution and bounds, and for each band its type, nodata, colour, exact statistics and histogram over all cells, with a preview image as PNG.',
    ar: 'يعرض محتوى ملف GeoTIFF: نظام الإحداثيات والدقة والحدود، ولكل نطاق نوعه وقيمة انعدام البيانات واللون والإحصاءات الدقيقة والمدرّج التكراري لكل الخلايا؛ مع صورة PNG مصغرة.',
  },
  keywords: ['raster', 'geotiff', 'dem', 'statistics', 'histogram', 'preview'],
  credits: 1,
  lane: 'node',
  async: true,
  inputKind: 'raster',
  outputKind: 'json',
  input: Type.Object({ file: rasterFile() }),
  output: Type.Object({
    previewKey: textResult('Storage key of the preview image', 'مفتاح تخزين الصورة المصغرة'),
    previewPngB64: textResult('The preview image: PNG in base64', 'الصورة المصغرة: PNG بترميز base64'),
    crs: described(nullable(Type.String()), {
      en: 'CRS as EPSG:n, or its WKT',
      ar: 'نظام الإحداثيات بصيغة EPSG:n أو WKT',
    }),
    width: integerResult('Columns', 'عدد الأعمدة'),
    height: integerResult('Rows', 'عدد الصفوف'),
    bandCount: integerResult('Bands', 'عدد النطاقات'),
    resolution: described(
      nullable(Type.Object({ x: Type.Number(), y: Type.Number(), unit: nullable(Type.String()) })),
      {
        en: 'Cell size in units of the CRS',
        ar: 'أبعاد الخلية بوحدة نظام الإحداثيات',
      },
    ),
    bounds: described(bounds(), {
      en: 'minX, minY, maxX, maxY in the CRS of the raster',
      ar: 'minX وminY وmaxX وmaxY بنظام إحداثياته',
    }),
    boundsWgs84: described(bounds(), {
      en: 'West, south, east, north in degrees',
      ar: 'الغرب والجنوب والشرق والشمال بالدرجات',
    }),
    compression: textResult('Compression, NONE for none', 'الضغط، أو NONE'),
    tiled: flagResult('Tiles instead of strips', 'مقسم إلى بلاطات بدل الشرائط'),
    overviewCount: integerResult('Overviews', 'عدد النسخ المصغرة'),
    bands: described(
      Type.Array(
        Type.Object({
          band: Type.Integer(),
          description: nullable(Type.String()),
          dataType: Type.String(),
          colorInterpretation: Type.String(),
          nodata: nullable(Type.Union([Type.Number(), Type.Literal('NaN')])),
          masked: Type.Boolean(),
          scale: Type.Number(),
          offset: Type.Number(),
          unit: nullable(Type.String()),
          colorTable: nullable(Type.Integer()),
          validCount: Type.Integer(),
          validPercent: Type.Number(),
          min: figure(),
          max: figure(),
          mean: figure(),
          stdDev: figure(),
          histogram: nullable(
            Type.Object({ min: Type.Number(), max: Type.Number(), counts: Type.Array(Type.Integer()) }),
          ),
        }),
      ),
      {
        en: 'Each band, with statistics of its valid cells as stored, before scale and offset, and a histogram of 256 buckets',
        ar: 'كل نطاق: إحصاءات خلاياه الصالحة كما هي مخزنة قبل المقياس والإزاحة؛ ومدرّج تكراري من 256 فئة',
      },
    ),
  }),
  examples: [{ name: 'an elevation model', input: { file: 'dem.tif' } }],
  async run({ file }, context) {
    return withRaster(file, 'file', context, async (raster) => {
      if (raster.bandCount > MAX_BANDS)
        throw new InputError('bands', fieldText('bandCount', { count: raster.bandCount, most: MAX_BANDS }))
      const shown = shownBands(raster)
      const summaries = await summarise(raster, shown, PREVIEW_SIDE, context.progress)
      const png = await previewPng(raster, shown, summaries)
      const path = join(context.scratch, 'preview.png')
      writeFileSync(path, png)
      const filename = `${stemOf(file.filename, 'raster')}_preview.png`
      const warnings = [
        ...((raster.crs ?? raster.controlPoints?.crs) === undefined ? [warning('noCrs')] : []),
        ...(raster.transform === undefined ? [georeferenceWarning(raster)] : []),
        ...summaries.flatMap((summary) => summary.warnings),
      ]
      return {
        data: { ...(await describeRaster(raster, summaries)), previewPngB64: png.toString('base64') },
        files: [{ role: 'preview', path, filename, mediaType: 'image/png' }],
        warnings,
      }
    })
  },
})

const georeferenceWarning = ({ controlPoints }: OpenRaster): Warning =>
  controlPoints === undefined ? warning('noGeoreference') : warning('boundsOfControlPoints', { n: controlPoints.count })
