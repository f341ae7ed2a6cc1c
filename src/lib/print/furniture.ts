/** Map furniture: scale bar, north arrow, legend and coordinate grid. */
import { labelOf, type MapFrame, roundBelow, ticksBetween } from './map-frame.ts'
import { LABELS, type LegendItem } from './map-spec.ts'
import type { Pen } from './pen.ts'

export type Rect = { x: number; y: number; width: number; height: number }

const INK = '#222222'
const POINTS_PER_METRE = 72 / 0.0254

export const groundPerPoint = (frame: MapFrame, widthPoints: number): number => frame.groundWidthM / widthPoints

/** The scale denominator of a map, rounded to three figures. */
export function ratioOf(frame: MapFrame, widthPoints: number): number {
  const exact = groundPerPoint(frame, widthPoints) * POINTS_PER_METRE
  const unit = 10 ** Math.max(0, Math.floor(Math.log10(exact)) - 2)
  return Math.round(exact / unit) * unit
}

/** Draws a bar of alternating boxes with round lengths, its lower left corner at x, y. @returns its width */
export function drawScaleBar(
  pen: Pen,
  frame: MapFrame,
  mapWidth: number,
  x: number,
  y: number,
  available: number,
  lang: 'en' | 'ar',
): number {
  const perPoint = groundPerPoint(frame, mapWidth)
  const metres = roundBelow(available * perPoint)
  const inKilometres = metres >= 1000
  const parts = String(metres)[0] === '5' ? 5 : 4
  const width = metres / perPoint
  const height = 4
  for (let i = 0; i < parts; i++)
    pen.rect(x + (i * width) / parts, y, width / parts, height, {
      fill: i % 2 === 0 ? INK : '#ffffff',
      stroke: INK,
      line: 0.5,
    })
  const label = (share: number): string => String(Number(((metres * share) / (inKilometres ? 1000 : 1)).toPrecision(6)))
  for (const share of [0, 0.5, 1]) {
    if (share === 0.5 && parts === 5) continue
    pen.text(label(share), x + share * width, y + height + 3, 6.5, { align: 'center' })
  }
  const unit = inKilometres ? LABELS[lang].km : LABELS[lang].m
  const end = pen.widthOf(label(1), 6.5) / 2
  return width + end + 3 + pen.text(unit, x + width + end + 3, y + height + 3, 6.5)
}

/** Draws an arrow to true north, centred at x, y. */
export function drawNorthArrow(pen: Pen, x: number, y: number, size: number, degrees: number): void {
  const angle = (degrees * Math.PI) / 180
  const toPage = (right: number, up: number): [number, number] => [
    x + size * (right * Math.cos(angle) + up * Math.sin(angle)),
    y + size * (up * Math.cos(angle) - right * Math.sin(angle)),
  ]
  pen.polygon([toPage(0, 0.32), toPage(-0.2, -0.45), toPage(0, -0.28)], INK, INK)
  pen.polygon([toPage(0, 0.32), toPage(0.2, -0.45), toPage(0, -0.28)], '#ffffff', INK)
  const [nx, ny] = toPage(0, 0.5)
  pen.text('N', nx, ny - size * 0.1, size * 0.3, { weight: 'semibold', align: 'center' })
}

const TICK = 3
const TICK_SIZE = 5.5
const TICK_SPACING = { wide: 110, high: 90 }

/** Draws ticks and labels at round coordinates along the frame of a map. */
export function drawGrid(pen: Pen, { extent, crs }: MapFrame, rect: Rect): void {
  const [west, south, east, north] = extent
  const tickCount = (length: number, available: number): number => Math.max(1, Math.floor(length / available))
  for (const value of ticksBetween(west, east, tickCount(rect.width, TICK_SPACING.wide), crs.geographic)) {
    const x = rect.x + ((value - west) / (east - west)) * rect.width
    pen.line(x, rect.y, x, rect.y - TICK, INK, 0.5)
    pen.line(x, rect.y + rect.height, x, rect.y + rect.height + TICK, INK, 0.5)
    const label = labelOf(value, 'x', crs.geographic)
    // skip labels that would stick out beyond a corner
    const half = pen.widthOf(label, TICK_SIZE) / 2
    if (x - half >= rect.x - 1 && x + half <= rect.x + rect.width + 1)
      pen.text(label, x, rect.y - TICK - TICK_SIZE, TICK_SIZE, { align: 'center' })
  }
  for (const value of ticksBetween(south, north, tickCount(rect.height, TICK_SPACING.high), crs.geographic)) {
    const y = rect.y + ((value - south) / (north - south)) * rect.height
    pen.line(rect.x, y, rect.x - TICK, y, INK, 0.5)
    pen.line(rect.x + rect.width, y, rect.x + rect.width + TICK, y, INK, 0.5)
    const label = labelOf(value, 'y', crs.geographic)
    const width = pen.widthOf(label, TICK_SIZE)
    if (y - width / 2 < rect.y - 1 || y + width / 2 > rect.y + rect.height + 1) continue
    // rotated to read upwards along the frame
    pen.raw(`q 0 1 -1 0 ${(rect.x - TICK - 1.5).toFixed(3)} ${(y - width / 2).toFixed(3)} cm`)
    pen.text(label, 0, 0, TICK_SIZE)
    pen.raw('Q')
  }
}

/** Space for the labels of the grid on each side. */
export const GRID_MARGIN = 11

const SWATCH = { width: 20, gap: 6 }

export type PlacedItem = { item: LegendItem; height: number }

export function measureLegend(pen: Pen, items: readonly LegendItem[], width: number, size: number): PlacedItem[] {
  return items.map((item) => {
    const isHeading = item.kind === 'heading'
    const lines = pen.breakText(
      item.label,
      size,
      isHeading ? width : width - SWATCH.width - SWATCH.gap,
      isHeading ? 'semibold' : 'regular',
    )
    return { item, height: pen.heightOf(lines.length, size) + 0.35 * size }
  })
}

/** Draws items from the top down. @returns the y of the end */
export function drawLegend(
  pen: Pen,
  items: readonly PlacedItem[],
  { x, width }: Pick<Rect, 'x' | 'width'>,
  top: number,
  size: number,
  rtl: boolean,
): number {
  let y = top
  for (const { item, height } of items) {
    const isHeading = item.kind === 'heading'
    const [left, right] = isHeading
      ? [x, x + width]
      : rtl
        ? [x, x + width - SWATCH.width - SWATCH.gap]
        : [x + SWATCH.width + SWATCH.gap, x + width]
    const lines = pen.breakText(item.label, size, right - left, isHeading ? 'semibold' : 'regular')
    pen.lines(lines, left, right, y, size, rtl ? 'right' : 'left')
    // centred on the letters of the first line
    if (!isHeading) drawSwatch(pen, item, rtl ? x + width - SWATCH.width : x, y - 0.7 * size, size)
    y -= height
  }
  return y
}

function drawSwatch(
  pen: Pen,
  { kind, color, outline, width, dashed }: LegendItem,
  x: number,
  middle: number,
  size: number,
): void {
  if (kind === 'line') pen.line(x, middle, x + SWATCH.width, middle, color, width, dashed)
  else if (kind === 'point')
    pen.circle(x + SWATCH.width / 2, middle, Math.min(size * 0.5, Math.max(2, width * 1.5)), color, outline)
  else
    pen.rect(x, middle - size * 0.45, SWATCH.width, size * 0.9, {
      fill: color,
      stroke: outline ?? INK,
      line: outline ? Math.min(width, 2) : 0.3,
    })
}
