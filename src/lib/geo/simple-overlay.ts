/**
 * Intersections and differences of polygons without holes whose boundaries cross within edges only, as most do that
 * overlap. Their results follow from the order of the crossings along both rings (K. Weiler and P. Atherton, 1977), which
 * takes a small part of the time of GEOS. Where rounding could matter, as where boundaries touch or almost do, the result
 * is undefined, and GEOS has to find it. Results are those of GEOS 3.13, bit for bit.
 */
import { type Crossing, crossingsOf, isSurelySimple, isWithin, type SimpleRing } from './ring-crossings.ts'
import { collect, hasZ, MULTI_POLYGON, POLYGON, typeOf, viewOf, type Wkb } from './wkb.ts'
import { allocate } from './wkb-pool.ts'

/** The ring of a valid polygon without holes and heights; undefined for anything else, and for rectangles. */
export function simpleRing(wkb: Wkb): SimpleRing | undefined {
  const ring = onlyRingOf(wkb)
  // GEOS clips by rectangles in another way
  return ring === undefined || isRectangle(ring.xy) ? undefined : ring
}

/** Whether it is a valid polygon; false also where GEOS has to decide. */
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
  return xy.length < 6 ? undefined : ringOf(xy)
}

function isRectangle(xy: readonly number[]): boolean {
  if (xy.length !== 8) return false
  for (let i = 0; i < 8; i += 2) if (xy[i] !== xy[(i + 2) % 8] && xy[i + 1] !== xy[(i + 3) % 8]) return false
  return true
}

/** @returns undefined for a sliver, whose direction is not certain */
function ringOf(xy: number[]): SimpleRing | undefined {
  const [x0, y0] = xy as [number, number]
  const ring = { xy, isClockwise: false, minX: x0, minY: y0, maxX: x0, maxY: y0 }
  let twiceArea = 0
  for (let i = 2, before = 0; i < xy.length; before = i, i += 2) {
    const x = xy[i] as number
    const y = xy[i + 1] as number
    if (x < ring.minX) ring.minX = x
    if (x > ring.maxX) ring.maxX = x
    if (y < ring.minY) ring.minY = y
    if (y > ring.maxY) ring.maxY = y
    twiceArea += ((xy[before] as number) - x0) * (y - y0) - (x - x0) * ((xy[before + 1] as number) - y0)
  }
  ring.isClockwise = twiceArea < 0
  const isCertain = Math.abs(twiceArea) >= 1e-9 * (ring.maxX - ring.minX) * (ring.maxY - ring.minY)
  return isCertain && Number.isFinite(twiceArea) ? ring : undefined
}

/** How the first polygon lies to the second one. Where they touch only, the relation is undefined. */
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

/** What two polygons share: the first one itself if the second covers it, nothing if they are apart. */
export function simpleIntersection(a: SimpleRing, b: SimpleRing): SimpleRing[] | undefined {
  const crossings = crossingsOf(a, b)
  if (crossings === undefined) return undefined
  if (crossings.length > 0) return traced(a, b, crossings, false)
  if (isWithin(a, b)) return [a]
  return isWithin(b, a) ? [clockwise(b)] : []
}

/** The part of polygons outside another one; undefined also if it has a hole. */
export function simpleDifference(parts: readonly SimpleRing[], b: SimpleRing): SimpleRing[] | undefined {
  const results: SimpleRing[] = []
  for (const a of parts) {
    const crossings = crossingsOf(a, b)
    if (crossings === undefined) return undefined
    if (crossings.length > 0) {
      const rest = traced(a, b, crossings, true)
      if (rest === undefined) return undefined
      results.push(...rest)
      continue
    }
    if (isWithin(a, b)) continue
    if (isWithin(b, a)) return undefined
    results.push(clockwise(a))
  }
  return results
}

/** As GEOS returns a whole polygon. */
function clockwise(ring: SimpleRing): SimpleRing {
  return { ...ring, xy: startingSecond(ring.isClockwise ? ring.xy : reversed(ring.xy, 2)), isClockwise: true }
}

/** GEOS ends a ring with the vertex at which its search for it began. */
const startingSecond = (xy: readonly number[]): number[] => [...xy.slice(2), xy[0] as number, xy[1] as number]

/**
 * Follows the boundaries of the results: along the first ring to a crossing, along the second one to the next, and so on.
 * @param isDifference whether to follow the first ring outside the second one instead of inside
 */
