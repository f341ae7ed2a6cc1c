/** Lines in well-known binary: closing them into polygons, and removing degenerate lines. */
import { collect, isEmpty, LINE, MULTI_POINT, POLYGON, partsOf, typeOf, viewOf, type Wkb } from './wkb.ts'
import { allocate } from './wkb-pool.ts'

/**
 * Drops lines whose positions are all identical, such as a loop collapsed by a tolerance; null when nothing remains.
 */
export function withoutPointLines(wkb: Wkb): Wkb | null {
  if (isEmpty(wkb)) return null
  const type = typeOf(wkb)
  if (type === LINE) return isPoint(wkb) ? null : wkb
  if (type <= MULTI_POINT) return wkb
  const parts = partsOf(wkb)
  const kept = parts.map(withoutPointLines)
  if (kept.every((part, i) => part === parts[i])) return wkb
  const rest = kept.filter((part) => part !== null)
  return rest.length === 0 ? null : collect(type, rest)
}

function isPoint(line: Wkb): boolean {
  const view = viewOf(line)
  const stride = view.getUint32(1, true) >= 1000 ? 24 : 16
  for (let at = 9 + stride; at < line.length; at += stride)
    for (let axis = 0; axis < 16; axis += 8)
      if (view.getFloat64(at + axis, true) !== view.getFloat64(9 + axis, true)) return false
  return true
}

/**
 * Closes a line into a polygon; undefined when it has fewer than three different positions, or when it goes around a
 * pole and ends 360 degrees from its start.
 */
export function lineToPolygon(line: Wkb): Wkb | undefined {
  const view = viewOf(line)
  const stride = view.getUint32(1, true) >= 1000 ? 24 : 16
  const count = view.getUint32(5, true)
  const end = 9 + count * stride
  const isSame = (a: number, b: number): boolean =>
    view.getFloat64(a, true) === view.getFloat64(b, true) &&
    view.getFloat64(a + 8, true) === view.getFloat64(b + 8, true)
  let second = 9
  while (second < end && isSame(9, second)) second += stride
  let third = second
  while (third < end && (isSame(9, third) || isSame(second, third))) third += stride
  if (third >= end || goesAround(view, end - stride)) return undefined
  const isClosed = isSame(9, end - stride)
  const polygon = allocate(13 + (isClosed ? count : count + 1) * 16)
  const written = viewOf(polygon)
  polygon[0] = 1
  written.setUint32(1, POLYGON, true)
  written.setUint32(5, 1, true)
  written.setUint32(9, isClosed ? count : count + 1, true)
  let to = 13
  for (let at = 9; at < end; at += stride, to += 16) copyPosition(view, at, written, to)
  if (!isClosed) copyPosition(view, 9, written, to)
  return polygon
}

/**
 * @param last offset of the last position of an unrolled line, whose consecutive longitudes differ by at most 180
 *   degrees
 */
const goesAround = (view: DataView, last: number): boolean =>
  Math.abs(view.getFloat64(last, true) - view.getFloat64(9, true)) > 180

function copyPosition(from: DataView, at: number, to: DataView, toAt: number): void {
  to.setFloat64(toAt, from.getFloat64(at, true), true)
  to.setFloat64(toAt + 8, from.getFloat64(at + 8, true), true)
}
