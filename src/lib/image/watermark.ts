/** Draws a text or logo watermark on an image. */
import { loadSharp, type OpenImage, type Pipeline } from './image.ts'
import { renderTextMask, type TextMask } from './text-mask.ts'

export const POSITIONS = ['diagonal', 'center', 'top-left', 'top-right', 'bottom-left', 'bottom-right'] as const
export type Position = (typeof POSITIONS)[number]

type Size = { width: number; height: number }
/** Four bytes per pixel, alpha not premultiplied. */
type Mark = Size & { data: Uint8Array }
/** A mark ready to draw: faded, rotated, and inside the image at this position. */
export type PlacedMark = Size & { data: Buffer; left: number; top: number }

/** Sizes as shares of the image's sides, of the shorter side where there is one number. */
const MARGIN = 0.03
const TEXT_SIZE = { corner: 0.05, center: 0.1 }
const TEXT_BOX = { corner: { width: 0.55, height: 0.4 }, center: { width: 0.8, height: 0.6 } }
const LOGO_BOX = { corner: 0.25, center: 0.5 }
const DIAGONAL_SHARE = 0.85
/** Maximum side of a diagonal mark in pixels; a larger one would need more memory than the image. */
const MAX_DIAGONAL_SIDE = 6_000
const MIN_TEXT_PX = 8
/** Font size for the first measurement of text. */
const MEASURING_PX = 64
/** The shadow that keeps white letters legible on a light background. */
const SHADOW = { sigma: 0.08, strength: 0.7 }
const MAX_SIGMA = 6

/** White text with a soft dark shadow. */
export async function textMark(text: string, position: Position, image: Size): Promise<Mark> {
  if (position === 'diagonal') {
    const measured = await renderTextMask(text, MEASURING_PX)
    const scale = diagonalScale(measured, image)
    return withShadow(await renderTextMask(text, MEASURING_PX * scale), MEASURING_PX * scale)
  }
  const anchor = position === 'center' ? 'center' : 'corner'
  const align = position.endsWith('right') ? 'right' : position === 'center' ? 'centre' : 'left'
  const box = { width: TEXT_BOX[anchor].width * image.width, height: TEXT_BOX[anchor].height * image.height }
  let size = Math.max(MIN_TEXT_PX, TEXT_SIZE[anchor] * Math.min(image.width, image.height))
  let mask = await renderTextMask(text, size, box.width, align)
  // lines wrap differently at each size, so the height is found by trying smaller sizes
  while (mask.height > box.height && size > MIN_TEXT_PX) {
    size = Math.max(MIN_TEXT_PX, size * Math.min(0.9, Math.sqrt(box.height / mask.height)))
    mask = await renderTextMask(text, size, box.width, align)
  }
  return withShadow(mask, size)
}

async function withShadow(mask: TextMask, sizePx: number): Promise<Mark> {
  const sharp = await loadSharp()
  const sigma = Math.max(0.5, sizePx * SHADOW.sigma)
  const pad = Math.ceil(3 * sigma)
  const margins = { top: pad, bottom: pad, left: pad, right: pad, background: '#000000' }
  const raw = { width: mask.width, height: mask.height, channels: 1 } as const
  const padded = await sharp(mask.data, { raw }).extend(margins).extractChannel(0).raw().toBuffer()
  const [width, height] = [mask.width + 2 * pad, mask.height + 2 * pad]
  const blurred = await blur(padded, width, height, sigma)
  const data = new Uint8Array(width * height * 4)
  for (let i = 0; i < width * height; i++) {
    const textAlpha = (padded[i] as number) / 255
    const shadow = Math.min(1, ((blurred[i] as number) / 255) * 2) * SHADOW.strength
    const alpha = textAlpha + shadow * (1 - textAlpha)
    const white = alpha === 0 ? 0 : Math.round((255 * textAlpha) / alpha)
    data.fill(white, 4 * i, 4 * i + 3)
    data[4 * i + 3] = Math.round(255 * alpha)
  }
  return { data, width, height }
}

