/** Facts in an image file that libvips does not report, or reports only as defaults. */

import { open } from 'node:fs/promises'
import type { Metadata } from 'sharp'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Warning } from '../../warnings/warning.ts'
import { headOf } from '../file-head.ts'
import { InputError } from '../input-error.ts'
import { MASK, REDUCED, readTiffLayout } from '../raster/tiff-directory.ts'
import type { ImageFormat } from './formats.ts'
import { readJpegHead } from './jpeg-head.ts'
import { readPngHead } from './png-head.ts'
import { exifResolution, jpegResolution, type Resolution } from './resolution.ts'

/** A page of a TIFF: `index` also counts reduced versions of pages and masks. */
type TiffPage = {
  index: number
  resolution: Resolution | undefined
  /** Whether libvips inverts the image: 2-bit and 4-bit grey in which 0 is white. */
  isNegative: boolean
}

type FileFacts = {
  pages: number
  isLossy: boolean
  resolution: Resolution | undefined
  /** Read from the file, because libvips hides a profile that it rejects on opening. */
  hasProfile: boolean
  unused: Warning[]
}

/** Above the page limit, so that the image is rejected for its number of pages. */
const MAX_DIRECTORIES = 10_000
/** Compressions of TIFF that libvips is built without. */
const UNSUPPORTED: Record<number, string> = {
  34661: 'JBIG',
  34712: 'JPEG 2000',
  33003: 'JPEG 2000',
  33004: 'JPEG 2000',
  33005: 'JPEG 2000',
  34887: 'LERC',
  34925: 'LZMA',
  50000: 'Zstandard',
  50001: 'WebP',
  50002: 'JPEG XL',
}
const JPEG_HEAD_BYTES = 32

/** @throws InputError `unreadable`, `frames`, `raw`, `compression` */
export function tiffPages(path: string): TiffPage[] {
  const { directories } = readTiffLayout(path, MAX_DIRECTORIES)
  const pages = directories.flatMap(({ subfile, resolution, bits, photometric }, index) =>
    (subfile & (REDUCED | MASK)) === 0
      ? [{ index, resolution, isNegative: photometric === 0 && (bits === 2 || bits === 4) }]
      : [],
  )
  const [first] = directories
  // the image itself is in a SubIFD, which libvips does not read
  if (first === undefined || (first.subfile & REDUCED) !== 0) throw new InputError('raw', fieldText('rawPhoto'))
  for (const { compression } of directories) {
    const name = UNSUPPORTED[compression]
    if (name !== undefined) throw new InputError('compression', fieldText('tiffCompression', { compression: name }))
  }
  return pages
}

export async function fileFacts(
  path: string,
  format: ImageFormat,
  { exif, pages = 1 }: Metadata,
  tiff: readonly TiffPage[] | undefined,
  page: number,
): Promise<FileFacts> {
  const facts = { pages, isLossy: false, resolution: exif && exifResolution(exif), hasProfile: false, unused: [] }
  if (tiff !== undefined) return { ...facts, pages: tiff.length, resolution: tiff[page]?.resolution }
  if (format === 'png') {
    const { frames, resolution = facts.resolution, hasProfile, unused } = await readPngHead(path)
    return { ...facts, pages: frames, resolution, hasProfile, unused }
  }
  if (format === 'jpeg') {
    const { pictures, hasProfile, unused } = await readJpegHead(path)
    const resolution = jpegResolution(await headOf(path, JPEG_HEAD_BYTES), exif)
    return { pages: pictures, isLossy: true, resolution, hasProfile, unused }
  }
  return { ...facts, isLossy: format === 'webp' && (await isLossyWebp(path)) }
}

const CHUNK_HEAD_BYTES = 8
/** A frame of an animation begins with position and duration, followed by the chunks of the frame. */
const FRAME_HEAD_BYTES = 16

/** Whether any frame is a key frame of VP8. */
async function isLossyWebp(path: string): Promise<boolean> {
  const file = await open(path)
  const head = Buffer.alloc(CHUNK_HEAD_BYTES)
  try {
    for (let at = 12; ; ) {
      const { bytesRead } = await file.read(head, 0, CHUNK_HEAD_BYTES, at)
      if (bytesRead < CHUNK_HEAD_BYTES) return false
      const type = head.toString('latin1', 0, 4)
      if (type === 'VP8 ') return true
      const length = head.readUInt32LE(4)
      at += CHUNK_HEAD_BYTES + (type === 'ANMF' ? FRAME_HEAD_BYTES : length + (length % 2))
    }
  } finally {
    await file.close()
  }
}
