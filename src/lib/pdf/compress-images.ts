/** Pictures within a PDF coded anew: no finer than they are printed, as JPEG or by PNG's own packing, whichever is smaller. */
import { inflateSync } from 'node:zlib'
import type { PDFDict, PDFDocument, PDFObject, PDFRawStream, PDFRef } from '@cantoo/pdf-lib'
import { loadSharp, type Pipeline } from '../image/image.ts'
import { packedPixels } from './picture-stream.ts'

export type ImageQuality = {
  /** Pixels to the inch that are kept. */
  dpi: number
  /** Of JPEG, 1 to 100. */
  quality: number
  /** Whether colours are kept as fine as brightness. */
  fullChroma: boolean
}

type Channels = 1 | 3
type Size = { width: number; height: number }
type Decoded = Size & { channels: Channels; pipeline: Pipeline; isJpeg: boolean }
type Coded = Size & { bytes: Uint8Array; entries: Record<string, unknown> }

/** As Ghostscript does: a little too fine is left as it is. */
const DPI_TOLERANCE = 1.5
/** What is drawn by lines and plain colours stays exact up to here. */
const LOSSLESS_SHARE = 1.3
const MIN_GAIN = 0.95
/** Smaller ones cost more to look at than they could save. */
const MIN_BYTES = 2_000
const MIN_SIDE = 8

/** @param dpi pixels to the inch at which each picture is drawn */
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
      await recode(document, ref, picture, drawnDpi, quality)
      const mask = picture.dict.get(PDFName.of('SMask'))
      const maskStream = context.lookup(mask)
      if (mask instanceof PDFRef && maskStream instanceof PDFRawStream)
        await recode(document, mask, maskStream, drawnDpi, quality, true)
    }
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
  const { PDFName } = await import('@cantoo/pdf-lib')
  const decoded = await decode(stream)
  if (decoded === undefined) return
  const target = reduced(decoded, dpi, quality.dpi)
  const coded = await smallest(decoded, target, quality, isMask)
  if (coded === undefined || coded.bytes.length > MIN_GAIN * bytes.length) return
  const dict = stream.dict.clone(context)
  for (const name of ['Filter', 'DecodeParms', 'Decode', 'Length']) dict.delete(PDFName.of(name))
  // an indexed picture has become one of plain colours
  if (decoded.channels === 3 || isIndexed(stream.dict, PDFName)) setPlainColours(dict, decoded, PDFName, stream.dict)
  const about = context.obj({
    BitsPerComponent: 8,
    Width: coded.width,
    Height: coded.height,
    ...coded.entries,
  } as never) as unknown as PDFDict
  for (const [name, value] of about.entries()) dict.set(name, value)
  context.assign(ref, PDFRawStreamOf(stream, dict, coded.bytes))
}

type Names = typeof import('@cantoo/pdf-lib').PDFName

const PDFRawStreamOf = (stream: PDFRawStream, dict: PDFDict, bytes: Uint8Array): PDFRawStream =>
  (stream.constructor as typeof PDFRawStream).of(dict, bytes)

const isIndexed = (dict: PDFDict, name: Names): boolean => colourSpace(dict, name).kind === 'Indexed'

function setPlainColours(dict: PDFDict, { channels }: Decoded, name: Names, source: PDFDict): void {
  const { kind, base } = colourSpace(source, name)
  if (kind === 'Indexed') dict.set(name.of('ColorSpace'), base ?? name.of(channels === 1 ? 'DeviceGray' : 'DeviceRGB'))
}

/** What its samples mean; profiles stay with the picture and are not applied. */
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

/** @returns undefined for what is left as it is: bilevel scans, JPEG 2000, inks, colour keys */
async function decode(stream: PDFRawStream): Promise<Decoded | undefined> {
  const { PDFBool, PDFName, PDFNumber } = await import('@cantoo/pdf-lib')
  const { dict } = stream
  const number = (name: string): number => {
    const value = dict.lookup(PDFName.of(name))
    return value instanceof PDFNumber ? value.asNumber() : 0
  }
  const [width, height, bits] = [number('Width'), number('Height'), number('BitsPerComponent')]
  const isStencil = dict.lookup(PDFName.of('ImageMask')) === PDFBool.True
  const hasKeyMask = dict.has(PDFName.of('Mask')) && !('getContents' in (dict.lookup(PDFName.of('Mask')) ?? {}))
  const special =
    hasKeyMask ||
    ['Matte', 'SMaskInData'].some((name) => dict.has(PDFName.of(name))) ||
    !isPlain(dict.lookup(PDFName.of('Decode')), bits)
  if (isStencil || special || Math.min(width, height) < MIN_SIDE) return undefined
  const filter = String(dict.lookup(PDFName.of('Filter')) ?? '').replace(/[[\]\s]/g, '')
  const space = colourSpace(dict, PDFName)
  if (filter === '/DCTDecode') return decodeJpeg(stream.getContents(), { width, height }, space)
  if ((filter !== '/FlateDecode' && filter !== '') || dict.has(PDFName.of('DecodeParms'))) return undefined
  if (bits !== 8 && !(bits === 4 || bits === 2)) return undefined
  const { channels } = space
  if (channels !== 1 && channels !== 3) return undefined
  const rowBytes = Math.ceil((width * channels * bits) / 8)
  const packed =
    filter === ''
      ? stream.getContents()
      : inflateSync(stream.getContents(), { maxOutputLength: rowBytes * height + 4_096 })
  if (packed.length < rowBytes * height) return undefined
  const samples =
    bits === 8
      ? packed.subarray(0, rowBytes * height)
      : unpacked(packed, width * channels, height, bits, space.kind !== 'Indexed')
  if (space.kind !== 'Indexed') return ofSamples(samples, { width, height }, channels)
  const palette = await paletteOf(space.base, space.lookup, dict)
  if (palette === undefined) return undefined
  const coloured = new Uint8Array(width * height * palette.channels)
  for (let i = 0, at = 0; i < width * height; i++)
    for (let channel = 0; channel < palette.channels; channel++)
      coloured[at++] = palette.colours[(samples[i] as number) * palette.channels + channel] ?? 0
  return ofSamples(coloured, { width, height }, palette.channels)
}

