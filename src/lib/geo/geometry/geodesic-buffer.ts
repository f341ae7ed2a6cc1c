/**
 * Buffers by metres on the ellipsoid, around geometries in degrees. A geometry is buffered in a transverse Mercator
 * plane through itself. One that is too wide for a single plane is split along its lines into short pieces; each piece
 * is buffered in its own plane, and the results are united.
 */

import { degreesFor, densified, piecesUpTo } from './densify.ts'
import type { CapStyle, Geos } from './geos.ts'
import { cutAtAntimeridian, lineWkb, polygonsOf, polygonToGlobe, polygonWkb, ringsOf } from './globe.ts'
import { fromPlane, middleMeridian, POLE_Y, toPlane } from './local-plane.ts'
import { unrolled } from './longitude.ts'
import { ofDimension } from './repair.ts'
import { dimensionOf, envelopeOf, forEachRun, isEmpty, type Wkb } from './wkb.ts'

/** Segments per quarter circle: chords deviate from the circle by at most 0.054 % of the radius. */
const QUADRANT_SEGMENTS = 24
/** Distance in metres from the plane's meridian within which lengths are accurate to 0.03 %. */
const PLANE_REACH_M = 150_000
/** Length of a piece of a split line, in degrees. */
const PIECE_DEGREES = 1

/**
 * The interior of a true hole is farther from the geometry than this share of the distance; GEOS simplifies by a
 * hundredth of it.
 */
const HOLE_DISTANCE_SHARE = 0.98

/** Share of the distance by which an edge may deviate from its course in the plane; shorter distances need centimetres. */
const MAX_EDGE_DEVIATION_SHARE = 0.001
const LEAST_DEVIATION_M = 0.02

/**
 * @param distance metres, negative to shrink polygons
 * @returns a polygon or multipolygon within ±180 and ±90; null when the result is empty
 */
export function geodesicBuffer(geos: Geos, wkb: Wkb, distance: number, cap: CapStyle): Wkb | null {
  return isEmpty(wkb) ? null : bufferIn(geos, unrolled(wkb), distance, cap, PLANE_REACH_M)
}

/** @param reachM maximum distance of the geometry from its meridian for buffering it in one plane */
function bufferIn(geos: Geos, wkb: Wkb, distance: number, cap: CapStyle, reachM: number): Wkb | null {
  const coarse = densified(wkb, piecesUpTo(PIECE_DEGREES))
  const meridian = middleMeridian([coarse])
  const sketch = toPlane(coarse, meridian)
  const [minX, , maxX] = envelopeOf(sketch)
  if (Math.max(-minX, maxX) > reachM) return wideBuffer(geos, wkb, distance, cap)
  const limit = degreesFor(Math.max(LEAST_DEVIATION_M, MAX_EDGE_DEVIATION_SHARE * Math.abs(distance)))
  const fine = densified(wkb, piecesUpTo(limit))
  const plane = fine === coarse ? sketch : toPlane(fine, meridian)
  const [, minY, , maxY] = envelopeOf(plane)
  const buffered = withoutFalseHoles(
    geos,
    geos.run(plane, (geometry) => geos.buffer(geometry, distance, cap, QUADRANT_SEGMENTS)),
    plane,
    distance,
  )
  if (isEmpty(buffered)) return null
  // away from the poles and the antimeridian, which is the usual case
  const simple = minY - distance > -POLE_Y && maxY + distance < POLE_Y && Math.abs(meridian) < 150
  return simple ? fromPlane(buffered, meridian) : polygonToGlobe(geos, buffered, meridian)
}

/**
 * If a line is short compared with the distance, such as a closed line of a metre, GEOS 3.13 may leave a false hole
 * from the line to the buffer's edge.
 * @param buffered of `plane`
 */
