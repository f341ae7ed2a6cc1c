/**
 * Adds positions to long edges, so that an edge keeps its course when a geometry is projected into another plane, where
 * a straight edge becomes a curve.
 */
import { forEachRun, hasZ, LINE, POINT, POLYGON, viewOf, type Wkb } from './wkb.ts'

/** Number of pieces of an edge, by its extent along both axes. */
export type PiecesOf = (dx: number, dy: number) => number

/** Divides an edge until no piece is longer than `limit` along either axis, into at most `most` pieces. */
export const piecesUpTo =
  (limit: number, most = Infinity): PiecesOf =>
  (dx, dy) =>
    Math.min(most, Math.ceil(Math.max(Math.abs(dx), Math.abs(dy)) / limit))

const EARTH_M = 6_371_008
const METRES_PER_DEGREE = (EARTH_M * Math.PI) / 180

/**
 * The maximum length of an edge, in metres, for a deviation from its course below a tolerance in another plane. A line
 * that is straight in one plane has at most about twice the curvature of the earth in another, except close to the
 * poles.
 */
export const lengthFor = (toleranceM: number): number => Math.sqrt(4 * EARTH_M * toleranceM)
export const degreesFor = (toleranceM: number): number => lengthFor(toleranceM) / METRES_PER_DEGREE

/** The geometry itself when all its edges are short. */
export function densified(wkb: Wkb, piecesOf: PiecesOf): Wkb {
  const added = addedTo(wkb, piecesOf)
  if (added === 0) return wkb
  const view = viewOf(wkb)
  const stride = hasZ(wkb) ? 24 : 16
  const out = new Uint8Array(wkb.length + added * stride)
  const to = viewOf(out)
  let [at, length] = [0, 0]
  const copy = (bytes: number): void => {
    out.set(wkb.subarray(at, at + bytes), length)
    at += bytes
    length += bytes
  }
  const run = (): void => {
    const count = view.getUint32(at, true)
    const countAt = length
    copy(4)
    const first = length
    if (count > 0) copy(stride)
    for (let i = 1; i < count; i++) {
      const before = at - stride
      const pieces = piecesOf(difference(view, before, at), difference(view, before + 8, at + 8))
      for (let piece = 1; piece < pieces; piece++, length += stride)
        for (let axis = 0; axis < stride; axis += 8) {
          const start = view.getFloat64(before + axis, true)
          const end = view.getFloat64(at + axis, true)
          to.setFloat64(length + axis, start + ((end - start) * piece) / pieces, true)
        }
      copy(stride)
    }
    to.setUint32(countAt, (length - first) / stride, true)
  }
  const geometry = (): void => {
    const type = view.getUint32(at + 1, true) % 1000
    copy(5)
    if (type === POINT) copy(stride)
    else if (type === LINE) run()
    else {
      const count = view.getUint32(at, true)
      copy(4)
      for (let i = 0; i < count; i++)
        if (type === POLYGON) run()
        else geometry()
    }
  }
  geometry()
  return out
}

const difference = (view: DataView, from: number, to: number): number =>
  view.getFloat64(to, true) - view.getFloat64(from, true)

/** Number of positions added to a geometry. */
export function addedTo(wkb: Wkb, piecesOf: PiecesOf): number {
  let added = 0
  forEachRun(wkb, (view, offset, count, stride, role) => {
    if (role === 0) return
    for (let i = 1, at = offset + stride; i < count; i++, at += stride) {
      const pieces = piecesOf(difference(view, at - stride, at), difference(view, at - stride + 8, at + 8))
      if (pieces > 1) added += pieces - 1
    }
  })
  return added
}
