/** Draws an image on pages at a position of the page as displayed, with crop box and rotation applied. */
import type { PDFDocument, PDFPage } from '@cantoo/pdf-lib'
import type { OpenImage } from '../../image/image.ts'
import { embedImage } from '../images/image-stream.ts'
import { contentIsolator } from '../structure/isolate-content.ts'

/** Shares of the displayed page, from its top left corner; pages count from 0. */
export type Placement = { page: number; x: number; y: number; w: number; h: number }

export type Box = { x: number; y: number; width: number; height: number }
export type Matrix = readonly [number, number, number, number, number, number]

/**
 * The matrix that maps the unit square of an image to a rectangle of the displayed page.
 * @param box the visible part of the page before rotation
 * @param degrees clockwise rotation of the page: 0, 90, 180 or 270
 * @param aspect width / height of the image, which is preserved: the image is centred in the rectangle
 */
function placementMatrix(box: Box, degrees: number, { x, y, w, h }: Omit<Placement, 'page'>, aspect: number): Matrix {
  const sideways = degrees % 180 !== 0
  const [displayWidth, displayHeight] = sideways ? [box.height, box.width] : [box.width, box.height]
  const [availableWidth, availableHeight] = [w * displayWidth, h * displayHeight]
  const width = Math.min(availableWidth, availableHeight * aspect)
  const height = width / aspect
  // distances from the lower left corner of the displayed page
  const right = x * displayWidth + (availableWidth - width) / 2
  const up = displayHeight - (y + h) * displayHeight + (availableHeight - height) / 2
  const [far, top] = [box.x + box.width, box.y + box.height]
  switch (degrees) {
    case 90:
      return [0, width, -height, 0, far - up, box.y + right]
    case 180:
      return [-width, 0, 0, -height, far - right, top - up]
    case 270:
      return [0, -width, height, 0, box.x + up, top - right]
    default:
      return [width, 0, 0, height, box.x + right, box.y + up]
  }
}

/** The matrix that maps points of the displayed page, from its lower left corner, to page coordinates. */
export function displayMatrix(box: Box, degrees: number): Matrix {
  switch (degrees) {
    case 90:
      return [0, 1, -1, 0, box.x + box.width, box.y]
    case 180:
      return [-1, 0, 0, -1, box.x + box.width, box.y + box.height]
    case 270:
      return [0, -1, 1, 0, box.x, box.y + box.height]
    default:
      return [1, 0, 0, 1, box.x, box.y]
  }
}

/** Draws an image on pages of a document. */
export async function stamp(
  document: PDFDocument,
  image: OpenImage,
  placements: readonly Placement[],
  onProgress: (share: number) => void,
): Promise<void> {
  const embedded = await embedImage(document, image)
  const pages = document.getPages()
  const isolate = await contentIsolator(document)
  const isolated = new Set<number>()
  for (const [i, placement] of placements.entries()) {
    const page = pages[placement.page] as PDFPage
    if (!isolated.has(placement.page)) await isolate(page)
    isolated.add(placement.page)
    const matrix = placementMatrix(displayBox(page), rotationOf(page), placement, image.width / image.height)
    const name = page.node.newXObject('Stamp', embedded)
    const content = `q ${matrix.map((value) => value.toFixed(4)).join(' ')} cm ${name} Do Q`
    page.node.addContentStream(document.context.register(document.context.stream(content)))
    onProgress((i + 1) / (placements.length + 1))
  }
}

/** Viewers rotate pages by multiples of 90 degrees only (ISO 32000-1, table 30). */
export function rotationOf(page: PDFPage): number {
  const { angle } = page.getRotation()
  return angle % 90 === 0 ? ((angle % 360) + 360) % 360 : 0
}

/** The part of the crop box that lies on the page. */
export const displayBox = (page: PDFPage): Box => page.getCropBox()
