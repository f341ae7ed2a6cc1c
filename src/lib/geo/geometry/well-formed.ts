/**
 * Geometries in the structure that GEOS requires: no empty rings, at least two positions in a line and four in a ring.
 * Shorter lines and rings repeat their last position, which keeps them invalid but readable.
 */

import { append } from '../../../lists.ts'
import { COLLECTION, LINE, MULTI_POINT, POINT, POLYGON, viewOf, type Wkb } from './wkb.ts'

const MIN_LINE = 2
const MIN_RING = 4

/** @returns the same bytes when they are well-formed, which is the usual case */
export function wellFormed(wkb: Wkb): Wkb {
  const view = viewOf(wkb)
  let isSound = true
  walk(view, 0, (count, minimum) => {
    if (count < minimum && !(count === 0 && minimum === MIN_LINE)) isSound = false
  })
  if (isSound) return wkb
  const chunks: Uint8Array[] = []
  rewrite(wkb, view, 0, chunks)
  return Buffer.concat(chunks)
}

/** Visits the position counts of all lines and rings. @returns the offset after the geometry */
function walk(view: DataView, start: number, visit: (count: number, minimum: number) => void): number {
  const code = view.getUint32(start + 1, true)
  const type = code % 1000
  const stride = code >= 1000 ? 24 : 16
  let at = start + 5
  if (type === POINT) return at + stride
  const count = view.getUint32(at, true)
  at += 4
  if (type === LINE) {
    visit(count, MIN_LINE)
    return at + count * stride
  }
  for (let i = 0; i < count; i++)
    if (type === POLYGON) {
      const positions = view.getUint32(at, true)
      visit(positions, MIN_RING)
      at += 4 + positions * stride
    } else at = walk(view, at, visit)
  return at
}

function rewrite(wkb: Wkb, view: DataView, start: number, chunks: Uint8Array[]): number {
  const code = view.getUint32(start + 1, true)
  const type = code % 1000
  const stride = code >= 1000 ? 24 : 16
  if (type === POINT) {
    chunks.push(wkb.subarray(start, start + 5 + stride))
    return start + 5 + stride
  }
  const count = view.getUint32(start + 5, true)
  chunks.push(wkb.subarray(start, start + 5))
  let at = start + 9
  if (type === LINE) {
    append(chunks, padded(wkb, at, count, stride, MIN_LINE))
    return at + count * stride
  }
  if (type >= MULTI_POINT && type <= COLLECTION) {
    chunks.push(countBytes(count))
    for (let i = 0; i < count; i++) at = rewrite(wkb, view, at, chunks)
    return at
  }
  const rings: Uint8Array[][] = []
  for (let ring = 0; ring < count; ring++) {
    const positions = view.getUint32(at, true)
    at += 4
    // holes without an outer ring are dropped
    if (positions > 0 && (ring === 0 || rings.length > 0)) rings.push(padded(wkb, at, positions, stride, MIN_RING))
    at += positions * stride
  }
  chunks.push(countBytes(rings.length))
  append(chunks, rings.flat())
  return at
}

/** The number of positions and the positions, at least `minimum` unless there are none. */
function padded(wkb: Wkb, start: number, count: number, stride: number, minimum: number): Uint8Array[] {
  const missing = count === 0 ? 0 : Math.max(0, minimum - count)
  const end = start + count * stride
  const last = wkb.subarray(end - stride, end)
  return [countBytes(count + missing), wkb.subarray(start, end), ...new Array<Uint8Array>(missing).fill(last)]
}

function countBytes(count: number): Uint8Array {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(count)
  return bytes
}
