/** Lengths and directions on the WGS 84 ellipsoid, by GeographicLib. Coordinates are degrees, longitude first. */

import geographicLib from 'geographiclib-geodesic'
import type { Position } from 'geojson'

const { Geodesic } = geographicLib
const wgs84 = Geodesic.WGS84

const A = 6_378_137
const E2 = (2 - 1 / 298.257223563) / 298.257223563
const RADIANS = Math.PI / 180
/** Up to here the ellipsoid is a plane with its radii of curvature: exact to a tenth of a millimetre. */
const SHORT_DEGREES = 0.01
const POLAR_DEGREES = 80

export function distanceM([x1 = 0, y1 = 0]: Position, [x2 = 0, y2 = 0]: Position): number {
  const [dx, dy, latitude] = [x2 - x1, y2 - y1, (y1 + y2) / 2]
  if (Math.abs(dx) > SHORT_DEGREES || Math.abs(dy) > SHORT_DEGREES || Math.abs(latitude) > POLAR_DEGREES)
    return wgs84.Inverse(y1, x1, y2, x2, Geodesic.DISTANCE).s12 ?? 0
  const curvature = 1 - E2 * Math.sin(latitude * RADIANS) ** 2
  const east = (A / Math.sqrt(curvature)) * Math.cos(latitude * RADIANS) * dx
  const north = ((A * (1 - E2)) / curvature ** 1.5) * dy
  return Math.hypot(east, north) * RADIANS
}

/** @property headingDegrees clockwise from north, 0 to 360; undefined where the two positions are too close for one */
export type Movement = { speedKmh: number; headingDegrees: number | undefined }

/** Positions of a receiver that stands still differ by a few metres. */
const STANDING_M = 10
const HOUR_MS = 3_600_000

/** How something moved between two positions. */
export function movementBetween(from: Position, fromMs: number, to: Position, toMs: number): Movement | undefined {
  if (toMs <= fromMs) return undefined
  const { s12 = 0, azi2 = 0 } = wgs84.Inverse(from[1] ?? 0, from[0] ?? 0, to[1] ?? 0, to[0] ?? 0)
  if (s12 < STANDING_M) return { speedKmh: 0, headingDegrees: undefined }
  return { speedKmh: s12 / 1000 / ((toMs - fromMs) / HOUR_MS), headingDegrees: (azi2 + 360) % 360 }
}
