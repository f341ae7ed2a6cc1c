/**
 * Writes the rows of a shapefile that GDAL created without rows (ESRI Shapefile Technical Description, 1998), byte for
 * byte as GDAL would, because gdal-async needs one call into GDAL per value.
 */

import { closeSync, openSync, readFileSync, writeSync } from 'node:fs'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { InputError } from '../../../input-error.ts'
import { emptyEnvelope, forEachRun, hasZ, type Wkb } from '../../geometry/wkb.ts'
import type { Feature, Layer } from '../../layers/layer.ts'
import { hasPlainValues } from '../gdal/gdal-write.ts'
import { signedArea } from '../geojson/geojson-write.ts'

const SHAPE_HEAD_BYTES = 100
const RECORD_HEAD_BYTES = 8
const BLOCK_BYTES = 4 << 20

/** Types of shapes in two dimensions; add 10 for three dimensions. */
const [NULL_SHAPE, POINT_SHAPE, LINE_SHAPE, POLYGON_SHAPE] = [0, 1, 3, 5]

/** A file whose header is written last. */
class Records {
  private readonly fd: number
  private block = Buffer.allocUnsafe(BLOCK_BYTES)
  private used = 0
  private at: number

  constructor(path: string, headBytes: number) {
    this.fd = openSync(path, 'r+')
    this.at = headBytes
  }

  get length(): number {
    return this.at + this.used
  }

  /** The buffer of the next record; fill it before requesting another. */
  next(bytes: number): Buffer {
    if (this.used + bytes > this.block.length) {
      this.flush()
      if (bytes > this.block.length) this.block = Buffer.allocUnsafe(bytes)
    }
    this.used += bytes
    return this.block.subarray(this.used - bytes, this.used)
  }

  private flush(): void {
    for (let from = 0; from < this.used; ) {
      const written = writeSync(this.fd, this.block, from, this.used - from, this.at)
      from += written
      this.at += written
    }
    this.used = 0
  }

  end(head: Buffer): void {
    this.flush()
    writeSync(this.fd, head, 0, head.length, 0)
  }

  close(): void {
    closeSync(this.fd)
  }
}

/** @param base path of the files without their extensions. @param layer must satisfy `fits` */
export function writeShapefileRows(base: string, layer: Layer): void {
  writeShapes(base, layer.features)
  writeTable(`${base}.dbf`, layer)
}

type Run = { view: DataView; offset: number; count: number; stride: number; isReversed: boolean }

function writeShapes(base: string, features: readonly Feature[]): void {
  const head = readFileSync(`${base}.shp`).subarray(0, SHAPE_HEAD_BYTES)
  const type = head.readInt32LE(32)
  const [shapes, index] = [`${base}.shp`, `${base}.shx`].map((path) => new Records(path, SHAPE_HEAD_BYTES)) as [
    Records,
    Records,
  ]
  const [all, heights] = [emptyEnvelope(), noHeights()]
  try {
    for (const [i, { geometry }] of features.entries()) {
      const entry = index.next(RECORD_HEAD_BYTES)
      entry.writeInt32BE(shapes.length / 2, 0)
      const contentBytes = writeShape(shapes, i + 1, type, geometry, all, heights)
      entry.writeInt32BE(contentBytes / 2, 4)
    }
    ;[all[0], all[1], all[2], all[3]].forEach((bound, i) => {
      head.writeDoubleLE(bound, 36 + 8 * i)
    })
    if (heights[0] <= heights[1]) for (const i of [0, 1]) head.writeDoubleLE(heights[i] as number, 68 + 8 * i)
    for (const file of [shapes, index]) {
      head.writeInt32BE(file.length / 2, 24)
      file.end(head)
    }
  } finally {
    shapes.close()
    index.close()
  }
}

const noHeights = (): [number, number] => [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]

