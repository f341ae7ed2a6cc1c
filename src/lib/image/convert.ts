/**
 * Converts an image to another format, and lists properties that the format cannot hold. Whatever the format supports
 * is preserved exactly: a file already in the format is copied.
 */
import { copyFile } from 'node:fs/promises'
import { append } from '../../lists.ts'
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
  /** One sentence for each property that the format cannot hold; complete after `write`. */
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
  const allFrames = readsFrames(image.format) && properties.animation
  const pixels = image.width * image.height * (allFrames ? image.pages : 1)
  if (pixels > maxPixels)
    throw new InputError(
      'pixels',
      `is ${Math.round(pixels / 1e6)} megapixels; the maximum for ${name} is ${maxPixels / 1e6}`,
    )
  const { width, height } = image
  const warnings: string[] = []
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
        ? `Only the first of ${image.pages} ${partsOf(image.format)} was converted.`
        : properties.animation
          ? `Animated ${FORMAT_PROPERTIES[image.format].name} cannot be read as a whole: only the first of ${image.pages} frames was converted.`
          : `${name} does not support animation: only the first of ${image.pages} frames was converted.`,
    )
  if (!properties.alpha && hasTransparency)
    warnings.push(`${name} is written without transparency: transparent parts became white.`)
  if (image.depth === 16 && !properties.depth16)
    warnings.push(`${name} has 8 bits per sample: the file's 16-bit samples were rounded.`)
  append(
    warnings,
    image.unused.map((sentence) => sentence.charAt(0).toUpperCase() + sentence.slice(1)),
  )
  if (image.space === 'cmyk') warnings.push('CMYK was converted to sRGB.')
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
        warnings.push('Areas that viewers of the GIF show as transparent were filled with its background colour.')
      const dpi = squareDpi(image.resolution)
      const lossless = format === 'webp' && !image.isLossy
      const tooLarge = lossless && pixels > MAX_LOSSLESS_WEBP_PIXELS
      if (tooLarge)
        warnings.push(
          `WebP was written with loss: it is lossless up to ${MAX_LOSSLESS_WEBP_PIXELS / 1e6} megapixels here.`,
        )
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
        if (hasTransparency && (await partialAlpha(source, pages)))
          warnings.push('GIF has no half-transparent pixels: they became opaque or fully transparent.')
        if (pixels <= MAX_COUNTED_PIXELS && (await fewColours(source, pages))) {
          await write('exact')
          if (!(await samePixels(source, path, pages)))
            warnings.push('GIF allows at most 256 colours per frame; some changed slightly.')
          return { width, height }
        }
        warnings.push('GIF allows at most 256 colours per frame.')
      }
      const large = image.width * image.height * image.pages > MAX_DITHERED_PIXELS
      await write(large ? 'nearest' : 'dithered')
      return { width, height }
    },
  }
}
