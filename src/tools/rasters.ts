/** Shared by raster tools: fields, opening the raster of a field, and fields of the response. */
import { Type } from '@sinclair/typebox'
import { detectingTruncation } from '../lib/raster/detect-truncation.ts'
import { type OpenRaster, openRaster } from '../lib/raster/open-raster.ts'
import { checkBand } from '../lib/raster/zonal.ts'
import { type Warning, warning } from '../warnings/warning.ts'
import { ofField, ofSetting } from './layers.ts'
import { described, file, integerResult, number } from './params.ts'
import type { InputFile, RunContext } from './tool.ts'

export const rasterFile = () =>
  file('raster', {
    title: { en: 'File', ar: 'الملف' },
    en: 'The raster: GeoTIFF',
    ar: 'البيانات النقطية: GeoTIFF',
  })

export const bandField = () =>
  number(
    { title: { en: 'Band', ar: 'النطاق' }, en: 'Band of the raster', ar: 'نطاق البيانات النقطية' },
    { minimum: 1, default: 1 },
    { multipleOf: 1 },
  )

/** Response fields common to all raster results. */
export const rasterOutput = {
  crs: described(Type.Union([Type.String(), Type.Null()]), {
    en: 'CRS of the result, as EPSG:n or WKT',
    ar: 'نظام إحداثيات النتيجة بصيغة EPSG:n أو WKT',
  }),
  width: integerResult('Columns', 'عدد الأعمدة'),
  height: integerResult('Rows', 'عدد الصفوف'),
  validCells: integerResult('Cells of the result that have a value', 'عدد خلايا النتيجة ذات القيمة'),
}

export const rasterOutputOf = ({ crs, width, height }: OpenRaster, validCells: number) => ({
  crs: crs === undefined ? null : (crs.code ?? crs.wkt),
  width,
  height,
  validCells,
})

/**
 * Opens the raster of a field, passes it on and closes it.
 * @throws AppError INPUT_UNREADABLE or FILE_TOO_LARGE naming the field
 */
export async function withRaster<T>(
  input: InputFile,
  field: string,
  { limits }: RunContext,
  work: (raster: OpenRaster) => Promise<T>,
): Promise<T> {
  const raster = await ofField(field, () => openRaster(input.path, limits.maxSamples))
  try {
    return await ofField(field, () => detectingTruncation(raster, () => work(raster)))
  } finally {
    raster.close()
  }
}

/**
 * Checks that the raster has the band.
 * @returns a warning when the raster has other bands, and when the band has a scale or offset, because tools compute with
 * the stored values
 * @throws AppError VALIDATION_FAILED naming the field `band`
 */
export async function checkedBand(band: number, raster: OpenRaster): Promise<Warning[]> {
  await ofSetting('band', () => checkBand(band, raster))
  const { scale, offset } = raster.dataset.bands.get(band)
  const count = raster.dataset.bands.count()
  // band 1 is the default, so the caller may not have chosen it
  const warnings = band === 1 && count > 1 ? [warning('onlyFirstBandUsed', { n: count })] : []
  if ((scale ?? 1) !== 1 || (offset ?? 0) !== 0)
    warnings.push(warning('scaleNotApplied', { scale: scale ?? 1, offset: offset ?? 0 }))
  return warnings
}