/** @param all extent to widen by the shape, with its heights. @returns the length of the record's content */
function writeShape(
  file: Records,
  number: number,
  type: number,
  wkb: Wkb | null,
  all: ReturnType<typeof emptyEnvelope>,
  heights: [number, number],
): number {
  const runs = wkb === null ? [] : runsOf(wkb)
  const count = runs.reduce((sum, run) => sum + run.count, 0)
  const flat = type % 10
  const isMade = count > 0
  const z = isMade && wkb !== null && hasZ(wkb)
  const parts = flat === LINE_SHAPE || flat === POLYGON_SHAPE ? runs.length : 0
  const positionsAt = flat === POINT_SHAPE ? 4 : 40 + (parts > 0 ? 4 + 4 * parts : 0)
  const zAt = positionsAt + 16 * count
  const boundsBytes = flat === POINT_SHAPE ? 0 : 16
  const bytes = isMade ? zAt + (z ? boundsBytes + 8 * count : 0) : 4
  const record = file.next(RECORD_HEAD_BYTES + bytes)
  record.writeInt32BE(number, 0)
  record.writeInt32BE(bytes / 2, 4)
  const to = new DataView(record.buffer, record.byteOffset + RECORD_HEAD_BYTES, bytes)
  to.setInt32(0, isMade ? type : NULL_SHAPE, true)
  if (!isMade) return bytes
  const own = emptyEnvelope()
  const ownHeights = noHeights()
  let at = positionsAt
  let atZ = zAt + boundsBytes
  runs.forEach(({ view, offset, count: positions, stride, isReversed }, part) => {
    if (parts > 0) to.setInt32(44 + 4 * part, (at - positionsAt) / 16, true)
    const step = isReversed ? -stride : stride
    let from = isReversed ? offset + (positions - 1) * stride : offset
    for (let i = 0; i < positions; i++, from += step, at += 16) {
      const x = view.getFloat64(from, true)
      const y = view.getFloat64(from + 8, true)
      to.setFloat64(at, x, true)
      to.setFloat64(at + 8, y, true)
      if (x < own[0]) own[0] = x
      if (y < own[1]) own[1] = y
      if (x > own[2]) own[2] = x
      if (y > own[3]) own[3] = y
      if (!z) continue
      const height = view.getFloat64(from + 16, true)
      to.setFloat64(atZ, height, true)
      atZ += 8
      if (height < ownHeights[0]) ownHeights[0] = height
      if (height > ownHeights[1]) ownHeights[1] = height
    }
  })
  if (flat !== POINT_SHAPE) {
    own.forEach((bound, i) => {
      to.setFloat64(4 + 8 * i, bound, true)
    })
    if (parts > 0) to.setInt32(36, parts, true)
    to.setInt32(parts > 0 ? 40 : 36, count, true)
    if (z) for (const i of [0, 1]) to.setFloat64(zAt + 8 * i, ownHeights[i] as number, true)
  }
  for (const i of [0, 1] as const) {
    all[i] = Math.min(all[i], own[i])
    all[i + 2] = Math.max(all[i + 2] as number, own[i + 2] as number)
  }
  heights[0] = Math.min(heights[0], ownHeights[0])
  heights[1] = Math.max(heights[1], ownHeights[1])
  return bytes
}

/** Runs of positions, with outer rings clockwise and inner rings counter-clockwise. */
function runsOf(wkb: Wkb): Run[] {
  const runs: Run[] = []
  forEachRun(wkb, (view, offset, count, stride, role, ring) => {
    const isReversed = role === 2 && signedArea(view, offset, count, stride) > 0 === (ring === 0)
    runs.push({ view, offset, count, stride, isReversed })
  })
  return runs
}

const [TABLE_HEAD_BYTES, FIELD_BYTES] = [32, 32]
/** Offsets within a field descriptor. */
const [TYPE_AT, WIDTH_AT] = [11, 16]
/** GDAL's filler for an empty field, by type. Date-times are texts. */
const BLANKS: Record<string, string> = { N: '*', F: '*', D: '0' }
const [SPACE, END] = [0x20, 0x1a]
const [MAX_TEXT_BYTES, MAX_ROW_BYTES] = [254, 65_535]
const DECIMALS = 15
/** Larger numbers would have an exponent. */
const MAX_REAL = 1e21

/** Whether `writeTable` writes the values as GDAL would. */
export const fits = (layer: Layer): boolean => hasPlainValues(layer, (value) => Math.abs(value) < MAX_REAL)

function writeTable(path: string, { fields, features }: Layer): void {
  const head = readFileSync(path)
  const headBytes = head.readUInt16LE(8)
  const texts = fields.map(({ type }) => (value: unknown): string => {
    if (type === 'real') return (value as number).toFixed(DECIMALS)
    return type === 'boolean' ? String(Number(value)) : String(value)
  })
  const blanks = fields.map((_, i) => {
    const typeAt = TABLE_HEAD_BYTES + FIELD_BYTES * i + TYPE_AT
    return BLANKS[head.toString('latin1', typeAt, typeAt + 1)] ?? ' '
  })
  let rowBytes = 1
  const widths = fields.map(({ type }, i) => {
    const widthAt = TABLE_HEAD_BYTES + FIELD_BYTES * i + WIDTH_AT
    let width = head[widthAt] as number
    if (type !== 'real' && type !== 'boolean')
      for (const { values } of features) {
        const value = values[i]
        const text = typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
        if (text.length * 3 > width) width = Math.min(MAX_TEXT_BYTES, Math.max(width, Buffer.byteLength(text)))
      }
    head[widthAt] = width
    rowBytes += width
    return width
  })
  if (rowBytes > MAX_ROW_BYTES) throw new InputError('target', fieldText('shapefileRow', { most: MAX_ROW_BYTES }))
  const table = new Records(path, headBytes)
  try {
    for (const { values } of features) {
      const row = table.next(rowBytes).fill(SPACE)
      let at = 1
      for (let i = 0; i < widths.length; i++) {
        const width = widths[i] as number
        const value = values[i] ?? null
        const isText = fields[i]?.type === 'string'
        if (value === null) row.fill(blanks[i] as string, at, at + width)
        else {
          const text = (texts[i] as (value: unknown) => string)(value)
          // a number that is too long loses decimals
          if (isText) row.write(text, at, width)
          else row.write(text.slice(0, width), at + Math.max(0, width - text.length), 'latin1')
        }
        at += width
      }
    }
    table.next(1)[0] = END
    head.writeUInt32LE(features.length, 4)
    head.writeUInt16LE(rowBytes, 10)
    table.end(head.subarray(0, headBytes))
  } finally {
    table.close()
  }
}
