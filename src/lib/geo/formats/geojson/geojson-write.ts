/**
 * Writes well-known binary as GeoJSON text (RFC 7946) directly into bytes: coordinates in degrees with nine decimals
 * (a tenth of a millimetre), outer rings counter-clockwise.
 */

import { COLLECTION, LINE, POINT, POLYGON, TYPE_NAMES, viewOf, type Wkb } from '../../geometry/wkb.ts'
import type { Feature, Layer } from '../../layers/layer.ts'

export const GEOJSON_DECIMALS = 9
const SCALE = 10 ** GEOJSON_DECIMALS
const GROWTH = 2
/** Maximum length of the text of one position. */
const POSITION_BYTES = 80

export class GeoJsonWriter {
  private bytes = Buffer.allocUnsafe(1 << 16)
  private at = 0
  private isExact = false

  private ensureCapacity(bytes: number): void {
    if (this.at + bytes <= this.bytes.length) return
    const larger = Buffer.allocUnsafe(Math.max(this.bytes.length * GROWTH, this.at + bytes))
    this.bytes.copy(larger, 0, 0, this.at)
    this.bytes = larger
  }

  /** Writes ASCII text that needs no escaping. */
  private raw(text: string): void {
    this.ensureCapacity(text.length)
    this.at += this.bytes.write(text, this.at, 'latin1')
  }

  json(text: string): void {
    this.ensureCapacity(text.length * 3)
    this.at += this.bytes.write(text, this.at, 'utf8')
  }

  private number(value: number): void {
    const { bytes } = this
    let scaled = Math.round(Math.abs(value) * SCALE)
    if (this.isExact || !(scaled < Number.MAX_SAFE_INTEGER)) {
      this.at += bytes.write(String(value), this.at, 'latin1')
      return
    }
    if (value < 0 && scaled !== 0) bytes[this.at++] = 45
    const whole = Math.floor(scaled / SCALE)
    scaled -= whole * SCALE
    if (whole < 10) bytes[this.at++] = 48 + whole
    else this.digits(whole, whole < 100 ? 2 : whole < 1000 ? 3 : String(whole).length)
    if (scaled === 0) return
    bytes[this.at++] = 46
    let digits = GEOJSON_DECIMALS
    while (scaled % 10 === 0) {
      scaled /= 10
      digits--
    }
    this.digits(scaled, digits)
  }

  private digits(value: number, count: number): void {
    let rest = value
    for (let i = this.at + count - 1; i >= this.at; i--) {
      const next = Math.floor(rest / 10)
      this.bytes[i] = 48 + (rest - next * 10)
      rest = next
    }
    this.at += count
  }

  private position(view: DataView, at: number, stride: number): void {
    this.ensureCapacity(POSITION_BYTES)
    this.bytes[this.at++] = 91
    this.number(view.getFloat64(at, true))
    this.bytes[this.at++] = 44
    this.number(view.getFloat64(at + 8, true))
    if (stride === 24) {
      this.bytes[this.at++] = 44
      this.number(view.getFloat64(at + 16, true))
    }
    this.bytes[this.at++] = 93
  }

  private positions(view: DataView, start: number, count: number, stride: number, backwards = false): void {
    this.raw('[')
    for (let i = 0; i < count; i++) {
      if (i > 0) this.bytes[this.at++] = 44
      this.position(view, start + (backwards ? count - 1 - i : i) * stride, stride)
    }
    this.raw(']')
  }

  /** Writes the coordinates of the geometry that starts at `start`; returns the offset after it. */
  private coordinates(view: DataView, start: number): number {
    const code = view.getUint32(start + 1, true)
    const type = code % 1000
    const stride = code >= 1000 ? 24 : 16
    let at = start + 5
    if (type === POINT) {
      if (Number.isNaN(view.getFloat64(at, true))) this.raw('[]')
      else this.position(view, at, stride)
      return at + stride
    }
    const count = view.getUint32(at, true)
    at += 4
    if (type === LINE) {
      this.positions(view, at, count, stride)
      return at + count * stride
    }
    this.raw('[')
    for (let i = 0; i < count; i++) {
      if (i > 0) this.raw(',')
      if (type === POLYGON) {
        const points = view.getUint32(at, true)
        at += 4
        const clockwise = signedArea(view, at, points, stride) < 0
        this.positions(view, at, points, stride, clockwise === (i === 0))
        at += points * stride
      } else at = type === COLLECTION ? this.object(view, at) : this.coordinates(view, at)
    }
    this.raw(']')
    return at
  }

