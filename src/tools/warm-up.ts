/** Loads the libraries of a lane before its first call, and reports an error to calls that need a missing library. */

import { AppError } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { GdalMissing, loadGdal, parseCrs, toSrs } from '../lib/geo/formats/gdal/gdal.ts'
import { loadGeos } from '../lib/geo/geometry/geos.ts'
import { WGS84 } from '../lib/geo/layers/layer.ts'

/** @returns why GDAL cannot be loaded; undefined if it was, or is not needed */
export async function warmUp(withGdal: boolean): Promise<string | undefined> {
  await loadGeos()
  if (!withGdal) return undefined
  try {
    const gdal = await loadGdal()
    // opens PROJ's database
    const utm = toSrs(gdal, parseCrs(gdal, 'EPSG:32633'))
    new gdal.CoordinateTransformation(toSrs(gdal, WGS84), utm).transformPoint(15, 52)
    return undefined
  } catch (error) {
    if (error instanceof GdalMissing) return error.message
    throw error
  }
}

export const asUnavailable = (error: unknown): unknown =>
  error instanceof GdalMissing
    ? new AppError('TOOL_UNAVAILABLE', { message: fieldText('gdalMissing'), cause: error })
    : error
