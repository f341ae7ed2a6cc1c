/** A picture in another format, and what that has to give up. */

import { InputError } from '../input-error.ts'
import { writeImage } from './encode.ts'
import { FORMAT_FACTS, type ImageFormat } from './formats.ts'
import type { OpenImage } from './image.ts'
import { reducePalette } from './palette.ts'

const GREY_SPACES = new Set(['b-w', 'grey16'])
/** Whose profile describes other samples than the result has. */
const OTHER_SPACES = new Set(['cmyk', 'lab', 'labs'])

/** In larger pictures bands of colour are fine enough without. */
const MAX_DITHERED_PIXELS = 2e6

export type Conversion = {
  write(path: string): Promise<{ width: number; height: number }>
  /** One sentence for each thing that the format cannot hold. */
  warnings: string[]
}

/**
 * @param seeThrough whether any pixel is
 * @throws InputError `side` or `pixels` when the picture is too large for the format
 */
export function convert(image: OpenImage, format: ImageFormat, seeThrough: boolean): Conversion {
  const facts = FORMAT_FACTS[format]
  const { name, maxSide, maxPixels } = facts
  if (Math.max(image.width, image.height) > maxSide)
    throw new InputError('side', `is ${image.width} × ${image.height} pixels; ${name} holds at most ${maxSide} a side`)
  const animated = image.pages > 1 && image.format !== 'tiff'
  const pixels = image.width * image.height * (animated && facts.animation ? image.pages : 1)
  if (pixels > maxPixels)
    throw new InputError(
      'pixels',
      `is ${Math.round(pixels / 1e6)} megapixels; ${name} is written of ${maxPixels / 1e6} at most`,
    )
  const warnings: string[] = []
  if (animated && !facts.animation)
    warnings.push(`${name} holds no animation: the first of ${image.pages} frames was taken.`)
  else if (image.pages > 1 && !animated) warnings.push(`The first of ${image.pages} pages was taken.`)
  if (!facts.alpha && seeThrough)
    warnings.push(`${name} is written without transparency: see-through parts were laid on white.`)
  if (image.depth === 16 && !facts.depth16)
    warnings.push(`${name} holds 8 bits a sample: the 16 of the file were rounded.`)
  if (image.space === 'cmyk') warnings.push('CMYK was converted to sRGB.')
  if (format === 'gif' && image.format !== 'gif') warnings.push('GIF holds 256 colours at most for a frame.')
  return {
    warnings,
    async write(path) {
      const large = image.width * image.height * image.pages > MAX_DITHERED_PIXELS
      if (format === 'gif' && large && !animated && !seeThrough)
        return writeImage(await reducePalette(image), format, path, { dither: false })
      const pipeline = image.pipeline({ pages: animated && facts.animation ? 'all' : 'first' })
      if (facts.metadata) pipeline.keepExif()
      if (facts.metadata && image.hasProfile && !OTHER_SPACES.has(image.space)) pipeline.keepIccProfile()
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
