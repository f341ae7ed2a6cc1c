/**
 * Opens untrusted images with libvips (sharp), or with our own decoder for BMP. The format is recognised by content,
 * sizes are checked from the header before anything is decoded, and the EXIF orientation is applied.
 */
import { readFile } from 'node:fs/promises'
import type * as Sharp from 'sharp'
import { fieldText } from '../../field-texts/field-text.ts'
import { type Warning, warning } from '../../warnings/warning.ts'
import { headOf } from '../file-head.ts'
import { InputError } from '../input-error.ts'
import { statesAdobeRgb, withAdobeRgb } from './adobe-rgb.ts'
import { readBmp, readBmpHeader } from './bmp.ts'
import { isUsableProfile } from './colour-profile.ts'
import { fileFacts, tiffPages } from './file-facts.ts'
import { FORMAT_PROPERTIES, HEAD_BYTES, IMAGE_FORMATS, type ImageFormat, imageFormatOf } from './formats.ts'
import { hasDamagedData } from './jpeg-damage.ts'
import type { Resolution } from './resolution.ts'

export type SharpModule = typeof Sharp.default
export type Pipeline = Sharp.Sharp

const LOADERS = ['Png', 'Jpeg', 'Webp', 'Tiff', 'Nsgif']

let loading: Promise<SharpModule> | undefined

/** Loads libvips restricted to five formats and without a cache. */
export function loadSharp(): Promise<SharpModule> {
  loading ??= import('sharp').then(({ default: sharp }) => {
    sharp.block({ operation: ['VipsForeignLoad'] })
    sharp.unblock({ operation: LOADERS.map((name) => `VipsForeignLoad${name}`) })
    sharp.cache(false)
    // one thread decodes while another one converts
    sharp.concurrency(2)
    return sharp
  })
  return loading
}

export type OpenImage = {
  path: string
  format: ImageFormat
  /** Whether the pixels need not be turned, as EXIF may ask. */
  isUpright: boolean
  /** Whether the samples can be used unchanged: 8-bit sRGB or grey, upright, without a profile. */
  plain: boolean
  /** Size after applying the EXIF orientation. */
  width: number
  height: number
  /** Frames of an animation, pages of a TIFF, or pictures of a JPEG. Reduced versions and masks do not count. */
  pages: number
  /** Content of the file that no tool uses, such as colour information or extra data. */
  unused: Warning[]
  /** Whether the pixels went through lossy compression. */
  isLossy: boolean
  hasAlpha: boolean
  /** Bits per sample. */
  depth: 8 | 16
  /** The colour space as libvips names it: `srgb`, `b-w`, `cmyk` and so on. */
  space: string
  /** A colour profile that can be applied. */
  hasProfile: boolean
  hasExif: boolean
  /** As stated in the file; undefined if not stated. */
  resolution: Resolution | undefined
  /**
   * Creates a new pipeline on each call: the upright image in sRGB, first page only by default. Profiles of 16-bit
   * images are only applied after `withProfileApplied`.
   */
  pipeline(options?: { pages?: 'first' | 'all' }): Pipeline
}

/** Formats whose animations libvips decodes completely, not only the first frame. */
export const readsFrames = (format: ImageFormat): boolean => format === 'gif' || format === 'webp'

/** The name for multiple images in a file of the format. */
export const partsOf = (format: ImageFormat): Warning =>
  warning(format === 'tiff' ? 'pages' : format === 'jpeg' ? 'pictures' : 'frames')

/** Maximum frames of an animation, or pages of a TIFF. */
const MAX_PAGES = 2_000

type OpenOptions = {
  maxPixels: number
  formats?: readonly ImageFormat[]
  /** Page of a TIFF, from 0. */
  page?: number
}

