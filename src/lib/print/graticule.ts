/**
 * Lines of longitude and latitude over a map in any projection. Degrees are computed on a grid of positions, and lines
 * of constant degrees are interpolated between them (marching squares), so that no forward projection is needed.
 */

import { largest, smallest } from '../../lists.ts'
import { type Degrees, type MapFrame, stepOf } from './map-frame.ts'

export type Axis = 'x' | 'y'
/** Shares of the width and height, from the lower left corner. */
type Point = readonly [x: number, y: number]
type Segment = readonly [Point, Point]
/** Position where a line meets an edge of the map, as a share of the edge's length. */
export type Crossing = { at: number; axis: Axis; degrees: number }
export type Graticule = {
  lines: Point[][]
  /**
   * Crossings of meridians with the lower and upper edges, and of parallels with the left and right edges; around a
   * pole, of both with every edge.
   */
  bottom: Crossing[]
  top: Crossing[]
  left: Crossing[]
  right: Crossing[]
}

/** Grid cells along each side. A line deviates from its curve by less than the width of a stroke. */
const CELLS = 96
const EDGE_STEPS = 512
/** Minimum number of meridians around a pole. */
const POLAR_MERIDIANS = 12

/** @param maxLines approximate maximum of lines along each axis */
export function graticuleOf({ toDegrees, extent }: MapFrame, maxLines: Record<Axis, number>): Graticule {
  const [west, south, east, north] = extent
  const at = (x: number, y: number) => toDegrees(west + x * (east - west), south + y * (north - south))
  const middle = at(0.5, 0.5)?.[0] ?? 0
  const net = Array.from({ length: CELLS + 1 }, (_, row) =>
    Array.from({ length: CELLS + 1 }, (_, column) => near(at(column / CELLS, row / CELLS), middle)),
  )
  const cells = cellsOf(net)
  const hasPole = cells.some(({ longitudes }) => longitudes === undefined)
  const range = (axis: 0 | 1): number => {
    const values = net.flat().flatMap((position) => (position === undefined ? [] : [position[axis]]))
    return values.reduce((a, b) => Math.max(a, b), -360) - values.reduce((a, b) => Math.min(a, b), 360)
  }
  // around a pole meridians spread to all sides
  const steps = {
    x: stepOf(range(0), hasPole ? Math.max(POLAR_MERIDIANS, maxLines.x) : maxLines.x),
    y: stepOf(range(1), maxLines.y),
  }
  const segments = cells.flatMap(({ longitudes, latitudes, column, row }) => [
    ...(longitudes === undefined ? [] : segmentsIn(longitudes, steps.x, column, row)),
    ...segmentsIn(latitudes, steps.y, column, row),
  ])
  const edge = (axes: readonly Axis[], position: (share: number) => Degrees | undefined): Crossing[] =>
    axes
      .flatMap((axis) => crossings((share) => near(position(share), middle)?.[axis === 'x' ? 0 : 1], steps[axis], axis))
      .sort((a, b) => a.at - b.at)
  return {
    lines: chained(segments),
    bottom: edge(['x'], (share) => at(share, 0)),
    top: edge(['x'], (share) => at(share, 1)),
    left: edge(hasPole ? ['x', 'y'] : ['y'], (share) => at(0, share)),
    right: edge(hasPole ? ['x', 'y'] : ['y'], (share) => at(1, share)),
  }
}

type Cell = { longitudes: readonly number[] | undefined; latitudes: readonly number[]; column: number; row: number }

/** The cells with all corners in the area of the CRS. */
function cellsOf(net: readonly (Degrees | undefined)[][]): Cell[] {
  const cells: Cell[] = []
  for (let row = 0; row < CELLS; row++)
    for (let column = 0; column < CELLS; column++) {
      const corners = CORNERS.flatMap(([x, y]) => {
        const position = net[row + y]?.[column + x]
        return position === undefined ? [] : [position]
      })
      if (corners.length < CORNERS.length) continue
      const longitudes = unbroken(corners.map(([longitude]) => longitude))
      cells.push({ longitudes, latitudes: corners.map(([, latitude]) => latitude), column, row })
    }
  return cells
}

