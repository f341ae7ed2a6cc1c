/** Loads the engines of the GDAL lane before its first call. @throws when GDAL cannot be loaded */
import { loadGdal, parseCrs, toSrs } from '../lib/geo/gdal.ts'
import { loadGeos } from '../lib/geo/geos.ts'
import { WGS84 } from '../lib/geo/layer.ts'

export async function warmUp(): Promise<void> {
  const [gdal] = await Promise.all([loadGdal(), loadGeos()])
  // opens PROJ's database
  const utm = toSrs(gdal, parseCrs(gdal, 'EPSG:32633'))
  new gdal.CoordinateTransformation(toSrs(gdal, WGS84), utm).transformPoint(15, 52)
}
