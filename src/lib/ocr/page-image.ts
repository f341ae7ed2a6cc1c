/** Pages as Tesseract wants them: grey, upright, letters neither tiny nor huge. */
import type { OpenImage } from '../image/image.ts'
import type { GreyImage } from './recognise.ts'

/** A4 at 600 dots an inch; finer tells no more of letters, and takes minutes. */
export const MAX_PIXELS = 35e6
/** A4 at 200 dots an inch; what is coarser is drawn larger. */
const TARGET_SIDE = 2_339
const MAX_ENLARGEMENT = 2

export async function greyPage(image: OpenImage): Promise<GreyImage> {
  const longest = Math.max(image.width, image.height)
  const enlarged = Math.min(MAX_ENLARGEMENT, Math.max(1, TARGET_SIDE / longest))
  const scale = Math.min(enlarged, Math.sqrt(MAX_PIXELS / (image.width * image.height)))
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
