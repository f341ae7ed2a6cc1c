/**
 * Longitudes are positions on a circle: 181 is −179, the mean of 179 and −179 is 180, and the interval between them is
 * 2 degrees wide. An edge of a line that spans more than 180 degrees takes the short way; an edge of a polygon is taken
 * as drawn.
 */

import { envelopeOf, forEachRun, type Wkb } from './wkb.ts'
import { copyOf } from './wkb-pool.ts'

/** The longitude plus or minus whole turns, so that it lies within 180 degrees of `near`. */
export function nearestTurn(longitude: number, near: number): number {
  const turns = (near - longitude) / 360
  return Math.abs(turns) <= 0.5 ? longitude : longitude + 360 * Math.round(turns)
}

/** The longitude within ±180. */
export const wrapped = (longitude: number): number => nearestTurn(longitude, 0)

/** West may be any longitude; east is not less. */
export type Interval = readonly [west: number, east: number]

/** The shortest interval around intervals, its west within ±180; undefined when they cover the whole circle. */
export function enclosing(intervals: readonly Interval[]): Interval | undefined {
  const placed = intervals.map(([west, east]): Interval => {
    const from = wrapped(west)
    return [from, from + east - west]
  })
  placed.sort(([a], [b]) => a - b)
  const [first] = placed
  if (first === undefined) return undefined
  let [reach, gap, after] = [Number.NEGATIVE_INFINITY, 0, 0]
  for (const [i, [west, east]] of placed.entries()) {
    if (i > 0 && west - reach > gap) [gap, after] = [west - reach, i]
    reach = Math.max(reach, east)
  }
  // the gap across the antimeridian is the usual one
  const across = first[0] + 360 - reach
  if (across >= gap) return across < 0 ? undefined : [first[0], reach]
  const west = (placed[after] as Interval)[0]
  return [west, west + 360 - gap]
}

/** The parts of geometries, each as the longitudes between its edges. */
function intervalsOf(wkbs: readonly Wkb[]): Interval[] {
  const intervals: Interval[] = []
  for (const wkb of wkbs)
    forEachRun(wkb, (view, offset, count, stride, _role, ring) => {
      if (ring > 0) return
      let [west, east] = [Infinity, -Infinity]
      for (let i = 0, at = offset; i < count; i++, at += stride) {
        const longitude = view.getFloat64(at, true)
        if (longitude < west) west = longitude
        if (longitude > east) east = longitude
      }
      intervals.push([west, east])
    })
  return intervals
}

/**
 * Geometries that lie on both sides of the antimeridian, moved by whole turns so that they lie side by side: parts
 * within the shortest interval around all of them, and lines continuing beyond ±180. Other geometries stay unchanged.
 */
export function sideBySide(wkbs: readonly Wkb[]): readonly Wkb[] {
  const drawn = wkbs.map(unrolled)
  let [west, east] = [Infinity, -Infinity]
  for (const wkb of drawn) {
    const [minX, , maxX] = envelopeOf(wkb)
    west = Math.min(west, minX)
    east = Math.max(east, maxX)
  }
  if (!(east - west > 180)) return drawn
  const interval = enclosing(intervalsOf(drawn))
  if (interval === undefined || interval[1] - interval[0] > 180) return drawn
  const [from] = interval
  return drawn.map((wkb) => {
    const copy = copyOf(wkb, 0, wkb.length)
    let turn = 0
    forEachRun(copy, (view, offset, count, stride, _role, ring) => {
      if (ring === 0) {
        let least = Infinity
        for (let i = 0, at = offset; i < count; i++, at += stride) least = Math.min(least, view.getFloat64(at, true))
        turn = 360 * Math.ceil((from - least) / 360)
      }
      if (turn !== 0) shift(view, offset, count, stride, turn)
    })
    return copy
  })
}

function shift(view: DataView, offset: number, count: number, stride: number, by: number): void {
  for (let i = 0, at = offset; i < count; i++, at += stride) view.setFloat64(at, view.getFloat64(at, true) + by, true)
}

/** A geometry whose lines continue beyond ±180 where an edge spans more than 180 degrees. */
export function unrolled(wkb: Wkb): Wkb {
  if (!hasLongEdge(wkb)) return wkb
  const copy = copyOf(wkb, 0, wkb.length)
  forEachRun(copy, (view, offset, count, stride, role) => {
    if (role !== 1) return
    let before = view.getFloat64(offset, true)
    for (let i = 1, at = offset + stride; i < count; i++, at += stride) {
      before = nearestTurn(view.getFloat64(at, true), before)
      view.setFloat64(at, before, true)
    }
  })
  return copy
}

/** Whether a geometry within ±180 reaches the antimeridian, where each position has two longitudes. */
export function isOnAntimeridian(wkb: Wkb): boolean {
  const [minX, , maxX] = envelopeOf(wkb)
  return minX <= -180 || maxX >= 180
}

/** Whether an edge of a line spans more than 180 degrees. */
export function hasLongEdge(wkb: Wkb): boolean {
  let found = false
  forEachRun(wkb, (view, offset, count, stride, role) => {
    if (role !== 1) return
    for (let i = 1, at = offset + stride; i < count; i++, at += stride)
      if (Math.abs(view.getFloat64(at, true) - view.getFloat64(at - stride, true)) > 180) found = true
  })
  return found
}
