/**
 * Geometries as well-known binary (ISO 19125, OGC 06-103r4), little-endian, in two or three dimensions: compact, and
 * the form that GEOS and GDAL read and write. The functions work on the bytes without decoding them into objects.
 */
import { isCoordinate } from './coordinate.ts'
import { allocate, copyOf } from './wkb-pool.ts'

export type Wkb = Uint8Array

export const POINT = 1
export const LINE = 2
export const POLYGON = 3
export const MULTI_POINT = 4
export const MULTI_LINE = 5
export const MULTI_POLYGON = 6
export const COLLECTION = 7

export const TYPE_NAMES = [
  'Geometry',
  'Point',
  'LineString',
  'Polygon',
  'MultiPoint',
  'MultiLineString',
  'MultiPolygon',
  'GeometryCollection',
] as const

export type TypeName = (typeof TYPE_NAMES)[number]

export const viewOf = (wkb: Wkb): DataView => new DataView(wkb.buffer, wkb.byteOffset, wkb.byteLength)

/**
 * Type codes are below 2000 and fit in the low two bytes; creating a DataView for each took a tenth of a clip's time.
 */
const codeOf = (wkb: Wkb): number => (wkb[1] as number) | ((wkb[2] as number) << 8)

/** The geometry type without the dimension flag, 1 to 7. */
export const typeOf = (wkb: Wkb): number => codeOf(wkb) % 1000

export const hasZ = (wkb: Wkb): boolean => codeOf(wkb) >= 1000

/** 0 for points, 1 for lines, 2 for polygons, the highest of the members for a collection, -1 for an empty geometry. */
export function dimensionOf(wkb: Wkb): number {
  let dimension = -1
  forEachRun(wkb, (_view, _offset, _count, _stride, role) => {
    dimension = Math.max(dimension, role)
  })
  return dimension
}

/** The dimensions of its parts, ascending: more than one for a collection of several kinds. */
export function dimensionsOf(wkb: Wkb): number[] {
  const found = [false, false, false]
  forEachRun(wkb, (_view, _offset, _count, _stride, role) => {
    found[role] = true
  })
  return [0, 1, 2].filter((dimension) => found[dimension])
}

/** The kind of a run of positions: 0 a point, 1 a line, 2 a ring of a polygon. */
export type Role = 0 | 1 | 2

/** Receives the offset of a run's first position, the number of positions, and the bytes from one to the next. */
export type RunVisitor = (
  view: DataView,
  offset: number,
  count: number,
  stride: number,
  role: Role,
  /** Index of the ring in its polygon, 0 for the outer one. */
  ring: number,
) => void

/** Visits every run of positions; an empty point (NaN NaN) is skipped. */
export function forEachRun(wkb: Wkb, visit: RunVisitor): void {
  walk(viewOf(wkb), 0, visit)
}

function walk(view: DataView, start: number, visit: RunVisitor): number {
  const code = view.getUint32(start + 1, true)
  const type = code % 1000
  const stride = code >= 1000 ? 24 : 16
  let at = start + 5
  if (type === POINT) {
    if (!Number.isNaN(view.getFloat64(at, true))) visit(view, at, 1, stride, 0, 0)
    return at + stride
  }
  const count = view.getUint32(at, true)
  at += 4
  if (type === LINE) {
    if (count > 0) visit(view, at, count, stride, 1, 0)
    return at + count * stride
  }
  if (type === POLYGON) {
    for (let ring = 0; ring < count; ring++) {
      const points = view.getUint32(at, true)
      at += 4
      if (points > 0) visit(view, at, points, stride, 2, ring)
      at += points * stride
    }
    return at
  }
  for (let i = 0; i < count; i++) at = walk(view, at, visit)
  return at
}

export function isEmpty(wkb: Wkb): boolean {
  let empty = true
  forEachRun(wkb, () => {
    empty = false
  })
  return empty
}

export function vertexCount(wkb: Wkb): number {
  let vertices = 0
  forEachRun(wkb, (_view, _offset, count) => {
    vertices += count
  })
  return vertices
}

/** [minX, minY, maxX, maxY]; for an empty geometry, minima are +∞ and maxima -∞. */
export type Envelope = [minX: number, minY: number, maxX: number, maxY: number]

export const emptyEnvelope = (): Envelope => [
  Number.POSITIVE_INFINITY,
  Number.POSITIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
  Number.NEGATIVE_INFINITY,
]

