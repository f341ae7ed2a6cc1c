/** A spatial index of geometries by their envelopes: a packed Hilbert R-tree (flatbush). */
import Flatbush from 'flatbush'
import { emptyEnvelope, envelopeOf, type Wkb, widen } from './wkb.ts'

export type SpatialIndex = {
  /** Ascending indexes of the geometries whose envelopes intersect the envelope of `wkb`. */
  near(wkb: Wkb): number[]
  /** Ascending indexes of the geometries whose envelopes contain a point. */
  at(x: number, y: number): number[]
  /** Ascending indexes of the geometries whose envelopes intersect a box. */
  inBox(minX: number, minY: number, maxX: number, maxY: number): number[]
}

/** @param geometryAt the geometry at an index below `length`; a null or empty one is never found */
export function indexOf(geometryAt: (index: number) => Wkb | null, length: number): SpatialIndex {
  const indexes = new Uint32Array(length)
  const boxes = new Float64Array(length * 4)
  const box = emptyEnvelope()
  let count = 0
  for (let index = 0; index < length; index++) {
    const geometry = geometryAt(index)
    if (geometry === null) continue
    box[0] = box[1] = Number.POSITIVE_INFINITY
    box[2] = box[3] = Number.NEGATIVE_INFINITY
    widen(box, geometry)
    if (box[0] > box[2]) continue
    boxes.set(box, count * 4)
    indexes[count++] = index
  }
  if (count === 0) return { near: () => [], at: () => [], inBox: () => [] }
  const tree = new Flatbush(count)
  for (let at = 0; at < count * 4; at += 4)
    tree.add(boxes[at] as number, boxes[at + 1] as number, boxes[at + 2] as number, boxes[at + 3] as number)
  tree.finish()
  const inBox = (minX: number, minY: number, maxX: number, maxY: number): number[] => {
    const found = tree.search(minX, minY, maxX, maxY).map((at) => indexes[at] as number)
    return found.length > 1 ? found.sort((a, b) => a - b) : found
  }
  return { near: (wkb) => inBox(...envelopeOf(wkb)), at: (x, y) => inBox(x, y, x, y), inBox }
}
