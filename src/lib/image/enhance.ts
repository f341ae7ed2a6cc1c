/** Enhances an image: evens out local contrast, sharpens edges, and optionally doubles the size. */
import { equaliseContrast } from './contrast.ts'
import { writeImage } from './encode.ts'
import type { ImageFormat } from './formats.ts'
import { loadSharp, type OpenImage, type Pipeline } from './image.ts'
import { withPixels } from './raw-pixels.ts'
import { squareDpi } from './resolution.ts'
import { sharpenEdges } from './sharpen.ts'

export type Enhancement = {
  upscale: boolean
  /** Maximum size of the result; a larger image is scaled down. */
  maxPixels: number
  quality: number
}

const MAX_SLOPE = 2
const CONTRAST_STRENGTH = 0.5

/** @returns the size of the result */
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
  return withPixels(pipeline.toColourspace('srgb'), async (data, info) => {
    const { width, height } = info
    const channels = info.channels === 4 ? 4 : 3
    const samples = { data, width, height, channels } as const
    equaliseContrast(samples, MAX_SLOPE, CONTRAST_STRENGTH)
    sharpenEdges(samples)
    const enhanced = sharp(data, { raw: { width, height, channels }, limitInputPixels: false })
    const dpi = squareDpi(image.resolution)
    return writeImage(enhanced, format, path, {
      quality,
      grey: image.space === 'b-w' || image.space === 'grey16',
      lossless: !image.isLossy,
      dpi: dpi && (dpi * width) / image.width,
    })
  })
}
