/**
 * What a GIF holds exactly, whose frames have at most 256 colours and no half-transparent pixels, and which of its frames
 * libvips shows otherwise than viewers.
 */
import { readFile } from 'node:fs/promises'
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

/**
 * A frame (GIF89a, sections 20 and 23), without its pixels.
 * @property isCleared whether its area is cleared before the next frame
 */
type Frame = { left: number; top: number; right: number; bottom: number; isCleared: boolean; isOpaque: boolean }

const SCREEN_AT = 6
const SCREEN_BYTES = 7
const [EXTENSION, CONTROL, IMAGE] = [0x21, 0xf9, 0x2c]
const CLEAR = 2

/**
 * Whether a frame shows an area that the frame before it cleared. Viewers make the area transparent, but libvips fills
 * it with the background colour if the cleared frame has no transparent colour.
 */
export async function showsFilledArea(path: string): Promise<boolean> {
  const frames = framesIn(await readFile(path))
  return frames.some((frame, i) => {
    const next = frames[i + 1]
    return next !== undefined && frame.isCleared && frame.isOpaque && !(next.isOpaque && covers(next, frame))
  })
}

const covers = (over: Frame, under: Frame): boolean =>
  over.left <= under.left && over.top <= under.top && over.right >= under.right && over.bottom >= under.bottom

function framesIn(bytes: Buffer): Frame[] {
  const frames: Frame[] = []
  const byteAt = (at: number): number => bytes[at] ?? 0
  const paletteBytes = (flags: number): number => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  let at = SCREEN_AT + SCREEN_BYTES + paletteBytes(byteAt(SCREEN_AT + 4))
  let control = 0
  while (at + 10 <= bytes.length) {
    if (bytes[at] === IMAGE) {
      const [left, top, width, height] = [1, 3, 5, 7].map((offset) => bytes.readUInt16LE(at + offset)) as [
        number,
        number,
        number,
        number,
      ]
      const isOpaque = (control & 1) === 0
      const isCleared = ((control >> 2) & 7) === CLEAR
      frames.push({ left, top, right: left + width, bottom: top + height, isCleared, isOpaque })
      control = 0
      // the size of LZW codes precedes the blocks
      at += 11 + paletteBytes(byteAt(at + 9))
    } else if (bytes[at] === EXTENSION) {
      if (bytes[at + 1] === CONTROL) control = byteAt(at + 3)
      at += 2
    } else break
    while (byteAt(at) > 0) at += 1 + byteAt(at)
    at++
  }
  return frames
}
