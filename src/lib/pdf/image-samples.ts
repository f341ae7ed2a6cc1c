/** Decodes the images of a PDF to samples; colour profiles stay with the image and are not applied. */
import { inflateSync } from 'node:zlib'
import type { PDFDict, PDFObject, PDFRawStream } from '@cantoo/pdf-lib'
import { loadSharp, type Pipeline } from '../image/image.ts'
import { decodeJpeg2000 } from './jpeg2000.ts'
import { streamDecoder } from './stream-decoder.ts'

export type Channels = 1 | 3
export type Size = { width: number; height: number }
export type Decoded = Size & {
  channels: Channels
  pipeline: Pipeline
  /** Whether the source encoding is lossy. */
  isLossy: boolean
  /** The colour space of the samples, when it differs from the one in the image's dictionary. */
  space?: PDFObject
}

type Names = typeof import('@cantoo/pdf-lib').PDFName

const MIN_SIDE = 8
/** Extra bytes that some producers write after the last row. */
const MAX_EXTRA_BYTES = 4_096
/** Where a JPEG contains its Adobe marker. */
const HEAD_BYTES = 65_536

/** Reads the colour space of an image. */
function colourSpace(
  dict: PDFDict,
  name: Names,
): { kind: string; channels?: number; base?: PDFObject; lookup?: PDFObject } {
  const { context } = dict
  const space = dict.lookup(name.of('ColorSpace'))
  const list = space as { asArray?(): PDFObject[] } | undefined
  const items = list?.asArray?.()
  const first = items === undefined ? space : context.lookup(items[0])
  const kind = first === undefined ? '' : String(first).slice(1)
  if (items === undefined) return { kind, channels: DEVICE_CHANNELS[kind] ?? 0 }
  if (kind === 'CalGray') return { kind, channels: 1 }
  if (kind === 'CalRGB' || kind === 'Lab') return { kind, channels: kind === 'Lab' ? 0 : 3 }
  if (kind === 'ICCBased') {
    const profile = context.lookup(items[1]) as { dict?: PDFDict } | undefined
    return { kind, channels: Number(String(profile?.dict?.lookup(name.of('N')))) }
  }
  if (kind === 'Indexed')
    return { kind, channels: 1, ...(items[1] && { base: items[1] }), ...(items[3] && { lookup: items[3] }) }
  return { kind }
}
const DEVICE_CHANNELS: Record<string, number> = { DeviceGray: 1, DeviceRGB: 3, DeviceCMYK: 4, G: 1, RGB: 3 }

/** @returns undefined for images that stay unchanged: bilevel scans, CMYK other than JPEG, colour keys, damaged ones */
export async function decodeImage(stream: PDFRawStream, keepsColourSpace: boolean): Promise<Decoded | undefined> {
  const { PDFBool, PDFName, PDFNumber } = await import('@cantoo/pdf-lib')
  const { dict } = stream
  const number = (name: string): number => {
    const value = dict.lookup(PDFName.of(name))
    return value instanceof PDFNumber ? value.asNumber() : 0
  }
  const [width, height, bits] = [number('Width'), number('Height'), number('BitsPerComponent')]
  const isStencil = dict.lookup(PDFName.of('ImageMask')) === PDFBool.True
  const hasKeyMask = dict.has(PDFName.of('Mask')) && !('getContents' in (dict.lookup(PDFName.of('Mask')) ?? {}))
  const isUnsupported = hasKeyMask || dict.has(PDFName.of('Matte')) || number('SMaskInData') > 0
  if (isStencil || isUnsupported || Math.min(width, height) < MIN_SIDE) return undefined
  const filter = String(dict.lookup(PDFName.of('Filter')) ?? '').replace(/[[\]\s]/g, '')
  const space = colourSpace(dict, PDFName)
  const decodeArray = dict.lookup(PDFName.of('Decode'))
  if (filter === '/DCTDecode' && space.channels === 4)
    return keepsColourSpace
      ? undefined
      : decodeCmykJpeg(stream.getContents(), { width, height }, isInverted(decodeArray))
  if (!hasDefaultDecode(decodeArray, bits)) return undefined
  if (filter === '/DCTDecode') return decodeJpeg(stream.getContents(), { width, height }, space)
  if (filter === '/JPXDecode') return decodeJpeg2000Picture(stream.getContents(), { width, height }, space)
  if ((filter !== '/FlateDecode' && filter !== '') || dict.has(PDFName.of('DecodeParms'))) return undefined
  if (![2, 4, 8, 16].includes(bits)) return undefined
  const { channels } = space
  if (channels !== 1 && channels !== 3) return undefined
  const rowBytes = Math.ceil((width * channels * bits) / 8)
  const packed = filter === '' ? stream.getContents() : inflateLimited(stream.getContents(), rowBytes * height)
  if (packed === undefined || packed.length < rowBytes * height) return undefined
  const samples =
    bits >= 8
      ? highBytes(packed.subarray(0, rowBytes * height), bits / 8)
      : expandBits(packed, width * channels, height, bits, space.kind !== 'Indexed')
  if (space.kind !== 'Indexed') return fromSamples(samples, { width, height }, channels)
  const palette = await paletteOf(space.base, space.lookup, dict)
  if (palette === undefined) return undefined
  const coloured = new Uint8Array(width * height * palette.channels)
  for (let i = 0, at = 0; i < width * height; i++)
    for (let channel = 0; channel < palette.channels; channel++)
      coloured[at++] = palette.colours[(samples[i] as number) * palette.channels + channel] ?? 0
  // the palette has been expanded, so the base colour space applies
  return { ...(await fromSamples(coloured, { width, height }, palette.channels)), space: space.base as PDFObject }
}

