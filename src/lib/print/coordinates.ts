/** Coordinates along the frame of a map: CRS coordinates, or lines of longitude and latitude in degrees. */
import { wrapped } from '../geo/geometry/longitude.ts'
import type { Rect } from './furniture.ts'
import { type Crossing, graticuleOf } from './graticule.ts'
import { type MapFrame, ticksBetween } from './map-frame.ts'
import { type Digits, labelOf } from './map-numbers.ts'
import type { Pen } from './pen.ts'

const INK = '#222222'
const TICK = 3
const TICK_SIZE = 5.5
const TICK_SPACING = { wide: 110, high: 90 }
const LINE = { colour: '#4a4a4a', width: 0.35, halo: 0.9 }
/** Minimum distance between labels, in points. */
const LABEL_GAP = 3

/** Space for labels on each side. */
export const GRID_MARGIN = 11

/** A tick: position as a share of the side from its left or lower end, and label. */
type Tick = { at: number; label: string }

const tickCounts = ({ width, height }: Rect) => ({
  x: Math.max(1, Math.floor(width / TICK_SPACING.wide)),
  y: Math.max(1, Math.floor(height / TICK_SPACING.high)),
})

/** Draws ticks and labels at round coordinates of the CRS. */
export function drawGrid(pen: Pen, { extent, crs }: MapFrame, rect: Rect, digits: Digits): void {
  const [west, south, east, north] = extent
  const counts = tickCounts(rect)
  const ticks = (axis: 'x' | 'y', from: number, to: number): Tick[] =>
    ticksBetween(from, to, counts[axis], crs.geographic).map((value) => ({
      at: (value - from) / (to - from),
      label: labelOf(axis === 'x' && crs.geographic ? wrapped(value) : value, axis, crs.geographic, digits),
    }))
  const [across, up] = [ticks('x', west, east), ticks('y', south, north)]
  drawTicks(pen, rect, { bottom: across, top: across, left: up, right: up })
}

/** Draws lines of longitude and latitude over the map, with ticks and labels in degrees. */
export function drawGraticule(pen: Pen, frame: MapFrame, rect: Rect, digits: Digits): void {
  const { lines, ...edges } = graticuleOf(frame, tickCounts(rect))
  const place = ([x, y]: readonly [number, number]): string =>
    `${(rect.x + x * rect.width).toFixed(2)} ${(rect.y + y * rect.height).toFixed(2)}`
  const path = lines.map((line) => `${line.map(place).join(' l\n').replace(' l', ' m')} l`).join('\n')
  // a light edge keeps the lines visible on dark maps
  pen.stroke(path, '#ffffff', LINE.halo)
  pen.stroke(path, LINE.colour, LINE.width)
  const ticks = (crossings: readonly Crossing[]): Tick[] =>
    crossings.map(({ at, axis, degrees }) => ({ at, label: labelOf(degrees, axis, true, digits) }))
  const { bottom, top, left, right } = edges
  drawTicks(pen, rect, { bottom: ticks(bottom), top: ticks(top), left: ticks(left), right: ticks(right) })
}

/** Draws outward ticks on all sides, and labels on the lower and left sides. */
function drawTicks(pen: Pen, rect: Rect, { bottom, top, left, right }: Record<Side, readonly Tick[]>): void {
  const [upper, farther] = [rect.y + rect.height, rect.x + rect.width]
  for (const { at } of top) pen.line(rect.x + at * rect.width, upper, rect.x + at * rect.width, upper + TICK, INK, 0.5)
  for (const { at } of right)
    pen.line(farther, rect.y + at * rect.height, farther + TICK, rect.y + at * rect.height, INK, 0.5)
  let end = rect.x - 1 - LABEL_GAP
  for (const { at, label } of bottom) {
    const x = rect.x + at * rect.width
    pen.line(x, rect.y, x, rect.y - TICK, INK, 0.5)
    const half = pen.widthOf(label, TICK_SIZE) / 2
    // labels must not stick out beyond a corner or touch each other
    if (x - half < end + LABEL_GAP || x + half > farther + 1) continue
    pen.text(label, x, rect.y - TICK - TICK_SIZE, TICK_SIZE, { align: 'center' })
    end = x + half
  }
  end = rect.y - 1 - LABEL_GAP
  for (const { at, label } of left) {
    const y = rect.y + at * rect.height
    pen.line(rect.x, y, rect.x - TICK, y, INK, 0.5)
    const half = pen.widthOf(label, TICK_SIZE) / 2
    if (y - half < end + LABEL_GAP || y + half > upper + 1) continue
    // rotated to read upwards along the frame
    pen.raw(`q 0 1 -1 0 ${(rect.x - TICK - 1.5).toFixed(3)} ${(y - half).toFixed(3)} cm`)
    pen.text(label, 0, 0, TICK_SIZE)
    pen.raw('Q')
    end = y + half
  }
}

type Side = 'bottom' | 'top' | 'left' | 'right'
