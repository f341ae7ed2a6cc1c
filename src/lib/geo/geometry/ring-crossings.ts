/**
 * Finds the crossings of two rings if rounding cannot affect them: no vertex is near the other ring, and no crossing
 * angle is small.
 */

/** A ring of a valid polygon. */
export type SimpleRing = {
  /** x and y of each vertex; the first one is not repeated. */
  xy: number[]
  isClockwise: boolean
  /** Whether the polygon lies outside the ring. */
  isHole: boolean
  minX: number
  minY: number
  maxX: number
  maxY: number
}

export type Crossing = {
  x: number
  y: number
  /** The edges that cross, each by the index of its first vertex in `xy`. */
  edgeA: number
  edgeB: number
  /** Position along the edges, from 0 to 1. */
  alongA: number
  alongB: number
  /** Whether the first ring enters the second one here. */
  isEntry: boolean
}

/** A distance of at most this share of the largest coordinate counts as none: a hundredth of a millimetre for degrees. */
const NEAR = 1e-12
/** The smallest sine of the angle at which edges may cross. */
const MIN_SINE = 1e-4
/** Pairs of vertices above which GEOS, which has an index, may be faster. */
const MAX_PAIRS = 16_384

const largestOf = ({ minX, minY, maxX, maxY }: SimpleRing): number => Math.max(-minX, -minY, maxX, maxY)

/** @returns undefined when rounding could matter, or the rings are long */
export function crossingsOf(a: SimpleRing, b: SimpleRing): Crossing[] | undefined {
  const p = a.xy
  const q = b.xy
  const near = NEAR * Math.max(largestOf(a), largestOf(b))
  if (a.maxX + near < b.minX || a.minX - near > b.maxX || a.maxY + near < b.minY || a.minY - near > b.maxY) return []
  if (p.length * q.length > 4 * MAX_PAIRS) return undefined
  const crossings: Crossing[] = []
  for (let i = 0; i < p.length; i += 2) {
    const nextI = i + 2 === p.length ? 0 : i + 2
    const ax = p[i] as number
    const ay = p[i + 1] as number
    const bx = p[nextI] as number
    const by = p[nextI + 1] as number
    const lowX = Math.min(ax, bx) - near
    const highX = Math.max(ax, bx) + near
    const lowY = Math.min(ay, by) - near
    const highY = Math.max(ay, by) + near
    if (highX < b.minX || lowX > b.maxX || highY < b.minY || lowY > b.maxY) continue
    const ux = bx - ax
    const uy = by - ay
    const lengthU = Math.abs(ux) + Math.abs(uy)
    const nearU = near * lengthU
    for (let j = 0; j < q.length; j += 2) {
      const nextJ = j + 2 === q.length ? 0 : j + 2
      const cx = q[j] as number
      const dx = q[nextJ] as number
      if ((cx < lowX && dx < lowX) || (cx > highX && dx > highX)) continue
      const cy = q[j + 1] as number
      const dy = q[nextJ + 1] as number
      if ((cy < lowY && dy < lowY) || (cy > highY && dy > highY)) continue
      const vx = dx - cx
      const vy = dy - cy
      const lengthV = Math.abs(vx) + Math.abs(vy)
      const nearV = near * lengthV
      // twice the area of the triangle of an edge and a vertex: the edge's length times the vertex's distance from its line
      const ofC = ux * (cy - ay) - uy * (cx - ax)
      const ofD = ux * (dy - ay) - uy * (dx - ax)
      const ofA = vx * (ay - cy) - vy * (ax - cx)
      const ofB = vx * (by - cy) - vy * (bx - cx)
      if (Math.abs(ofC) <= nearU || Math.abs(ofD) <= nearU || Math.abs(ofA) <= nearV || Math.abs(ofB) <= nearV)
        return undefined
      if (ofC > 0 === ofD > 0 || ofA > 0 === ofB > 0) continue
      if (Math.abs(ux * vy - uy * vx) <= MIN_SINE * lengthU * lengthV) return undefined
      const crossing = positionOf(ax, ay, bx, by, cx, cy, dx, dy) as Crossing
      if (Number.isNaN(crossing.x + crossing.y)) return undefined
      crossing.edgeA = i
      crossing.edgeB = j
      crossing.alongA = ofA / (ofA - ofB)
      crossing.alongB = ofC / (ofC - ofD)
      crossing.isEntry = ofA > 0 === b.isClockwise
      for (const { x, y, edgeA, edgeB } of crossings)
        if (edgeA === i || edgeB === j)
          if (Math.abs(x - crossing.x) <= near && Math.abs(y - crossing.y) <= near) return undefined
      crossings.push(crossing)
    }
  }
  return crossings
}

/**
 * Whether a ring neither crosses nor touches itself. False also for near misses and for long rings, which are left to
 * GEOS.
 */
