/** Reads what is drawn on a page besides text: images, ruled lines, and a count of other drawings. */
import type { PDFPageProxy } from 'pdfjs-dist/types/src/display/api.js'
import { loadSharp } from '../../image/image.ts'
import type { PageContent, Pdfjs } from './page-content.ts'
import { boxOf, type Matrix, point, times } from './page-geometry.ts'

/** A filled rectangle up to this thickness counts as a ruled line. */
const RULE_THICKNESS = 3
const MIN_RULE_LENGTH = 4
/** Smaller images are ornaments and are skipped. */
const MIN_PICTURE_SIDE = 4
const PHOTO_PIXELS = 40_000

type Drawings = Pick<PageContent, 'pictures' | 'rules' | 'otherDrawings' | 'unsupportedImages'>
type RawImage = { width: number; height: number; kind?: number; data?: Uint8Array | Uint8ClampedArray }

export async function readDrawings({ OPS }: Pdfjs, page: PDFPageProxy, base: Matrix): Promise<Drawings> {
  const { fnArray, argsArray } = await page.getOperatorList()
  const found: Drawings = { pictures: [], rules: [], otherDrawings: 0, unsupportedImages: 0 }
  const strokes = new Set([
    OPS.stroke,
    OPS.closeStroke,
    OPS.fillStroke,
    OPS.eoFillStroke,
    OPS.closeFillStroke,
    OPS.closeEOFillStroke,
  ])
  const fills = new Set([OPS.fill, OPS.eoFill])
  let matrix = base
  const saved: Matrix[] = []
  for (const [i, operator] of fnArray.entries()) {
    const args = argsArray[i] as unknown[]
    switch (operator) {
      case OPS.save:
        saved.push(matrix)
        break
      case OPS.restore:
        matrix = saved.pop() ?? matrix
        break
      case OPS.transform:
        matrix = times(matrix, args as number[])
        break
      case OPS.paintFormXObjectBegin:
        saved.push(matrix)
        if (args[0]) matrix = times(matrix, args[0] as number[])
        break
      case OPS.paintFormXObjectEnd:
        matrix = saved.pop() ?? matrix
        break
      case OPS.constructPath: {
        const [paint, [data]] = args as [number, [Record<number, number> | null]]
        if (data && strokes.has(paint)) addStrokes(found, Object.values(data), matrix)
        else if (data && fills.has(paint)) addFill(found, Object.values(data), matrix)
        break
      }
      case OPS.paintImageXObject:
        await addImage(found, await objectOf(page, String(args[0])), matrix)
        break
      case OPS.paintInlineImageXObject:
        await addImage(found, args[0] as RawImage, matrix)
        break
      case OPS.paintImageMaskXObject:
      case OPS.paintImageXObjectRepeat:
      case OPS.paintInlineImageXObjectGroup:
        found.unsupportedImages++
        break
    }
  }
  return found
}

const objectOf = (page: PDFPageProxy, id: string): Promise<RawImage | null> =>
  new Promise((resolve) => (id.startsWith('g_') ? page.commonObjs : page.objs).get(id, resolve))

/** PDF.js encodes paths as numbers: 0 move, 1 line, 2 cubic curve, 3 quadratic curve, 4 close. */
function linesOf(
  path: readonly number[],
  matrix: Matrix,
): { lines: [number, number, number, number][]; curves: number } {
  const lines: [number, number, number, number][] = []
  let [x, y, startX, startY, curves] = [0, 0, 0, 0, 0]
  const to = (nextX: number, nextY: number): void => {
    lines.push([...point(matrix, x, y), ...point(matrix, nextX, nextY)])
    ;[x, y] = [nextX, nextY]
  }
  for (let at = 0; at < path.length; ) {
    const code = path[at] as number
    const [p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0] = path.slice(at + 1, at + 7)
    if (code === 0) {
      ;[x, y, startX, startY] = [p1, p2, p1, p2]
      at += 3
    } else if (code === 1) {
      to(p1, p2)
      at += 3
    } else if (code === 2) {
      curves++
      ;[x, y] = [p5, p6]
      at += 7
    } else if (code === 3) {
      curves++
      ;[x, y] = [p3, p4]
      at += 5
    } else {
      if (x !== startX || y !== startY) to(startX, startY)
      at += 1
    }
  }
  return { lines, curves }
}

