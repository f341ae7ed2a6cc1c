/** Reads images of pages in grey, and enlarges those whose letters are too small to be recognised. */
import type { OpenImage } from '../image/image.ts'
import type { GreyImage } from './grey-image.ts'

/** A4 at 600 dpi; a higher resolution takes minutes and does not improve recognition. */
export const MAX_PIXELS = 35e6
/**
 * A4 at 140 dpi. Only smaller images are enlarged: from 150 dpi on enlargement gains nothing on clean pages, and noise
 * grows to the size of dots (15 to 27 % wrong characters instead of 2 to 3 %).
 */
const MIN_SIDE = 1_637
/** A4 at 200 dpi. */
const ENLARGED_SIDE = 2_339
const MAX_ENLARGEMENT = 2

export async function greyPage(image: OpenImage): Promise<GreyImage> {
  const longest = Math.max(image.width, image.height)
  const enlargement = longest < MIN_SIDE ? Math.min(MAX_ENLARGEMENT, ENLARGED_SIDE / longest) : 1
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