function withoutFalseHoles(geos: Geos, buffered: Wkb, plane: Wkb, distance: number): Wkb {
  const polygons = distance > 0 ? polygonsOf(buffered) : []
  if (!polygons.some((polygon) => ringsOf(polygon).length > 1)) return buffered
  const geometry = geos.read(plane)
  const prepared = geos.prepare(geometry)
  const isFalse = (ring: number[]): boolean => {
    const inside = geos.read(geos.run(polygonWkb([ring]), (hole) => geos.pointOnSurface(hole)))
    const isNear = geos.isNear(prepared, inside, HOLE_DISTANCE_SHARE * distance)
    geos.free(inside)
    return isNear
  }
  const whole = polygons.map((polygon) => {
    const rings = ringsOf(polygon)
    const kept = rings.filter((ring, i) => i === 0 || !isFalse(ring))
    return kept.length === rings.length ? polygon : polygonWkb(kept)
  })
  geos.unprepare(prepared)
  geos.free(geometry)
  const isSame = whole.every((polygon, i) => polygon === polygons[i])
  // a removed hole may have contained another polygon
  return isSame ? buffered : geos.unionOf(whole)
}

function wideBuffer(geos: Geos, wkb: Wkb, distance: number, cap: CapStyle): Wkb | null {
  const pieces: Wkb[] = []
  for (const { line, isEnd } of piecesOf(wkb)) {
    const buffered = bufferIn(geos, line, Math.abs(distance), isEnd ? cap : 'round', Number.POSITIVE_INFINITY)
    if (buffered !== null) pieces.push(buffered)
  }
  if (dimensionOf(wkb) < 2) return pieces.length === 0 ? null : geos.unionOf(pieces)
  // lines and points of a collection are covered by their pieces
  const area = ofDimension(wkb, 2) as Wkb
  if (distance > 0) return geos.unionOf([cutAtAntimeridian(geos, area), ...pieces])
  const rim = geos.read(geos.unionOf(pieces))
  const inside = geos.run(cutAtAntimeridian(geos, area), (geometry) => geos.overlay('difference', geometry, rim))
  geos.free(rim)
  return isEmpty(inside) ? null : inside
}

/** Points as zero-length lines, and lines and rings split into overlapping pieces so that the joints are round. */
function* piecesOf(wkb: Wkb): Generator<{ line: Wkb; isEnd: boolean }> {
  const runs: { positions: number[]; role: number }[] = []
  forEachRun(wkb, (view, offset, count, stride, role) => {
    const positions: number[] = []
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      const [x, y] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)]
      if (i > 0) densify(positions, x, y)
      positions.push(x, y)
    }
    runs.push({ positions, role })
  })
  for (const { positions, role } of runs) {
    const last = positions.length / 2 - 1
    if (last === 0) {
      yield { line: lineWkb([...positions, ...positions]), isEnd: true }
      continue
    }
    let start = 0
    while (start < last) {
      let end = start + 1
      while (end < last && spread(positions, start, end + 1) <= PIECE_DEGREES) end++
      // overlap the next piece by one segment
      const until = Math.min(last, end + 1)
      yield {
        line: lineWkb(positions.slice(start * 2, (until + 1) * 2)),
        isEnd: role !== 2 && (start === 0 || until === last),
      }
      start = end
    }
  }
}

/** Extent of the positions in degrees, along the longer axis. */
function spread(positions: readonly number[], from: number, to: number): number {
  let [minX, minY, maxX, maxY] = [Infinity, Infinity, -Infinity, -Infinity]
  for (let i = from; i <= to; i++) {
    const [x, y] = [positions[i * 2] as number, positions[i * 2 + 1] as number]
    if (x < minX) minX = x
    if (x > maxX) maxX = x
    if (y < minY) minY = y
    if (y > maxY) maxY = y
  }
  return Math.max(maxX - minX, maxY - minY)
}

/** Adds positions on the straight line from the last one, less than half a piece apart. */
function densify(positions: number[], x: number, y: number): void {
  const x0 = positions.at(-2) as number
  const y0 = positions.at(-1) as number
  const steps = Math.ceil((Math.max(Math.abs(x - x0), Math.abs(y - y0)) / PIECE_DEGREES) * 2)
  for (let i = 1; i < steps; i++) positions.push(x0 + ((x - x0) * i) / steps, y0 + ((y - y0) * i) / steps)
}
