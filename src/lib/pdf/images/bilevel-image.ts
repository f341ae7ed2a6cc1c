/** Recompresses images and stencil masks of one bit per pixel: scans keep two colours, and never become JPEG. */
import { deflateSync } from 'node:zlib'
import type { PDFDict, PDFRawStream } from '@cantoo/pdf-lib'
import {
  decodeLossless,
  type Filter,
  filtersOf,
  imageBytes,
  isLossless,
  MAX_EXTRA_BYTES,
} from '../structure/filters.ts'
import { colourSpaceOf } from './colour-space.ts'
import type { Size } from './decoded-image.ts'
import { decodeBilevel, type FaxOptions } from './image-decoders.ts'
import { imageEntries } from './image-samples.ts'
import { encodeJbig2 } from './jbig2-encoder.ts'

type Rows = Size & { rows: Uint8Array }
export type CodedBits = Size & { bytes: Uint8Array; filter: 'JBIG2Decode' | 'FlateDecode' }

/** Maximum size of the segments shared by JBIG2 images. */
const MAX_GLOBALS_BYTES = 16 * 2 ** 20
/**
 * A pixel becomes ink if the source covers this share of it: a one-pixel line at twice the resolution covers half of
 * it, and must not disappear.
 */
const INKED_SHARE = 0.48
/** An image is dithered if a larger share of its pixels is neither light nor dark after reduction. */
const DITHERED_SHARE = 0.25
const [DARK, LIGHT] = [32, 223]

/** Whether a pixel is one bit: a stencil, or an image of one channel. */
export async function isBilevel(stream: PDFRawStream): Promise<boolean> {
  const { PDFName } = await import('@cantoo/pdf-lib')
  const { bits, isStencil } = await imageEntries(stream)
  const filter = (await filtersOf(stream.dict)).at(-1)?.name ?? ''
  // these filters imply one bit
  const isOneBit = bits === 1 || (bits === 0 && (filter === 'CCITTFaxDecode' || filter === 'JBIG2Decode'))
  return isStencil || (isOneBit && (await colourSpaceOf(stream.dict.lookup(PDFName.of('ColorSpace')))).channels === 1)
}

/** @param target size, at most the image's own. @returns undefined for a damaged image */
export async function recodeBilevel(stream: PDFRawStream, size: Size, target: Size): Promise<CodedBits | undefined> {
  const rows = await bitsOf(stream, size)
  if (rows === undefined) return undefined
  const isSmaller = target.width < size.width || target.height < size.height
  const made: Rows = isSmaller ? reduced({ ...size, rows }, target, await inkOf(stream.dict)) : { ...size, rows }
  const jbig2 = encodeJbig2(made.rows, made.width, made.height)
  // dithered pictures repeat patterns, which suit Flate
  const flate = deflateSync(made.rows, { level: 9 })
  const [bytes, filter] =
    flate.length < jbig2.length ? ([flate, 'FlateDecode'] as const) : ([jbig2, 'JBIG2Decode'] as const)
  return { width: made.width, height: made.height, bytes, filter }
}

/** @returns rows of bits, each padded to a byte, in which 0 is black before the Decode array applies */
export async function bitsOf(stream: PDFRawStream, { width, height }: Size): Promise<Uint8Array | undefined> {
  const expected = Math.ceil(width / 8) * height
  const filters = await filtersOf(stream.dict)
  if (filters.every(({ name }) => isLossless(name))) {
    const rows = await decodeLossless(stream.getContents(), filters, expected + MAX_EXTRA_BYTES)
    return rows !== undefined && rows.length >= expected ? rows.subarray(0, expected) : undefined
  }
  const image = await imageBytes(stream)
  if (image === undefined) return undefined
  if (image.filter.name === 'CCITTFaxDecode') {
    const fax = await faxOptions(image.filter, height)
    return fax.Columns === width ? decodeBilevel(image.bytes, width, height, { fax }) : undefined
  }
  if (image.filter.name !== 'JBIG2Decode') return undefined
  return decodeBilevel(image.bytes, width, height, { globals: await globalsOf(image.filter) })
}

async function faxOptions({ parms }: Filter, height: number): Promise<FaxOptions> {
  const { PDFBool, PDFName, PDFNumber } = await import('@cantoo/pdf-lib')
  const number = (name: string, byDefault: number): number => {
    const value = parms?.lookup(PDFName.of(name))
    return value instanceof PDFNumber ? value.asNumber() : byDefault
  }
  const isSet = (name: string): boolean => parms?.lookup(PDFName.of(name)) === PDFBool.True
  return {
    K: number('K', 0),
    EndOfLine: isSet('EndOfLine'),
    EncodedByteAlign: isSet('EncodedByteAlign'),
    BlackIs1: isSet('BlackIs1'),
    Columns: number('Columns', 1728),
    Rows: height,
  }
}

