/** A picture made clearer: contrast evened out locally, edges sharpened, and drawn twice as large on request. */
import { equaliseContrast } from './contrast.ts'
import { writeImage } from './encode.ts'
import type { ImageFormat } from './formats.ts'
import { loadSharp, type OpenImage, type Pipeline } from './image.ts'

export type Enhancement = {
  upscale: boolean
  /** Of the result; a larger picture is drawn smaller. */
  maxPixels: number
  quality: number
}

const MAX_SLOPE = 2
const CONTRAST_SHARE = 0.5
/** Slopes of sharpening: flat parts, where noise would show, are left alone; edges are drawn out. */
const SHARPENING = { sigma: 1, m1: 0, m2: 1.6, x1: 4, y2: 12, y3: 16 }

/** @returns its size */
export async function enhance(
  image: OpenImage,
  format: ImageFormat,
  path: string,
  { upscale, maxPixels, quality }: Enhancement,
): Promise<{ width: number; height: number }> {
  const sharp = await loadSharp()
  const factor = Math.min(upscale ? 2 : 1, Math.sqrt(maxPixels / (image.width * image.height)))
  let pipeline: Pipeline = image.pipeline()
  if (factor !== 1) {
    const [width, height] = [image.width, image.height].map((side) => Math.max(1, Math.floor(side * factor)))
    pipeline = pipeline.resize({ width, height, fit: 'fill', kernel: 'lanczos3' } as const)
  }
  const { data, info } = await pipeline.toColourspace('srgb').raw().toBuffer({ resolveWithObject: true })
  const { width, height } = info
  const channels = info.channels === 4 ? 4 : 3
  equaliseContrast({ data, width, height, channels }, MAX_SLOPE, CONTRAST_SHARE)
  const sharpened = sharp(data, { raw: { width, height, channels }, limitInputPixels: false }).sharpen(SHARPENING)
  return writeImage(sharpened, format, path, { quality, grey: image.space === 'b-w' || image.space === 'grey16' })
}
