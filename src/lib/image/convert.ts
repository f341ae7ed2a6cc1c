/**
 * Converts an image to another format, and lists properties that the format cannot hold. Whatever the format supports
 * is preserved exactly: a file already in the format is copied.
 */

import { copyFile } from 'node:fs/promises'
import { fieldText } from '../../field-texts/field-text.ts'
import { append } from '../../lists.ts'
import { type Warning, warning } from '../../warnings/warning.ts'
import { InputError } from '../input-error.ts'
import { writeImage } from './encode.ts'
import { FORMAT_PROPERTIES, type ImageFormat } from './formats.ts'
import { fewColours, MAX_COUNTED_PIXELS, partialAlpha, samePixels, showsFilledArea } from './gif.ts'
import { decodeAll, type OpenImage, partsOf, readsFrames, withProfileApplied } from './image.ts'
import { squareDpi, UNKNOWN_IN_EXIF } from './resolution.ts'

const GREY_SPACES = new Set(['b-w', 'grey16'])
/** Colour spaces whose profile does not describe the sRGB samples of the result. */
const NON_RGB_SPACES = new Set(['cmyk', 'lab', 'labs'])
const GREY_FORMATS = new Set<ImageFormat>(['png', 'jpeg', 'tiff'])

/** Above this size, colour bands are too fine to need dithering. */
const MAX_DITHERED_PIXELS = 2e6
/** Measured: lossless WebP takes 25 bytes for each pixel. */
const MAX_LOSSLESS_WEBP_PIXELS = 24e6

export type Conversion = {
  write(path: string): Promise<{ width: number; height: number }>
  /** One for each property that the format cannot hold; complete after `write`. */
  warnings: Warning[]
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
      fieldText('sideLength', { width: image.width, height: image.height, format: name, most: maxSide }),
    )
  const allFrames = readsFrames(image.format) && properties.animation
  const pixels = image.width * image.height * (allFrames ? image.pages : 1)
  if (pixels > maxPixels)
    throw new InputError(
      'pixels',
      fieldText('megapixels', { count: Math.round(pixels / 1e6), format: name, most: maxPixels / 1e6 }),
    )
  const { width, height } = image
  const warnings: Warning[] = []
  if (image.format === format && format !== 'tiff' && format !== 'png' && image.isUpright && image.space !== 'cmyk')
    return {
      warnings,
      async write(path) {
        await decodeAll(image)
        await copyFile(image.path, path)
        return { width, height }
      },
    }
  if (image.pages > 1 && !allFrames)
    warnings.push(
      image.format === 'tiff' || image.format === 'jpeg'
        ? warning('onlyFirstPartConverted', { n: image.pages, parts: partsOf(image.format) })
        : properties.animation
          ? warning('animationNotRead', { format: FORMAT_PROPERTIES[image.format].name, n: image.pages })
          : warning('animationNotWritten', { format: name, n: image.pages }),
    )
  if (!properties.alpha && hasTransparency) warnings.push(warning('transparencyLost', { format: name }))
  if (image.depth === 16 && !properties.depth16) warnings.push(warning('samplesRoundedForFormat', { format: name }))
  append(
    warnings,
    image.unused.map((found) => warning('ofTheFile', { warning: found })),
  )
  if (image.space === 'cmyk') warnings.push(warning('cmykConverted'))
  return {
    warnings,
    async write(path) {
      const grey = GREY_SPACES.has(image.space)
      const keepsProfile =
        image.hasProfile &&
        properties.metadata &&
        !NON_RGB_SPACES.has(image.space) &&
        (!grey || GREY_FORMATS.has(format))
      const source = keepsProfile ? image : await withProfileApplied(image)
      const pages = allFrames ? 'all' : 'first'
      if (allFrames && image.format === 'gif' && (await showsFilledArea(image.path)))
        warnings.push(warning('gifAreasFilled'))
      const dpi = squareDpi(image.resolution)
      const lossless = format === 'webp' && !image.isLossy
      const tooLarge = lossless && pixels > MAX_LOSSLESS_WEBP_PIXELS
      if (tooLarge) warnings.push(warning('webpWithLoss', { megapixels: MAX_LOSSLESS_WEBP_PIXELS / 1e6 }))
      const write = async (palette: 'dithered' | 'nearest' | 'exact') => {
        const pipeline = source.pipeline({ pages })
        // libvips can store the resolution of these formats only in EXIF
        const inExif = dpi !== undefined && (format === 'jpeg' || format === 'webp')
        if (properties.metadata && (image.hasExif || inExif)) pipeline.keepExif().withDensity(dpi ?? UNKNOWN_IN_EXIF)
        if (keepsProfile) pipeline.keepIccProfile()
        return writeImage(pipeline, format, path, {
          depth16: image.depth === 16,
          palette,
          grey,
          lossless: lossless && !tooLarge,
          dpi,
        })
      }
      if (format === 'gif') {
        if (hasTransparency && (await partialAlpha(source, pages))) warnings.push(warning('halfTransparencyLost'))
        if (pixels <= MAX_COUNTED_PIXELS && (await fewColours(source, pages))) {
          await write('exact')
          if (!(await samePixels(source, path, pages))) warnings.push(warning('gifColoursChanged'))
          return { width, height }
        }
        warnings.push(warning('gifColours'))
      }
      const large = image.width * image.height * image.pages > MAX_DITHERED_PIXELS
      await write(large ? 'nearest' : 'dithered')
      return { width, height }
    },
  }
}
