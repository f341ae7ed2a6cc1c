/** Writes a PDF with one image per page. */
import { writeFile } from 'node:fs/promises'
import type { OpenImage } from '../../image/image.ts'
import { embedImage } from './image-stream.ts'

export const PAGE_MODES = ['a4', 'fit'] as const
export type PageMode = (typeof PAGE_MODES)[number]

/** Page size of ISO 216, in points. */
const A4 = { short: 595.28, long: 841.89 }
const MARGIN = 24
/** A CSS pixel is 1/96 inch. */
const POINTS_PER_PIXEL = 72 / 96
/** ISO 32000-1, annex C: not every viewer supports larger pages. */
const MAX_SIDE = 14_400

/** Resolutions of scanners; other values come from cameras and screens and say nothing about the size of the paper. */
const SCAN_DPI = { min: 100, max: 2_400 }

type ImagePlacement = { page: [number, number]; left: number; bottom: number; width: number; height: number }

/**
 * `fit`: the page has the size of the image. `scan`: the page has the size of the paper that was scanned. `a4`: the
 * image fills an A4 page, whose orientation follows the image.
 */
function placeOn(mode: PageMode | 'scan', { width, height, resolution }: OpenImage): ImagePlacement {
  if (mode !== 'a4') {
    const points = mode === 'fit' ? POINTS_PER_PIXEL : scanPoints(Math.max(width, height), resolution?.x ?? 0)
    const scale = Math.min(points, MAX_SIDE / Math.max(width, height))
    return { page: [width * scale, height * scale], left: 0, bottom: 0, width: width * scale, height: height * scale }
  }
  const page: [number, number] = width > height ? [A4.long, A4.short] : [A4.short, A4.long]
  const scale = Math.min((page[0] - 2 * MARGIN) / width, (page[1] - 2 * MARGIN) / height)
  const [w, h] = [width * scale, height * scale]
  return { page, left: (page[0] - w) / 2, bottom: (page[1] - h) / 2, width: w, height: h }
}

/** Size of a pixel; a scan of unknown resolution is assumed to be A4. */
const scanPoints = (longest: number, density: number): number =>
  density >= SCAN_DPI.min && density <= SCAN_DPI.max ? 72 / density : A4.long / longest

export async function writeImagePages(
  images: readonly OpenImage[],
  mode: PageMode | 'scan',
  path: string,
  onProgress: (share: number) => void,
): Promise<void> {
  const { PDFDocument } = await import('@cantoo/pdf-lib')
  const document = await PDFDocument.create()
  document.setProducer('Groundwave')
  document.setCreator('Groundwave')
  for (const [i, image] of images.entries()) {
    const embedded = await embedImage(document, image)
    const { page: size, left, bottom, width, height } = placeOn(mode, image)
    const page = document.addPage(size)
    const name = page.node.newXObject('Picture', embedded)
    const content = `q ${[width, 0, 0, height, left, bottom].map((value) => value.toFixed(3)).join(' ')} cm ${name} Do Q`
    page.node.addContentStream(document.context.register(document.context.stream(content)))
    onProgress((i + 1) / (images.length + 1))
  }
  await writeFile(path, await document.save())
}
