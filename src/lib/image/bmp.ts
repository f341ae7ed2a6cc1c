/**
 * Decodes and encodes Windows bitmaps, which libvips does not support, as rows of 8-bit samples. Covers Microsoft's
 * bitmap storage format with headers of 40 bytes and more: 1, 4, 8, 16, 24 and 32 bits per pixel, run-length encoding
 * and channel masks.
 */

import { open, readFile } from 'node:fs/promises'
import { fieldText } from '../../field-texts/field-text.ts'
import { InputError } from '../input-error.ts'
import { perInch, type Resolution } from './resolution.ts'

export type Pixels = { data: Uint8Array; width: number; height: number; channels: 3 | 4 }

export type BmpHeader = {
  width: number
  height: number
  /** Most bitmaps store their rows from bottom to top. */
  topDown: boolean
  bitsPerPixel: number
  compression: number
  headerBytes: number
  /** Offset of the first pixel in the file. */
  offset: number
  paletteSize: number
  resolution: Resolution | undefined
  /** Whether it has a colour profile, embedded or in another file. */
  hasProfile: boolean
}

const [RGB, RLE8, RLE4, BITFIELDS, ALPHA_BITFIELDS] = [0, 1, 2, 3, 6]
const FILE_HEADER_BYTES = 14
const INFO_HEADER_BYTES = 40
/** Headers of this length or more state their colour space (bV4CSType). */
const COLOUR_HEADER_BYTES = 108
const COLOURS_AT = 70
const DEPTHS: Record<number, readonly number[]> = {
  [RGB as number]: [1, 4, 8, 16, 24, 32],
  [RLE8 as number]: [8],
  [RLE4 as number]: [4],
  [BITFIELDS as number]: [16, 32],
  [ALPHA_BITFIELDS as number]: [16, 32],
}

/** Reads the file header only. @throws InputError `unreadable` */
export async function readBmpHeader(path: string): Promise<BmpHeader> {
  const file = await open(path, 'r')
  const head = Buffer.alloc(FILE_HEADER_BYTES + COLOUR_HEADER_BYTES)
  try {
    await file.read(head, 0, head.length, 0)
  } finally {
    await file.close()
  }
  const [bitsPerPixel, compression, signedHeight] = [head.readUInt16LE(28), head.readUInt32LE(30), head.readInt32LE(22)]
  const header: BmpHeader = {
    width: head.readInt32LE(18),
    height: Math.abs(signedHeight),
    topDown: signedHeight < 0,
    bitsPerPixel,
    compression,
    headerBytes: head.readUInt32LE(14),
    offset: head.readUInt32LE(10),
    resolution: perInch(head.readInt32LE(38), head.readInt32LE(42)),
    hasProfile:
      head.readUInt32LE(14) >= COLOUR_HEADER_BYTES &&
      /^(DEBM|KNIL)$/.test(head.toString('latin1', COLOURS_AT, COLOURS_AT + 4)),
    paletteSize: bitsPerPixel > 8 ? 0 : Math.min(head.readUInt32LE(46) || 2 ** bitsPerPixel, 2 ** bitsPerPixel),
  }
  if (header.width <= 0 || header.height <= 0 || !DEPTHS[compression]?.includes(bitsPerPixel))
    throw new InputError('unreadable', fieldText('bmpKind'))
  return header
}

/** @throws InputError `truncated`; the size must have been checked before */
export async function readBmp(path: string, header: BmpHeader): Promise<Pixels> {
  const bytes = await readFile(path)
  const { width, height, bitsPerPixel, compression } = header
  const palette = paletteOf(bytes, header)
  if (bitsPerPixel <= 8) {
    const indices = compression === RGB ? packedIndices(bytes, header) : runLengthIndices(bytes, header)
    const data = new Uint8Array(width * height * 3)
    for (let i = 0; i < indices.length; i++) {
      const at = 3 * (indices[i] as number)
      data[3 * i] = palette[at] as number
      data[3 * i + 1] = palette[at + 1] as number
      data[3 * i + 2] = palette[at + 2] as number
    }
    return { data, width, height, channels: 3 }
  }
  return bitsPerPixel === 24 ? plainRows(bytes, header) : maskedRows(bytes, header)
}

