/**
 * Overlays of areas whose boundaries cross within edges only. Their results follow from the order of the crossings
 * along the rings of both (K. Weiler and P. Atherton, 1977). Results are bit-identical to GEOS 3.13, in the same order.
 */
import { type Crossing, crossingsOf, isWithin, type SimpleRing } from '../geometry/ring-crossings.ts'

/**
 * The rings of the boundary of an area. No two rings touch. As in GEOS' results, the rings of a polygon are
 * consecutive, starting with the outer one.
 */
export type Area = readonly SimpleRing[]

export type AreaOverlay = 'intersection' | 'union' | 'difference'

/** A crossing from the perspective of one of its rings. */
class Cut {
  readonly course: Course
  readonly x: number
  readonly y: number
  /** The index of the first vertex of its edge in `xy`, and where along the edge it is, from 0 to 1. */
  readonly edge: number
  readonly along: number
  /** Whether the ring enters the other area here. */
  readonly isEntry: boolean
  /** Its rank along the ring. */
  place = 0
  /** The same crossing on the other ring. */
  other: Cut = this

  constructor(course: Course, { x, y }: Crossing, edge: number, along: number, isEntry: boolean) {
    this.course = course
    this.x = x
    this.y = y
    this.edge = edge
    this.along = along
    this.isEntry = isEntry
  }
}

/**
 * A ring divided into parts by crossings: part i ends at cut i; the last part ends at the first vertex, where the first
 * part begins.
 */
type Course = {
  ring: SimpleRing
  cuts: Cut[]
  /** Whether the result contains its parts inside the other area, or else its parts outside. */
  keepsInside: boolean
  /** Whether the result, which lies to the right of its boundary, follows the ring in vertex order. */
  isForward: boolean
  isDone: boolean[]
}

/**
 * @returns undefined where rounding could matter, such as boundaries that touch or nearly touch; those are left to GEOS
 */
export function overlayOf(a: Area, b: Area, overlay: AreaOverlay): Area | undefined {
  const isUnion = overlay === 'union'
  const coursesA = a.map((ring) => courseOf(ring, overlay === 'intersection', hasAreaOnRight(ring)))
  const coursesB = b.map((ring) => courseOf(ring, !isUnion, hasAreaOnRight(ring) !== (overlay === 'difference')))
  for (const one of coursesA) for (const other of coursesB) if (!cross(one, other)) return undefined
  const courses = [...coursesA, ...coursesB]
  for (const course of courses) if (!sortCuts(course)) return undefined
  const results: SimpleRing[] = []
  for (const [i, course] of courses.entries()) {
    const other = i < a.length ? b : a
    for (let part = 0; part <= course.cuts.length; part++) {
      if (course.isDone[part] || !isKept(course, part, other)) continue
      const ring = ringFrom(course, part)
      if (ring === undefined) return undefined
      results.push(ring)
    }
  }
  return inPolygons(results)
}

const hasAreaOnRight = ({ isClockwise, isHole }: SimpleRing): boolean => isClockwise !== isHole

const courseOf = (ring: SimpleRing, keepsInside: boolean, isForward: boolean): Course => ({
  ring,
  cuts: [],
  keepsInside,
  isForward,
  isDone: [],
})

/** Finds the crossings of two rings. @returns false where rounding could matter */
function cross(one: Course, other: Course): boolean {
  const crossings = crossingsOf(one.ring, other.ring)
  if (crossings === undefined) return false
  // where one ring enters the other area, the other ring exits if both areas are on the same side
  const isAlike = hasAreaOnRight(one.ring) === hasAreaOnRight(other.ring)
  for (const crossing of crossings) {
    const isEntry = crossing.isEntry !== other.ring.isHole
    const cut = new Cut(one, crossing, crossing.edgeA, crossing.alongA, isEntry)
    cut.other = new Cut(other, crossing, crossing.edgeB, crossing.alongB, isEntry !== isAlike)
    cut.other.other = cut
    one.cuts.push(cut)
    other.cuts.push(cut.other)
  }
  return true
}

