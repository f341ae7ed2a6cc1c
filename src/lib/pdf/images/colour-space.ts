/** The colour spaces of images: samples per pixel, and palette colours. */
import type { PDFDict, PDFObject } from '@cantoo/pdf-lib'
import { decodeLossless, filtersOf } from '../structure/filters.ts'
import type { Channels } from './decoded-image.ts'

export type ColourSpace = {
  /** The name of the family; empty if the image has no colour space. */
  kind: string
  /** Samples of a pixel; undefined for spaces whose images stay unchanged. */
  channels: Channels | undefined
  /** ICC profile of an ink space. */
  profile?: Uint8Array
  /** Base colour space and colours of a palette. */
  base?: PDFObject
  lookup?: PDFObject
}

const CHANNELS: Record<string, Channels> = {
  DeviceGray: 1,
  DeviceRGB: 3,
  DeviceCMYK: 4,
  G: 1,
  RGB: 3,
  CMYK: 4,
  CalGray: 1,
  CalRGB: 3,
  Indexed: 1,
  I: 1,
  // a single ink, with tints as samples
  Separation: 1,
}
const MAX_PROFILE_BYTES = 16 * 2 ** 20
const MAX_PALETTE_BYTES = 64 * 1024

export async function colourSpaceOf(space: PDFObject | undefined): Promise<ColourSpace> {
  const { PDFArray, PDFName, PDFRawStream, PDFNumber } = await import('@cantoo/pdf-lib')
  const items = space instanceof PDFArray ? space : undefined
  const name = items === undefined ? space : items.lookup(0)
  const kind = name instanceof PDFName ? name.decodeText() : ''
  if (kind === 'ICCBased') {
    const profile = items?.lookup(1)
    if (!(profile instanceof PDFRawStream)) return { kind, channels: undefined }
    const count = profile.dict.lookup(PDFName.of('N'))
    const channels = count instanceof PDFNumber ? [1, 3, 4].find((one) => one === count.asNumber()) : undefined
    if (channels !== 4) return { kind, channels: channels as Channels | undefined }
    const bytes = await decodeLossless(profile.getContents(), await filtersOf(profile.dict), MAX_PROFILE_BYTES)
    return { kind, channels: 4, ...(bytes && { profile: bytes }) }
  }
  if (kind === 'Indexed' || kind === 'I') {
    const [base, lookup] = [items?.get(1), items?.lookup(3)]
    return { kind: 'Indexed', channels: 1, ...(base && { base }), ...(lookup && { lookup }) }
  }
  return { kind, channels: CHANNELS[kind] }
}

/** @returns the concatenated colours, and their colour space; undefined for a damaged palette */
export async function paletteOf(
  { base, lookup }: ColourSpace,
  { context }: PDFDict,
): Promise<{ colours: Uint8Array; space: ColourSpace } | undefined> {
  const { PDFHexString, PDFRawStream, PDFString } = await import('@cantoo/pdf-lib')
  const space = await colourSpaceOf(context.lookup(base))
  if (space.channels === undefined || space.kind === 'Indexed') return undefined
  if (lookup instanceof PDFString || lookup instanceof PDFHexString) return { colours: lookup.asBytes(), space }
  if (!(lookup instanceof PDFRawStream)) return undefined
  const colours = await decodeLossless(lookup.getContents(), await filtersOf(lookup.dict), MAX_PALETTE_BYTES)
  return colours && { colours, space }
}