/** Three bytes per colour; colours that the file does not contain are black. */
function paletteOf(bytes: Buffer, { headerBytes, paletteSize }: BmpHeader): Uint8Array {
  const palette = new Uint8Array(256 * 3)
  for (let i = 0, at = FILE_HEADER_BYTES + headerBytes; i < paletteSize && at + 3 <= bytes.length; i++, at += 4)
    palette.set([bytes[at + 2] as number, bytes[at + 1] as number, bytes[at] as number], 3 * i)
  return palette
}

/** Returns the offset of each row, counted from the top. */
function rowsOf(bytes: Buffer, { width, height, bitsPerPixel, offset, topDown }: BmpHeader): (y: number) => number {
  const rowBytes = Math.ceil((width * bitsPerPixel) / 32) * 4
  if (offset + rowBytes * height > bytes.length) throw truncated()
  return (y) => offset + rowBytes * (topDown ? y : height - 1 - y)
}

const truncated = (): InputError => new InputError('truncated', fieldText('rowsMissing'))

function packedIndices(bytes: Buffer, header: BmpHeader): Uint8Array {
  const { width, height, bitsPerPixel } = header
  const start = rowsOf(bytes, header)
  const indices = new Uint8Array(width * height)
  const mask = 2 ** bitsPerPixel - 1
  const perByte = 8 / bitsPerPixel
  for (let y = 0; y < height; y++)
    for (let x = 0, row = start(y); x < width; x++) {
      const shift = 8 - bitsPerPixel * ((x % perByte) + 1)
      indices[y * width + x] = ((bytes[row + Math.floor(x / perByte)] as number) >> shift) & mask
    }
  return indices
}

function runLengthIndices(bytes: Buffer, { width, height, bitsPerPixel, offset, topDown }: BmpHeader): Uint8Array {
  const indices = new Uint8Array(width * height)
  let [x, y, at] = [0, 0, offset]
  /** Writes the part of a run that lies inside the row, so that runs beyond the right edge cost nothing. */
  const put = (count: number, indexOf: (i: number) => number): void => {
    const row = (topDown ? y : height - 1 - y) * width
    for (let i = 0; i < count && x + i < width; i++) indices[row + x + i] = indexOf(i)
    x += count
  }
  const nibble = (byte: number, i: number): number => (i % 2 === 0 ? byte >> 4 : byte & 15)
  // data after the last row is not visible
  while (y < height) {
    const [count, value] = [bytes[at], bytes[at + 1]]
    if (count === undefined || value === undefined) throw truncated()
    at += 2
    if (count > 0) put(count, (i) => (bitsPerPixel === 8 ? value : nibble(value, i)))
    else if (value === 0) [x, y] = [0, y + 1]
    else if (value === 1) return indices
    else if (value === 2) {
      x += bytes[at] ?? 0
      y += bytes[at + 1] ?? 0
      at += 2
    } else {
      put(value, (i) => (bitsPerPixel === 8 ? (bytes[at + i] ?? 0) : nibble(bytes[at + (i >> 1)] ?? 0, i)))
      // runs are padded to a multiple of two bytes
      at += 2 * Math.ceil((bitsPerPixel === 8 ? value : value / 2) / 2)
    }
  }
  return indices
}

function plainRows(bytes: Buffer, header: BmpHeader): Pixels {
  const { width, height } = header
  const start = rowsOf(bytes, header)
  const data = new Uint8Array(width * height * 3)
  for (let y = 0, to = 0; y < height; y++)
    for (let x = 0, from = start(y); x < width; x++, from += 3, to += 3) {
      data[to] = bytes[from + 2] as number
      data[to + 1] = bytes[from + 1] as number
      data[to + 2] = bytes[from] as number
    }
  return { data, width, height, channels: 3 }
}

