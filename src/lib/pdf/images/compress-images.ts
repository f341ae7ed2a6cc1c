/**
 * Recompresses the images of a PDF: reduces the resolution to the target, then picks the smaller of JPEG and Flate with
 * PNG predictors, or of JBIG2 and Flate for images of two colours.
 */
import type { PDFContext, PDFDict, PDFDocument, PDFObject, PDFRawStream, PDFRef } from '@cantoo/pdf-lib'
import { collectGarbageIfGrown } from '../../gc-pressure.ts'
import { loadSharp } from '../../image/image.ts'
import { filtersOf, imageBytes } from '../structure/filters.ts'
import { isBilevel, recodeBilevel } from './bilevel-image.ts'
import type { Channels, Decoded, Size } from './decoded-image.ts'
import { decodeImage, imageEntries } from './image-samples.ts'
import { packedPixels } from './image-stream.ts'
import { inkTiff } from './ink-tiff.ts'

export type ImageQuality = {
  /** Maximum resolution, in pixels per inch. */
  dpi: number
  /** The same for images of two colours. */
  bilevelDpi: number
  /** JPEG quality, 1 to 100. */
  quality: number
  /** Whether JPEG stores colour at full resolution. */
  fullChroma: boolean
  /** Whether CMYK images stay CMYK, for printing. */
  keepsInks: boolean
}

type Coded = Size & {
  bytes: Uint8Array
  entries: Record<string, unknown>
  space?: PDFObject
  /** Whether the Decode array of the source applies. */
  keepsLevels?: boolean
}

/** Images up to this factor above the target resolution keep their size, as in Ghostscript. */
const DPI_TOLERANCE = 1.5
/** Lossless encoding is preferred up to this factor of the JPEG size, because it keeps line art sharp. */
const MAX_LOSSLESS_RATIO = 1.3
/** Above this size, mozjpeg's trellis quantisation takes seconds per image to save a tenth. */
const TRELLIS_PIXELS = 600_000
const MIN_GAIN = 0.95
/** Images below this size are not worth recompressing. */
const MIN_BYTES = 2_000

/** JPEG images of up to this size are recoded in parallel; each needs several times the memory of its pixels. */
const CONCURRENT = { images: 2, pixels: 8e6 }

/** @param dpi resolution at which each image is drawn, in pixels per inch */
export async function compressImages(
  document: PDFDocument,
  dpi: ReadonlyMap<PDFRef, number>,
  quality: ImageQuality,
  onProgress: (share: number) => void,
): Promise<void> {
  const entries = [...dpi]
  for (let i = 0; i < entries.length; ) {
    const next = entries.slice(i, i + CONCURRENT.images)
    const areSmall = (await Promise.all(next.map(([ref]) => isSmallJpeg(document, ref)))).every(Boolean)
    const batch = areSmall ? next : next.slice(0, 1)
    await Promise.all(batch.map(([ref, drawnDpi]) => recodeWithMasks(document, ref, drawnDpi, quality)))
    collectGarbageIfGrown()
    i += batch.length
    onProgress(i / entries.length)
  }
}

/** Images with masks do not count, because several images may share a mask. */
async function isSmallJpeg({ context }: PDFDocument, ref: PDFRef): Promise<boolean> {
  const { PDFName, PDFRawStream } = await import('@cantoo/pdf-lib')
  const image = context.lookup(ref)
  if (!(image instanceof PDFRawStream) || ['SMask', 'Mask'].some((name) => image.dict.has(PDFName.of(name))))
    return false
  const { width, height } = await imageEntries(image)
  return width * height <= CONCURRENT.pixels && (await filtersOf(image.dict)).at(-1)?.name === 'DCTDecode'
}

async function recodeWithMasks(document: PDFDocument, ref: PDFRef, dpi: number, quality: ImageQuality): Promise<void> {
  const { PDFName, PDFRawStream, PDFRef } = await import('@cantoo/pdf-lib')
  const { context } = document
  const image = context.lookup(ref)
  if (!(image instanceof PDFRawStream)) return
  const masks = ['SMask', 'Mask'].flatMap((name) => {
    const maskRef = image.dict.get(PDFName.of(name))
    const mask = context.lookup(maskRef)
    return maskRef instanceof PDFRef && mask instanceof PDFRawStream ? [{ ref: maskRef, mask }] : []
  })
  // with a matte, colours are premultiplied by the mask, so image and mask cannot be resized separately
  if (masks.some(({ mask }) => mask.dict.has(PDFName.of('Matte')))) return
  const { width } = await imageEntries(image)
  await recode(document, ref, image, dpi, quality)
  for (const { ref: maskRef, mask } of masks) {
    // a mask has the size of its image on the page, but a different number of pixels
    const maskDpi = (dpi * (await imageEntries(mask)).width) / width
    await recode(document, maskRef, mask, maskDpi, quality, true)
  }
}

async function recode(
  { context }: PDFDocument,
  ref: PDFRef,
  stream: PDFRawStream,
  dpi: number,
  quality: ImageQuality,
  isMask = false,
): Promise<void> {
  const bytes = stream.getContents()
  if (bytes.length < MIN_BYTES) return
  const { PDFName, PDFRawStream } = await import('@cantoo/pdf-lib')
  const coded = await encoded(stream, dpi, quality, isMask)
  if (coded === undefined || coded.bytes.length > MIN_GAIN * bytes.length) {
    await unwrap(context, ref, stream)
    return
  }
  const dict = stream.dict.clone(context)
  for (const name of ['Filter', 'DecodeParms', 'Length']) dict.delete(PDFName.of(name))
  if (coded.space !== undefined) dict.set(PDFName.of('ColorSpace'), coded.space)
  const entries = context.obj({ Width: coded.width, Height: coded.height, ...coded.entries } as never)
  for (const [name, value] of (entries as unknown as PDFDict).entries()) dict.set(name, value)
  if (!coded.keepsLevels && !('Decode' in coded.entries)) dict.delete(PDFName.of('Decode'))
  context.assign(ref, PDFRawStream.of(dict, coded.bytes))
}

