/** Expected results on the globe: formulas in closed form, and the even-odd rule. */
import type { Geometry } from '../workers/engine.ts'

const A = 6378137
const F = 1 / 298.257223563
const E = Math.sqrt(F * (2 - F))
const RADIANS = Math.PI / 180

/** Half of the area between the equator and a latitude on the ellipsoid, over 1 radian, in closed form. */
function beltM2(latitude: number): number {
  const sin = Math.sin(latitude * RADIANS)
  const es = E * sin
  return ((A * (1 - F)) ** 2 / 2) * (sin / (1 - es * es) + Math.atanh(es) / E)
}

/** The area between two parallels over some degrees of longitude. */
export const zoneM2 = (south: number, north: number, degrees: number): number =>
  (beltM2(north) - beltM2(south)) * degrees * RADIANS

type Position = [x: number, y: number]

export function positionsOf(geometry: Geometry | null | undefined): Position[] {
  if (geometry === null || geometry === undefined) return []
  const { geometries } = geometry as { geometries?: Geometry[] }
  if (geometries !== undefined) return geometries.flatMap(positionsOf)
  const flat = (value: unknown): Position[] =>
    typeof (value as unknown[])[0] === 'number' ? [value as Position] : (value as unknown[]).flatMap(flat)
  return flat(geometry.coordinates)
}

const ringsOf = (geometry: Geometry | null | undefined): Position[][] => {
  const coordinates = (geometry?.coordinates ?? []) as Position[][] | Position[][][]
  return (geometry?.type === 'MultiPolygon' ? coordinates.flat() : coordinates) as Position[][]
}

/** The area of a polygon or multipolygon as if degrees were a plane; holes run the other way (RFC 7946, 3.1.6). */
export function squareDegrees(geometry: Geometry | null | undefined): number {
  let twice = 0
  for (const ring of ringsOf(geometry))
    for (const [i, [x, y]] of ring.entries()) {
      const [nextX, nextY] = ring[(i + 1) % ring.length] as Position
      twice += x * nextY - nextX * y
    }
  return twice / 2
}

/** Whether a position is in a polygon or multipolygon, by the even-odd rule over all its rings. */
export function pointIn(geometry: Geometry | null | undefined, x: number, y: number): boolean {
  let inside = false
  for (const ring of ringsOf(geometry))
    for (const [i, [x2, y2]] of ring.entries()) {
      const [x1, y1] = ring[i === 0 ? ring.length - 1 : i - 1] as Position
      if (y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)) inside = !inside
    }
  return inside
}