/** @throws InputError `format`, `frames`, `pixels`, `unreadable`, `depth` */
export async function openImage(
  path: string,
  { maxPixels, formats = IMAGE_FORMATS, page = 0 }: OpenOptions,
): Promise<OpenImage> {
  const head = await headOf(path, HEAD_BYTES)
  const format = imageFormatOf(head)
  if (/^ftyp(hei|hev|mif1|msf1)/.test(head.toString('latin1', 4, 12)))
    throw new InputError('format', fieldText('noHeic'))
  if (format === undefined || !formats.includes(format))
    throw new InputError(
      'format',
      fieldText('oneOf', { values: formats.map((known) => FORMAT_PROPERTIES[known].name).join(', ') }),
    )
  const sharp = await loadSharp()
  if (format === 'bmp') return openBmp(sharp, path, maxPixels)
  const pageOf = format === 'tiff' ? tiffPages(path) : undefined
  // sharp's own limit ignores the number of frames, so checkPixels counts them below
  const input: Sharp.SharpOptions = {
    failOn: 'error',
    limitInputPixels: maxPixels,
    sequentialRead: true,
    page: pageOf?.[page]?.index ?? page,
  }
  let facts: Sharp.Metadata
  try {
    facts = await sharp(path, { ...input, limitInputPixels: false }).metadata()
  } catch (cause) {
    throw new InputError('unreadable', fieldText('unreadAs', { format: FORMAT_PROPERTIES[format].name }), cause)
  }
  const { width = 0, height = 0, orientation = 1, depth, space = '', hasAlpha = false } = facts
  const {
    pages,
    isLossy,
    resolution,
    unused,
    hasProfile: statesProfile,
  } = await fileFacts(path, format, facts, pageOf, page)
  const isAdobeRgb =
    format === 'jpeg' && space === 'srgb' && !statesProfile && facts.exif !== undefined && statesAdobeRgb(facts.exif)
  const source = isAdobeRgb ? withAdobeRgb(await readFile(path)) : path
  const hasProfile = isAdobeRgb || (facts.icc !== undefined && (await isUsableProfile(sharp, facts.icc, space)))
  if (!hasProfile && (statesProfile || facts.icc !== undefined)) unused.push(warning('profileNotUsable'))
  if (pages > MAX_PAGES) throw new InputError('frames', fieldText('frameCount', { count: pages, most: MAX_PAGES }))
  // only one page of a TIFF and the first frame of a PNG are ever decoded
  checkPixels(width, height, readsFrames(format) ? pages : 1, maxPixels)
  if (depth !== 'uchar' && depth !== 'ushort') throw new InputError('depth', fieldText('bitsPerSample'))
  const isRotated = orientation >= 5
  const negative = pageOf?.[page]?.isNegative ? await negated(sharp(path, input)) : undefined
  const plain =
    negative === undefined &&
    orientation === 1 &&
    depth === 'uchar' &&
    ['srgb', 'b-w'].includes(space) &&
    facts.icc === undefined &&
    !isAdobeRgb
  return {
    path,
    format,
    plain,
    unused,
    isUpright: orientation === 1,
    width: isRotated ? height : width,
    height: isRotated ? width : height,
    pages,
    hasAlpha,
    depth: depth === 'ushort' ? 16 : 8,
    space,
    hasProfile,
    hasExif: facts.exif !== undefined,
    isLossy,
    resolution: resolution && isRotated ? { x: resolution.y, y: resolution.x } : resolution,
    pipeline: ({ pages: pageOption = 'first' } = {}) =>
      negative === undefined
        ? sharp(source, pageOption === 'all' ? { ...input, animated: true } : input).autoOrient()
        : sharp(negative, { limitInputPixels: false, sequentialRead: true }),
  }
}

/** Inverted in memory, because in a pipeline libvips would negate after drawing a mark. */
async function negated(image: Pipeline): Promise<Buffer> {
  try {
    return await image.autoOrient().negate().toColourspace('b-w').png({ compressionLevel: 0 }).toBuffer()
  } catch (cause) {
    throw new InputError('truncated', NOT_WHOLE, cause)
  }
}

const NOT_WHOLE = fieldText('pixelsDamaged')
async function openBmp(sharp: SharpModule, path: string, maxPixels: number): Promise<OpenImage> {
  const header = await readBmpHeader(path)
  checkPixels(header.width, header.height, 1, maxPixels)
  const { data: decoded, width, height, channels: decodedChannels } = await readBmp(path, header)
  // pipelines treat a four-channel image as one with transparency
  const hasAlpha = decodedChannels === 4 && !isOpaque(decoded)
  const channels = decodedChannels === 4 && !hasAlpha ? 3 : decodedChannels
  const data = channels === decodedChannels ? decoded : withoutAlpha(decoded)
  const raw = { width, height, channels }
  return {
    path,
    format: 'bmp',
    plain: false,
    isUpright: true,
    width,
    height,
    pages: 1,
    unused: header.hasProfile ? [warning('profileNotUsable')] : [],
    hasAlpha,
    depth: 8,
    space: 'srgb',
    hasProfile: false,
    hasExif: false,
    isLossy: false,
    resolution: header.resolution,
    pipeline: () => sharp(data, { raw, limitInputPixels: maxPixels }),
  }
}

