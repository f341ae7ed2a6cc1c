/**
 * Reads the directories of a TIFF (TIFF 6.0, section 2, and BigTIFF) without decoding any data: declared sizes and
 * offsets. Files from untrusted clients are checked this way before GDAL opens them.
 */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { fieldText } from '../../field-texts/field-text.ts'
import { InputError } from '../input-error.ts'

export type TiffDirectory = {
  /** Offset of the directory in the file. */
  offset: number
  /** Flags of NewSubfileType: 1 a reduced version of another image, 4 a mask. */
  subfile: number
  width: number
  height: number
  samplesPerPixel: number
  compression: number
  /** Bits of the first sample. */
  bits: number
  /** PhotometricInterpretation: 0 for grey with 0 as white. */
  photometric: number
  /** Dots per inch; undefined when the file states no unit, or no resolution. */
  resolution: { x: number; y: number } | undefined
  tiled: boolean
  /** Size of a tile, or of a strip over the full width. */
  blockWidth: number
  blockHeight: number
  /** Offset of the first block; 0 when it is omitted as empty. */
  firstBlock: number
  /** The table of block offsets: its position in the file, number of entries, and bytes per entry. */
  blockOffsets: { at: number; count: number; bytes: number }
}

export type TiffLayout = {
  big: boolean
  bytes: number
  directories: TiffDirectory[]
  /** Names and definitions of the CRS, as text; empty when there are none. */
  crsText: string
  /** Length of the metadata that GDAL writes between header and first directory; 0 without it. */
  structuralBytes: number
}

export const REDUCED = 1
export const MASK = 4

const [SUBFILE, WIDTH, HEIGHT, COMPRESSION, STRIP_OFFSETS, SAMPLES, ROWS_PER_STRIP] = [
  254, 256, 257, 259, 273, 277, 278,
]
const [BITS, PHOTOMETRIC] = [258, 262] as const
const [X_RESOLUTION, Y_RESOLUTION, RESOLUTION_UNIT] = [282, 283, 296] as const
const [NO_UNIT, INCH, CENTIMETRE] = [1, 2, 3]
const [TILE_WIDTH, TILE_HEIGHT, TILE_OFFSETS] = [322, 323, 324]
/** Text of GeoTIFF keys: names of the CRS, or a whole definition. */
const GEO_ASCII = 34737
const MAX_TEXT_BYTES = 100_000
const RELEVANT_TAGS = new Set([
  SUBFILE,
  WIDTH,
  HEIGHT,
  COMPRESSION,
  STRIP_OFFSETS,
  SAMPLES,
  ROWS_PER_STRIP,
  TILE_WIDTH,
  TILE_HEIGHT,
  TILE_OFFSETS,
  X_RESOLUTION,
  Y_RESOLUTION,
  RESOLUTION_UNIT,
  BITS,
  PHOTOMETRIC,
])
const MAX_DIRECTORIES = 1_000
const MAX_ENTRIES = 4_096
const RATIONAL = 5
const TYPE_BYTES: Record<number, number> = { 1: 1, 3: 2, 4: 4, [RATIONAL]: 8, 13: 4, 16: 8, 18: 8 }
const STRUCTURAL = 'GDAL_STRUCTURAL_METADATA_SIZE='
const STRUCTURAL_HEAD_BYTES = 43

/** @throws InputError `format` when the file is not a TIFF, `unreadable` when its directories are damaged */
export function readTiffLayout(path: string, maxDirectories = MAX_DIRECTORIES): TiffLayout {
  const file = openSync(path, 'r')
  try {
    return new Reader(file, fstatSync(file).size).layout(maxDirectories)
  } finally {
    closeSync(file)
  }
}

const OFFSETS_AT_ONCE = 1 << 17

/** Whether blocks of the full image are omitted, which means cells without data. */
export function omitsBlocks(path: string, { directories }: TiffLayout): boolean {
  const { at, count, bytes } = (directories[0] as TiffDirectory).blockOffsets
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(Math.min(count, OFFSETS_AT_ONCE) * bytes)
    for (let first = 0; first < count; first += OFFSETS_AT_ONCE) {
      const length = readSync(file, buffer, 0, Math.min(count - first, OFFSETS_AT_ONCE) * bytes, at + first * bytes)
      for (let from = 0; from + bytes <= length; from += bytes)
        if (buffer.subarray(from, from + bytes).every((byte) => byte === 0)) return true
      // a damaged BigTIFF can declare 2^63 blocks
      if (length < buffer.length) return false
    }
    return false
  } finally {
    closeSync(file)
  }
}

/** Whether the blocks of the full image must be decompressed. */
export const isCompressed = ({ directories }: TiffLayout): boolean => directories[0]?.compression !== 1

/** Whether a file starts with the signature of a TIFF. */
const isTiff = (head: Buffer): boolean => /^(II[*+]\0|MM\0[*+])/.test(head.toString('latin1', 0, 4))

class Reader {
  private crsText = ''
  private little = true
  private big = false
  private readonly file: number
  private readonly bytes: number

  constructor(file: number, bytes: number) {
    this.file = file
    this.bytes = bytes
  }

  layout(maxDirectories: number): TiffLayout {
    const head = this.read(0, Math.min(16, this.bytes))
    if (head.length < 8 || !isTiff(head)) throw new InputError('format', fieldText('geotiff'))
    this.little = head[0] === 0x49
    this.big = head[this.little ? 2 : 3] === 43
    const headerBytes = this.big ? 16 : 8
    if (head.length < headerBytes) throw broken()
    let at = this.big ? this.number(head, 8, 8) : this.number(head, 4, 4)
    const directories: TiffDirectory[] = []
    const seen = new Set<number>()
    while (at !== 0) {
      if (seen.has(at) || directories.length >= maxDirectories) throw broken()
      seen.add(at)
      const { directory, next } = this.directory(at)
      directories.push(directory)
      at = next
    }
    if (directories.length === 0) throw broken()
    const { big, bytes, crsText } = this
    return { big, bytes, crsText, directories, structuralBytes: this.structural(headerBytes) }
  }

