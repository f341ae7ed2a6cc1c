/** Pages in grey as raw samples, and the transformations that recognition needs. */
import { loadSharp } from '../image/image.ts'

/** One byte per pixel, 0 is black. */
export type GreyImage = { data: Uint8Array; width: number; height: number }

const WHITE = 255

/** Turned clockwise; the corners that appear are filled with the shade of the paper. */
export async function turned(image: GreyImage, degrees: number, paper: number): Promise<GreyImage> {
  const sharp = await loadSharp()
  const { data, info } = await sharp(image.data, { raw: { width: image.width, height: image.height, channels: 1 } })
    .rotate(degrees, { background: { r: paper, g: paper, b: paper } })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

export const upsideDown = ({ data, width, height }: GreyImage): GreyImage => ({
  data: data.slice().reverse(),
  width,
  height,
})

export const inverted = ({ data, width, height }: GreyImage): GreyImage => ({
  data: data.map((value) => WHITE - value),
  width,
  height,
})

/** Text covers less than half of a page, so a page with more ink than paper may have light text. */
export function isMostlyDark(image: GreyImage): boolean {
  const { threshold } = shadesOf(image)
  let dark = 0
  for (const value of image.data) if (value < threshold) dark++
  return dark > image.data.length / 2
}

export async function reduced({ data, width, height }: GreyImage, longestSide: number): Promise<GreyImage> {
  const scale = longestSide / Math.max(width, height)
  if (scale >= 1) return { data, width, height }
  const sharp = await loadSharp()
  const size = { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
  // averaging the merged pixels also reduces noise
  const small = await sharp(data, { raw: { width, height, channels: 1 } })
    .resize({ ...size, fit: 'fill', kernel: 'linear' })
    .extractChannel(0)
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data: small.data, width: small.info.width, height: small.info.height }
}

/** The threshold between ink and paper, and the mean shade of the paper. */
export type Shades = { threshold: number; paper: number }

/** On larger pages only some rows are counted. */
const ENOUGH_PIXELS = 1e6

/** Minimum share of ink pixels on a page with text. */
const DARKEST = 0.002
/** Below this share of the full contrast, the best threshold merely separates light from dark noise of the paper. */
const MIN_CONTRAST = 0.4

/**
 * The threshold that maximises the variance between ink and paper (Otsu, 1979), or the middle between both where a noisy
 * page has too little ink for that.
 */
export function shadesOf({ data, width, height }: GreyImage): Shades {
  const counts = new Float64Array(256)
  const step = Math.max(1, Math.floor((width * height) / ENOUGH_PIXELS))
  let counted = 0
  for (let y = 0; y < height; y += step) {
    for (let i = y * width; i < (y + 1) * width; i++)
      counts[data[i] as number] = (counts[data[i] as number] as number) + 1
    counted += width
  }
  let sum = 0
  for (let value = 0; value < 256; value++) sum += value * (counts[value] as number)
  let [dark, darkSum, best, darkest] = [0, 0, 0, 0]
  let shades = { threshold: WHITE / 2, paper: WHITE, ink: 0 }
  for (let value = 0; value < 255; value++) {
    dark += counts[value] as number
    darkSum += value * (counts[value] as number)
    if (dark < DARKEST * counted) darkest = value
    const light = counted - dark
    if (dark === 0 || light === 0) continue
    const [ink, paper] = [darkSum / dark, (sum - darkSum) / light]
    const between = dark * light * (paper - ink) ** 2
    if (between <= best) continue
    best = between
    shades = { threshold: value + 1, paper: Math.round(paper), ink }
  }
  const { threshold, paper, ink } = shades
  if (paper - ink > MIN_CONTRAST * (paper - darkest)) return { threshold, paper }
  return { threshold: (paper + darkest) / 2, paper: Math.round(sum / counted) }
}