  private object(view: DataView, start: number): number {
    const type = view.getUint32(start + 1, true) % 1000
    this.raw(`{"type":"${TYPE_NAMES[type]}","${type === COLLECTION ? 'geometries' : 'coordinates'}":`)
    const end = this.coordinates(view, start)
    this.raw('}')
    return end
  }

  /** @param isExact whether to write all decimals of the coordinates */
  geometry(wkb: Wkb | null, isExact = false): void {
    this.isExact = isExact
    if (wkb === null) this.raw('null')
    else this.object(viewOf(wkb), 0)
  }

  /** Writes text that another writer made. */
  made(text: Uint8Array): void {
    this.ensureCapacity(text.length)
    this.bytes.set(text, this.at)
    this.at += text.length
  }

  /** A copy of the bytes written after a given length. */
  since(length: number): Buffer {
    return Buffer.from(this.bytes.subarray(length, this.at))
  }

  /** Returns the bytes written since the last call. */
  take(): Buffer {
    const taken = Buffer.from(this.bytes.subarray(0, this.at))
    this.at = 0
    return taken
  }

  get length(): number {
    return this.at
  }
}

/** Twice the signed area of a ring; positive for a counter-clockwise ring. */
export function signedArea(view: DataView, start: number, count: number, stride: number): number {
  if (count === 0) return 0
  const x0 = view.getFloat64(start, true)
  const y0 = view.getFloat64(start + 8, true)
  let sum = 0
  let px = 0
  let py = 0
  for (let i = 1, at = start + stride; i < count; i++, at += stride) {
    const x = view.getFloat64(at, true) - x0
    const y = view.getFloat64(at + 8, true) - y0
    sum += px * y - x * py
    px = x
    py = y
  }
  return sum
}

const BLOCK_BYTES = 4 << 20

/** Whether the feature at an index has the same geometry as the previous feature. */
const isRepeated = (features: readonly Pick<Feature, 'geometry'>[], index: number): boolean =>
  index > 0 && index < features.length && features[index]?.geometry === features[index - 1]?.geometry

/**
 * Writes a layer in WGS 84 as a FeatureCollection, in blocks of a few megabytes.
 * @param needsAllDecimals whether a geometry would become invalid with nine decimals
 */
export function* writeGeoJson(layer: Layer, needsAllDecimals?: (wkb: Wkb) => boolean): Generator<Buffer> {
  const writer = new GeoJsonWriter()
  const keys = layer.fields.map(({ name }) => JSON.stringify(name))
  writer.json(`{"type":"FeatureCollection","name":${JSON.stringify(layer.name)},"features":[\n`)
  const { features } = layer
  /** The previous geometry's text, when the same geometry repeats, as in a join with several matches. */
  let repeated: Uint8Array | undefined
  for (const [n, { id, values, geometry }] of features.entries()) {
    let properties = ''
    for (let i = 0; i < keys.length; i++) {
      const value = values[i]
      const text = value === null || value === undefined ? 'null' : jsonOf(value)
      properties += `${i > 0 ? ',' : ''}${keys[i]}:${text}`
    }
    const idText = id === undefined ? '' : `"id":${jsonOf(id)},`
    writer.json(`${n === 0 ? '' : ',\n'}{"type":"Feature",${idText}"properties":{${properties}},"geometry":`)
    const before = writer.length
    if (repeated !== undefined) writer.made(repeated)
    else writer.geometry(geometry, geometry !== null && needsAllDecimals?.(geometry))
    if (!isRepeated(features, n + 1)) repeated = undefined
    else repeated ??= writer.since(before)
    writer.json('}')
    if (writer.length > BLOCK_BYTES) yield writer.take()
  }
  writer.json('\n]}\n')
  yield writer.take()
}

function jsonOf(value: unknown): string {
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : 'null'
  if (value instanceof Uint8Array) return JSON.stringify(Buffer.from(value).toString('base64'))
  return JSON.stringify(value)
}