/** @returns undefined when the data is not valid, or much larger than the image needs */
function inflateLimited(bytes: Uint8Array, expectedBytes: number): Uint8Array | undefined {
  try {
    return inflateSync(bytes, { maxOutputLength: expectedBytes + MAX_EXTRA_BYTES })
  } catch (error) {
    const { code } = error as { code?: string }
    if (code?.startsWith('Z_') || code === 'ERR_BUFFER_TOO_LARGE') return undefined
    throw error
  }
}

/** Whether the Decode array is absent or maps samples to their default range. */
function hasDefaultDecode(decode: PDFObject | undefined, bits: number): boolean {
  const values =
    decode === undefined
      ? []
      : (String(decode)
          .match(/-?[\d.]+/g)
          ?.map(Number) ?? [])
  return values.every((value, i) => (i % 2 === 0 ? value === 0 : value === 1 || value === 2 ** bits - 1))
}

async function fromSamples(data: Uint8Array, { width, height }: Size, channels: Channels): Promise<Decoded> {
  const sharp = await loadSharp()
  const pipeline = sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
  return { width, height, channels, pipeline, isLossy: false }
}

async function decodeJpeg(
  bytes: Uint8Array,
  size: Size,
  { channels }: { channels?: number },
): Promise<Decoded | undefined> {
  const sharp = await loadSharp()
  const pipeline = sharp(bytes, { limitInputPixels: false, failOn: 'error', ignoreIcc: true })
  const metadata = await pipeline.metadata().catch(() => undefined)
  if (metadata?.format !== 'jpeg' || metadata.width !== size.width || metadata.height !== size.height) return undefined
  if (metadata.channels !== channels || (channels !== 1 && channels !== 3)) return undefined
  return { ...size, channels, pipeline, isLossy: true }
}

/**
 * libvips inverts CMYK with an Adobe marker, PDF only with an inverted Decode array; other combinations are skipped.
 */
async function decodeCmykJpeg(bytes: Uint8Array, size: Size, inverted: boolean): Promise<Decoded | undefined> {
  const { PDFName } = await import('@cantoo/pdf-lib')
  const head = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, HEAD_BYTES))
  if (head.includes('Adobe\0') !== inverted) return undefined
  const sharp = await loadSharp()
  const pipeline = sharp(bytes, { limitInputPixels: false, failOn: 'error' })
  const metadata = await pipeline.metadata().catch(() => undefined)
  if (metadata?.space !== 'cmyk' || metadata.width !== size.width || metadata.height !== size.height) return undefined
  return { ...size, channels: 3, pipeline, isLossy: true, space: PDFName.of('DeviceRGB') }
}

const isInverted = (decode: PDFObject | undefined): boolean =>
  String(decode ?? '').replace(/[[\]\s]/g, '') === '10101010'

async function decodeJpeg2000Picture(
  bytes: Uint8Array,
  size: Size,
  space: { kind: string; channels?: number },
): Promise<Decoded | undefined> {
  const { PDFName } = await import('@cantoo/pdf-lib')
  const samples = await decodeJpeg2000(bytes, size.width * size.height)
  if (samples === undefined || samples.width !== size.width || samples.height !== size.height) return undefined
  // without a colour space in the dictionary, the one of the image applies
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

async function paletteOf(
  base: PDFObject | undefined,
  lookup: PDFObject | undefined,
  dict: PDFDict,
): Promise<{ colours: Uint8Array; channels: Channels } | undefined> {
  const { PDFDict, PDFHexString, PDFName, PDFRawStream, PDFString } = await import('@cantoo/pdf-lib')
  if (base === undefined) return undefined
  const holder = PDFDict.withContext(dict.context)
  holder.set(PDFName.of('ColorSpace'), base)
  const { channels } = colourSpace(holder, PDFName)
  if (channels !== 1 && channels !== 3) return undefined
  const table = dict.context.lookup(lookup)
  if (table instanceof PDFRawStream) return { colours: (await streamDecoder())(table) ?? new Uint8Array(), channels }
  if (table instanceof PDFString || table instanceof PDFHexString) return { colours: table.asBytes(), channels }
  return undefined
}
