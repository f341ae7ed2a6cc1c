/**
 * Point in polygon, and distance to the boundary, for a ring in degrees. Edges are straight in longitude and latitude
 * (RFC 7946, 3.1.1). Containment uses the even-odd rule. For the distance, all edges are first compared on a sphere;
 * those close to the best are then measured on the ellipsoid by golden-section search.
 */

import { smallest } from '../../../lists.ts'
import { distanceM } from './geodesic.ts'
import { nearestTurn } from './longitude.ts'

export type Ring = {
  x: Float64Array
  y: Float64Array
}

/** @param positions [longitude, latitude], closed or not; edges are taken as drawn */
export function ringOf(positions: readonly (readonly number[])[]): Ring {
  const [first, last] = [positions[0], positions.at(-1)]
  const closed = first?.[0] === last?.[0] && first?.[1] === last?.[1]
  const count = positions.length + (closed ? 0 : 1)
  const at = (axis: 0 | 1) =>
    Float64Array.from({ length: count }, (_, i) => positions[i % positions.length]?.[axis] ?? 0)
  return { x: at(0), y: at(1) }
}

export type Position = 'inside' | 'outside' | 'boundary'

/** Distance in degrees within which a point counts as lying on an edge: a tenth of a millimetre. */
const ON_EDGE_DEGREES = 1e-9

/** The position of a point relative to the ring, and the geodesic distance in metres to the nearest edge. */
export function locate(ring: Ring, longitude: number, latitude: number): { position: Position; distanceM: number } {
  // a pole has every longitude
  if (Math.abs(latitude) === 90 && ring.y.includes(latitude)) return { position: 'boundary', distanceM: 0 }
  let [west, east] = [Infinity, -Infinity]
  for (const x of ring.x) {
    if (x < west) west = x
    if (x > east) east = x
  }
  const around = nearestTurn(longitude, (west + east) / 2)
  // a ring may be wider than 360 degrees, and a point at 180 is also at −180
  for (const px of [around, around - 360, around + 360]) {
    const position = positionOf(ring, px, latitude)
    if (position === 'boundary') return { position, distanceM: 0 }
    if (position === 'inside') return { position, distanceM: edgeDistance(ring, longitude, latitude) }
  }
  return { position: 'outside', distanceM: edgeDistance(ring, longitude, latitude) }
}

/** Even-odd rule; tests first whether the point lies on an edge. */
function positionOf({ x, y }: Ring, px: number, py: number): Position {
  let inside = false
  for (let i = 1; i < x.length; i++) {
    const [x1, y1, x2, y2] = [x[i - 1] as number, y[i - 1] as number, x[i] as number, y[i] as number]
    const [dx, dy] = [x2 - x1, y2 - y1]
    const length = dx * dx + dy * dy
    const t = length === 0 ? 0 : Math.min(1, Math.max(0, ((px - x1) * dx + (py - y1) * dy) / length))
    if (Math.hypot(px - x1 - t * dx, py - y1 - t * dy) <= ON_EDGE_DEGREES) return 'boundary'
    if (y1 > py !== y2 > py && px < x1 + ((py - y1) / dy) * dx) inside = !inside
  }
  return inside ? 'inside' : 'outside'
}

const RADIANS = Math.PI / 180
/** Edges whose rough distance is within this factor and offset of the nearest one are measured on the ellipsoid. */
const ROUGH_FACTOR = 1.05
const ROUGH_M = 100

function edgeDistance({ x, y }: Ring, px: number, py: number): number {
  const rough: number[] = []
  let nearest = Number.POSITIVE_INFINITY
  for (let i = 1; i < x.length; i++) {
    const distance = roughEdgeDistance(x[i - 1] as number, y[i - 1] as number, x[i] as number, y[i] as number, px, py)
    rough.push(distance)
    nearest = Math.min(nearest, distance)
  }
  let best = Number.POSITIVE_INFINITY
  rough.forEach((distance, i) => {
    if (distance > nearest * ROUGH_FACTOR + ROUGH_M) return
    const edge = exactEdgeDistance(x[i] as number, y[i] as number, x[i + 1] as number, y[i + 1] as number, px, py)
    best = Math.min(best, edge)
  })
  return best
}

const SAMPLES = 32

