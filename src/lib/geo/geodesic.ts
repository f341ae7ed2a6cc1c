/**
 * Lengths and areas on the WGS 84 ellipsoid (C. F. F. Karney, Algorithms for geodesics, J. Geodesy 87, 2013), by
 * GeographicLib. Coordinates are degrees, longitude first; lengths metres, areas square metres.
 */
import { createRequire } from 'node:module'
import type * as GeographicLib from 'geographiclib-geodesic'
import { forEachRun, type Wkb } from './wkb.ts'

const require = createRequire(import.meta.url)
// loaded as CommonJS, because Node cannot detect its named exports
const { Geodesic, PolygonArea } = require('geographiclib-geodesic') as typeof GeographicLib
const wgs84 = Geodesic.WGS84

export type Inverse = {
  distanceM: number
  /** Azimuth at the first point towards the second, clockwise from north, 0 to 360. */
  forwardDegrees: number
  /** Azimuth at the second point back towards the first. */
  backDegrees: number
}

const compass = (degrees: number): number => ((degrees % 360) + 360) % 360

export function inverse(lon1: number, lat1: number, lon2: number, lat2: number): Inverse {
  const { s12 = 0, azi1 = 0, azi2 = 0 } = wgs84.Inverse(lat1, lon1, lat2, lon2)
  return { distanceM: s12, forwardDegrees: compass(azi1), backDegrees: compass(azi2 + 180) }
}

export const distanceM = (lon1: number, lat1: number, lon2: number, lat2: number): number =>
  wgs84.Inverse(lat1, lon1, lat2, lon2, Geodesic.DISTANCE).s12 ?? 0

export type Measure = {
  /** Area of polygons without their holes; 0 for other geometries. */
  areaM2: number
  /** Length of lines, or perimeter of all rings of polygons. */
  lengthM: number
}

/** Area and length of a geometry in degrees. */
export function measure(wkb: Wkb): Measure {
  let areaM2 = 0
  let lengthM = 0
  forEachRun(wkb, (view, offset, count, stride, role, ring) => {
    if (role === 0) return
    const accumulator = new PolygonArea.PolygonArea(wgs84, role === 1)
    // a ring repeats its first point at the end; the accumulator closes the ring itself
    const points = role === 2 ? count - 1 : count
    for (let i = 0, at = offset; i < points; i++, at += stride)
      accumulator.AddPoint(view.getFloat64(at + 8, true), view.getFloat64(at, true))
    const { perimeter, area = 0 } = accumulator.Compute(false, true)
    lengthM += perimeter
    if (role === 2) areaM2 += ring === 0 ? Math.abs(area) : -Math.abs(area)
  })
  return { areaM2, lengthM }
}
