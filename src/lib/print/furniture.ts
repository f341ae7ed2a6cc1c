/** Map furniture: scale bar, north arrow and legend. */
import { type MapFrame, roundBelow } from './map-frame.ts'
import { type Digits, inDigits } from './map-numbers.ts'
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
  digits: Digits,
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
  const label = (share: number): string =>
    inDigits(String(Number(((metres * share) / (inKilometres ? 1000 : 1)).toPrecision(6))), digits)
  for (const share of [0, 0.5, 1]) {
    // an odd number of boxes has no middle tick, and a short bar has no room for its label
    if (share === 0.5 && (parts === 5 || pen.widthOf(`${label(0.5)}${label(1)}`, 6.5) > width / 2)) continue
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