function traced(
  a: SimpleRing,
  b: SimpleRing,
  crossings: readonly Crossing[],
  isDifference: boolean,
): SimpleRing[] | undefined {
  const count = crossings.length
  const inA = crossings.toSorted((one, other) => one.edgeA - other.edgeA || one.alongA - other.alongA)
  const inB = crossings.toSorted((one, other) => one.edgeB - other.edgeB || one.alongB - other.alongB)
  for (let i = 0; i < count; i++) {
    const [one, next] = [inA[i] as Crossing, inA[(i + 1) % count] as Crossing]
    // crossings too close to each other to know their order
    if (one.isEntry === next.isEntry) return undefined
    one.placeA = i
    ;(inB[i] as Crossing).placeB = i
  }
  const isForward = (a.isClockwise === b.isClockwise) !== isDifference
  // part i of the first ring ends at crossing i; the last one ends where the first one begins, at the first vertex
  const isInResult = (part: number): boolean => (inA[part % count] as Crossing).isEntry === isDifference
  const isDone: boolean[] = []
  const results: SimpleRing[] = []
  for (let first = 0; first <= count; first++) {
    if (isDone[first] || !isInResult(first)) continue
    const xy: number[] = []
    if (first > 0) xy.push((inA[first - 1] as Crossing).x, (inA[first - 1] as Crossing).y)
    let firstLength = 0
    for (let part = first; !isDone[part]; ) {
      isDone[part] = true
      const from = part === 0 ? 0 : (inA[part - 1] as Crossing).edgeA + 2
      const to = part === count ? a.xy.length : (inA[part] as Crossing).edgeA + 2
      for (let i = from; i < to; i++) xy.push(a.xy[i] as number)
      if (part === count) {
        part = 0
        continue
      }
      const leaving = inA[part] as Crossing
      xy.push(leaving.x, leaving.y)
      if (firstLength === 0) firstLength = xy.length
      const entering = inB[(leaving.placeB + (isForward ? 1 : count - 1)) % count] as Crossing
      if (entering.isEntry === leaving.isEntry) return undefined
      pushBetween(b.xy, leaving, entering, isForward, xy)
      part = entering.placeA + 1
      if (part !== first) xy.push(entering.x, entering.y)
    }
    const result = ringOf(startingSecond(a.isClockwise ? xy : reversed(xy, firstLength)))
    if (result === undefined) return undefined
    results.push(result)
  }
  return results
}

/** Appends the vertices of the second ring from one crossing to another. */
function pushBetween(xy: readonly number[], from: Crossing, to: Crossing, isForward: boolean, out: number[]): void {
  const length = xy.length
  const isAround = isForward ? to.placeB < from.placeB : to.placeB > from.placeB
  const edges = (isForward ? to.edgeB - from.edgeB : from.edgeB - to.edgeB) + (isAround ? length : 0)
  for (let i = 0; i < edges; i += 2) {
    const at = (isForward ? from.edgeB + 2 + i : from.edgeB - i + length) % length
    out.push(xy[at] as number, xy[at + 1] as number)
  }
}

/** The ring in the other direction, from the end of its first part, where GEOS begins. */
function reversed(xy: readonly number[], firstLength: number): number[] {
  const out: number[] = []
  for (let i = firstLength - 2; i >= 0; i -= 2) out.push(xy[i] as number, xy[i + 1] as number)
  for (let i = xy.length - 2; i >= firstLength; i -= 2) out.push(xy[i] as number, xy[i + 1] as number)
  return out
}

/** One polygon, or several as a multipolygon; null for none. */
export function polygonsOf(rings: readonly SimpleRing[]): Wkb | null {
  if (rings.length === 0) return null
  const polygons = rings.map(({ xy }) => {
    const wkb = allocate(29 + 8 * xy.length)
    const view = viewOf(wkb)
    wkb[0] = 1
    view.setUint32(1, POLYGON, true)
    view.setUint32(5, 1, true)
    view.setUint32(9, xy.length / 2 + 1, true)
    for (let i = 0; i < xy.length + 2; i++) view.setFloat64(13 + 8 * i, xy[i % xy.length] as number, true)
    return wkb
  })
  return polygons.length === 1 ? (polygons[0] as Wkb) : collect(MULTI_POLYGON, polygons)
}
