/**
 * The resolution that an image file states, and its correction in a file that libvips wrote: libvips reports and writes
 * 25.4 or 72 dots per inch if a file states no resolution, and treats an aspect ratio as a resolution.
 */
import { open } from 'node:fs/promises'
import { crc32 } from 'node:zlib'
import { resolutionOf } from '../raster/tiff-directory.ts'
import { exifEntries, FIRST_DIRECTORY } from './exif-entries.ts'
import type { ImageFormat } from './formats.ts'

/** Dots per inch. */
export type Resolution = { x: number; y: number }

/** EXIF 2.32, 4.6.5: the value for an unknown resolution. */
export const UNKNOWN_IN_EXIF = 72

export const PNG_SIGNATURE_BYTES = 8
const DOTS_PER_METRE = 39.3701
const HEAD_BYTES = 64 * 1024

/** One number for both directions; undefined for pixels that are not square. */
export const squareDpi = (resolution: Resolution | undefined): number | undefined =>
  resolution && Math.abs(resolution.x / resolution.y - 1) < 0.001 ? resolution.x : undefined

/** @returns dots per inch */
export const perInch = (x: number, y: number): Resolution | undefined =>
  x > 0 && y > 0 ? { x: rounded(x / DOTS_PER_METRE), y: rounded(y / DOTS_PER_METRE) } : undefined

/** PNG and BMP have whole dots per metre: 11,811 are 300 dots per inch. */
const rounded = (dpi: number): number => (Math.abs(dpi - Math.round(dpi)) < 0.02 ? Math.round(dpi) : dpi)

/** @param exif EXIF data of the file, if any */
export function jpegResolution(head: Buffer, exif: Buffer | undefined): Resolution | undefined {
  const at = jfifAt(head)
  const unit = at === undefined ? 0 : (head[at] as number)
  if (at !== undefined && (unit === 1 || unit === 2))
    return resolutionOf(head.readUInt16BE(at + 1), head.readUInt16BE(at + 3), unit + 1)
  return exif && exifResolution(exif)
}

/** Offset of the unit, followed by two 16-bit numbers. */
function jfifAt(head: Buffer): number | undefined {
  return head.length > 18 && head.readUInt16BE(2) === 0xffe0 && head.toString('latin1', 6, 11) === 'JFIF\0'
    ? 13
    : undefined
}

/** X and Y resolution and their unit, from the first directory; 72 dots per inch mean unknown. */
export function exifResolution(exif: Buffer): Resolution | undefined {
  const { whole, directory } = exifEntries(exif)
  const values = directory(whole(FIRST_DIRECTORY, 4))
  const ratio = (tag: number): number => {
    const at = whole(values.get(tag) ?? -1, 4)
    return at === 0 ? 0 : whole(at, 4) / whole(at + 4, 4)
  }
  const [x, y] = [ratio(282), ratio(283)]
  const unit = values.has(296) ? whole(values.get(296) as number, 2) : 2
  return x === UNKNOWN_IN_EXIF && y === UNKNOWN_IN_EXIF ? undefined : resolutionOf(x, y, unit)
}

/**
 * Corrects the resolution in the header of a file that libvips wrote. A TIFF already has the right number; only its
 * unit is removed if the resolution is unknown.
 */
export async function correctResolution(path: string, format: ImageFormat, dpi: number | undefined): Promise<void> {
  if (format !== 'png' && format !== 'jpeg' && (format !== 'tiff' || dpi !== undefined)) return
  const file = await open(path, 'r+')
  try {
    const head = Buffer.alloc(HEAD_BYTES)
    const { bytesRead } = await file.read(head, 0, HEAD_BYTES, 0)
    const edit =
      format === 'tiff'
        ? await withoutUnit(head, (at, bytes) => file.read(Buffer.alloc(bytes), 0, bytes, at))
        : inHeader(head.subarray(0, bytesRead), format, dpi)
    if (edit) await file.write(edit.bytes, 0, edit.bytes.length, edit.at)
  } finally {
    await file.close()
  }
}

/** The same for a PNG in memory, changed in place. @returns the same buffer */
export function withResolution(png: Buffer, dpi: number | undefined): Buffer {
  const edit = inHeader(png, 'png', dpi)
  if (edit !== undefined) png.set(edit.bytes, edit.at)
  return png
}

type Edit = { at: number; bytes: Buffer }

function inHeader(head: Buffer, format: 'png' | 'jpeg', dpi: number | undefined): Edit | undefined {
  if (format === 'jpeg') {
    const at = jfifAt(head)
    if (at === undefined) return undefined
    const bytes = Buffer.alloc(5)
    const dots = dpi === undefined ? 1 : Math.min(Math.round(dpi), 0xffff)
    bytes[0] = dpi === undefined ? 0 : 1
    bytes.writeUInt16BE(dots, 1)
    bytes.writeUInt16BE(dots, 3)
    return { at, bytes }
  }
  for (let at = PNG_SIGNATURE_BYTES; at + 12 <= head.length; at += 12 + head.readUInt32BE(at)) {
    if (head.toString('latin1', at + 4, at + 8) !== 'pHYs') continue
    const bytes = Buffer.alloc(17)
    bytes.write('pHYs', 0, 'latin1')
    const dots = dpi === undefined ? 1 : Math.round(dpi * DOTS_PER_METRE)
    bytes.writeUInt32BE(dots, 4)
    bytes.writeUInt32BE(dots, 8)
    bytes[12] = dpi === undefined ? 0 : 1
    bytes.writeUInt32BE(crc32(bytes.subarray(0, 13)), 13)
    return { at: at + 4, bytes }
  }
  return undefined
}

/** libvips writes little-endian files; without 64-bit offsets they have at most 4 GB. */
async function withoutUnit(
  head: Buffer,
  read: (at: number, bytes: number) => Promise<{ buffer: Buffer }>,
): Promise<Edit | undefined> {
  if (head.toString('latin1', 0, 4) !== 'II*\0') return undefined
  const at = head.readUInt32LE(4)
  const count = (await read(at, 2)).buffer.readUInt16LE(0)
  const { buffer: entries } = await read(at + 2, 12 * count)
  for (let i = 0; i < entries.length; i += 12)
    if (entries.readUInt16LE(i) === 296) return { at: at + 2 + i + 8, bytes: Buffer.from([1, 0]) }
  return undefined
}
