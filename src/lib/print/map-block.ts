/** Places the maps of a sheet and draws each with its caption, coordinates, scale bar and north arrow. */
import type { OpenImage } from '../image/image.ts'
import { type Placed, placeInRows } from './block-layout.ts'
import { drawGraticule, drawGrid, GRID_MARGIN } from './coordinates.ts'
import { drawNorthArrow, drawScaleBar, type Rect, ratioOf } from './furniture.ts'
import type { MapFrame } from './map-frame.ts'
import { inDigits } from './map-numbers.ts'
import { LABELS, type MapBlock, type MapSpec } from './map-spec.ts'
import type { Pen } from './pen.ts'

export type Block = { image: OpenImage; spec: MapBlock; frame: MapFrame | undefined }

const INK = '#222222'
const SECONDARY_INK = '#555555'
const CAPTION_SIZE = 9
/** Height of the scale bar and the north arrow below a map, and width of the arrow. */
const FURNITURE_SIZE = 26
/** Dimensions of the scale bar: length, space for the unit beside it, and gap to the next element. */
const BAR = { share: 0.4, max: 180, unit: 16, gap: 8 }
const SCALE_SIZE = 7
const NOTE_SIZE = 5.5
/** Height of the scale and of its note when they are below the bar. */
const STACKED = { scale: 10, note: 7 }
/** A scale bar and an arrow fit in this width. */
const MIN_CELL_WIDTH = 116

/** @returns the rectangle of each map */
export function placeBlocks(pen: Pen, spec: MapSpec, blocks: readonly Block[], area: Rect): Rect[] {
  const stacked = new Set<number>()
  for (;;) {
    const placed = placeInRows(
      blocks.map((block, i) => shapeOf(block, stacked.has(i))),
      area,
      spec.lang === 'ar',
    )
    // for narrow maps, the scale moves under its bar, which requires a new layout
    const before = stacked.size
    for (const [i, { cell }] of placed.entries())
      if (scaleFits(pen, spec, blocks[i] as Block, cell.width) === false) stacked.add(i)
    if (stacked.size > before) continue
    for (const [i, one] of placed.entries()) drawBlock(pen, spec, blocks[i] as Block, one, i, stacked.has(i))
    return placed.map(({ rect }) => rect)
  }
}

const hasCoordinates = (block: MapBlock, frame: MapFrame | undefined): frame is MapFrame =>
  frame !== undefined && (block.grid || block.graticule)

function shapeOf({ image: { width, height }, spec: block, frame }: Block, isStacked: boolean) {
  const hasGrid = hasCoordinates(block, frame)
  const hasFurniture = frame !== undefined || block.northArrow
  const extra = isStacked ? STACKED.scale + (frame?.hasOneScale === false ? STACKED.note : 0) : 0
  const margin = {
    top: (block.title === undefined ? 0 : CAPTION_SIZE * 1.5) + (hasGrid ? 4 : 0),
    side: hasGrid ? GRID_MARGIN : 0,
    bottom: (hasGrid ? GRID_MARGIN : 0) + (hasFurniture ? FURNITURE_SIZE : 0) + extra,
  }
  return { width, height, margin, minWidth: hasFurniture ? MIN_CELL_WIDTH : 0 }
}

/** Whether scale and scale bar fit side by side. */
function scaleFits(pen: Pen, { lang }: MapSpec, { spec: block, frame }: Block, width: number): boolean {
  if (frame === undefined || !block.scaleBar) return true
  const scale = pen.widthOf(`${LABELS[lang].scale} 1:100,000,000 ${LABELS[lang].at} Letter`, SCALE_SIZE)
  const note = frame.hasOneScale ? 0 : pen.widthOf(LABELS[lang].oneRow, NOTE_SIZE)
  const bar = Math.min(BAR.max, BAR.share * width) + BAR.unit + BAR.gap
  return bar + Math.max(scale, note) + FURNITURE_SIZE + 6 <= width
}

function drawBlock(
  pen: Pen,
  spec: MapSpec,
  { spec: block, frame }: Block,
  { rect, cell }: Placed,
  i: number,
  isStacked: boolean,
): void {
  const { digits } = spec
  const hasGrid = hasCoordinates(block, frame)
  pen.raw(
    `q ${rect.width.toFixed(4)} 0 0 ${rect.height.toFixed(4)} ${rect.x.toFixed(4)} ${rect.y.toFixed(4)} cm /Map${i} Do Q`,
  )
  if (hasGrid && block.graticule) drawGraticule(pen, frame, rect, digits)
  else if (hasGrid) drawGrid(pen, frame, rect, digits)
  pen.rect(rect.x, rect.y, rect.width, rect.height, { stroke: INK, line: 0.9 })
  if (block.title !== undefined)
    pen.text(
      block.title,
      rect.x + rect.width / 2,
      rect.y + rect.height + CAPTION_SIZE * 0.5 + (hasGrid ? 4 : 0),
      CAPTION_SIZE,
      { weight: 'semibold', align: 'center' },
    )
  const base = rect.y - (hasGrid ? GRID_MARGIN : 0) - FURNITURE_SIZE
  if (frame !== undefined && block.scaleBar) drawScale(pen, spec, frame, rect.width, cell, base, isStacked)
  if (block.northArrow)
    drawNorthArrow(
      pen,
      cell.x + cell.width - FURNITURE_SIZE / 2,
      base + FURNITURE_SIZE / 2 - 3,
      FURNITURE_SIZE - 6,
      frame?.northDegrees ?? (360 - block.bearing) % 360,
    )
}

/** Draws the scale bar, the scale as a ratio, and a note if they are valid only in a part of the map. */
function drawScale(
  pen: Pen,
  { lang, page, digits }: MapSpec,
  frame: MapFrame,
  mapWidth: number,
  cell: Placed['cell'],
  base: number,
  isStacked: boolean,
): void {
  const beside = cell.width - FURNITURE_SIZE - BAR.unit - BAR.gap
  const available = Math.min(BAR.max, isStacked ? beside : BAR.share * cell.width)
  drawScaleBar(pen, frame, mapWidth, cell.x + 4, base + 6, available, lang, digits)
  const ratio = inDigits(`1:${String(ratioOf(frame, mapWidth)).replace(/\B(?=(\d{3})+$)/g, ',')}`, digits)
  const paper = { a4: 'A4', a3: 'A3', letter: 'Letter' }[page]
  const scale = `${LABELS[lang].scale} \u2068${ratio}\u2069 ${LABELS[lang].at} \u2068${paper}\u2069`
  const note = frame.hasOneScale ? undefined : LABELS[lang].oneRow
  const right = cell.x + cell.width - FURNITURE_SIZE - 6
  const [x, y, noteY] = isStacked
    ? [cell.x + 4, base - 4, base - 4 - STACKED.note]
    : [right, base + (note === undefined ? 8 : 11), base + 3.5]
  const align = isStacked ? 'left' : 'right'
  pen.text(scale, x, y, SCALE_SIZE, { align })
  if (note !== undefined) pen.text(note, x, noteY, NOTE_SIZE, { align, colour: SECONDARY_INK })
}
