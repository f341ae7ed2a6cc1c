/**
 * Arranges maps in rows, like a photo gallery: the maps of a row have the same height, and widths by their aspect
 * ratios. Of all ways to break the sequence into rows, the one with the largest maps is chosen.
 */

import { append, largest } from '../../lists.ts'
import type { Rect } from './furniture.ts'
import { GAP } from './sheet-frame.ts'

/** Size of a map, the margins for its title, coordinates and scale bar, and the minimum total width. */
export type Shape = {
  width: number
  height: number
  margin: { top: number; side: number; bottom: number }
  minWidth: number
}

/** The rectangle of a map, and the horizontal space for its scale bar, which is wider below a narrow map. */
export type Placed = { rect: Rect; cell: { x: number; width: number } }

export function placeInRows(shapes: readonly Shape[], area: Rect, rtl: boolean): Placed[] {
  let best: Placed[] = []
  let bestScore = Number.NEGATIVE_INFINITY
  // each bit marks the end of a row after a map
  for (let breaks = 0; breaks < 2 ** (shapes.length - 1); breaks++) {
    const placed = rowsOf(shapes, breaks, area, rtl)
    // the geometric mean, so that no map is sacrificed for the others
    const score = placed.reduce((sum, { rect: { width, height } }) => sum + Math.log(width * height), 0)
    if (score > bestScore) [best, bestScore] = [placed, score]
  }
  return best
}

function rowsOf(shapes: readonly Shape[], breaks: number, area: Rect, rtl: boolean): Placed[] {
  const rows: Shape[][] = [[]]
  for (const [i, shape] of shapes.entries()) {
    rows.at(-1)?.push(shape)
    if ((breaks >> i) & 1) rows.push([])
  }
  const heights = rows.map((row) => fullHeight(row, area.width - (row.length - 1) * GAP))
  const top = rows.map((row) => largest(row.map(({ margin }) => margin.top)))
  const bottom = rows.map((row) => largest(row.map(({ margin }) => margin.bottom)))
  const sum = (values: readonly number[]): number => values.reduce((total, one) => total + one, 0)
  const available = area.height - sum(top) - sum(bottom) - (rows.length - 1) * GAP
  const scale = Math.max(1e-6, Math.min(1, available / sum(heights)))
  const placed: Placed[] = []
  let y = area.y + area.height
  for (const [i, row] of rows.entries()) {
    const height = (heights[i] as number) * scale
    y -= (top[i] as number) + height
    const widths = row.map((shape) => widthAt(shape, height))
    let x = area.x + (area.width - sum(widths) - (row.length - 1) * GAP) / 2
    const inRow: Placed[] = []
    for (const [k, shape] of (rtl ? row.toReversed() : row).entries()) {
      const full = (rtl ? widths.toReversed() : widths)[k] as number
      const width = (height * shape.width) / shape.height
      const rect = { x: x + (full - width) / 2, y, width, height }
      // a scale bar may use the space of the coordinates at the sides only below a narrow map
      const cell = { x: Math.min(rect.x, x), width: Math.max(width, full) }
      inRow.push({ rect, cell: full > shape.minWidth ? rect : cell })
      x += full + GAP
    }
    append(placed, rtl ? inRow.toReversed() : inRow)
    y -= (bottom[i] as number) + GAP
  }
  return placed
}

/** The width of a map with its margins at a given height. */
const widthAt = ({ width, height, margin, minWidth }: Shape, at: number): number =>
  Math.max(minWidth, (at * width) / height + 2 * margin.side)

/**
 * The height at which the maps of a row fill a width; found by bisection, since narrow maps keep their minimum width.
 */
function fullHeight(row: readonly Shape[], width: number): number {
  let [low, high] = [0, largest(row.map((shape) => (width * shape.height) / shape.width))]
  for (let i = 0; i < 40; i++) {
    const middle = (low + high) / 2
    if (row.reduce((total, shape) => total + widthAt(shape, middle), 0) > width) high = middle
    else low = middle
  }
  return Math.max(1e-6, low)
}
