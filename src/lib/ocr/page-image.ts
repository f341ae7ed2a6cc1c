/** Prepares images of pages for Tesseract: grey, upright, with letters of a suitable size. */
import type { OpenImage } from '../image/image.ts'
import type { GreyImage } from './recognise.ts'

/** A4 at 600 dpi; a higher resolution takes minutes and does not improve recognition. */
export const MAX_PIXELS = 35e6
/** A4 at 200 dpi; smaller images are enlarged. */
const TARGET_SIDE = 2_339
const MAX_ENLARGEMENT = 2

export async function greyPage(image: OpenImage): Promise<GreyImage> {
  const longest = Math.max(image.width, image.height)
  const enlargement = Math.min(MAX_ENLARGEMENT, Math.max(1, TARGET_SIDE / longest))
  const scale = Math.min(enlargement, Math.sqrt(MAX_PIXELS / (image.width * image.height)))
  const width = Math.max(1, Math.round(image.width * scale))
  const height = Math.max(1, Math.round(image.height * scale))
  const pipeline = image.pipeline().toColourspace('srgb').flatten({ background: '#ffffff' })
  const { data, info } = await (scale === 1 ? pipeline : pipeline.resize({ width, height, fit: 'fill' }))
    .greyscale()
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}
