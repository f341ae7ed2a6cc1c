/**
 * Well-known binary of other programs: either byte order, M values, Z in thousands (ISO 13249-3) or in the highest bit
 * (the older way), and the number of the reference system that PostGIS puts in. All of it becomes what wkb.ts reads.
 */
import { InputError } from '../input-error.ts'
import { COLLECTION, LINE, MULTI_LINE, MULTI_POINT, MULTI_POLYGON, POINT, POLYGON, viewOf, type Wkb } from './wkb.ts'

const [Z_BIT, M_BIT, SRID_BIT] = [0x8000_0000, 0x4000_0000, 0x2000_0000]
const HEAD_BYTES = 5
const COUNT_BYTES = 4
const SRID_BYTES = 4
/** Collections within collections; GeoJSON is read as deep. */
const MAX_DEPTH = 8

type Head = { little: boolean; code: number; type: number; hasZ: boolean; hasM: boolean; bytes: number }

function headAt(view: DataView, at: number): Head {
  const little = view.getUint8(at) === 1
  const code = view.getUint32(at + 1, little)
  const thousands = Math.floor((code & 0xffff) / 1000)
  return {
    little,
    code,
    type: (code & 0xffff) % 1000,
    hasZ: thousands % 2 === 1 || (code & Z_BIT) !== 0,
    hasM: thousands >= 2 || (code & M_BIT) !== 0,
    bytes: HEAD_BYTES + ((code & SRID_BIT) !== 0 ? SRID_BYTES : 0),
  }
}

const isPlain = ({ little, code }: Head): boolean => little && code < 2000

/** Bytes of GEOS or GDAL, which are sound and of one flavour throughout. */
export function normalised(bytes: Uint8Array): Wkb {
  return isPlain(headAt(viewOf(bytes), 0)) ? bytes : rewritten(bytes)
}

/** Never longer than before. */
function rewritten(bytes: Uint8Array): Wkb {
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
    const counted = (): number => {
      const count = from.getUint32(at, little)
      at += COUNT_BYTES
      put(count)
      return count
    }
    if (type === POINT) positions(1)
    else if (type === LINE) positions(counted())
    else
      for (let left = counted(); left > 0; left--)
        if (type === POLYGON) positions(counted())
        else at = copy(at)
    return at
  }
  copy(0)
  return wkb.subarray(0, length)
}

/** What a geometry of parts may hold; a collection holds anything. */
const MEMBERS = new Map([
  [MULTI_POINT, POINT],
  [MULTI_LINE, LINE],
  [MULTI_POLYGON, POLYGON],
])

/**
 * Bytes of a stranger. Whatever walks a geometry trusts its counts, so they are held against the bytes here.
 * @throws InputError `wkb`
 */
export function checkedWkb(bytes: Uint8Array): Wkb {
  const view = viewOf(bytes)
  let plain = true

  /** Where so many things of so many bytes end. */
  function past(at: number, count: number, each: number): number {
    if (at + count * each > bytes.length) throw broken('ends before its last position')
    return at + count * each
  }
  function measure(start: number, wanted: number | undefined, depth: number): number {
    past(start, 1, HEAD_BYTES)
    const head = headAt(view, start)
    const { little, code, type, hasZ, hasM } = head
    plain &&= isPlain(head)
    if (type < POINT || type > COLLECTION) throw broken(`is of type ${code}, which is not read`)
    if (wanted !== undefined && type !== wanted) throw broken('holds a part of another type')
    if (depth > MAX_DEPTH) throw broken('nests collections too deeply')
    const stride = 16 + (hasZ ? 8 : 0) + (hasM ? 8 : 0)
    const counted = (at: number): number => {
      past(at, 1, COUNT_BYTES)
      return view.getUint32(at, little)
    }
    let at = start + head.bytes
    if (type === POINT) return past(at, 1, stride)
    let left = counted(at)
    at += COUNT_BYTES
    if (type === LINE) return past(at, left, stride)
    for (; left > 0; left--)
      if (type === POLYGON) at = past(at + COUNT_BYTES, counted(at), stride)
      else at = measure(at, MEMBERS.get(type), depth + 1)
    return at
  }

  const whole = bytes.subarray(0, measure(0, undefined, 0))
  return plain ? whole : rewritten(whole)
}

const broken = (what: string): InputError => new InputError('wkb', `has a geometry that ${what}`)
