/**
 * Images of four inks (DeviceCMYK, or ICCBased with four components): kept as inks for printing, or converted to sRGB by
 * their profile. Without one, libvips' profile of coated paper applies.
 */
import { loadSharp } from '../../image/image.ts'
import type { Decoded, Size } from './decoded-image.ts'
import { inkTiff } from './ink-tiff.ts'

export type InkOptions = {
  /** Whether 0 is full ink by the Decode array. */
  inverted: boolean
  profile: Uint8Array | undefined
  keepsInks: boolean
}

/** Leading bytes of a JPEG that contain its Adobe marker. */
const HEAD_BYTES = 65_536
/**
 * Decoded samples of larger images would take more than a third of a worker's memory, and some images have to be
 * decoded.
 */
export const MAX_INK_PIXELS = 40e6

/** @param samples four bytes for each pixel. @returns undefined for an image that is too large */
export async function fromInks(samples: Uint8Array, size: Size, options: InkOptions): Promise<Decoded | undefined> {
  if (size.width * size.height > MAX_INK_PIXELS) return undefined
  if (options.inverted) for (let i = 0; i < samples.length; i++) samples[i] = 255 - (samples[i] as number)
  const tiff = inkTiff(samples, { ...size, profile: options.profile })
  return inkPipeline(tiff, size, options.keepsInks, false)
}

/** @returns undefined for a damaged or too large image */
export async function decodeInkJpeg(bytes: Uint8Array, size: Size, options: InkOptions): Promise<Decoded | undefined> {
  const sharp = await loadSharp()
  const source = sharp(bytes, { limitInputPixels: false, failOn: 'error', ignoreIcc: true })
  // a damaged image stays unchanged
  const metadata = await source.metadata().catch(() => undefined)
  if (metadata?.space !== 'cmyk' || metadata.width !== size.width || metadata.height !== size.height) return undefined
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES))
  // libvips inverts samples from Adobe's programs; PDF inverts only by the Decode array
  const isInvertedByLibvips = head.includes('Adobe\0')
  if (isInvertedByLibvips === options.inverted && options.profile === undefined)
    return inkPipeline(bytes, size, options.keepsInks, true)
  if (size.width * size.height > MAX_INK_PIXELS) return undefined
  let samples: Buffer
  try {
    samples = await source.pipelineColourspace('cmyk').toColourspace('cmyk').raw().toBuffer()
  } catch {
    // a damaged image stays unchanged
    return undefined
  }
  const decoded = await fromInks(samples, size, { ...options, inverted: isInvertedByLibvips !== options.inverted })
  return decoded && { ...decoded, isLossy: true }
}

async function inkPipeline(file: Uint8Array, size: Size, keepsInks: boolean, isLossy: boolean): Promise<Decoded> {
  const { PDFName } = await import('@cantoo/pdf-lib')
  const sharp = await loadSharp()
  const pipeline = sharp(file, { limitInputPixels: false, failOn: 'error' })
  return keepsInks
    ? { ...size, channels: 4, pipeline: pipeline.pipelineColourspace('cmyk'), isLossy }
    : { ...size, channels: 3, pipeline, isLossy, space: PDFName.of('DeviceRGB') }
}
