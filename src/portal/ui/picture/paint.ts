/**
 * Draws shapes on a canvas of a worker. MapLibre cuts a hundred thousand features into tiles, triangles and buffers for
 * seconds of processor time; a picture of the part in view takes a tenth of that, and nothing per frame.
 */
import type { Look, PictureView } from './protocol.ts'
import { LINE, POINT, POLYGON, type Shapes } from './shapes.ts'

/** Up to this number, areas are filled separately, so that places with several are darker. */
const FEW = 2_000
/** Number of shapes in one path: longer paths take the browser longer than several short ones. */
const BATCH = 256
/** In device pixels: a smaller shape is a dot, and corners that are closer are one. */
const DOT_PX = 2
const CORNER_PX = 0.4
/** The outline of a smaller area would hide it. */
const OUTLINE_PX = 5

type Context = OffscreenCanvasRenderingContext2D

/** @returns shapes whose box touches the part of the map, in their order; `shift` is a copy of the world */
function shapesIn(
  shapes: Shapes,
  { west, north, east, south }: PictureView,
  margin: number,
  shift: number,
): Uint32Array {
  const found = shapes.index?.search(west - margin - shift, north - margin, east + margin - shift, south + margin) ?? []
  return Uint32Array.from(found).sort()
}

/** A copy of the world: features east and west of the antimeridian stand in different ones. */
type Copy = { found: Uint32Array; left: number; top: number; scale: number }

type Group = { copies: readonly Copy[]; look: Look }

/** The shapes of each class with their colour; those without a class come first, so that the others cover them. */
function groupsOf({ owners }: Shapes, copies: readonly Copy[], look: Look, classes: Uint8Array | undefined): Group[] {
  const { colours } = look
  if (colours === undefined || classes === undefined) return [{ copies, look }]
  return [undefined, ...colours].map((colour, at) => ({
    look: colour === undefined ? look : { ...look, fill: colour, line: colour },
    copies: copies.map((copy) => ({
      ...copy,
      found: copy.found.filter((shape) => classes[owners[shape] as number] === at),
    })),
  }))
}

/** @param classes 0 for a feature without a class, otherwise the number of its colour, from 1 */
export function paint(
  context: Context,
  shapes: Shapes,
  view: PictureView,
  look: Look,
  classes: Uint8Array | undefined,
): void {
  const { west, north, east, width, height, ratio } = view
  const scale = width / (east - west)
  const margin = (Math.max(look.radius + look.haloWidth, look.lineWidth) * ratio) / scale
  const copies = [-2, -1, 0, 1, 2]
    .map((shift): Copy => ({ found: shapesIn(shapes, view, margin, shift), left: west - shift, top: north, scale }))
    .filter(({ found }) => found.length > 0)
  const areFew = copies.reduce((sum, { found }) => sum + found.length, 0) <= FEW
  context.clearRect(0, 0, width, height)
  context.lineJoin = 'round'
  const groups = groupsOf(shapes, copies, look, classes)
  context.globalAlpha = areFew ? look.fillOpacity : 1
  for (const group of groups) {
    context.fillStyle = group.look.fill
    for (const copy of group.copies) fillAreas(context, shapes, copy, areFew ? 1 : BATCH)
  }
  if (!areFew) fade(context, look.fillOpacity)
  context.globalAlpha = 1
  // a line of one device pixel takes a fraction of the time of a wider one
  context.lineWidth = areFew ? look.lineWidth * ratio : 1
  context.setLineDash((look.dash ?? []).map((length) => length * ratio))
  for (const group of groups) {
    context.strokeStyle = group.look.line
    for (const copy of group.copies) strokeLines(context, shapes, copy)
    const symbol = symbolOf(group.look, ratio)
    for (const copy of group.copies) drawPoints(context, shapes, copy, symbol)
  }
}

const isDot = (shapes: Shapes, shape: number, { scale }: Copy): boolean => sizeOf(shapes, shape) * scale < DOT_PX

const sizeOf = ({ boxes }: Shapes, shape: number): number =>
  Math.max(
    (boxes[shape * 4 + 2] as number) - (boxes[shape * 4] as number),
    (boxes[shape * 4 + 3] as number) - (boxes[shape * 4 + 1] as number),
  )

