/** Decodes the images of a PDF to samples; colour profiles of grey and RGB stay with the image and are not applied. */
import type { PDFObject, PDFRawStream } from '@cantoo/pdf-lib'
import { loadSharp } from '../../image/image.ts'
import { decodeLossless, filtersOf, imageBytes, isLossless, MAX_EXTRA_BYTES } from '../structure/filters.ts'
import { type ColourSpace, colourSpaceOf, paletteOf } from './colour-space.ts'
import { type Decoded, fromSamples, type Size } from './decoded-image.ts'
import { decodeJpeg2000 } from './image-decoders.ts'
import { decodeInkJpeg, fromInks, MAX_INK_PIXELS } from './ink-image.ts'

const MIN_SIDE = 8

/** Entries of an image's dictionary. */
export type ImageEntries = Size & {
  bits: number
  /** Whether it is a stencil, which paints the current colour. */
  isStencil: boolean
  /** The Decode array. */
  levels: number[]
}

export async function imageEntries({ dict }: PDFRawStream): Promise<ImageEntries> {
  const { PDFArray, PDFBool, PDFName, PDFNumber } = await import('@cantoo/pdf-lib')
  const number = (name: string): number => {
    const value = dict.lookup(PDFName.of(name))
    return value instanceof PDFNumber ? value.asNumber() : 0
  }
  const decode = dict.lookup(PDFName.of('Decode'))
  return {
    width: number('Width'),
    height: number('Height'),
    bits: number('BitsPerComponent'),
    isStencil: dict.lookup(PDFName.of('ImageMask')) === PDFBool.True,
    levels:
      decode instanceof PDFArray ? decode.asArray().map((value) => Number(String(dict.context.lookup(value)))) : [],
  }
}

/** @returns undefined for images that stay unchanged: colour keys, unusual colour spaces, damaged ones */
export async function decodeImage(stream: PDFRawStream, keepsInks: boolean): Promise<Decoded | undefined> {
  const { PDFName, PDFNumber, PDFStream } = await import('@cantoo/pdf-lib')
  const { dict } = stream
  const { width, height, bits, levels } = await imageEntries(stream)
  const size = { width, height }
  const mask = dict.lookup(PDFName.of('Mask'))
  const maskInData = dict.lookup(PDFName.of('SMaskInData'))
  const hasKeyMask = mask !== undefined && !(mask instanceof PDFStream)
  const hasMaskInData = maskInData instanceof PDFNumber && maskInData.asNumber() > 0
  if (hasKeyMask || hasMaskInData || dict.has(PDFName.of('Matte')) || Math.min(width, height) < MIN_SIDE)
    return undefined
  const space = await colourSpaceOf(dict.lookup(PDFName.of('ColorSpace')))
  const inverted = isInverted(levels)
  if (!inverted && !isDefault(levels, bits)) return undefined
  const inks = { inverted, profile: space.profile, keepsInks }
  const filters = await filtersOf(dict)
  if (!filters.every(({ name }) => isLossless(name))) {
    const image = await imageBytes(stream)
    if (image?.filter.name === 'DCTDecode')
      return space.channels === 4
        ? decodeInkJpeg(image.bytes, size, inks)
        : decodeJpeg(image.bytes, size, space, inverted)
    return image?.filter.name === 'JPXDecode' && !inverted ? decodeJpeg2000Image(image.bytes, size, space) : undefined
  }
  const { channels } = space
  if (channels === undefined || ![1, 2, 4, 8, 16].includes(bits) || (inverted && space.kind === 'Indexed'))
    return undefined
  const rowBytes = Math.ceil((width * channels * bits) / 8)
  const packed = await decodeLossless(stream.getContents(), filters, rowBytes * height + MAX_EXTRA_BYTES)
  if (packed === undefined || packed.length < rowBytes * height) return undefined
  const samples =
    bits >= 8
      ? highBytes(packed.subarray(0, rowBytes * height), bits / 8)
      : expandBits(packed, width * channels, height, bits, space.kind !== 'Indexed')
  if (space.kind === 'Indexed') return fromPalette(samples, size, space, stream, keepsInks)
  if (channels === 4) return fromInks(samples, size, inks)
  const decoded = await fromSamples(samples, size, channels)
  return inverted ? { ...decoded, pipeline: decoded.pipeline.negate() } : decoded
}