async function globalsOf({ parms }: Filter): Promise<Uint8Array | undefined> {
  const { PDFName, PDFRawStream } = await import('@cantoo/pdf-lib')
  const stream = parms?.lookup(PDFName.of('JBIG2Globals'))
  if (!(stream instanceof PDFRawStream)) return undefined
  return decodeLossless(stream.getContents(), await filtersOf(stream.dict), MAX_GLOBALS_BYTES)
}

/** The sample that paints: 0, unless a Decode array inverts the samples. */
async function inkOf(dict: PDFDict): Promise<0 | 1> {
  const { PDFName } = await import('@cantoo/pdf-lib')
  return /^\[\s*1(\.0*)?\s/.test(String(dict.lookup(PDFName.of('Decode')) ?? '')) ? 1 : 0
}

function reduced(bits: Rows, target: Size, ink: 0 | 1): Rows {
  const grey = averaged(bits, target)
  let between = 0
  for (const value of grey) if (value > DARK && value < LIGHT) between++
  const isDithered = between > DITHERED_SHARE * grey.length
  return { ...target, rows: isDithered ? diffused(grey, target) : thresholded(grey, target, ink) }
}

/** The share of light in the area of each pixel, from 0 to 255; the kernels of libvips spread a line over two rows. */
function averaged({ rows, width, height }: Rows, target: Size): Uint8Array {
  const rowBytes = Math.ceil(width / 8)
  const [stepX, stepY] = [width / target.width, height / target.height]
  const grey = new Uint8Array(target.width * target.height)
  const sums = new Float64Array(target.width)
  /** Running count of light pixels before each column of a row. */
  const light = new Uint32Array(width + 2)
  const lightBefore = (x: number): number => {
    const column = Math.floor(x)
    const [here, next] = [light[column] as number, light[column + 1] as number]
    return here + (x - column) * (next - here)
  }
  for (let y = 0; y < target.height; y++) {
    const [top, bottom] = [y * stepY, Math.min(height, (y + 1) * stepY)]
    sums.fill(0)
    for (let row = Math.floor(top); row < bottom; row++) {
      for (let x = 0; x < width; x++)
        light[x + 1] = (light[x] as number) + (((rows[row * rowBytes + (x >> 3)] as number) >> (7 - (x & 7))) & 1)
      light[width + 1] = light[width] as number
      const share = Math.min(row + 1, bottom) - Math.max(row, top)
      for (let x = 0, before = 0; x < target.width; x++) {
        const after = lightBefore(Math.min(width, (x + 1) * stepX))
        ;(sums[x] as number) += share * (after - before)
        before = after
      }
    }
    for (let x = 0; x < target.width; x++)
      grey[y * target.width + x] = Math.round((255 * (sums[x] as number)) / (stepX * stepY))
  }
  return grey
}

function thresholded(grey: Uint8Array, { width, height }: Size, ink: 0 | 1): Uint8Array {
  const rowBytes = Math.ceil(width / 8)
  const out = new Uint8Array(rowBytes * height)
  const threshold = 255 * (ink === 0 ? 1 - INKED_SHARE : INKED_SHARE)
  for (let y = 0, at = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if ((grey[at++] as number) > threshold) (out[y * rowBytes + (x >> 3)] as number) |= 0x80 >> (x & 7)
  return out
}

/** Floyd and Steinberg's error diffusion, which keeps the tones of a dithered image. */
function diffused(grey: Uint8Array, { width, height }: Size): Uint8Array {
  const rowBytes = Math.ceil(width / 8)
  const out = new Uint8Array(rowBytes * height)
  // one pixel of margin on each side
  let [errors, below] = [new Float32Array(width + 2), new Float32Array(width + 2)]
  for (let y = 0, at = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const value = (grey[at++] as number) + (errors[x + 1] as number)
      const isLight = value >= 128
      if (isLight) (out[y * rowBytes + (x >> 3)] as number) |= 0x80 >> (x & 7)
      const error = (value - (isLight ? 255 : 0)) / 16
      ;(errors[x + 2] as number) += 7 * error
      ;(below[x] as number) += 3 * error
      ;(below[x + 1] as number) += 5 * error
      ;(below[x + 2] as number) += error
    }
    ;[errors, below] = [below, errors.fill(0)]
  }
  return out
}
