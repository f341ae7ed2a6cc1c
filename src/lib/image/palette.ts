/**
 * A large picture reduced to 256 colours. libvips looks for the nearest colour of every pixel, which for a photo takes
 * most of the time of writing a GIF; here the colours are chosen on a small copy, and looked up by 6 bits a channel.
 */
import { loadSharp, type OpenImage, type Pipeline } from './image.ts'

/** Pixels of the copy that colours are chosen on. */
const SAMPLE_PIXELS = 750_000
/** How much a difference counts to the eye: green most, blue least. */
const [RED_WEIGHT, GREEN_WEIGHT, BLUE_WEIGHT] = [3, 6, 1] as const

/** @param image an opaque one. @returns the same with the colours of a GIF alone */
export async function reducePalette(image: OpenImage): Promise<Pipeline> {
  const sharp = await loadSharp()
  const palette = await choosePalette(image)
  const { data, info } = await image
    .pipeline()
    .toColourspace('srgb')
    .removeAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  const known = new Int32Array(2 ** 18).fill(-1)
  for (let at = 0; at < data.length; at += 3) {
    const red = data[at] as number
    const green = data[at + 1] as number
    const blue = data[at + 2] as number
    const key = ((red >> 2) << 12) | ((green >> 2) << 6) | (blue >> 2)
    let colour = known[key] as number
    if (colour < 0) {
      colour = nearest(palette, red, green, blue)
      known[key] = colour
    }
    data[at] = colour >> 16
    data[at + 1] = (colour >> 8) & 255
    data[at + 2] = colour & 255
  }
  const { width, height } = info
  return sharp(data, { raw: { width, height, channels: 3 }, limitInputPixels: false })
}

/** Colours as 0xRRGGBB. */
async function choosePalette(image: OpenImage): Promise<Int32Array> {
  const sharp = await loadSharp()
  const scale = Math.min(1, Math.sqrt(SAMPLE_PIXELS / (image.width * image.height)))
  const [width, height] = [Math.ceil(image.width * scale), Math.ceil(image.height * scale)] as const
  const small = await image
    .pipeline()
    .toColourspace('srgb')
    .removeAlpha()
    // colours that occur, and none in between
    .resize({ width, height, fit: 'fill', kernel: 'nearest' })
    .gif({ effort: 1, dither: 0 })
    .toBuffer()
  const pixels = await sharp(small).removeAlpha().raw().toBuffer()
  const colours = new Set<number>()
  for (let at = 0; at < pixels.length; at += 3) colours.add(pixels.readUIntBE(at, 3))
  return Int32Array.from(colours)
}

function nearest(palette: Int32Array, red: number, green: number, blue: number): number {
  let [best, least] = [0, Infinity]
  for (const colour of palette) {
    const [r, g, b] = [(colour >> 16) - red, ((colour >> 8) & 255) - green, (colour & 255) - blue]
    const off = r * r * RED_WEIGHT + g * g * GREEN_WEIGHT + b * b * BLUE_WEIGHT
    if (off < least) {
      least = off
      best = colour
    }
  }
  return best
}