async function fromPalette(
  indexes: Uint8Array,
  size: Size,
  space: ColourSpace,
  { dict }: PDFRawStream,
  keepsInks: boolean,
): Promise<Decoded | undefined> {
  const palette = await paletteOf(space, dict)
  const { channels, profile } = palette?.space ?? {}
  if (palette === undefined || channels === undefined) return undefined
  if (channels === 4 && indexes.length > MAX_INK_PIXELS) return undefined
  const coloured = new Uint8Array(indexes.length * channels)
  for (let i = 0, at = 0; i < indexes.length; i++)
    for (let channel = 0; channel < channels; channel++)
      coloured[at++] = palette.colours[(indexes[i] as number) * channels + channel] ?? 0
  // the palette has been expanded, so the base colour space applies
  const base = space.base as PDFObject
  if (channels !== 4) return { ...(await fromSamples(coloured, size, channels)), space: base }
  const decoded = await fromInks(coloured, size, { inverted: false, profile, keepsInks })
  return decoded && { ...decoded, space: decoded.space ?? base }
}

/** Whether the Decode array is absent or maps samples to their default range. */
const isDefault = (levels: readonly number[], bits: number): boolean =>
  levels.every((value, i) => (i % 2 === 0 ? value === 0 : value === 1 || value === 2 ** bits - 1))

const isInverted = (levels: readonly number[]): boolean =>
  levels.length > 0 && levels.every((value, i) => value === (i % 2 === 0 ? 1 : 0))

async function decodeJpeg(
  bytes: Uint8Array,
  size: Size,
  { channels }: ColourSpace,
  inverted: boolean,
): Promise<Decoded | undefined> {
  const sharp = await loadSharp()
  const pipeline = sharp(bytes, { limitInputPixels: false, failOn: 'error', ignoreIcc: true })
  // a damaged image stays unchanged
  const metadata = await pipeline.metadata().catch(() => undefined)
  if (metadata?.format !== 'jpeg' || metadata.width !== size.width || metadata.height !== size.height) return undefined
  if (metadata.channels !== channels || (channels !== 1 && channels !== 3)) return undefined
  return { ...size, channels, pipeline: inverted ? pipeline.negate() : pipeline, isLossy: true }
}

async function decodeJpeg2000Image(bytes: Uint8Array, size: Size, space: ColourSpace): Promise<Decoded | undefined> {
  const { PDFName } = await import('@cantoo/pdf-lib')
  const samples = await decodeJpeg2000(bytes, size.width * size.height)
  if (samples === undefined || samples.width !== size.width || samples.height !== size.height) return undefined
  // without a colour space in the dictionary, the colour space in the image data applies
  const declaresSpace = space.kind !== ''
  if (declaresSpace && space.channels !== samples.channels) return undefined
  const deviceSpace = PDFName.of(samples.channels === 1 ? 'DeviceGray' : 'DeviceRGB')
  return {
    ...(await fromSamples(samples.data, size, samples.channels)),
    isLossy: true,
    ...(!declaresSpace && { space: deviceSpace }),
  }
}

/** The high byte of each sample. */
const highBytes = (data: Uint8Array, bytes: number): Uint8Array =>
  bytes === 1 ? data : Uint8Array.from({ length: data.length / bytes }, (_, i) => data[i * bytes] as number)

/** Expands samples of a few bits to bytes. @param stretch scales the largest value to 255; false for palette indexes */
function expandBits(packed: Uint8Array, perRow: number, rows: number, bits: number, stretch: boolean): Uint8Array {
  const out = new Uint8Array(perRow * rows)
  const rowBytes = Math.ceil((perRow * bits) / 8)
  const largest = 2 ** bits - 1
  const factor = stretch ? 255 / largest : 1
  for (let y = 0; y < rows; y++)
    for (let x = 0; x < perRow; x++) {
      const shift = 8 - bits - ((x * bits) % 8)
      out[y * perRow + x] = (((packed[y * rowBytes + ((x * bits) >> 3)] as number) >> shift) & largest) * factor
    }
  return out
}