/**
 * The image in 8 bits if it has 16 and a profile. sharp converts 8-bit images to sRGB by their profiles, but ignores
 * profiles of 16-bit grey, and converts 16-bit colours to the wider Display P3, in which the same numbers mean
 * different colours.
 */
export async function withProfileApplied(image: OpenImage): Promise<OpenImage> {
  if (image.depth === 8 || !image.hasProfile) return image
  const sharp = await loadSharp()
  const isGrey = image.space === 'grey16'
  const in8Bits = await image
    .pipeline()
    .keepIccProfile()
    .toColourspace(isGrey ? 'b-w' : 'srgb')
    .png({ compressionLevel: 0 })
    .toBuffer()
  return {
    ...image,
    depth: 8,
    space: isGrey ? 'b-w' : 'srgb',
    plain: false,
    pipeline: () => sharp(in8Bits, { limitInputPixels: false, sequentialRead: true }),
  }
}

function isOpaque(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if ((rgba[at] as number) < 255) return false
  return true
}

/** Compacts the colours in place. */
function withoutAlpha<Bytes extends Uint8Array>(rgba: Bytes): Bytes {
  let to = 0
  for (let at = 0; at < rgba.length; at += 4) {
    rgba[to++] = rgba[at] as number
    rgba[to++] = rgba[at + 1] as number
    rgba[to++] = rgba[at + 2] as number
  }
  return rgba.subarray(0, to) as Bytes
}

/** @throws InputError `pixels` */
export function checkPixels(width: number, height: number, pages: number, maxPixels: number): void {
  if (width * height * pages <= maxPixels) return
  const size = `${width} × ${height}${pages > 1 ? ` × ${pages} frames` : ''}`
  throw new InputError('pixels', fieldText('pixelCount', { size, most: Math.floor(maxPixels / 1e6) }))
}

/** Whether any pixel is transparent. */
export async function hasTransparency(image: OpenImage): Promise<boolean> {
  return image.hasAlpha && !(await image.pipeline().stats()).isOpaque
}

/**
 * Runs a pipeline. When it fails, decodes each image on its own to find out whether one of them is damaged.
 * @throws InputError `truncated` for a damaged image, `unreadable` for an unusual one; otherwise the original error
 */
export async function decoding<T>(images: readonly OpenImage[], work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    for (const image of images)
      try {
        await decodeAll(image)
      } catch (cause) {
        if (/not supported/i.test(String(cause))) throw new InputError('unreadable', fieldText('rareKind'), cause)
        throw new InputError('truncated', NOT_WHOLE, cause)
      }
    throw error
  }
}

/**
 * Whether the data of a JPEG is damaged although all pixels could be read: decoders continue after damage, with wrong
 * colours or shifted parts.
 */
export const isDamaged = async ({ path, format }: OpenImage): Promise<boolean> =>
  format === 'jpeg' && isDamagedJpeg(await readFile(path))

/** @param maxPixels larger images are not checked if their pixels would have to be decoded */
export async function isDamagedJpeg(bytes: Buffer, maxPixels = Number.POSITIVE_INFINITY): Promise<boolean> {
  const isFound = hasDamagedData(bytes)
  if (isFound !== undefined) return isFound
  // of progressive files, libvips reads all data before the first row
  const sharp = await loadSharp()
  try {
    const image = sharp(bytes, { failOn: 'warning', limitInputPixels: false })
    const { width, height } = await image.metadata()
    if (width * height > maxPixels) return false
    await image.resize(8, 8, { fit: 'fill' }).raw().toBuffer()
    return false
  } catch {
    return true
  }
}

/**
 * Reads every pixel. Statistics would not detect damage: sharp computes them over the readable part of a damaged image.
 */
export async function decodeAll(image: OpenImage): Promise<void> {
  await image
    .pipeline({ pages: readsFrames(image.format) ? 'all' : 'first' })
    .resize({ width: 8, height: 8, fit: 'fill' })
    .raw()
    .toBuffer()
}