function trace(context: Context, shapes: Shapes, shape: number, copy: Copy): void {
  const { kinds, shapeRings, ringCorners, corners } = shapes
  const { left, top, scale } = copy
  const lastRing = shapeRings[shape + 1] as number
  for (let ring = shapeRings[shape] as number; ring < lastRing; ring++) {
    const last = (ringCorners[ring + 1] as number) - 1
    let [px, py] = [Number.NaN, Number.NaN]
    for (let i = ringCorners[ring] as number; i <= last; i++) {
      const x = ((corners[i * 2] as number) - left) * scale
      const y = ((corners[i * 2 + 1] as number) - top) * scale
      if (Number.isNaN(px)) context.moveTo(x, y)
      else if (i < last && Math.abs(x - px) < CORNER_PX && Math.abs(y - py) < CORNER_PX) continue
      else context.lineTo(x, y)
      px = x
      py = y
    }
    if (kinds[shape] === POLYGON) context.closePath()
  }
}

function fillAreas(context: Context, shapes: Shapes, copy: Copy, batch: number): void {
  const { boxes, kinds } = shapes
  const { left, top, scale, found } = copy
  let open = 0
  for (const shape of found) {
    if (kinds[shape] !== POLYGON) continue
    if (open === 0) context.beginPath()
    if (isDot(shapes, shape, copy)) {
      const [x = 0, y = 0, east = 0, south = 0] = boxes.subarray(shape * 4, shape * 4 + 4)
      const [w, h] = [Math.max(1, (east - x) * scale), Math.max(1, (south - y) * scale)]
      context.rect((x - left) * scale, (y - top) * scale, w, h)
    } else trace(context, shapes, shape, copy)
    if (++open < batch) continue
    context.fill('nonzero')
    open = 0
  }
  if (open > 0) context.fill('nonzero')
}

/** Lines, and the outlines of areas. */
function strokeLines(context: Context, shapes: Shapes, copy: Copy): void {
  const { kinds } = shapes
  let open = 0
  for (const shape of copy.found) {
    const isOutline = kinds[shape] === POLYGON && sizeOf(shapes, shape) * copy.scale >= OUTLINE_PX
    if (kinds[shape] !== LINE && !isOutline) continue
    if (open === 0) context.beginPath()
    trace(context, shapes, shape, copy)
    if (++open < BATCH) continue
    context.stroke()
    open = 0
  }
  if (open > 0) context.stroke()
}

/** Makes everything drawn so far transparent as one layer, so that overlapping areas are not darker. */
function fade(context: Context, opacity: number): void {
  context.globalCompositeOperation = 'destination-in'
  context.globalAlpha = opacity
  context.fillRect(0, 0, context.canvas.width, context.canvas.height)
  context.globalCompositeOperation = 'source-over'
}

/** A point at each pixel at most: more cannot be seen. */
function drawPoints(context: Context, shapes: Shapes, copy: Copy, symbol: OffscreenCanvas): void {
  const { kinds, shapeRings, ringCorners, corners } = shapes
  const { left, top, scale, found } = copy
  const half = symbol.width / 2
  const taken = new Set<number>()
  for (const shape of found) {
    if (kinds[shape] !== POINT) continue
    const corner = (ringCorners[shapeRings[shape] as number] as number) * 2
    const x = Math.round(((corners[corner] as number) - left) * scale)
    const y = Math.round(((corners[corner + 1] as number) - top) * scale)
    const pixel = x + y * 65_536
    if (taken.has(pixel)) continue
    taken.add(pixel)
    context.drawImage(symbol, x - half, y - half)
  }
}

function symbolOf({ fill, halo, haloWidth, radius }: Look, ratio: number): OffscreenCanvas {
  const size = 2 * Math.ceil((radius + haloWidth) * ratio + 1)
  const canvas = new OffscreenCanvas(size, size)
  const context = canvas.getContext('2d') as Context
  context.beginPath()
  context.arc(size / 2, size / 2, radius * ratio, 0, 2 * Math.PI)
  context.fillStyle = fill
  context.fill()
  if (haloWidth > 0) {
    context.lineWidth = haloWidth * ratio
    context.strokeStyle = halo
    context.stroke()
  }
  return canvas
}
