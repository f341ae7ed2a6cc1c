/** Loads the libraries of a lane before its first call. @throws when GDAL is needed and cannot be loaded */
import { loadGdal, parseCrs, toSrs } from '../lib/geo/gdal.ts'
import { loadGeos } from '../lib/geo/geos.ts'
import { WGS84 } from '../lib/geo/layer.ts'

export async function warmUp(withGdal: boolean): Promise<void> {
  await loadGeos()
  if (!withGdal) return
  const gdal = await loadGdal()
  // opens PROJ's database
  const utm = toSrs(gdal, parseCrs(gdal, 'EPSG:32633'))
  new gdal.CoordinateTransformation(toSrs(gdal, WGS84), utm).transformPoint(15, 52)
}