/** Removes filters around an encoded image, such as ASCII85, which adds a quarter. */
async function unwrap(context: PDFContext, ref: PDFRef, stream: PDFRawStream): Promise<void> {
  const image = await imageBytes(stream)
  if (image === undefined || image.bytes.length >= stream.getContents().length) return
  const { PDFName, PDFRawStream } = await import('@cantoo/pdf-lib')
  const dict = stream.dict.clone(context)
  dict.set(PDFName.of('Filter'), PDFName.of(image.filter.name))
  if (image.filter.parms === undefined) dict.delete(PDFName.of('DecodeParms'))
  else dict.set(PDFName.of('DecodeParms'), image.filter.parms)
  context.assign(ref, PDFRawStream.of(dict, image.bytes))
}

async function encoded(
  stream: PDFRawStream,
  dpi: number,
  quality: ImageQuality,
  isMask: boolean,
): Promise<Coded | undefined> {
  if (await isBilevel(stream)) {
    const { width, height } = await imageEntries(stream)
    const size = { width, height }
    const made = await recodeBilevel(stream, size, targetSize(size, dpi, quality.bilevelDpi))
    return made && { ...made, keepsLevels: true, entries: { Filter: made.filter, BitsPerComponent: 1 } }
  }
  const decoded = await decodeImage(stream, quality.keepsInks)
  if (decoded === undefined) return undefined
  const coded = await encodeSmallest(decoded, targetSize(decoded, dpi, quality.dpi), quality, isMask)
  return (
    coded && {
      ...coded,
      entries: { BitsPerComponent: 8, ...coded.entries },
      ...(decoded.space && { space: decoded.space }),
    }
  )
}

function targetSize({ width, height }: Size, dpi: number, targetDpi: number): Size {
  if (!(dpi > DPI_TOLERANCE * targetDpi) || !Number.isFinite(dpi)) return { width, height }
  const factor = targetDpi / dpi
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

async function encodeSmallest(
  decoded: Decoded,
  size: Size,
  quality: ImageQuality,
  isMask: boolean,
): Promise<Coded | undefined> {
  const isSmaller = size.width < decoded.width || size.height < decoded.height
  const sharp = await loadSharp()
  const sized = isSmaller ? decoded.pipeline.resize({ ...size, fit: 'fill', kernel: 'lanczos3' }) : decoded.pipeline
  const { channels } = decoded
  let raw: { data: Buffer; info: { channels: number } }
  try {
    raw = await sized.toColourspace(COLOUR_SPACES[channels]).raw().toBuffer({ resolveWithObject: true })
  } catch {
    // a damaged image stays unchanged
    return undefined
  }
  const samples = raw.info.channels === channels ? raw.data : firstChannels(raw.data, raw.info.channels, channels)
  const createPipeline = () => {
    if (channels === 4)
      return sharp(inkTiff(samples, size), { limitInputPixels: false })
        .pipelineColourspace('cmyk')
        .toColourspace('cmyk')
    const pipeline = sharp(samples, { raw: { ...size, channels }, limitInputPixels: false })
    return channels === 1 ? pipeline.toColourspace('b-w') : pipeline
  }
  const jpeg = isMask
    ? undefined
    : await createPipeline()
        .jpeg({
          quality: quality.quality,
          chromaSubsampling: quality.fullChroma ? '4:4:4' : '4:2:0',
          ...(size.width * size.height <= TRELLIS_PIXELS && { mozjpeg: true }),
        })
        .toBuffer()
  // the source is lossy, so lossless encoding would gain nothing
  const lossless = decoded.isLossy ? undefined : await encodeLossless(samples, size, channels)
  if (lossless !== undefined && (jpeg === undefined || lossless.bytes.length <= MAX_LOSSLESS_RATIO * jpeg.length))
    return lossless
  if (jpeg === undefined) return undefined
  // libvips writes inks inverted, like Adobe's programs
  return { ...size, bytes: jpeg, entries: { Filter: 'DCTDecode', ...(channels === 4 && { Decode: INVERTED_INKS }) } }
}

const COLOUR_SPACES = { 1: 'b-w', 3: 'srgb', 4: 'cmyk' } as const
const INVERTED_INKS = [1, 0, 1, 0, 1, 0, 1, 0]

function firstChannels(data: Buffer, from: number, to: number): Uint8Array {
  const out = new Uint8Array((data.length / from) * to)
  for (let i = 0, at = 0; i < data.length; i += from)
    for (let channel = 0; channel < to; channel++) out[at++] = data[i + channel] as number
  return out
}

async function encodeLossless(samples: Uint8Array, size: Size, channels: Channels): Promise<Coded> {
  const sharp = await loadSharp()
  const pack = async (adaptiveFiltering: boolean): Promise<Uint8Array> => {
    const raw = sharp(samples, { raw: { ...size, channels }, limitInputPixels: false })
    const plain = channels === 1 ? raw.toColourspace('b-w') : raw
    return packedPixels(await plain.png({ compressionLevel: 9, adaptiveFiltering }).toBuffer())
  }
  // PNG filters help photographs and hurt line art, so both are tried
  const [filtered, plain] = [await pack(true), await pack(false)]
  const parms = { Predictor: 15, Colors: channels, BitsPerComponent: 8, Columns: size.width }
  return {
    ...size,
    bytes: plain.length < filtered.length ? plain : filtered,
    entries: { Filter: 'FlateDecode', DecodeParms: parms },
  }
}
