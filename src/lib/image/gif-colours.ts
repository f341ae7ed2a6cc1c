/** Whether a GIF, whose frames have at most 256 colours and no half-transparent pixels, holds an image exactly. */
import { loadSharp, type OpenImage } from './image.ts'
import { withPixels } from './raw-pixels.ts'

type Pages = 'first' | 'all'

/** Colours of larger images are not counted: all their pixels would be in memory. */
export const MAX_COUNTED_PIXELS = 10e6
const MAX_COLOURS = 256
/** From this value on, libvips writes a pixel as opaque. */
const OPAQUE_FROM = 128
/** Stands for all transparent pixels. */
const TRANSPARENT = -1

/** Whether any pixel is neither opaque nor fully transparent. */
export const partialAlpha = (image: OpenImage, pages: Pages): Promise<boolean> =>
  withPixels(image.pipeline({ pages }).ensureAlpha().extractChannel('alpha'), async (alphas) =>
    alphas.some((alpha) => alpha > 0 && alpha < 255),
  )

/** Whether every frame fits into the palette of a GIF. */
export const fewColours = (image: OpenImage, pages: Pages): Promise<boolean> =>
  withPixels(samplesOf(image, pages), async (data) => {
    const frame = 4 * image.width * image.height
    for (let from = 0; from < data.length; from += frame) {
      const colours = new Set<number>()
      for (let at = from; at < from + frame && colours.size <= MAX_COLOURS; at += 4) colours.add(colourAt(data, at))
      if (colours.size > MAX_COLOURS) return false
    }
    return true
  })

/** Whether a written GIF has the same pixels as the image. */
export async function samePixels(image: OpenImage, path: string, pages: Pages): Promise<boolean> {
  const sharp = await loadSharp()
  const written = sharp(path, { animated: pages === 'all', limitInputPixels: false })
  return withPixels(samplesOf(image, pages), (data) =>
    withPixels(written.ensureAlpha(), async (result) => {
      if (result.length !== data.length) return false
      for (let at = 0; at < data.length; at += 4) if (colourAt(data, at) !== colourAt(result, at)) return false
      return true
    }),
  )
}

const samplesOf = (image: OpenImage, pages: Pages) => image.pipeline({ pages }).toColourspace('srgb').ensureAlpha()

const colourAt = (data: Uint8Array, at: number): number =>
  (data[at + 3] as number) < OPAQUE_FROM
    ? TRANSPARENT
    : ((data[at] as number) << 16) | ((data[at + 1] as number) << 8) | (data[at + 2] as number)
