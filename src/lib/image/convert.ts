/** Converts an image to another format, and lists what that format cannot hold. */

import { InputError } from '../input-error.ts'
import { writeImage } from './encode.ts'
import { FORMAT_PROPERTIES, type ImageFormat } from './formats.ts'
import type { OpenImage } from './image.ts'

const GREY_SPACES = new Set(['b-w', 'grey16'])
/** Colour spaces whose profile does not describe the sRGB samples of the result. */
const NON_RGB_SPACES = new Set(['cmyk', 'lab', 'labs'])

/** Above this size, colour bands are too fine to need dithering. */
const MAX_DITHERED_PIXELS = 2e6

export type Conversion = {
  write(path: string): Promise<{ width: number; height: number }>
  /** One sentence for each property that the format cannot hold. */
  warnings: string[]
}

/**
 * @param hasTransparency whether any pixel is transparent
 * @throws InputError `side` or `pixels` when the image is too large for the format
 */
export function convert(image: OpenImage, format: ImageFormat, hasTransparency: boolean): Conversion {
  const properties = FORMAT_PROPERTIES[format]
  const { name, maxSide, maxPixels } = properties
  if (Math.max(image.width, image.height) > maxSide)
    throw new InputError(
      'side',
      `is ${image.width} × ${image.height} pixels; ${name} allows at most ${maxSide} per side`,
    )
  const animated = image.pages > 1 && image.format !== 'tiff'
  const pixels = image.width * image.height * (animated && properties.animation ? image.pages : 1)
  if (pixels > maxPixels)
    throw new InputError(
      'pixels',
      `is ${Math.round(pixels / 1e6)} megapixels; the maximum for ${name} is ${maxPixels / 1e6}`,
    )
  const warnings: string[] = []
  if (animated && !properties.animation)
    warnings.push(`${name} does not support animation: only the first of ${image.pages} frames was converted.`)
  else if (image.pages > 1 && !animated) warnings.push(`Only the first of ${image.pages} pages was converted.`)
  if (!properties.alpha && hasTransparency)
    warnings.push(`${name} is written without transparency: transparent parts became white.`)
  if (image.depth === 16 && !properties.depth16)
    warnings.push(`${name} has 8 bits per sample: the file's 16-bit samples were rounded.`)
  if (image.space === 'cmyk') warnings.push('CMYK was converted to sRGB.')
  if (format === 'gif' && image.format !== 'gif') warnings.push('GIF allows at most 256 colours per frame.')
  return {
    warnings,
    async write(path) {
      const large = image.width * image.height * image.pages > MAX_DITHERED_PIXELS
      const pipeline = image.pipeline({ pages: animated && properties.animation ? 'all' : 'first' })
      if (properties.metadata) pipeline.keepExif()
      if (properties.metadata && image.hasProfile && !NON_RGB_SPACES.has(image.space)) pipeline.keepIccProfile()
      const {
        width,
        height,
        pageHeight = height,
      } = await writeImage(pipeline, format, path, {
        depth16: image.depth === 16,
        dither: !large,
        grey: GREY_SPACES.has(image.space),
      })
      return { width, height: pageHeight }
    },
  }
}
