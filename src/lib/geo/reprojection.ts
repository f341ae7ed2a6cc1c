/** Reprojects single positions with PROJ; easting or longitude comes first. */
import { InputError } from '../input-error.ts'
import { type GdalModule, loadGdal, parseCrs, transformationBetween } from './gdal.ts'
import type { Crs } from './layer.ts'

/** Looks up a CRS by its code. @throws InputError when PROJ does not know it */
export async function knownCrs(text: string): Promise<Crs> {
  const gdal = await loadGdal()
  try {
    return parseCrs(gdal, text)
  } catch (cause) {
    throw new InputError(
      'crs',
      `"${text}" is not a known coordinate reference system; use a code such as EPSG:25833`,
      cause,
    )
  }
}

export type Reprojection = (x: number, y: number) => [x: number, y: number] | undefined

const cache = new Map<string, Reprojection>()
const MAX_CACHED = 64

/** The returned function returns undefined for a position outside the area of the target CRS. */
export async function reprojection(from: Crs, to: Crs): Promise<Reprojection> {
  const key = `${from.wkt}|${to.wkt}`
  const cached = cache.get(key)
  if (cached !== undefined) return cached
  const created = createReprojection(await loadGdal(), from, to)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, created)
  return created
}

function createReprojection(gdal: GdalModule, from: Crs, to: Crs): Reprojection {
  const transformation = transformationBetween(gdal, from, to)
  return (x, y) => {
    try {
      const moved = transformation.transformPoint(x, y)
      return Number.isFinite(moved.x) && Number.isFinite(moved.y) ? [moved.x, moved.y] : undefined
    } catch {
      // PROJ throws for a position that it cannot project
      return undefined
    }
  }
}
