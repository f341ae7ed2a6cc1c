/** An image of a PDF, decoded to samples of 8 bits. */
import type { PDFObject } from '@cantoo/pdf-lib'
import { loadSharp, type Pipeline } from '../../image/image.ts'

export type Channels = 1 | 3 | 4
export type Size = { width: number; height: number }
export type Decoded = Size & {
  /** Four are cyan, magenta, yellow and black. */
  channels: Channels
  pipeline: Pipeline
  /** Whether the source encoding is lossy. */
  isLossy: boolean
  /** The colour space of the samples, when it differs from the dictionary's. */
  space?: PDFObject
}

export async function fromSamples(data: Uint8Array, { width, height }: Size, channels: 1 | 3): Promise<Decoded> {
  const sharp = await loadSharp()
  const pipeline = sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
  return { width, height, channels, pipeline, isLossy: false }
}
