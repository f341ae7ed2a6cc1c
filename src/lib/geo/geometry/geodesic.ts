/**
 * Lengths and areas on the WGS 84 ellipsoid (C. F. F. Karney, Algorithms for geodesics, J. Geodesy 87, 2013), by
 * GeographicLib. Coordinates are degrees, longitude first; lengths metres, areas square metres.
 */
import { createRequire } from 'node:module'
import type * as GeographicLib from 'geographiclib-geodesic'
import { cylindricalEqualArea, EARTH_M2 } from '../projection/equal-area.ts'
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

const A = 6378137
const E2 = (2 - 1 / 298.257223563) / 298.257223563
const RADIANS = Math.PI / 180
/** Three-point Gauss-Legendre nodes on an edge, from −1 to 1; the weights are 5, 8 and 5 of 18. */
const PLACE = Math.sqrt(0.6)
/** Maximum piece of an edge for which three nodes are exact to 1e-10. */
const SHORT_DEGREES = 2

/**
 * The length of an edge along its straight line in longitude and latitude. A short edge has the length of the geodesic, and
 * the parts of an edge always add up to the whole.
 */
export function edgeLengthM(lon1: number, lat1: number, lon2: number, lat2: number): number {
  const [dx, dy] = [lon2 - lon1, lat2 - lat1]
  const pieces = Math.max(1, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / SHORT_DEGREES))
  const half = dy / pieces / 2
  const [east, north] = [(dx * RADIANS) / pieces, (dy * RADIANS) / pieces]
  let length = 0
  for (let i = 0; i < pieces; i++) {
    const middle = lat1 + (2 * i + 1) * half
    length +=
      5 * speed(middle - PLACE * half, east, north) +
      8 * speed(middle, east, north) +
      5 * speed(middle + PLACE * half, east, north)
  }
  return length / 18
}

/** Metres of a small step, by the radii of curvature at a latitude. */
function speed(latitude: number, east: number, north: number): number {
  const sin = Math.sin(latitude * RADIANS)
  const root = 1 - E2 * sin * sin
  const across = A / Math.sqrt(root)
  return Math.hypot(across * Math.cos(latitude * RADIANS) * east, ((across * (1 - E2)) / root) * north)
}

export type Measure = {
  /** Area of polygons, excluding holes. */
  areaM2: number
  /** Length of all polygon rings. */
  perimeterM: number
  /** Length of lines. */
  lengthM: number
}

type Polygon = InstanceType<typeof PolygonArea.PolygonArea>

/**
 * A longer polygon edge is far from the geodesic between its ends, so it is measured along its straight line in
 * degrees.
 */
const MAX_GEODESIC_DEGREES = 90
const PIECE_DEGREES = 0.25

/** Area and lengths of a geometry in degrees. */
export function measure(wkb: Wkb): Measure {
  let [areaM2, perimeterM, lengthM] = [0, 0, 0]
  forEachRun(wkb, (view, offset, count, stride, role, ring) => {
    if (role === 0) return
    const accumulator = new PolygonArea.PolygonArea(wgs84, role === 1)
    // a ring repeats its first point at the end; the accumulator closes the ring itself
    const points = role === 2 ? count - 1 : count
    let [west, east] = [Infinity, -Infinity]
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      const longitude = view.getFloat64(at, true)
      if (longitude < west) west = longitude
      if (longitude > east) east = longitude
      const before = i === 0 ? longitude : view.getFloat64(at - stride, true)
      if (role === 2 && Math.abs(longitude - before) > MAX_GEODESIC_DEGREES)
        addPieces(accumulator, before, view.getFloat64(at - stride + 8, true), longitude, view.getFloat64(at + 8, true))
      if (i < points) accumulator.AddPoint(atMost90(view.getFloat64(at + 8, true)), longitude)
    }
    const { perimeter, area = 0 } = accumulator.Compute(false, true)
    if (role === 1) lengthM += perimeter
    else {
      perimeterM += perimeter
      // the library measures a ring larger than a hemisphere as the negative area of the rest of the earth
      const size =
        east - west > 180 ? Math.abs(area + turnsOf(view, offset, count, stride, area) * EARTH_M2) : Math.abs(area)
      areaM2 += ring === 0 ? size : -size
    }
  })
  return { areaM2, perimeterM, lengthM }
}

/** Rounding may leave a pole slightly beyond 90 degrees. */
const atMost90 = (latitude: number): number => Math.min(90, Math.max(-90, latitude))

function addPieces(polygon: Polygon, lon1: number, lat1: number, lon2: number, lat2: number): void {
  const pieces = Math.ceil(Math.abs(lon2 - lon1) / PIECE_DEGREES)
  for (let i = 1; i < pieces; i++)
    polygon.AddPoint(atMost90(lat1 + ((lat2 - lat1) * i) / pieces), lon1 + ((lon2 - lon1) * i) / pieces)
}

/**
 * Number of whole earth areas missing in a signed area, found by comparison with a rough area from the cylindrical
 * projection.
 */
function turnsOf(view: DataView, offset: number, count: number, stride: number, area: number): number {
  const plane = cylindricalEqualArea()
  const out = new Float64Array(2)
  let [x, y, rough] = [0, 0, 0]
  for (let i = 0, at = offset; i < count; i++, at += stride) {
    plane(view.getFloat64(at, true), view.getFloat64(at + 8, true), out)
    const [nextX, nextY] = out as unknown as [number, number]
    if (i > 0) rough -= ((nextX - x) * (y + nextY)) / 2
    x = nextX
    y = nextY
  }
  return Math.round((rough - area) / EARTH_M2)
}
