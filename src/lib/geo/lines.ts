/** Converts lines in well-known binary to polygons. */
import { polygonWkb } from './globe.ts'
import { viewOf, type Wkb } from './wkb.ts'

/** Closes a line into a polygon; undefined when it has fewer than three different positions. */
export function lineToPolygon(line: Wkb): Wkb | undefined {
  const view = viewOf(line)
  const stride = view.getUint32(1, true) >= 1000 ? 24 : 16
  const count = view.getUint32(5, true)
  const ring: number[] = []
  const different = new Set<string>()
  for (let i = 0, at = 9; i < count; i++, at += stride) {
    const [x, y] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)]
    ring.push(x, y)
    if (different.size < 3) different.add(`${x} ${y}`)
  }
  if (different.size < 3) return undefined
  if (ring[0] !== ring.at(-2) || ring[1] !== ring.at(-1)) ring.push(ring[0] as number, ring[1] as number)
  return polygonWkb([ring])
}
