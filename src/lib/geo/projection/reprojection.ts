/** Reprojects single positions with PROJ; easting or longitude comes first. */
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'
import { loadGdal, parseCrs } from '../formats/gdal/gdal.ts'
import type { Crs } from '../layers/layer.ts'
import { type Move, moveBetween } from './reach.ts'

/** Looks up a CRS by its code. @throws InputError for an unknown code */
export async function knownCrs(text: string): Promise<Crs> {
  const gdal = await loadGdal()
  try {
    return parseCrs(gdal, text)
  } catch (cause) {
    throw new InputError('crs', fieldText('crsUnknown', { crs: text }), cause)
  }
}

export type Reprojection = Move

/** The returned function returns undefined for a position outside the area of either CRS. */
export const reprojection = async (from: Crs, to: Crs): Promise<Reprojection> => moveBetween(await loadGdal(), from, to)