  private read(at: number, length: number): Buffer {
    if (at < 0 || at + length > this.bytes) throw broken()
    const buffer = Buffer.alloc(length)
    if (readSync(this.file, buffer, 0, length, at) !== length) throw broken()
    return buffer
  }

  private number(buffer: Buffer, at: number, bytes: number): number {
    if (bytes === 8) return Number(this.little ? buffer.readBigUInt64LE(at) : buffer.readBigUInt64BE(at))
    return this.little ? buffer.readUIntLE(at, bytes) : buffer.readUIntBE(at, bytes)
  }

  private directory(offset: number): { directory: TiffDirectory; next: number } {
    const [countBytes, entryBytes, offsetBytes] = this.big ? [8, 20, 8] : [2, 12, 4]
    const count = this.number(this.read(offset, countBytes), 0, countBytes)
    if (count === 0 || count > MAX_ENTRIES) throw broken()
    const table = this.read(offset + countBytes, count * entryBytes + offsetBytes)
    /** The first value of each entry; undefined for a type that these tags do not use. */
    const entries = new Map<number, number | undefined>()
    let blockOffsets = { at: 0, count: 0, bytes: 1 }
    for (let i = 0; i < count; i++) {
      const at = i * entryBytes
      const tag = this.number(table, at, 2)
      if (tag === GEO_ASCII) this.readText(table, at, offsetBytes)
      // the first entry of a repeated tag counts, as in libtiff
      if (!RELEVANT_TAGS.has(tag) || entries.has(tag)) continue
      const type = this.number(table, at + 2, 2)
      const values = this.number(table, at + 4, offsetBytes)
      const valueBytes = TYPE_BYTES[type]
      entries.set(tag, undefined)
      if (valueBytes === undefined || values === 0) continue
      const inline = valueBytes * values <= offsetBytes
      const valueAt = at + 4 + offsetBytes
      const fileAt = inline ? offset + countBytes + valueAt : this.number(table, valueAt, offsetBytes)
      const bytes = this.read(fileAt, valueBytes)
      const whole = (at: number, length: number): number => this.number(bytes, at, length)
      entries.set(tag, type === RATIONAL ? whole(0, 4) / whole(4, 4) : whole(0, valueBytes))
      if (tag === STRIP_OFFSETS || tag === TILE_OFFSETS) blockOffsets = { at: fileAt, count: values, bytes: valueBytes }
    }
    const value = (tag: number | undefined, fallback: number): number => entries.get(tag as number) ?? fallback
    const [width, height] = [value(WIDTH, 0), value(HEIGHT, 0)]
    const tiled = entries.get(TILE_OFFSETS as number) !== undefined
    if (width === 0 || height === 0) throw broken()
    return {
      next: this.number(table, count * entryBytes, offsetBytes),
      directory: {
        offset,
        subfile: value(SUBFILE, 0),
        width,
        height,
        samplesPerPixel: value(SAMPLES, 1),
        compression: value(COMPRESSION, 1),
        bits: value(BITS, 1),
        photometric: value(PHOTOMETRIC, 1),
        resolution: resolutionOf(
          value(X_RESOLUTION, 0),
          value(Y_RESOLUTION, 0),
          value(RESOLUTION_UNIT, INCH as number),
        ),
        tiled,
        blockWidth: tiled ? value(TILE_WIDTH, 0) : width,
        blockHeight: tiled ? value(TILE_HEIGHT, 0) : Math.min(value(ROWS_PER_STRIP, height), height),
        firstBlock: value(tiled ? TILE_OFFSETS : STRIP_OFFSETS, 0),
        blockOffsets,
      },
    }
  }

  /** Collects text over all directories, regardless of the declared type. */
  private readText(table: Buffer, entryAt: number, offsetBytes: number): void {
    const length = this.number(table, entryAt + 4, offsetBytes)
    // a shorter one cannot hold a definition
    if (length <= offsetBytes) return
    if (this.crsText.length + length > MAX_TEXT_BYTES) throw broken()
    const at = this.number(table, entryAt + 4 + offsetBytes, offsetBytes)
    if (at < this.bytes) this.crsText += this.read(at, Math.min(length, this.bytes - at)).toString('latin1')
  }

  private structural(headerBytes: number): number {
    if (this.bytes < headerBytes + STRUCTURAL_HEAD_BYTES) return 0
    const text = this.read(headerBytes, STRUCTURAL_HEAD_BYTES).toString('latin1')
    if (!text.startsWith(STRUCTURAL)) return 0
    const size = Number.parseInt(text.slice(STRUCTURAL.length, STRUCTURAL.length + 6), 10)
    return Number.isFinite(size) ? STRUCTURAL_HEAD_BYTES + size : 0
  }
}

/** TIFF 6.0, section 8: without a unit the values are only an aspect ratio. */
export function resolutionOf(x: number, y: number, unit: number): { x: number; y: number } | undefined {
  if (unit === NO_UNIT || !(x > 0 && y > 0 && Number.isFinite(x) && Number.isFinite(y))) return undefined
  const factor = unit === CENTIMETRE ? 2.54 : 1
  return { x: x * factor, y: y * factor }
}

const broken = (): InputError => new InputError('unreadable', fieldText('geotiffDamaged'))
