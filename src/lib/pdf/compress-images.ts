/**
 * Recompresses the images of a PDF: reduces the resolution to the target, then picks the smaller of JPEG and Flate with
 * PNG predictors.
 */
import type { PDFDict, PDFDocument, PDFRawStream, PDFRef } from '@cantoo/pdf-lib'
import { collectGarbageIfGrown } from '../gc-pressure.ts'
import { loadSharp } from '../image/image.ts'
import { type Channels, type Decoded, decodeImage, type Size } from './image-samples.ts'
import { packedPixels } from './image-stream.ts'

export type ImageQuality = {
  /** Maximum resolution, in pixels per inch. */
  dpi: number
  /** JPEG quality, 1 to 100. */
  quality: number
  /** Whether JPEG stores colour at full resolution. */
  fullChroma: boolean
  /** Whether CMYK images stay unchanged, for printing. */
  keepsColourSpace: boolean
}

type Coded = Size & { bytes: Uint8Array; entries: Record<string, unknown> }

/** Images up to this factor above the target resolution keep their size, as in Ghostscript. */
const DPI_TOLERANCE = 1.5
/** Lossless encoding is preferred up to this factor of the JPEG size, because line art stays sharp. */
const LOSSLESS_SHARE = 1.3
/** Above this size, mozjpeg's trellis quantisation takes seconds per image to save a tenth. */
const TRELLIS_PIXELS = 600_000
const MIN_GAIN = 0.95
/** Images below this size are not worth recompressing. */
const MIN_BYTES = 2_000

/** @param dpi resolution at which each image is drawn, in pixels per inch */
export async function compressImages(
  document: PDFDocument,
  dpi: ReadonlyMap<PDFRef, number>,
  quality: ImageQuality,
  onProgress: (share: number) => void,
): Promise<void> {
  const { PDFName, PDFRawStream, PDFRef } = await import('@cantoo/pdf-lib')
  const { context } = document
  const entries = [...dpi]
  for (const [i, [ref, drawnDpi]] of entries.entries()) {
    const picture = context.lookup(ref)
    if (picture instanceof PDFRawStream) {
      const mask = picture.dict.get(PDFName.of('SMask'))
      const maskStream = context.lookup(mask)
      const isMasked = mask instanceof PDFRef && maskStream instanceof PDFRawStream
      // with a matte, colours are premultiplied by the mask, so image and mask cannot be resized separately
      if (isMasked && maskStream.dict.has(PDFName.of('Matte'))) continue
      await recode(document, ref, picture, drawnDpi, quality)
      if (isMasked) await recode(document, mask, maskStream, drawnDpi, quality, true)
    }
    collectGarbageIfGrown()
    onProgress((i + 1) / entries.length)
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
  const decoded = await decodeImage(stream, quality.keepsColourSpace)
  if (decoded === undefined) return
  const target = targetSize(decoded, dpi, quality.dpi)
  const coded = await encodeSmallest(decoded, target, quality, isMask)
  if (coded === undefined || coded.bytes.length > MIN_GAIN * bytes.length) return
  const dict = stream.dict.clone(context)
  for (const name of ['Filter', 'DecodeParms', 'Decode', 'Length']) dict.delete(PDFName.of(name))
  if (decoded.space !== undefined) dict.set(PDFName.of('ColorSpace'), decoded.space)
  const entries = context.obj({
    BitsPerComponent: 8,
    Width: coded.width,
    Height: coded.height,
    ...coded.entries,
  } as never) as unknown as PDFDict
  for (const [name, value] of entries.entries()) dict.set(name, value)
  context.assign(ref, PDFRawStream.of(dict, coded.bytes))
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
  let raw: { data: Buffer; info: { channels: number } }
  try {
    raw = await sized
      .toColourspace(decoded.channels === 1 ? 'b-w' : 'srgb')
      .raw()
      .toBuffer({ resolveWithObject: true })
  } catch {
    // a damaged image stays unchanged
    return undefined
  }
  const { channels } = decoded
  const samples = raw.info.channels === channels ? raw.data : firstChannels(raw.data, raw.info.channels, channels)
  const createPipeline = () => sharp(samples, { raw: { ...size, channels }, limitInputPixels: false })
  const jpeg = isMask
    ? undefined
    : await (channels === 1 ? createPipeline().toColourspace('b-w') : createPipeline())
        .jpeg({
          quality: quality.quality,
          chromaSubsampling: quality.fullChroma ? '4:4:4' : '4:2:0',
          ...(size.width * size.height <= TRELLIS_PIXELS && { mozjpeg: true }),
        })
        .toBuffer()
  // the source is lossy, so lossless encoding would gain nothing
  const lossless = decoded.isLossy ? undefined : await encodeLossless(samples, size, channels)
  if (lossless !== undefined && (jpeg === undefined || lossless.bytes.length <= LOSSLESS_SHARE * jpeg.length))
    return lossless
  return jpeg === undefined ? undefined : { ...size, bytes: jpeg, entries: { Filter: 'DCTDecode' } }
}

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
