/** Single positions from one coordinate reference system into another, by PROJ; easting or longitude first. */
import { InputError } from '../input-error.ts'
import { type GdalModule, loadGdal, parseCrs, toSrs } from './gdal.ts'
import type { Crs } from './layer.ts'

/** A code that PROJ knows. @throws InputError */
export async function knownCrs(text: string): Promise<Crs> {
  const gdal = await loadGdal()
  try {
    return parseCrs(gdal, text)
  } catch (cause) {
    throw new InputError(
      'crs',
      `"${text}" is no coordinate reference system that is known; use a code as EPSG:25833`,
      cause,
    )
  }
}

export type Reprojection = (x: number, y: number) => [x: number, y: number] | undefined

const recent = new Map<string, Reprojection>()
const MAX_RECENT = 64

/** Answers undefined for a position that the target does not reach. */
export async function reprojection(from: Crs, to: Crs): Promise<Reprojection> {
  const key = `${from.wkt}|${to.wkt}`
  const known = recent.get(key)
  if (known !== undefined) return known
  const made = make(await loadGdal(), from, to)
  if (recent.size >= MAX_RECENT) recent.clear()
  recent.set(key, made)
  return made
}

function make(gdal: GdalModule, from: Crs, to: Crs): Reprojection {
  const transformation = new gdal.CoordinateTransformation(toSrs(gdal, from), toSrs(gdal, to))
  return (x, y) => {
    try {
      const moved = transformation.transformPoint(x, y)
      return Number.isFinite(moved.x) && Number.isFinite(moved.y) ? [moved.x, moved.y] : undefined
    } catch {
      // PROJ's word for a position out of reach
      return undefined
    }
  }
}
