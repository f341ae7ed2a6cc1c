/**
 * Detects invented heights in the result of an overlay. GEOS gives new vertices heights interpolated along their edges
 * or, at corners of the other geometry, a mean of nearby heights, which nobody measured.
 */
import { forEachRun, hasZ, type Wkb } from '../geometry/wkb.ts'

/** Whether a result has positions with heights that no input geometry has there, or lacks the inputs' heights. */
export function hasMadeHeights(result: Wkb, given: readonly Wkb[]): boolean {
  const high = given.filter(hasZ)
  if (high.length === 0) return false
  if (!hasZ(result)) return true
  const known = new Set(high.flatMap(positionsOf))
  return positionsOf(result).some((position) => !known.has(position))
}

function positionsOf(wkb: Wkb): string[] {
  const positions: string[] = []
  forEachRun(wkb, (view, offset, count, stride) => {
    for (let at = offset; at < offset + count * stride; at += stride)
      positions.push([0, 8, 16].map((axis) => view.getFloat64(at + axis, true)).join())
  })
  return positions
}
