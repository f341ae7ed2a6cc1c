/**
 * Reduces a large image to 256 colours. libvips searches the nearest palette colour for every pixel, which takes most
 * of the time of writing a GIF. Here the palette is chosen from a small copy, and the nearest colour is computed once
 * per cell of a lookup table with 6 bits per channel.
 */
import { loadSharp, type OpenImage, type Pipeline } from './image.ts'

/** Pixels of the copy that the palette is chosen from. */
const SAMPLE_PIXELS = 750_000
/** Weights of colour differences, by the eye's sensitivity: green most, blue least. */
const [RED_WEIGHT, GREEN_WEIGHT, BLUE_WEIGHT] = [3, 6, 1] as const

/** @param image must be opaque. @returns the same image with at most 256 colours */
export async function reducePalette(image: OpenImage): Promise<Pipeline> {
  const sharp = await loadSharp()
  const palette = await choosePalette(image)
  const { data, info } = await image
    .pipeline()
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const lookup = new Int32Array(2 ** 18).fill(-1)
  for (let at = 0; at < data.length; at += 3) {
    const red = data[at] as number
    const green = data[at + 1] as number
    const blue = data[at + 2] as number
    const key = ((red >> 2) << 12) | ((green >> 2) << 6) | (blue >> 2)
    let colour = lookup[key] as number
    if (colour < 0) {
      colour = nearest(palette, red, green, blue)
      lookup[key] = colour
    }
    data[at] = colour >> 16
    data[at + 1] = (colour >> 8) & 255
    data[at + 2] = colour & 255
  }
  const { width, height } = info
  return sharp(data, { raw: { width, height, channels: 3 }, limitInputPixels: false })
}

/** Returns colours as 0xRRGGBB. */
async function choosePalette(image: OpenImage): Promise<Int32Array> {
  const sharp = await loadSharp()
  const scale = Math.min(1, Math.sqrt(SAMPLE_PIXELS / (image.width * image.height)))
  const [width, height] = [Math.ceil(image.width * scale), Math.ceil(image.height * scale)] as const
  const small = await image
    .pipeline()
    .toColourspace('srgb')
    .removeAlpha()
    // nearest-neighbour scaling keeps to colours that occur in the image
    .resize({ width, height, fit: 'fill', kernel: 'nearest' })
    .gif({ effort: 1, dither: 0 })
    .toBuffer()
  const pixels = await sharp(small).removeAlpha().raw().toBuffer()
  const colours = new Set<number>()
  for (let at = 0; at < pixels.length; at += 3) colours.add(pixels.readUIntBE(at, 3))
  return Int32Array.from(colours)
}

function nearest(palette: Int32Array, red: number, green: number, blue: number): number {
  let [best, bestDistance] = [0, Infinity]
  for (const colour of palette) {
    const [r, g, b] = [(colour >> 16) - red, ((colour >> 8) & 255) - green, (colour & 255) - blue]
    const distance = r * r * RED_WEIGHT + g * g * GREEN_WEIGHT + b * b * BLUE_WEIGHT
    if (distance < bestDistance) {
      bestDistance = distance
      best = colour
    }
  }
  return best
}