function addStrokes(found: Drawings, path: readonly number[], matrix: Matrix): void {
  const { lines, curves } = linesOf(path, matrix)
  found.otherDrawings += curves
  for (const [x1, y1, x2, y2] of lines) {
    const [width, height] = [Math.abs(x2 - x1), Math.abs(y2 - y1)]
    if (height <= 1 && width >= MIN_RULE_LENGTH)
      found.rules.push({ horizontal: true, at: (y1 + y2) / 2, from: Math.min(x1, x2), to: Math.max(x1, x2) })
    else if (width <= 1 && height >= MIN_RULE_LENGTH)
      found.rules.push({ horizontal: false, at: (x1 + x2) / 2, from: Math.min(y1, y2), to: Math.max(y1, y2) })
    else if (Math.min(width, height) > 1) found.otherDrawings++
  }
}

function addFill(found: Drawings, path: readonly number[], matrix: Matrix): void {
  const { lines, curves } = linesOf(path, matrix)
  if (curves > 0 || lines.length > 5) {
    found.otherDrawings += curves
    return
  }
  const xs = lines.flatMap(([x1, , x2]) => [x1, x2])
  const ys = lines.flatMap(([, y1, , y2]) => [y1, y2])
  const [left, right, top, bottom] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)]
  if (bottom - top <= RULE_THICKNESS && right - left >= MIN_RULE_LENGTH)
    found.rules.push({ horizontal: true, at: (top + bottom) / 2, from: left, to: right })
  else if (right - left <= RULE_THICKNESS && bottom - top >= MIN_RULE_LENGTH)
    found.rules.push({ horizontal: false, at: (left + right) / 2, from: top, to: bottom })
}

/** PDF.js image kinds: 1 one bit per pixel, 2 RGB, 3 RGBA. */
async function addImage(found: Drawings, image: RawImage | null, matrix: Matrix): Promise<void> {
  const box = boxOf(matrix, 0, 0, 1, 1)
  if (Math.min(box.right - box.left, box.bottom - box.top) < MIN_PICTURE_SIDE) return
  const { width = 0, height = 0, kind, data } = image ?? {}
  const rowBytes = kind === 1 ? Math.ceil(width / 8) : kind === 2 ? 3 * width : 4 * width
  const isWhole = data !== undefined && data.length > 0 && data.length >= rowBytes * height
  if (!isWhole || (kind !== 1 && kind !== 2 && kind !== 3)) {
    found.unsupportedImages++
    return
  }
  const sharp = await loadSharp()
  const channels = kind === 3 ? 4 : kind === 2 ? 3 : 1
  const samples =
    kind === 1 ? unpacked(data, width, height) : Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  let pipeline = sharp(samples, { raw: { width, height, channels }, limitInputPixels: false })
  const opaque = channels !== 4 || isOpaque(samples)
  if (opaque && channels === 4) pipeline = pipeline.removeAlpha()
  // apply the rotation or flip of the matrix; an unrotated image has its first row at the top
  if (Math.abs(matrix[1]) > Math.abs(matrix[0])) pipeline = pipeline.rotate(matrix[1] > 0 ? 90 : 270)
  else if (matrix[3] > 0) pipeline = matrix[0] < 0 ? pipeline.rotate(180) : pipeline.flip()
  const isPhoto = opaque && channels >= 3 && width * height > PHOTO_PIXELS
  const coded = isPhoto ? pipeline.jpeg({ quality: 88 }) : pipeline.png()
  found.pictures.push({ ...box, data: await coded.toBuffer(), kind: isPhoto ? 'jpg' : 'png' })
}

function isOpaque(rgba: Uint8Array): boolean {
  for (let at = 3; at < rgba.length; at += 4) if ((rgba[at] as number) < 255) return false
  return true
}

function unpacked(data: Uint8Array | Uint8ClampedArray, width: number, height: number): Buffer {
  const out = Buffer.alloc(width * height)
  const rowBytes = Math.ceil(width / 8)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if (((data[y * rowBytes + (x >> 3)] as number) >> (7 - (x & 7))) & 1) out[y * width + x] = 255
  return out
}
