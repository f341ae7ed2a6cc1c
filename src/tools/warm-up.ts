/** Loads the engines of the GDAL lane before its first call. @throws when GDAL cannot be loaded */
import { loadGdal } from '../lib/geo/gdal.ts'
import { loadGeos } from '../lib/geo/geos.ts'

export async function warmUp(): Promise<void> {
  await Promise.all([loadGdal(), loadGeos()])
}