/**
 * The position with its longitude shifted to within 180 degrees of another one, so that neighbours have no step between
 * them.
 */
function near(position: Degrees | undefined, middle: number): Degrees | undefined {
  if (position === undefined) return undefined
  const [longitude, latitude] = position
  return [longitude - 360 * Math.round((longitude - middle) / 360), latitude]
}

/** The longitudes of a cell without a step of 360 degrees; undefined around a pole. */
function unbroken(values: readonly number[]): readonly number[] | undefined {
  const first = values[0] as number
  const moved = values.map((value) => value - 360 * Math.round((value - first) / 360))
  return largest(moved) - smallest(moved) < 180 ? moved : undefined
}

/** Corners of a cell, counter-clockwise from the lower left. */
const CORNERS = [
  [0, 0],
  [1, 0],
  [1, 1],
  [0, 1],
] as const

function segmentsIn(values: readonly number[], step: number, column: number, row: number): Segment[] {
  const segments: Segment[] = []
  const [low, high] = [smallest(values), largest(values)]
  for (let n = Math.ceil(low / step); n * step <= high; n++) {
    const level = n * step
    const ends: Point[] = []
    for (let i = 0; i < 4; i++) {
      const [a, b] = [values[i] as number, values[(i + 1) % 4] as number]
      if (a >= level === b >= level) continue
      const share = (level - a) / (b - a)
      const [from, to] = [CORNERS[i] as Point, CORNERS[(i + 1) % 4] as Point]
      const along = (axis: 0 | 1): number => from[axis] + share * (to[axis] - from[axis])
      ends.push([(column + along(0)) / CELLS, (row + along(1)) / CELLS])
    }
    // two ends, or four where two branches meet
    for (let i = 0; i + 1 < ends.length; i += 2) segments.push([ends[i] as Point, ends[i + 1] as Point])
  }
  return segments
}

const keyOf = ([x, y]: Point): string => `${Math.round(x * 1e7)} ${Math.round(y * 1e7)}`

/** Joins segments at their common ends to long lines. */
function chained(segments: readonly Segment[]): Point[][] {
  const atEnd = new Map<string, number[]>()
  for (const [i, ends] of segments.entries())
    for (const end of ends) atEnd.set(keyOf(end), [...(atEnd.get(keyOf(end)) ?? []), i])
  const used = new Set<number>()
  /** The points that follow an end, as long as an unused segment continues there. */
  const follow = (end: Point): Point[] => {
    const points: Point[] = []
    for (let at = end; ; ) {
      const next = atEnd.get(keyOf(at))?.find((i) => !used.has(i))
      if (next === undefined) return points
      used.add(next)
      const [a, b] = segments[next] as Segment
      at = keyOf(a) === keyOf(at) ? b : a
      points.push(at)
    }
  }
  return segments.flatMap(([a, b], i) => {
    if (used.has(i)) return []
    used.add(i)
    const after = follow(b)
    return [[...follow(a).reverse(), a, b, ...after]]
  })
}

function crossings(valueAt: (share: number) => number | undefined, step: number, axis: Axis): Crossing[] {
  const found: Crossing[] = []
  let before = valueAt(0)
  for (let i = 1; i <= EDGE_STEPS; i++) {
    const after = valueAt(i / EDGE_STEPS)
    if (before !== undefined && after !== undefined && Math.abs(after - before) < 180) {
      const [low, high] = [Math.min(before, after), Math.max(before, after)]
      for (let n = Math.ceil(low / step - 1e-9); n * step <= high + 1e-9 && high > low; n++) {
        const at = (i - 1 + Math.min(1, Math.max(0, (n * step - before) / (after - before)))) / EDGE_STEPS
        // a crossing at the border of two steps is found twice
        if (Math.abs((found.at(-1)?.at ?? -1) - at) > 1e-6) found.push({ at, axis, degrees: inTurn(n * step) })
      }
    }
    before = after
  }
  return found
}

/** Within ±180. */
const inTurn = (degrees: number): number => degrees - 360 * Math.round(degrees / 360)
