/** Renders parts of the pages of a PDF with PDFium, such as its figures. */
import { loadSharp } from '../../image/image.ts'
import type { Box } from '../layout/page-geometry.ts'
import { type DrawnDocument, openDrawn } from './drawn-document.ts'

const DPI = 200
const POINTS_PER_INCH = 72

export type PageCrops = {
  /** @param page counted from 1 */
  crop(page: number, box: Box): Promise<Buffer>
  close(): void
}

type Drawn = { page: number; data: Uint8Array; width: number; height: number; scale: number }

/** The document is opened when the first part is needed, and a page is rendered once for all its parts. */
export function pageCrops(path: string, maxPixels: number): PageCrops {
  let opened: DrawnDocument | undefined
  let drawn: Drawn | undefined

  async function draw(number: number): Promise<Drawn> {
    if (drawn?.page === number) return drawn
    opened ??= await openDrawn(path, maxPixels)
    const page = opened.document.getPage(number - 1)
    const points = opened.sizeOf(number - 1)
    const scale = Math.min(DPI / POINTS_PER_INCH, Math.sqrt(maxPixels / Math.max(1, points.width * points.height)))
    const size = { width: Math.ceil(points.width * scale), height: Math.ceil(points.height * scale) }
    const { data, width, height } = await page.render({ ...size, scale: 1, render: 'bitmap', renderFormFields: true })
    drawn = { page: number, data, width, height, scale }
    return drawn
  }

  async function crop(number: number, box: Box): Promise<Buffer> {
    const { data, width, height, scale } = await draw(number)
    const sharp = await loadSharp()
    const left = Math.min(width - 1, Math.max(0, Math.floor(box.left * scale)))
    const top = Math.min(height - 1, Math.max(0, Math.floor(box.top * scale)))
    const region = {
      left,
      top,
      width: Math.max(1, Math.min(width, Math.ceil(box.right * scale)) - left),
      height: Math.max(1, Math.min(height, Math.ceil(box.bottom * scale)) - top),
    }
    return sharp(data, { raw: { width, height, channels: 4 }, limitInputPixels: false })
      .extract(region)
      .removeAlpha()
      .png()
      .toBuffer()
  }
  return { crop, close: () => opened?.close() }
}