/**
 * 16 and 32 bits per pixel. Few bitmaps use the fourth byte of a pixel as alpha; when it is 0 in every pixel, it is
 * padding and the image is opaque.
 */
function maskedRows(bytes: Buffer, header: BmpHeader): Pixels {
  const { width, height, bitsPerPixel } = header
  const start = rowsOf(bytes, header)
  const channels = masksOf(bytes, header).map(channelOf)
  const data = new Uint8Array(width * height * 4)
  let hasAlpha = false
  for (let y = 0, to = 0; y < height; y++)
    for (let x = 0, from = start(y); x < width; x++, from += bitsPerPixel / 8) {
      const value = bitsPerPixel === 16 ? bytes.readUInt16LE(from) : bytes.readUInt32LE(from)
      for (const { mask, shift, scale } of channels) data[to++] = Math.round(((value & mask) >>> shift) * scale)
      hasAlpha ||= data[to - 1] !== 0
    }
  if (!hasAlpha) for (let at = 3; at < data.length; at += 4) data[at] = 255
  return { data, width, height, channels: 4 }
}

/** The channel masks of red, green, blue and alpha. */
function masksOf(bytes: Buffer, { bitsPerPixel, compression, headerBytes }: BmpHeader): number[] {
  if (compression === RGB)
    return bitsPerPixel === 16 ? [0x7c00, 0x03e0, 0x001f, 0] : [0xff0000, 0x00ff00, 0x0000ff, 0xff000000]
  const at = FILE_HEADER_BYTES + INFO_HEADER_BYTES
  const count = headerBytes >= 56 || compression === ALPHA_BITFIELDS ? 4 : 3
  if (at + 4 * count > bytes.length) throw truncated()
  return [0, 1, 2, 3].map((i) => (i < count ? bytes.readUInt32LE(at + 4 * i) : 0))
}

function channelOf(mask: number): { mask: number; shift: number; scale: number } {
  if (mask === 0) return { mask, shift: 0, scale: 0 }
  const shift = 31 - Math.clz32(mask & -mask)
  return { mask, shift, scale: 255 / (mask >>> shift) }
}

const BLOCK_BYTES = 4 * 2 ** 20

/**
 * Encodes a bitmap with 24 bits per pixel, in blocks, so that one is written while the next is encoded. `data` is RGB.
 */
export function* bmpBlocks({ data, width, height }: Omit<Pixels, 'channels'>): Generator<Buffer> {
  const rowBytes = Math.ceil((width * 3) / 4) * 4
  const offset = FILE_HEADER_BYTES + INFO_HEADER_BYTES
  const head = Buffer.alloc(offset)
  head.write('BM', 0, 'latin1')
  head.writeUInt32LE(offset + rowBytes * height, 2)
  head.writeUInt32LE(offset, 10)
  head.writeUInt32LE(INFO_HEADER_BYTES, 14)
  head.writeInt32LE(width, 18)
  head.writeInt32LE(height, 22)
  head.writeUInt16LE(1, 26)
  head.writeUInt16LE(24, 28)
  head.writeUInt32LE(rowBytes * height, 34)
  yield head
  const rows = Math.max(1, Math.floor(BLOCK_BYTES / rowBytes))
  // rows are stored from bottom to top
  for (let end = height; end > 0; end -= rows) {
    const start = Math.max(0, end - rows)
    const block = Buffer.alloc((end - start) * rowBytes)
    for (let y = end - 1, row = 0; y >= start; y--, row += rowBytes)
      for (let x = 0, from = y * width * 3, to = row; x < width; x++, from += 3, to += 3) {
        block[to] = data[from + 2] as number
        block[to + 1] = data[from + 1] as number
        block[to + 2] = data[from] as number
      }
    yield block
  }
}
