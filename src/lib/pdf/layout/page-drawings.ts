/** Sorts the drawings of a page: images, ruled lines, filled areas and free shapes. */
import { loadSharp } from '../../image/image.ts'
import type { PageContent } from './page-content.ts'
import { area, type Box, boxOf, intersection, type Matrix, point } from './page-geometry.ts'
import type { Painter, RawImage } from './page-operators.ts'

/** A filled rectangle up to this thickness counts as a ruled line. */
const RULE_THICKNESS = 3
const MIN_RULE_LENGTH = 4
/** Smaller images are ornaments and are skipped. */
const MIN_PICTURE_SIDE = 4
const PHOTO_PIXELS = 40_000
/** An image with a smaller visible share is rendered instead of copied. */
const MIN_VISIBLE = 0.97
/** Number of shapes on a page above which drawings are no longer examined one by one. */
const MAX_SHAPES = 20_000

type Drawings = Pick<PageContent, 'pictures' | 'rules' | 'shapes' | 'unsupportedImages'>
type Segment = [number, number, number, number]

export function drawingsOf(): { found: Drawings; painter: Omit<Painter, 'text'> } {
  const found: Drawings = { pictures: [], rules: [], shapes: [], unsupportedImages: 0 }
  const painter: Omit<Painter, 'text'> = {
    path(path, matrix, { fill, stroke }, clip) {
      if (found.shapes.length < MAX_SHAPES) addPath(found, path, matrix, fill, stroke, clip)
    },
    image: (image, matrix, clip) => addImage(found, image, matrix, clip),
    otherImage: (box) => addFree(found, box),
  }
  return { found, painter }
}

function addFree(found: Drawings, box: Box): void {
  if (area(box) > 0) found.shapes.push({ ...box, isFree: true, isRule: false })
}

/** PDF.js encodes paths as numbers: 0 move, 1 line, 2 cubic curve, 3 quadratic curve, 4 close. */
function segmentsOf(path: readonly number[], matrix: Matrix): { lines: Segment[]; curves: Segment[] } {
  const [lines, curves]: [Segment[], Segment[]] = [[], []]
  let [x, y, startX, startY] = [0, 0, 0, 0]
  const to = (into: Segment[], nextX: number, nextY: number): void => {
    into.push([...point(matrix, x, y), ...point(matrix, nextX, nextY)])
    ;[x, y] = [nextX, nextY]
  }
  for (let at = 0; at < path.length; ) {
    const code = path[at] as number
    const [p1 = 0, p2 = 0, p3 = 0, p4 = 0, p5 = 0, p6 = 0] = path.slice(at + 1, at + 7)
    if (code === 0) {
      ;[x, y, startX, startY] = [p1, p2, p1, p2]
      at += 3
    } else if (code === 1) {
      to(lines, p1, p2)
      at += 3
    } else if (code === 2) {
      to(curves, p5, p6)
      at += 7
    } else if (code === 3) {
      to(curves, p3, p4)
      at += 5
    } else {
      if (x !== startX || y !== startY) to(lines, startX, startY)
      at += 1
    }
  }
  return { lines, curves }
}

const boundsOf = (segments: readonly Segment[]): Box => {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const [x1, y1, x2, y2] of segments) {
    ;[left, right] = [Math.min(left, x1, x2), Math.max(right, x1, x2)]
    ;[top, bottom] = [Math.min(top, y1, y2), Math.max(bottom, y1, y2)]
  }
  return { left, right, top, bottom }
}
const isStraight = ([x1, y1, x2, y2]: Segment): boolean => Math.abs(x2 - x1) <= 1 || Math.abs(y2 - y1) <= 1

function addPath(
  found: Drawings,
  path: readonly number[],
  matrix: Matrix,
  fill: string | undefined,
  stroke: boolean,
  clip: Box,
): void {
  const { lines, curves } = segmentsOf(path, matrix)
  // a shading has no path and fills the clip area
  const box = path.length === 0 ? clip : intersection(boundsOf([...lines, ...curves]), clip)
  const [width, height] = [box.right - box.left, box.bottom - box.top]
  if (width < 0 || height < 0 || !Number.isFinite(width + height)) return
  const isFree = curves.length > 0 || !lines.every(isStraight) || path.length === 0
  const isThin = Math.min(width, height) <= RULE_THICKNESS
  if (isFree)
    addFree(found, { ...box, right: Math.max(box.right, box.left + 0.1), bottom: Math.max(box.bottom, box.top + 0.1) })
  else if (stroke) {
    found.shapes.push({ ...box, isFree: false, isRule: isThin, ...(fill && !isThin && { fill }) })
    for (const line of lines) addRule(found, intersection(boundsOf([line]), clip))
  } else if (fill !== undefined) {
    found.shapes.push({ ...box, isFree: false, isRule: isThin, fill })
    if (isThin) addRule(found, box)
  }
}

function addRule({ rules }: Drawings, { left, right, top, bottom }: Box): void {
  const [width, height] = [right - left, bottom - top]
  if (width < 0 || height < 0) return
  if (height <= RULE_THICKNESS && width >= MIN_RULE_LENGTH)
    rules.push({ horizontal: true, at: (top + bottom) / 2, from: left, to: right })
  else if (width <= RULE_THICKNESS && height >= MIN_RULE_LENGTH)
    rules.push({ horizontal: false, at: (left + right) / 2, from: top, to: bottom })
}

/** PDF.js image kinds: 1 one bit per pixel, 2 RGB, 3 RGBA. */
async function addImage(found: Drawings, image: RawImage | null, matrix: Matrix, clip: Box): Promise<void> {
  const box = boxOf(matrix, 0, 0, 1, 1)
  const shown = intersection(box, clip)
  if (Math.min(shown.right - shown.left, shown.bottom - shown.top) < MIN_PICTURE_SIDE) return
  if (area(shown) < MIN_VISIBLE * area(box)) return addFree(found, shown)
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