/** A wide blur is applied to a scaled-down copy, which looks the same and is much faster. */
async function blur(data: Uint8Array, width: number, height: number, sigma: number): Promise<Uint8Array> {
  const sharp = await loadSharp()
  const raw = { width, height, channels: 1 } as const
  const factor = Math.max(1, sigma / MAX_SIGMA)
  if (factor === 1) return sharp(data, { raw }).blur(sigma).extractChannel(0).raw().toBuffer()
  const small = { width: Math.ceil(width / factor), height: Math.ceil(height / factor), fit: 'fill' } as const
  const soft = await sharp(data, { raw }).resize(small).blur(MAX_SIGMA).extractChannel(0).raw().toBuffer()
  const from = { raw: { width: small.width, height: small.height, channels: 1 } } as const
  return sharp(soft, from).resize({ width, height, fit: 'fill' }).extractChannel(0).raw().toBuffer()
}

export async function logoMark(logo: OpenImage, position: Position, image: Size): Promise<Mark> {
  const share = position === 'diagonal' || position === 'center' ? LOGO_BOX.center : LOGO_BOX.corner
  const [width, height] = [image.width, image.height].map((side) => Math.max(1, Math.round(share * side)))
  const { data, info } = await logo
    .pipeline()
    .resize({ ...(width && { width }), ...(height && { height }), fit: 'inside', withoutEnlargement: true })
    .toColourspace('srgb')
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

const diagonalAngle = ({ width, height }: Size): number => Math.atan2(height, width)

/** Scale at which a mark, rotated along the diagonal, nearly reaches the edges of the image. */
function diagonalScale(mark: Size, image: Size): number {
  const angle = diagonalAngle(image)
  const rotatedWidth = mark.width * Math.cos(angle) + mark.height * Math.sin(angle)
  const rotatedHeight = mark.width * Math.sin(angle) + mark.height * Math.cos(angle)
  const fitting = DIAGONAL_SHARE * Math.min(image.width / rotatedWidth, image.height / rotatedHeight)
  return Math.min(fitting, MAX_DIAGONAL_SIDE / rotatedWidth, MAX_DIAGONAL_SIDE / rotatedHeight)
}

/** Scales the mark down when it is larger than the image. */
async function fitInside(mark: { data: Buffer; info: Size }, image: Size): Promise<Size & { data: Buffer }> {
  const { width, height } = mark.info
  if (width <= image.width && height <= image.height) return { data: mark.data, width, height }
  const sharp = await loadSharp()
  const { data, info } = await sharp(mark.data, { raw: { width, height, channels: 4 } })
    .resize({ width: image.width, height: image.height, fit: 'inside' })
    .raw()
    .toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

const degreesOf = (image: Size): number => (-diagonalAngle(image) * 180) / Math.PI

/** @param opacity of the mark, 0 to 1 */
export async function placeMark(image: Size, mark: Mark, position: Position, opacity: number): Promise<PlacedMark> {
  const sharp = await loadSharp()
  const translucent = mark.data.slice()
  for (let at = 3; at < translucent.length; at += 4) translucent[at] = Math.round((translucent[at] as number) * opacity)
  const composited = sharp(translucent, { raw: { width: mark.width, height: mark.height, channels: 4 } })
  const rotated =
    position === 'diagonal' ? composited.rotate(degreesOf(image), { background: '#00000000' }) : composited
  const { data, width, height } = await fitInside(await rotated.raw().toBuffer({ resolveWithObject: true }), image)
  const margin = Math.round(MARGIN * Math.min(image.width, image.height))
  const [freeWidth, freeHeight] = [image.width - width, image.height - height]
  const left = position.endsWith('left')
    ? Math.min(margin, freeWidth)
    : position.endsWith('right')
      ? Math.max(0, freeWidth - margin)
      : Math.round(freeWidth / 2)
  const top = position.startsWith('top')
    ? Math.min(margin, freeHeight)
    : position.startsWith('bottom')
      ? Math.max(0, freeHeight - margin)
      : Math.round(freeHeight / 2)
  return { data, width, height, left, top }
}

/** The image with the mark drawn on it. */
export function withMark(image: OpenImage, { data, width, height, left, top }: PlacedMark): Pipeline {
  const marked = image.pipeline().composite([{ input: data, raw: { width, height, channels: 4 }, left, top }])
  // libvips adds transparency to draw a mark; blending all pixels with a background again would take as long as encoding
  return image.hasAlpha ? marked : marked.removeAlpha()
}
