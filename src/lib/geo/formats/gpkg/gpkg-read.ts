/**
 * Reads the rows of a GeoPackage directly with SQLite, because gdal-async needs one call into GDAL per value. GDAL
 * opens the file, finds the layer and its columns, and reads the rows in special cases: values of another type than
 * their column, geometries in other variants. Runs in Node only.
 */
import type * as Gdal from 'gdal-async'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { InputError } from '../../../input-error.ts'
import { COLLECTION, LINE, MULTI_POINT, POINT, POLYGON, viewOf, type Wkb } from '../../geometry/wkb.ts'
import { copyOf } from '../../geometry/wkb-pool.ts'
import { checkedWkb, isSurface } from '../../geometry/wkb-variants.ts'
import type { Feature } from '../../layers/layer.ts'

const PLAIN_TEXT = /^[^\0\ufffd]*$/
const DATE = '[1-9]\\d{3}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\\d|3[01])'
const PLAIN_DATE = new RegExp(`^${DATE}$`)
/** Date-times as GDAL writes them. */
const PLAIN_DATETIME = new RegExp(
  `^(${DATE}T(?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d)(?:(\\.\\d*?)0*)?(Z|[+-](?:0\\d|1[0-4]):(?:00|15|30|45)|)$`,
)

/** Undefined for a value that GDAL has to convert. */
type Reader = (value: unknown) => unknown

const isInteger = (value: unknown): boolean => Number.isSafeInteger(value)
const READERS: Record<string, Reader> = {
  integer: (value) => (isInteger(value) && (value as number) === ((value as number) | 0) ? value : undefined),
  integer64: (value) => (isInteger(value) ? value : undefined),
  real: (value) => (typeof value === 'number' ? value : undefined),
  string: (value) => (typeof value === 'string' && PLAIN_TEXT.test(value) ? value : undefined),
  date: (value) => (typeof value === 'string' && PLAIN_DATE.test(value) ? value : undefined),
  dateTime: (value) => (typeof value === 'string' ? dateTimeFrom(value) : undefined),
}

function dateTimeFrom(text: string): string | undefined {
  const [whole, time, fraction = '', zone] = PLAIN_DATETIME.exec(text) ?? []
  return whole === undefined
    ? undefined
    : `${time}${fraction === '.' ? '' : fraction}${zone === '+00:00' || zone === '-00:00' ? 'Z' : zone}`
}

/** @returns undefined when GDAL has to read the rows. @throws InputError `maxFeatures` */
export async function readGeoPackageRows(
  path: string,
  { name, fidColumn, geomColumn, fields }: Gdal.Layer,
  maxFeatures: number,
  hasIds: boolean,
  losses: { measures: boolean },
): Promise<Feature[] | undefined> {
  const columns: string[] = []
  const readers: (Reader | undefined)[] = []
  fields.forEach((field) => {
    columns.push(field.name)
    // GDAL cuts longer texts
    readers.push(field.width > 0 ? undefined : READERS[field.type])
  })
  if (fidColumn === '' || geomColumn === '' || readers.includes(undefined)) return undefined
  const { DatabaseSync } = await import('node:sqlite')
  const database = new DatabaseSync(path, { readOnly: true, allowExtension: false })
  try {
    const features: Feature[] = []
    const names = [fidColumn, geomColumn, ...columns].map((column) => `"${column.replaceAll('"', '""')}"`)
    const statement = database.prepare(`SELECT ${names.join()} FROM "${name.replaceAll('"', '""')}"`)
    statement.setReturnArrays(true)
    for (const row of statement.iterate() as Iterable<unknown>) {
      if (features.length >= maxFeatures)
        throw new InputError('maxFeatures', fieldText('tooManyFeatures', { most: maxFeatures }))
      const [id, blob, ...values] = row as unknown[]
      const geometry = blob === null ? null : plainGeometry(blob, losses)
      if (!isInteger(id) || geometry === undefined) return undefined
      for (let i = 0; i < values.length; i++)
        if (values[i] !== null) {
          values[i] = (readers[i] as Reader)(values[i])
          if (values[i] === undefined) return undefined
        }
      features.push({ values, geometry, ...(hasIds && { id: id as number }) })
    }
    return features
  } catch (cause) {
    // for integers beyond a double, and any other failure, GDAL may read the rows or report a clear error
    if (cause instanceof InputError) throw cause
    return undefined
  } finally {
    database.close()
  }
}

