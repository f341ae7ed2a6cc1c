/**
 * Overlays of polygons without holes whose boundaries cross only within edges, as for most overlapping polygons. They
 * take a fraction of GEOS' time. Where rounding could matter, such as boundaries that touch or nearly touch, the result
 * is undefined and the work is left to GEOS. Results are bit-identical to GEOS 3.13.
 */

import { append } from '../../../lists.ts'
import { crossingsOf, isSurelySimple, isWithin, type SimpleRing } from '../geometry/ring-crossings.ts'
import { collect, hasZ, MULTI_POLYGON, POLYGON, typeOf, viewOf, type Wkb } from '../geometry/wkb.ts'
import { allocate } from '../geometry/wkb-pool.ts'
import { type Area, overlayOf, ringOf } from './area-overlay.ts'

/** The ring of a valid polygon without holes and heights; undefined for anything else, and for rectangles. */
export function simpleRing(wkb: Wkb): SimpleRing | undefined {
  const ring = onlyRingOf(wkb)
  // GEOS clips rectangles by a different algorithm
  return ring === undefined || isRectangle(ring.xy) ? undefined : ring
}

/** Whether it is a valid polygon; false also for cases left to GEOS. */
export function isSurelyValid(wkb: Wkb): boolean {
  const ring = onlyRingOf(wkb)
  return ring !== undefined && isSurelySimple(ring)
}

function onlyRingOf(wkb: Wkb): SimpleRing | undefined {
  if (typeOf(wkb) !== POLYGON || hasZ(wkb)) return undefined
  const view = viewOf(wkb)
  if (view.getUint32(5, true) !== 1) return undefined
  const count = view.getUint32(9, true)
  const xy: number[] = []
  for (let i = 0, at = 13; i < count - 1; i++, at += 16) {
    const x = view.getFloat64(at, true)
    const y = view.getFloat64(at + 8, true)
    const isRepeated = i > 0 && x === xy[xy.length - 2] && y === xy[xy.length - 1]
    if (!isRepeated) xy.push(x, y)
  }
  while (xy.length > 2 && xy[0] === xy[xy.length - 2] && xy[1] === xy[xy.length - 1]) xy.length -= 2
  if (xy.length < 6) return undefined
  const ring = ringOf(xy)
  return ring && { ...ring, isHole: false }
}

function isRectangle(xy: readonly number[]): boolean {
  if (xy.length !== 8) return false
  for (let i = 0; i < 8; i += 2) if (xy[i] !== xy[(i + 2) % 8] && xy[i + 1] !== xy[(i + 3) % 8]) return false
  return true
}

/** Relation of the first polygon to the second one; undefined if they only touch. */
export function simpleRelation(
  a: SimpleRing,
  b: SimpleRing,
): 'within' | 'contains' | 'overlaps' | 'disjoint' | undefined {
  const crossings = crossingsOf(a, b)
  if (crossings === undefined) return undefined
  if (crossings.length > 0) return 'overlaps'
  if (isWithin(a, b)) return 'within'
  return isWithin(b, a) ? 'contains' : 'disjoint'
}

/** The intersection of two polygons: the first one itself if the second covers it, empty if they are disjoint. */
export function simpleIntersection(a: SimpleRing, b: SimpleRing): Area | undefined {
  if (isWithin(a, b) && crossingsOf(a, b)?.length === 0) return [a]
  return overlayOf([a], [b], 'intersection')
}

/** The union of valid polygons, as GEOS calculates it: pair by pair, in the order of a spatial index. */
export function simpleUnion(polygons: readonly SimpleRing[]): Area | undefined {
  const ordered = inTreeOrder(polygons)
  return ordered && unionOf(ordered)
}

function unionOf(polygons: readonly SimpleRing[]): Area | undefined {
  if (polygons.length < 2) return polygons
  const middle = polygons.length >> 1
  const a = unionOf(polygons.slice(0, middle))
  const b = a && unionOf(polygons.slice(middle))
  return a && b && overlayOf(a, b, 'union')
}

const middleX = ({ minX, maxX }: SimpleRing): number => minX + maxX
const middleY = ({ minY, maxY }: SimpleRing): number => minY + maxY

/** Members of a node of GEOS' index. */
const NODE_SIZE = 10

/** The leaves of a packed STR tree: by y within slices by x. @returns undefined when ties leave the order open */
function inTreeOrder(polygons: readonly SimpleRing[]): SimpleRing[] | undefined {
  const slices = Math.ceil(Math.sqrt(Math.ceil(polygons.length / NODE_SIZE)))
  const size = Math.ceil(polygons.length / slices)
  const byX = sortedBy(middleX, polygons)
  const ordered: SimpleRing[] = []
  for (let from = 0; from < polygons.length; from += size) {
    const slice = byX && sortedBy(middleY, byX.slice(from, from + size))
    if (slice === undefined) return undefined
    append(ordered, slice)
  }
  return ordered
}

function sortedBy(middle: typeof middleX, polygons: readonly SimpleRing[]): SimpleRing[] | undefined {
  const sorted = polygons.toSorted((one, other) => middle(one) - middle(other))
  const hasEqual = sorted.some((ring, i) => i > 0 && middle(ring) === middle(sorted[i - 1] as SimpleRing))
  return hasEqual ? undefined : sorted
}

/** One polygon, or several as a multipolygon; null for none. */
export function polygonsOf(area: Area): Wkb | null {
  const polygons: Wkb[] = []
  for (let from = 0, to: number; from < area.length; from = to) {
    for (to = from + 1; area[to]?.isHole; ) to++
    polygons.push(polygonOf(area.slice(from, to)))
  }
  if (polygons.length === 0) return null
  return polygons.length === 1 ? (polygons[0] as Wkb) : collect(MULTI_POLYGON, polygons)
}

function polygonOf(rings: Area): Wkb {
  const wkb = allocate(rings.reduce((length, { xy }) => length + 20 + 8 * xy.length, 9))
  const view = viewOf(wkb)
  wkb[0] = 1
  view.setUint32(1, POLYGON, true)
  view.setUint32(5, rings.length, true)
  let at = 9
  for (const { xy } of rings) {
    view.setUint32(at, xy.length / 2 + 1, true)
    at += 4
    for (let i = 0; i < xy.length + 2; i++, at += 8) view.setFloat64(at, xy[i % xy.length] as number, true)
  }
  return wkb
}
