/** Rasters located only by ground control points, such as scans and radar images: pixels with their coordinates. */

import type * as Gdal from 'gdal-async'
import { describeCrs, type GdalModule } from '../geo/formats/gdal/gdal.ts'
import type { Crs } from '../geo/layers/layer.ts'
import { newReference } from '../geo/projection/spatial-reference.ts'

/** As gdal-async returns them. */
type Point = { dfGCPPixel: number; dfGCPLine: number; dfGCPX: number; dfGCPY: number }
type Transform = [number, number, number, number, number, number]

export type ControlPoints = {
  count: number
  crs: Crs | undefined
  /** The best-fitting plane; undefined when the points lie on a line. */
  transform: Transform | undefined
}

/** @returns undefined when the raster has no control points. @throws InputError `crs` */
export function controlPointsOf(gdal: GdalModule, dataset: Gdal.Dataset): ControlPoints | undefined {
  const points = dataset.getGCPs() as Point[]
  if (points.length === 0) return undefined
  const wkt = dataset.getGCPProjection()
  const crs = wkt === '' ? undefined : describeCrs(newReference(() => gdal.SpatialReference.fromWKT(wkt)))
  const x = leastSquares(points, ({ dfGCPX }) => dfGCPX)
  const y = leastSquares(points, ({ dfGCPY }) => dfGCPY)
  return { count: points.length, crs, transform: x && y && [...x, ...y] }
}

/** The coefficients of `a + b · column + c · row` with the smallest squared errors, around the mean of the points. */
function leastSquares(points: readonly Point[], of: (point: Point) => number): [number, number, number] | undefined {
  const mean = (pick: (point: Point) => number): number =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const column = mean(({ dfGCPPixel }) => dfGCPPixel)
  const row = mean(({ dfGCPLine }) => dfGCPLine)
  const value = mean(of)
  let [cc, cr, rr, cv, rv] = [0, 0, 0, 0, 0]
  for (const point of points) {
    const [c, r, v] = [point.dfGCPPixel - column, point.dfGCPLine - row, of(point) - value]
    cc += c * c
    cr += c * r
    rr += r * r
    cv += c * v
    rv += r * v
  }
  const determinant = cc * rr - cr * cr
  if (Math.abs(determinant) <= 1e-9 * cc * rr || cc === 0 || rr === 0) return undefined
  const b = (cv * rr - rv * cr) / determinant
  const c = (rv * cc - cv * cr) / determinant
  return [value - b * column - c * row, b, c]
}