/** Distance on a sphere to the edge, split into short segments. */
function roughEdgeDistance(x1: number, y1: number, x2: number, y2: number, px: number, py: number): number {
  let best = Number.POSITIVE_INFINITY
  const steps = Math.min(SAMPLES, Math.max(2, Math.ceil(Math.hypot(x2 - x1, y2 - y1))))
  for (let i = 0; i < steps; i++) {
    const [ax, ay] = [x1 + ((x2 - x1) * i) / steps, y1 + ((y2 - y1) * i) / steps]
    const [bx, by] = [x1 + ((x2 - x1) * (i + 1)) / steps, y1 + ((y2 - y1) * (i + 1)) / steps]
    const t = nearestShare(ax, ay, bx, by, nearestTurn(px, (ax + bx) / 2), py)
    best = Math.min(best, sphereDistance(ax + t * (bx - ax), ay + t * (by - ay), px, py))
  }
  return best
}

/** Parameter (0 to 1) of the nearest point on a short edge, in a plane scaled to the latitude of the point. */
function nearestShare(ax: number, ay: number, bx: number, by: number, px: number, py: number): number {
  const squeeze = Math.cos(Math.min(89.99, Math.abs(py)) * RADIANS)
  const [dx, dy] = [(bx - ax) * squeeze, by - ay]
  const length = dx * dx + dy * dy
  return length === 0 ? 0 : Math.min(1, Math.max(0, ((px - ax) * squeeze * dx + (py - ay) * dy) / length))
}

const SPHERE_M = 6_371_008.8

function sphereDistance(lon1: number, lat1: number, lon2: number, lat2: number): number {
  const half = (degrees: number): number => Math.sin((degrees * RADIANS) / 2) ** 2
  const h = half(lat2 - lat1) + Math.cos(lat1 * RADIANS) * Math.cos(lat2 * RADIANS) * half(lon2 - lon1)
  return 2 * SPHERE_M * Math.asin(Math.min(1, Math.sqrt(h)))
}

/** Distances on the sphere and on the ellipsoid differ by less than this ratio. */
const MAX_FLATTENING_RATIO = 1.012

/**
 * Distance on the ellipsoid. Along a long edge the distance may have several minima. Samples on the sphere find them;
 * almost equally near minima are compared on the ellipsoid.
 */
function exactEdgeDistance(x1: number, y1: number, x2: number, y2: number, px: number, py: number): number {
  const at = (t: number): number => distanceM(x1 + t * (x2 - x1), y1 + t * (y2 - y1), px, py)
  const rough = Array.from({ length: SAMPLES + 1 }, (_, i) =>
    sphereDistance(x1 + (i / SAMPLES) * (x2 - x1), y1 + (i / SAMPLES) * (y2 - y1), px, py),
  )
  const least = smallest(rough)
  let best = Number.POSITIVE_INFINITY
  for (const [i, distance] of rough.entries()) {
    const isLow = distance <= (rough[i - 1] ?? Infinity) && distance <= (rough[i + 1] ?? Infinity)
    if (isLow && distance <= least * MAX_FLATTENING_RATIO) best = Math.min(best, nearestAround(at, i))
  }
  return best
}

const GOLDEN = (Math.sqrt(5) - 1) / 2
const ROUNDS = 60

/** Descends from a sample to the lowest one, then runs a golden-section search between its neighbours. */
function nearestAround(at: (t: number) => number, sample: number): number {
  let lowest = sample
  let least = at(sample / SAMPLES)
  for (const step of [-1, 1])
    for (let next = lowest + step; next >= 0 && next <= SAMPLES; next += step) {
      const distance = at(next / SAMPLES)
      if (distance >= least) break
      least = distance
      lowest = next
    }
  let low = Math.max(0, lowest - 1) / SAMPLES
  let high = Math.min(SAMPLES, lowest + 1) / SAMPLES
  let [a, b] = [high - GOLDEN * (high - low), low + GOLDEN * (high - low)]
  let [fa, fb] = [at(a), at(b)]
  for (let i = 0; i < ROUNDS && high - low > 1e-12; i++)
    if (fa < fb) {
      high = b
      b = a
      fb = fa
      a = high - GOLDEN * (high - low)
      fa = at(a)
    } else {
      low = a
      a = b
      fa = fb
      b = low + GOLDEN * (high - low)
      fb = at(b)
    }
  return Math.min(fa, fb, least)
}