export function isSurelySimple(ring: SimpleRing): boolean {
  const p = ring.xy
  if (p.length * p.length > 4 * MAX_PAIRS) return false
  const near = NEAR * largestOf(ring)
  for (let i = 0; i < p.length; i += 2) {
    const nextI = i + 2 === p.length ? 0 : i + 2
    const ax = p[i] as number
    const ay = p[i + 1] as number
    const bx = p[nextI] as number
    const by = p[nextI + 1] as number
    const ux = bx - ax
    const uy = by - ay
    const nearU = near * (Math.abs(ux) + Math.abs(uy))
    const afterI = nextI + 2 === p.length ? 0 : nextI + 2
    const wx = (p[afterI] as number) - bx
    const wy = (p[afterI + 1] as number) - by
    // the next edge doubles back on this one, or one of them is too short to decide
    if (ux * wx + uy * wy <= 0 && Math.abs(ux * wy - uy * wx) <= nearU) return false
    const lowX = Math.min(ax, bx) - near
    const highX = Math.max(ax, bx) + near
    const lowY = Math.min(ay, by) - near
    const highY = Math.max(ay, by) + near
    // the first and the last edge are neighbours
    const end = i === 0 ? p.length - 2 : p.length
    for (let j = i + 4; j < end; j += 2) {
      const nextJ = j + 2 === p.length ? 0 : j + 2
      const cx = p[j] as number
      const dx = p[nextJ] as number
      if ((cx < lowX && dx < lowX) || (cx > highX && dx > highX)) continue
      const cy = p[j + 1] as number
      const dy = p[nextJ + 1] as number
      if ((cy < lowY && dy < lowY) || (cy > highY && dy > highY)) continue
      const vx = dx - cx
      const vy = dy - cy
      const ofC = ux * (cy - ay) - uy * (cx - ax)
      const ofD = ux * (dy - ay) - uy * (dx - ax)
      if ((ofC > nearU && ofD > nearU) || (ofC < -nearU && ofD < -nearU)) continue
      const nearV = near * (Math.abs(vx) + Math.abs(vy))
      const ofA = vx * (ay - cy) - vy * (ax - cx)
      const ofB = vx * (by - cy) - vy * (bx - cx)
      if ((ofA > nearV && ofB > nearV) || (ofA < -nearV && ofB < -nearV)) continue
      return false
    }
  }
  return true
}

/** The rounding error of `sum` = a + b (D. E. Knuth). */
function lostBySum(a: number, b: number, sum: number): number {
  const part = sum - a
  return a - (sum - part) + (b - part)
}

/** Splits a double into halves of 26 bits (G. W. Veltkamp). */
const SPLITTER = 2 ** 27 + 1

/** The rounding error of `product` = a · b (T. J. Dekker). */
function lostByProduct(a: number, b: number, product: number): number {
  const bigA = SPLITTER * a
  const highA = bigA - (bigA - a)
  const lowA = a - highA
  const bigB = SPLITTER * b
  const highB = bigB - (bigB - b)
  const lowB = b - highB
  return highA * highB - product + highA * lowB + lowA * highB + lowA * lowB
}

/** A vector from one position to another, with its rounding error. */
type Vector = { x: number; y: number; lostX: number; lostY: number }

function vectorOf(fromX: number, fromY: number, toX: number, toY: number): Vector {
  const x = toX - fromX
  const y = toY - fromY
  return { x, y, lostX: lostBySum(toX, -fromX, x), lostY: lostBySum(toY, -fromY, y) }
}

/** The cross product of two vectors, with its rounding error. */
function crossOf(u: Vector, v: Vector): { value: number; lost: number } {
  const one = u.x * v.y
  const other = u.y * v.x
  const value = one - other
  const lostByFactors = u.x * v.lostY + u.lostX * v.y - u.y * v.lostX - u.lostY * v.x
  const lostByProducts = lostByProduct(u.x, v.y, one) - lostByProduct(u.y, v.x, other)
  return { value, lost: lostBySum(one, -other, value) + lostByProducts + lostByFactors }
}

/** Relative distance to the midpoint between two doubles below which the rounding of a result is uncertain. */
const TIE = 1e-4

/**
 * Calculated with twice the digits, as GEOS does it, so that the rounded result is the same; NaN if it may differ, which
 * happens with coordinates of few decimals.
 */
function positionOf(
  ax: number,
  ay: number,
  bx: number,
  by: number,
  cx: number,
  cy: number,
  dx: number,
  dy: number,
): Pick<Crossing, 'x' | 'y'> {
  const u = vectorOf(ax, ay, bx, by)
  const v = vectorOf(cx, cy, dx, dy)
  const numerator = crossOf(vectorOf(ax, ay, cx, cy), v)
  const denominator = crossOf(u, v)
  const share = numerator.value / denominator.value
  const product = share * denominator.value
  const rest = numerator.value - product - lostByProduct(share, denominator.value, product)
  const lostShare = (rest + numerator.lost - share * denominator.lost) / denominator.value
  return {
    x: alongAxis(ax, u.x, u.lostX, share, lostShare),
    y: alongAxis(ay, u.y, u.lostY, share, lostShare),
  }
}

function alongAxis(start: number, length: number, lostLength: number, share: number, lostShare: number): number {
  const part = length * share
  const lostPart = lostByProduct(length, share, part) + length * lostShare + lostLength * share
  const sum = start + part
  const lost = lostBySum(start, part, sum) + lostPart
  const rounded = sum + lost * (1 - TIE)
  return rounded === sum + lost * (1 + TIE) ? rounded : Number.NaN
}

/** Whether a ring lies within another one that it does not cross. */
export function isWithin(a: SimpleRing, b: SimpleRing): boolean {
  if (a.minX < b.minX || a.maxX > b.maxX || a.minY < b.minY || a.maxY > b.maxY) return false
  const [x, y] = a.xy as [number, number]
  const q = b.xy
  let isInside = false
  for (let i = 0, before = q.length - 2; i < q.length; before = i, i += 2) {
    const cx = q[before] as number
    const cy = q[before + 1] as number
    const dx = q[i] as number
    const dy = q[i + 1] as number
    // the side of the edge is certain: no vertex is near an edge within whose extent it lies
    if (cy > y !== dy > y && (dx - cx) * (y - cy) - (dy - cy) * (x - cx) > 0 === dy > cy) isInside = !isInside
  }
  return isInside
}
