/** Finds regions that look like text but that no recognised line covers. */
import type { GreyImage } from './grey-image.ts'
import type { Box, Line } from './recognise.ts'

/** A page is divided into squares of this share of a line's height. */
const SQUARE = 0.5
/** Letters cover a part of their square; specks of dust cover less, rules and dark areas more. */
const INK = { min: 0.08, max: 0.75 }
/**
 * Minimum size in line heights. Smaller regions are rules and stray signs; text covers at least two squares in height.
 */
const MIN_WIDTH = 1.5
const MIN_HEIGHT = 0.75
/**
 * Shares of a region: minimum of squares with ink, and maximum covered by recognised lines. Frames around text have
 * little ink and much recognised text.
 */
const MIN_FILLED = 0.2
const MAX_RECOGNISED = 0.15
/** Words and lines of a region are at most this many squares apart. */
const MAX_GAP_SQUARES = 3
/** Lines extend beyond their boxes, which enclose only recognised letters. */
const MARGIN = 0.35
/** The assumed line height on a page without lines, as a share of its longer side: 12 points on A4. */
const USUAL_LINE = 0.014

/** Squares of a page; `marked` has one entry for each, row by row. */
type Grid = { marked: Uint8Array; columns: number; rows: number; side: number }

export function leftOutRegions(image: GreyImage, lines: readonly Line[], threshold: number): Box[] {
  const lineHeight = typicalHeight(lines) ?? USUAL_LINE * Math.max(image.width, image.height)
  const grid = inkOf(image, threshold, Math.max(2, lineHeight * SQUARE))
  for (const line of lines) erase(grid, line, MARGIN * lineHeight)
  return connected(grid).flatMap(({ first, last, top, bottom, squares }) => {
    const { side } = grid
    if (squares < MIN_FILLED * (last - first + 1) * (bottom - top + 1)) return []
    if ((last - first + 1) * side < MIN_WIDTH * lineHeight || (bottom - top + 1) * side < MIN_HEIGHT * lineHeight)
      return []
    // a letter may extend into the next square with too little ink to count
    const [left, upper] = [Math.max(0, Math.floor((first - 1) * side)), Math.max(0, Math.floor((top - 1) * side))]
    const right = Math.min(image.width, Math.ceil((last + 2) * side))
    const lower = Math.min(image.height, Math.ceil((bottom + 2) * side))
    const region = { left, top: upper, width: right - left, height: lower - upper }
    return lines.reduce((sum, line) => sum + sharedShare(region, line), 0) > MAX_RECOGNISED ? [] : [region]
  })
}

/** The share of the first box that lies in the second. */
export function sharedShare(one: Box, other: Box): number {
  const width = Math.min(one.left + one.width, other.left + other.width) - Math.max(one.left, other.left)
  const height = Math.min(one.top + one.height, other.top + other.height) - Math.max(one.top, other.top)
  return (Math.max(0, width) * Math.max(0, height)) / (one.width * one.height)
}

function typicalHeight(lines: readonly Line[]): number | undefined {
  const heights = lines.map(({ height }) => height).toSorted((a, b) => a - b)
  return heights[heights.length >> 1]
}

function inkOf({ data, width, height }: GreyImage, threshold: number, side: number): Grid {
  const [columns, rows] = [Math.ceil(width / side), Math.ceil(height / side)]
  const dark = new Uint32Array(columns * rows)
  const columnOf = Uint32Array.from({ length: width }, (_, x) => Math.floor(x / side))
  for (let y = 0; y < height; y++) {
    const [row, start] = [Math.floor(y / side) * columns, y * width]
    for (let x = 0; x < width; x++)
      if ((data[start + x] as number) < threshold) {
        const square = row + (columnOf[x] as number)
        dark[square] = (dark[square] as number) + 1
      }
  }
  const area = side * side
  const marked = Uint8Array.from(dark, (count) => (count >= INK.min * area && count <= INK.max * area ? 1 : 0))
  return { marked, columns, rows, side }
}

function erase({ marked, columns, rows, side }: Grid, { left, top, width, height }: Box, margin: number): void {
  const from = Math.max(0, Math.floor((left - margin) / side))
  const to = Math.min(columns, Math.floor((left + width + margin) / side) + 1)
  const lastRow = Math.min(rows - 1, Math.floor((top + height + margin) / side))
  for (let row = Math.max(0, Math.floor((top - margin) / side)); row <= lastRow; row++)
    marked.fill(0, row * columns + from, row * columns + to)
}

/** First and last column, top and bottom row, and number of squares with ink. */
type Group = { first: number; last: number; top: number; bottom: number; squares: number }

/** Groups of marked squares, in the order of their highest squares; empties the grid. */
function connected({ marked, columns, rows }: Grid): Group[] {
  const groups: Group[] = []
  for (let start = marked.indexOf(1); start !== -1; start = marked.indexOf(1, start)) {
    const group = { first: columns, last: 0, top: rows, bottom: 0, squares: 0 }
    const waiting = [start]
    marked[start] = 0
    for (let square = waiting.pop(); square !== undefined; square = waiting.pop()) {
      const [row, column] = [Math.floor(square / columns), square % columns]
      group.squares++
      group.first = Math.min(group.first, column)
      group.last = Math.max(group.last, column)
      group.top = Math.min(group.top, row)
      group.bottom = Math.max(group.bottom, row)
      for (let y = Math.max(0, row - MAX_GAP_SQUARES); y <= Math.min(rows - 1, row + MAX_GAP_SQUARES); y++)
        for (let x = Math.max(0, column - MAX_GAP_SQUARES); x <= Math.min(columns - 1, column + MAX_GAP_SQUARES); x++) {
          const near = y * columns + x
          if (marked[near] === 0) continue
          marked[near] = 0
          waiting.push(near)
        }
    }
    groups.push(group)
  }
  return groups
}