const HEADER_BYTES = 8
const [LITTLE_ENDIAN, EMPTY, EXTENDED] = [1, 16, 32]
/** Bytes of the envelope by its code (OGC 12-128r19, 2.1.3). */
const ENVELOPE_BYTES = [0, 32, 48, 48, 64]

/** The geometry of a blob; undefined when GDAL has to read it. */
function plainGeometry(blob: unknown, losses: { measures: boolean }): Wkb | undefined {
  if (!(blob instanceof Uint8Array) || blob.length < HEADER_BYTES + 5) return undefined
  const flags = blob[3] as number
  if (blob[0] !== 0x47 || blob[1] !== 0x50 || blob[2] !== 0 || (flags & EXTENDED) !== 0) return undefined
  const envelope = (flags & LITTLE_ENDIAN) !== 0 ? ENVELOPE_BYTES[(flags >> 1) & 7] : undefined
  if (envelope === undefined) return undefined
  const start = HEADER_BYTES + envelope
  const view = viewOf(blob)
  if (isMeasured(view, start)) {
    losses.measures = true
    return checkedWkb(blob.subarray(start))
  }
  if (isSurface(blob.subarray(start))) return checkedWkb(blob.subarray(start))
  const end = (flags & EMPTY) !== 0 ? endOfEmpty(view, start) : endOfPlain(view, start)
  return end === blob.length ? copyOf(blob, start, blob.length) : undefined
}

/** Whether a geometry of the seven types has M values (ISO 13249-3). */
function isMeasured(view: DataView, start: number): boolean {
  const code = view.getUint32(start + 1, view.getUint8(start) === 1)
  return code > 2000 && code < 4000 && code % 1000 <= COLLECTION
}

/** The offset after a geometry without positions in the encoding of wkb.ts; NaN for any other bytes. */
function endOfEmpty(view: DataView, start: number): number {
  if (start + 9 > view.byteLength || view.getUint8(start) !== 1) return Number.NaN
  const code = view.getUint32(start + 1, true)
  const type = code % 1000
  if (code >= 2000 || type < LINE || type > COLLECTION || view.getUint32(start + 5, true) !== 0) return Number.NaN
  return start + 9
}

/**
 * The offset after a geometry in the encoding of wkb.ts whose lines and rings have enough positions; NaN for any other
 * bytes.
 * @param expected required type code
 */
function endOfPlain(view: DataView, start: number, expected?: number): number {
  if (start + 9 > view.byteLength || view.getUint8(start) !== 1) return Number.NaN
  const code = view.getUint32(start + 1, true)
  const type = code % 1000
  const [isPlain, stride] = [code === type || code === type + 1000, code === type ? 16 : 24]
  if (!isPlain || type < POINT || type > COLLECTION || (expected ?? code) !== code) return Number.NaN
  let at = start + 5
  // a point without coordinates is an empty one
  if (type === POINT)
    return at + stride > view.byteLength || Number.isNaN(view.getFloat64(at, true)) ? Number.NaN : at + stride
  const count = view.getUint32(at, true)
  at += 4
  if (type === LINE) return count < 2 ? Number.NaN : at + count * stride
  if (count === 0) return Number.NaN
  for (let i = 0; i < count; i++) {
    if (!(at + 4 <= view.byteLength)) return Number.NaN
    if (type === POLYGON) {
      const positions = view.getUint32(at, true)
      if (positions < 4) return Number.NaN
      at += 4 + positions * stride
    } else if (type < COLLECTION) at = endOfPlain(view, at, code - (MULTI_POINT - POINT))
    else {
      const hasZ = at + 5 <= view.byteLength && view.getUint32(at + 1, true) >= 1000
      at = hasZ === stride > 16 ? endOfPlain(view, at) : Number.NaN
    }
  }
  return at
}
