/** Simplifies geometries by the Douglas-Peucker algorithm, within a tolerance. */
import type { Geos } from './geos.ts'
import { forEachRun, type Wkb } from './wkb.ts'

/**
 * No removed vertex is farther from the result than the tolerance. GEOS removes the first vertex of a ring last, judged
 * by the rest of the ring, and not by the vertices that were removed beside it. Each of both steps moves the line by at
 * most the tolerance, so half of it is enough for both.
 */
export function simplified(geos: Geos, geometry: Wkb, tolerance: number, preserveTopology: boolean): Wkb {
  const within = (limit: number): Wkb => geos.run(geometry, (g) => geos.simplify(g, limit, preserveTopology))
  const simple = within(tolerance)
  return cutsTooDeep(geometry, simple, tolerance) ? within(tolerance / 2) : simple
}

const RING = 2

/** Whether a vertex beside the first one of a ring is too far from the edge that replaces both. */
function cutsTooDeep(given: Wkb, simple: Wkb, tolerance: number): boolean {
  const kept = new Set<string>()
  forEachRun(simple, (view, offset, count, stride, role) => {
    if (role !== RING) return
    for (let i = 0, at = offset; i < count; i++, at += stride)
      kept.add(`${view.getFloat64(at, true)} ${view.getFloat64(at + 8, true)}`)
  })
  let isTooDeep = false
  forEachRun(given, (view, offset, count, stride, role) => {
    if (role !== RING) return
    const x = (i: number): number => view.getFloat64(offset + i * stride, true)
    const y = (i: number): number => view.getFloat64(offset + i * stride + 8, true)
    const isKept = (i: number): boolean => kept.has(`${x(i)} ${y(i)}`)
    if (isKept(0)) return
    // the last position is the first one again
    let [before, after] = [count - 2, 1]
    while (after < before && !isKept(after)) after++
    while (after < before && !isKept(before)) before--
    // nothing is left of the ring
    if (after >= before) return
    const edge = { x1: x(before), y1: y(before), x2: x(after), y2: y(after) }
    for (let i = before + 1; i < count; i++) isTooDeep ||= distance(x(i), y(i), edge) > tolerance
    for (let i = 0; i < after; i++) isTooDeep ||= distance(x(i), y(i), edge) > tolerance
  })
  return isTooDeep
}

type Edge = { x1: number; y1: number; x2: number; y2: number }

function distance(x: number, y: number, { x1, y1, x2, y2 }: Edge): number {
  const [dx, dy] = [x2 - x1, y2 - y1]
  const length = dx * dx + dy * dy
  const share = length === 0 ? 0 : Math.min(1, Math.max(0, ((x - x1) * dx + (y - y1) * dy) / length))
  return Math.hypot(x1 + share * dx - x, y1 + share * dy - y)
}