/** @returns false when crossings are too close to each other for a certain order */
function sortCuts({ cuts }: Course): boolean {
  cuts.sort((one, other) => one.edge - other.edge || one.along - other.along)
  for (let i = 0; i < cuts.length; i++) {
    const cut = cuts[i] as Cut
    const next = cuts[i + 1] ?? (cuts[0] as Cut)
    if (cut.isEntry === next.isEntry) return false
    cut.place = i
  }
  return true
}

/** @param area the other one */
function isKept({ ring, cuts, keepsInside }: Course, part: number, area: Area): boolean {
  const isInside = cuts.length === 0 ? isInArea(ring, area) : !(cuts[part % cuts.length] as Cut).isEntry
  return isInside === keepsInside
}

/** The cut before a part; reading index -1 of an array is slow. */
const cutBefore = (cuts: readonly Cut[], part: number): Cut | undefined => (part === 0 ? undefined : cuts[part - 1])

/** Whether a ring that crosses no ring of an area lies inside the area. */
function isInArea(ring: SimpleRing, area: Area): boolean {
  let isInside = false
  for (const other of area) if (isWithin(ring, other)) isInside = !isInside
  return isInside
}

/** Follows the boundary of the result from one part: along a ring to a crossing, from there along the other one. */
function ringFrom(first: Course, firstPart: number): SimpleRing | undefined {
  const xy: number[] = []
  for (let course = first, part = firstPart; ; ) {
    const { cuts, isForward, isDone } = course
    // reached only if rounding changed the order of crossings
    if (isDone[part]) return undefined
    isDone[part] = true
    pushPart(course, part, xy)
    const end = isForward ? cuts[part] : cutBefore(cuts, part)
    if (end === undefined) part = isForward ? 0 : cuts.length
    else {
      course = end.other.course
      part = end.other.place + (course.isForward ? 1 : 0)
    }
    if (course === first && part === firstPart) break
  }
  // GEOS ends a ring with the vertex at which its search began
  return ringOf([...xy.slice(2), xy[0] as number, xy[1] as number])
}

/** Appends the vertices of a part, except the last one, which starts the next part. */
function pushPart({ ring: { xy }, cuts, isForward }: Course, part: number, out: number[]): void {
  const before = cutBefore(cuts, part)
  const end = cuts[part]
  const from = before === undefined ? 0 : before.edge + 2
  const to = end === undefined ? xy.length : end.edge + 2
  if (isForward) {
    if (before !== undefined) out.push(before.x, before.y)
    for (let i = from; i < to; i++) out.push(xy[i] as number)
    return
  }
  if (end === undefined) out.push(xy[0] as number, xy[1] as number)
  else out.push(end.x, end.y)
  for (let i = to - 2; i >= Math.max(from, before === undefined ? 2 : 0); i -= 2)
    out.push(xy[i] as number, xy[i + 1] as number)
}

/** A ring with its area to the right. @returns undefined for a sliver, whose direction is not certain */
export function ringOf(xy: number[]): SimpleRing | undefined {
  const [x0, y0] = xy as [number, number]
  const ring = { xy, isClockwise: false, isHole: false, minX: x0, minY: y0, maxX: x0, maxY: y0 }
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
  ring.isHole = !ring.isClockwise
  const isCertain = Math.abs(twiceArea) >= 1e-9 * (ring.maxX - ring.minX) * (ring.maxY - ring.minY)
  return isCertain && Number.isFinite(twiceArea) ? ring : undefined
}

/** Places each hole after its outer ring. */
function inPolygons(rings: readonly SimpleRing[]): Area | undefined {
  if (!rings.some(({ isHole }) => isHole)) return rings
  const polygons = rings.filter(({ isHole }) => !isHole).map((shell) => [shell])
  for (const hole of rings) {
    if (!hole.isHole) continue
    const around = polygons.filter(([shell]) => isWithin(hole, shell as SimpleRing))
    // of several enclosing rings, the smallest is the outer ring
    const [polygon] = around.sort(([one], [other]) => widthOf(one as SimpleRing) - widthOf(other as SimpleRing))
    if (polygon === undefined) return undefined
    polygon.push(hole)
  }
  return polygons.flat()
}

const widthOf = ({ minX, maxX }: SimpleRing): number => maxX - minX