/** Extends `envelope` to contain the geometry and returns it. */
export function widen(envelope: Envelope, wkb: Wkb): Envelope {
  forEachRun(wkb, (view, offset, count, stride) => {
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      const x = view.getFloat64(at, true)
      const y = view.getFloat64(at + 8, true)
      if (x < envelope[0]) envelope[0] = x
      if (x > envelope[2]) envelope[2] = x
      if (y < envelope[1]) envelope[1] = y
      if (y > envelope[3]) envelope[3] = y
    }
  })
  return envelope
}

export const envelopeOf = (wkb: Wkb): Envelope => widen(emptyEnvelope(), wkb)

/** Returns a copy with every x and y replaced; `map` writes the new values to `out`. */
export function mapPositions(wkb: Wkb, map: (x: number, y: number, out: Float64Array) => void): Wkb {
  const copy = copyOf(wkb, 0, wkb.length)
  const out = new Float64Array(2)
  forEachRun(copy, (view, offset, count, stride) => {
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      map(view.getFloat64(at, true), view.getFloat64(at + 8, true), out)
      view.setFloat64(at, out[0] as number, true)
      view.setFloat64(at + 8, out[1] as number, true)
    }
  })
  return copy
}

/** Whether a geometry has three dimensions and all its heights are 0. */
export function isFlat(wkb: Wkb): boolean {
  if (!hasZ(wkb)) return false
  let flat = true
  forEachRun(wkb, (view, offset, count, stride) => {
    for (let at = offset; at < offset + count * stride; at += stride)
      if (view.getFloat64(at + 16, true) !== 0) flat = false
  })
  return flat
}

/** Drops the third dimension. */
export const flattened = (wkb: Wkb): Wkb => (hasZ(wkb) ? inDimensions(wkb, 2) : wkb)

/** Adds a third dimension with heights of 0. */
export const elevated = (wkb: Wkb): Wkb => (hasZ(wkb) ? wkb : inDimensions(wkb, 3))

function inDimensions(wkb: Wkb, dimensions: 2 | 3): Wkb {
  const view = viewOf(wkb)
  const out = new Uint8Array(dimensions === 2 ? wkb.length : Math.ceil(wkb.length * 1.5) + 24)
  const to = viewOf(out)
  const [fromBytes, toBytes] = dimensions === 2 ? [24, 16] : [16, 24]
  let length = 0
  function copy(start: number): number {
    const type = view.getUint32(start + 1, true) % 1000
    let at = start + 5
    out[length] = 1
    to.setUint32(length + 1, dimensions === 2 ? type : type + 1000, true)
    length += 5
    const count = (): number => {
      const n = view.getUint32(at, true)
      to.setUint32(length, n, true)
      at += 4
      length += 4
      return n
    }
    const positions = (n: number): void => {
      for (let i = 0; i < n; i++, at += fromBytes, length += toBytes) {
        out.set(wkb.subarray(at, at + 16), length)
        // an empty point also lacks a height
        if (dimensions === 3 && Number.isNaN(view.getFloat64(at, true))) to.setFloat64(length + 16, Number.NaN, true)
      }
    }
    if (type === POINT) positions(1)
    else if (type === LINE) positions(count())
    else
      for (let left = count(); left > 0; left--)
        if (type === POLYGON) positions(count())
        else at = copy(at)
    return at
  }
  copy(0)
  return out.subarray(0, length)
}

/** Whether all its numbers are valid coordinates. */
export function hasOnlyCoordinates(wkb: Wkb): boolean {
  let all = true
  forEachRun(wkb, (view, offset, count, stride) => {
    for (let at = offset; at < offset + count * stride; at += 8)
      if (!isCoordinate(view.getFloat64(at, true))) all = false
  })
  return all
}

/** The members of a multi-geometry or collection, as views of its bytes; otherwise the geometry itself. */
export function partsOf(wkb: Wkb): Wkb[] {
  if (typeOf(wkb) < MULTI_POINT) return [wkb]
  const view = viewOf(wkb)
  const parts: Wkb[] = []
  let at = 9
  for (let left = view.getUint32(5, true); left > 0; left--) {
    const end = walk(view, at, () => undefined)
    parts.push(wkb.subarray(at, end))
    at = end
  }
  return parts
}

/** Combines parts into one geometry of a multi or collection type. */
export function collect(type: number, parts: readonly Wkb[], z = parts.some(hasZ)): Wkb {
  const wkb = allocate(9 + parts.reduce((sum, part) => sum + part.length, 0))
  const view = viewOf(wkb)
  wkb[0] = 1
  view.setUint32(1, type + (z ? 1000 : 0), true)
  view.setUint32(5, parts.length, true)
  let at = 9
  for (const part of parts) {
    wkb.set(part, at)
    at += part.length
  }
  return wkb
}

/** The multi type of a simple type. */
export const multiOf = (type: number): number => (type >= MULTI_POINT ? type : type + 3)
