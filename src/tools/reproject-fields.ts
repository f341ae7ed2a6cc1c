/** Shared by both tools that reproject coordinates. */
import { invalidField } from '../errors.ts'
import { knownCrs, type Reprojection, reprojection } from '../lib/geo/projection/reprojection.ts'
import { InputError } from '../lib/input-error.ts'
import { crsCode } from './params.ts'

export const sourceCrs = () =>
  crsCode({
    title: { en: 'Source CRS', ar: 'نظام الإحداثيات المصدر' },
    en: 'CRS of the points, such as EPSG:4326',
    ar: 'نظام إحداثيات النقاط، مثل EPSG:4326',
  })
export const targetCrs = () =>
  crsCode({
    title: { en: 'Target CRS', ar: 'نظام الإحداثيات الهدف' },
    en: 'CRS of the result, such as EPSG:25833',
    ar: 'نظام الإحداثيات المطلوب، مثل EPSG:25833',
  })

/** @throws AppError VALIDATION_FAILED naming the field with an unknown CRS */
export async function reprojectionOf(source: string, target: string): Promise<Reprojection> {
  const crsOf = async (field: string, text: string) => {
    try {
      return await knownCrs(text)
    } catch (error) {
      if (error instanceof InputError) throw invalidField(field, error.rule, error.text)
      throw error
    }
  }
  return reprojection(await crsOf('source_crs', source), await crsOf('target_crs', target))
}
