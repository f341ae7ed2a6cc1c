/** Converts lines in well-known binary to polygons. */
import { POLYGON, viewOf, type Wkb } from './wkb.ts'
import { allocate } from './wkb-pool.ts'

/** Closes a line into a polygon; undefined when it has fewer than three different positions. */
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
  if (third >= end) return undefined
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

function copyPosition(from: DataView, at: number, to: DataView, toAt: number): void {
  to.setFloat64(toAt, from.getFloat64(at, true), true)
  to.setFloat64(toAt + 8, from.getFloat64(at + 8, true), true)
}
