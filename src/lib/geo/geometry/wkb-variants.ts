/**
 * Converts well-known binary from other programs to the encoding of wkb.ts. Variants: either byte order, M values, Z as
 * thousands in the type code (ISO 13249-3) or as its highest bit (the older way), and the SRID that PostGIS adds.
 */
import type { FieldText } from '../../../field-texts/bilingual.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'
import { COLLECTION, LINE, MULTI_LINE, MULTI_POINT, MULTI_POLYGON, POINT, POLYGON, viewOf, type Wkb } from './wkb.ts'

const [Z_BIT, M_BIT, SRID_BIT] = [0x8000_0000, 0x4000_0000, 0x2000_0000]
const HEAD_BYTES = 5
const COUNT_BYTES = 4
const SRID_BYTES = 4
/** Maximum nesting of collections, the same as for GeoJSON. */
const MAX_DEPTH = 8

type Head = { little: boolean; code: number; type: number; hasZ: boolean; hasM: boolean; bytes: number }

/**
 * Polyhedral surfaces, TINs and triangles consist of polygons. The polygons share edges, which is valid in a collection
 * but not in a multipolygon.
 */
const SURFACES = new Map([
  [15, COLLECTION],
  [16, COLLECTION],
  [17, POLYGON],
])

/** Whether a geometry is a surface and not a curve. */
export const isSurface = (bytes: Uint8Array): boolean =>
  bytes.length > HEAD_BYTES && SURFACES.has((viewOf(bytes).getUint32(1, bytes[0] === 1) & 0xffff) % 1000)

function headAt(view: DataView, at: number): Head {
  const little = view.getUint8(at) === 1
  const code = view.getUint32(at + 1, little)
  const thousands = Math.floor((code & 0xffff) / 1000)
  return {
    little,
    code,
    type: SURFACES.get((code & 0xffff) % 1000) ?? (code & 0xffff) % 1000,
    hasZ: thousands % 2 === 1 || (code & Z_BIT) !== 0,
    hasM: thousands >= 2 || (code & M_BIT) !== 0,
    bytes: HEAD_BYTES + ((code & SRID_BIT) !== 0 ? SRID_BYTES : 0),
  }
}

const isPlain = ({ little, code, type }: Head): boolean => little && code < 2000 && code % 1000 === type

/** Whether a geometry and all its members have one of the seven types of wkb.ts; for bytes from GDAL. */
export const isPlainType = (bytes: Uint8Array): boolean => !Number.isNaN(endOf(viewOf(bytes), 0))

/** The offset after a geometry; NaN if it or a member has another type. */
function endOf(view: DataView, start: number): number {
  const { little, type, hasZ, hasM, bytes } = headAt(view, start)
  if (type < POINT || type > COLLECTION) return Number.NaN
  const stride = 16 + (hasZ ? 8 : 0) + (hasM ? 8 : 0)
  let at = start + bytes
  if (type === POINT) return at + stride
  let remaining = view.getUint32(at, little)
  at += COUNT_BYTES
  if (type === LINE) return at + remaining * stride
  for (; remaining > 0 && !Number.isNaN(at); remaining--)
    if (type === POLYGON) at += COUNT_BYTES + view.getUint32(at, little) * stride
    else at = endOf(view, at)
  return at
}

/** For bytes from GEOS or GDAL, which are valid and use one variant throughout. */
export function normalised(bytes: Uint8Array): Wkb {
  return isPlain(headAt(viewOf(bytes), 0)) ? bytes : rewrite(bytes)
}

/** The result is never longer than the input. */
function rewrite(bytes: Uint8Array): Wkb {
  const from = viewOf(bytes)
  const wkb = new Uint8Array(bytes.length)
  const to = viewOf(wkb)
  let length = 0
  const put = (value: number): void => {
    to.setUint32(length, value, true)
    length += COUNT_BYTES
  }
  function copy(start: number): number {
    const head = headAt(from, start)
    const { little, type, hasZ, hasM } = head
    let at = start + head.bytes
    wkb[length++] = 1
    put(type + (hasZ ? 1000 : 0))
    const positions = (count: number): void => {
      for (let i = 0; i < count; i++) {
        for (let axis = 0; axis < (hasZ ? 3 : 2); axis++, at += 8, length += 8)
          to.setFloat64(length, from.getFloat64(at, little), true)
        if (hasM) at += 8
      }
    }
    const readCount = (): number => {
      const count = from.getUint32(at, little)
      at += COUNT_BYTES
      put(count)
      return count
    }
    if (type === POINT) positions(1)
    else if (type === LINE) positions(readCount())
    else
      for (let remaining = readCount(); remaining > 0; remaining--)
        if (type === POLYGON) positions(readCount())
        else at = copy(at)
    return at
  }
  copy(0)
  return wkb.subarray(0, length)
}

/** The part type of each multi type; a collection may contain any type. */
const MEMBERS = new Map([
  [MULTI_POINT, POINT],
  [MULTI_LINE, LINE],
  [MULTI_POLYGON, POLYGON],
])

/**
 * For bytes from an untrusted file: checks all counts against the length, because later code relies on them.
 * @throws InputError `wkb`
 */
export function checkedWkb(bytes: Uint8Array): Wkb {
  const view = viewOf(bytes)
  let plain = true

  /** Returns the offset after `count` elements of `each` bytes. */
  function offsetAfter(at: number, count: number, each: number): number {
    if (at + count * each > bytes.length) throw broken(fieldText('wkbEnds'))
    return at + count * each
  }
  function measure(start: number, expectedType: number | undefined, depth: number): number {
    offsetAfter(start, 1, HEAD_BYTES)
    const head = headAt(view, start)
    const { little, code, type, hasZ, hasM } = head
    plain &&= isPlain(head)
    if (type < POINT || type > COLLECTION) throw broken(fieldText('wkbType', { code }))
    if (expectedType !== undefined && type !== expectedType) throw broken(fieldText('wkbPart'))
    if (depth > MAX_DEPTH) throw broken(fieldText('wkbDepth', { most: MAX_DEPTH }))
    const stride = 16 + (hasZ ? 8 : 0) + (hasM ? 8 : 0)
    const readCount = (at: number): number => {
      offsetAfter(at, 1, COUNT_BYTES)
      return view.getUint32(at, little)
    }
    let at = start + head.bytes
    if (type === POINT) return offsetAfter(at, 1, stride)
    let remaining = readCount(at)
    at += COUNT_BYTES
    if (type === LINE) return offsetAfter(at, remaining, stride)
    for (; remaining > 0; remaining--)
      if (type === POLYGON) at = offsetAfter(at + COUNT_BYTES, readCount(at), stride)
      else at = measure(at, MEMBERS.get(type), depth + 1)
    return at
  }

  const whole = bytes.subarray(0, measure(0, undefined, 0))
  return plain ? whole : rewrite(whole)
}

const broken = (text: FieldText): InputError => new InputError('wkb', text)