/** Whether samples mean what they mean without a table of their own. */
function isPlain(decode: PDFObject | undefined, bits: number): boolean {
  const values =
    decode === undefined
      ? []
      : (String(decode)
          .match(/-?[\d.]+/g)
          ?.map(Number) ?? [])
  return values.every((value, i) => (i % 2 === 0 ? value === 0 : value === 1 || value === 2 ** bits - 1))
}

async function ofSamples(data: Uint8Array, { width, height }: Size, channels: Channels): Promise<Decoded> {
  const sharp = await loadSharp()
  const pipeline = sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
  return { width, height, channels, pipeline, isJpeg: false }
}

async function decodeJpeg(
  bytes: Uint8Array,
  size: Size,
  { channels }: { channels?: number },
): Promise<Decoded | undefined> {
  const sharp = await loadSharp()
  const pipeline = sharp(bytes, { limitInputPixels: false, failOn: 'error', ignoreIcc: true })
  const about = await pipeline.metadata().catch(() => undefined)
  if (about?.format !== 'jpeg' || about.width !== size.width || about.height !== size.height) return undefined
  if (about.channels !== channels || (channels !== 1 && channels !== 3)) return undefined
  return { ...size, channels, pipeline, isJpeg: true }
}

/** Samples of a few bits as bytes. @param stretch whether the largest becomes 255; palettes count */
function unpacked(packed: Uint8Array, perRow: number, rows: number, bits: number, stretch: boolean): Uint8Array {
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
  const { decodePDFRawStream, PDFDict, PDFHexString, PDFName, PDFRawStream, PDFString } = await import(
    '@cantoo/pdf-lib'
  )
  if (base === undefined) return undefined
  const holder = PDFDict.withContext(dict.context)
  holder.set(PDFName.of('ColorSpace'), base)
  const { channels } = colourSpace(holder, PDFName)
  if (channels !== 1 && channels !== 3) return undefined
  const table = dict.context.lookup(lookup)
  if (table instanceof PDFRawStream) return { colours: decodePDFRawStream(table).decode(), channels }
  if (table instanceof PDFString || table instanceof PDFHexString) return { colours: table.asBytes(), channels }
  return undefined
}

function reduced({ width, height }: Size, dpi: number, wanted: number): Size {
  if (!(dpi > DPI_TOLERANCE * wanted) || !Number.isFinite(dpi)) return { width, height }
  const factor = wanted / dpi
  return { width: Math.max(1, Math.round(width * factor)), height: Math.max(1, Math.round(height * factor)) }
}

async function smallest(
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
    // a picture that breaks off stays as it is
    return undefined
  }
  const { channels } = decoded
  const samples = raw.info.channels === channels ? raw.data : firstOf(raw.data, raw.info.channels, channels)
  const again = () => sharp(samples, { raw: { ...size, channels }, limitInputPixels: false })
  const jpeg = isMask
    ? undefined
    : await (channels === 1 ? again().toColourspace('b-w') : again())
        .jpeg({ quality: quality.quality, chromaSubsampling: quality.fullChroma ? '4:4:4' : '4:2:0', mozjpeg: true })
        .toBuffer()
  // what was a photograph before is one still
  const lossless = decoded.isJpeg ? undefined : await losslessly(samples, size, channels)
  if (lossless !== undefined && (jpeg === undefined || lossless.bytes.length <= LOSSLESS_SHARE * jpeg.length))
    return lossless
  return jpeg === undefined ? undefined : { ...size, bytes: jpeg, entries: { Filter: 'DCTDecode' } }
}

function firstOf(data: Buffer, from: number, to: number): Uint8Array {
  const out = new Uint8Array((data.length / from) * to)
  for (let i = 0, at = 0; i < data.length; i += from)
    for (let channel = 0; channel < to; channel++) out[at++] = data[i + channel] as number
  return out
}

async function losslessly(samples: Uint8Array, size: Size, channels: Channels): Promise<Coded> {
  const sharp = await loadSharp()
  const pack = async (adaptiveFiltering: boolean): Promise<Uint8Array> => {
    const raw = sharp(samples, { raw: { ...size, channels }, limitInputPixels: false })
    const plain = channels === 1 ? raw.toColourspace('b-w') : raw
    return packedPixels(await plain.png({ compressionLevel: 9, adaptiveFiltering }).toBuffer())
  }
  // filters help photographs, and harm what is drawn
  const [filtered, plain] = [await pack(true), await pack(false)]
  const parms = { Predictor: 15, Colors: channels, BitsPerComponent: 8, Columns: size.width }
  return {
    ...size,
    bytes: plain.length < filtered.length ? plain : filtered,
    entries: { Filter: 'FlateDecode', DecodeParms: parms },
  }
}
