/**
 * Finds the columns of a page: the tallest empty corridor with text on both sides splits the part of the page beside
 * it; the parts above and below are searched in turn. This is a recursive X-Y cut (Nagy and Seth) with the whitespace
 * corridors of Breuel, so titles and figures across columns limit a corridor but do not hide it.
 */

import { largest, smallest } from '../../../lists.ts'
import { boundingBox } from './lines.ts'
import type { Box } from './page-geometry.ts'

/** A part of a page: its columns in reading order. */
export type Band<T> = Box & { columns: (Box & { items: T[] })[] }
export type ColumnItem = Box & { letters: number; size: number }

/** Minimum width of the corridor, in points and as a share of the font size. */
const MIN_WIDTH = 7
const MIN_RELATIVE_WIDTH = 0.75
const MIN_LINES = 3
/** Minimum letters per line in a column; shorter texts are cells of a table or labels. */
const MIN_LETTERS = 12
/** Share of the lines in a column that must be aligned, within a tolerance in points. */
const MIN_ALIGNED_SHARE = 0.5
const EDGE_TOLERANCE = 5
/**
 * Common height of columns, as a share of the taller one; or of the shorter one, which may end early on the last page
 * of a paper.
 */
const MIN_OVERLAP = 0.25
const MIN_BESIDE = 0.9
/** Usual length of a line, as a share of the longest one; cells of tables are shorter. */
const MIN_FILLED = 0.6
/** Minimum height of a picture or table, in points, that forms a column by itself. */
const MIN_FIGURE = 60
/** A few lines may have aligned word gaps by chance; these are narrower than this share of the font size. */
const FEW_LINES = 6
const WORD_GAP = 1.3
/** Lines of a heading above columns. */
const MAX_HEADING = 3
const MAX_CANDIDATES = 60
const MAX_DEPTH = 6

export function bandsOf<T extends ColumnItem>(items: readonly T[], rtl: boolean, depth = 0): Band<T>[] {
  if (items.length === 0) return []
  const corridor = items.length < 2 * MIN_LINES || depth > MAX_DEPTH ? undefined : tallestCorridor(items)
  if (corridor === undefined)
    return [{ ...boundingBox(items), columns: [{ ...boundingBox(items), items: [...items] }] }]
  const { top, bottom, at } = corridor
  const middle = (item: T): number => (item.top + item.bottom) / 2
  const inside = insideOf(items, top, bottom)
  const sides = [inside.filter((item) => item.right <= at), inside.filter((item) => item.right > at)]
  const within = columnsOf(rtl ? sides.toReversed() : sides, rtl, depth + 1)
  return [
    ...bandsOf(
      items.filter((item) => middle(item) <= top),
      rtl,
      depth + 1,
    ),
    within,
    ...bandsOf(
      items.filter((item) => middle(item) >= bottom),
      rtl,
      depth + 1,
    ),
  ]
}

/**
 * Splits each side again: three columns are a split in two and a further split of one side. Columns inside columns only
 * determine the reading order.
 */
function columnsOf<T extends ColumnItem>(sides: readonly T[][], rtl: boolean, depth: number): Band<T> {
  const columns = sides.flatMap((side) => {
    const bands = bandsOf(side, rtl, depth)
    const tall = bands.filter((band) => band.columns.length > 1)
    const height = (box: Box): number => box.bottom - box.top
    // the columns of a side are columns of the page if they take nearly all of it
    if (bands.length === 1 || (tall.length === 1 && height(tall[0] as Band<T>) > 0.85 * height(boundingBox(side)))) {
      const band = tall[0] ?? (bands[0] as Band<T>)
      const at = bands.indexOf(band)
      const itemsOf = (some: readonly Band<T>[]): T[] =>
        some.flatMap((one) => one.columns.flatMap(({ items }) => items))
      return band.columns.map((column, i) => {
        const all = [
          ...(i === 0 ? itemsOf(bands.slice(0, at)) : []),
          ...column.items,
          ...(i === band.columns.length - 1 ? itemsOf(bands.slice(at + 1)) : []),
        ]
        return { ...boundingBox(column.items), items: all }
      })
    }
    const inOrder = bands.flatMap((band) => band.columns.flatMap(({ items }) => items))
    return [{ ...boundingBox(side), items: inOrder }]
  })
  return { ...boundingBox(columns), columns }
}

type Corridor = { at: number; top: number; bottom: number }

function tallestCorridor<T extends ColumnItem>(items: readonly T[]): Corridor | undefined {
  const size = items.map((item) => item.size).toSorted((a, b) => a - b)[items.length >> 1] ?? 10
  const width = Math.max(MIN_WIDTH, MIN_RELATIVE_WIDTH * size)
  const sorted = items.toSorted((a, b) => a.top - b.top)
  let best: (Corridor & { weight: number }) | undefined
  for (const at of candidates(items, width))
    for (const corridor of corridorsAt(sorted, at, width)) {
      const weight = weightOf(sorted, corridor)
      if (weight > (best?.weight ?? 0)) best = { ...corridor, weight }
    }
  return best && trimmed(sorted, best, size)
}

/**
 * A heading across columns may be too short to cross the corridor. An item on one side only belongs to neither column
 * if it is above both columns, or between them and an item that crosses.
 */
function trimmed(sorted: readonly ColumnItem[], { at, top, bottom }: Corridor, size: number): Corridor {
  const inside = insideOf(sorted, top, bottom)
  const sides = [inside.filter((item) => item.right <= at), inside.filter((item) => item.right > at)] as const
  const [one, other] = [boundingBox(sides[0]), boundingBox(sides[1])]
  const [start, end] = [Math.max(one.top, other.top), Math.min(one.bottom, other.bottom)]
  const above = inside.filter((item) => item.bottom < start + 0.2 * size)
  const below = inside.filter((item) => item.top > end - 0.2 * size)
  const first = smallest(inside.filter((item) => !above.includes(item)).map((item) => item.top))
  const isHeading =
    above.length > 0 && first - boundingBox(above).bottom > 0.2 * size && linesIn(above).length <= MAX_HEADING
  let cut = bottom
  if (Number.isFinite(bottom)) {
    let last = end
    for (const item of below) {
      if (item.top - last > 0.8 * size) {
        cut = (last + item.top) / 2
        break
      }
      last = Math.max(last, item.bottom)
    }
  }
  return { at, top: isHeading ? boundingBox(above).bottom : top, bottom: cut }
}

const insideOf = <T extends Box>(items: readonly T[], top: number, bottom: number): T[] =>
  items.filter((item) => (item.top + item.bottom) / 2 > top && (item.top + item.bottom) / 2 < bottom)

/** Middles of the gaps that most lines have in common. */
function candidates(items: readonly Box[], width: number): number[] {
  const votes = new Map<number, number>()
  const edges = new Set(items.map(({ left }) => Math.round(left)))
  for (const edge of edges) {
    const at = edge - width / 2
    const right = items.filter(({ left }) => left >= at && left < at + 2 * width).length
    const left = items.filter((item) => item.right <= at).length
    votes.set(at, Math.min(right, left))
  }
  return [...votes]
    .filter(([, count]) => count >= MIN_LINES)
    .toSorted((a, b) => b[1] - a[1])
    .slice(0, MAX_CANDIDATES)
    .map(([at]) => at)
}

/** The empty stretches of a vertical strip. */
function corridorsAt(sorted: readonly Box[], at: number, width: number): Corridor[] {
  const [left, right] = [at - width / 2 + 0.5, at + width / 2 - 0.5]
  const out: Corridor[] = []
  let top = Number.NEGATIVE_INFINITY
  for (const box of sorted) {
    if (box.left >= right || box.right <= left) continue
    if (box.top > top) out.push({ at, top, bottom: box.top })
    top = Math.max(top, box.bottom)
  }
  out.push({ at, top, bottom: Number.POSITIVE_INFINITY })
  return out
}

/** Height of the text that has a column on both sides, or 0 if the sides are not columns of text. */
function weightOf<T extends ColumnItem>(sorted: readonly T[], { at, top, bottom }: Corridor): number {
  const inside = insideOf(sorted, top, bottom)
  const sides = [inside.filter((item) => item.right <= at), inside.filter((item) => item.right > at)] as const
  if (!sides.every(isColumn) || !sides.some((side) => side.some((item) => item.letters > 0))) return 0
  const [one, other] = [boundingBox(sides[0]), boundingBox(sides[1])]
  const shared = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  const tallest = Math.max(one.bottom - one.top, other.bottom - other.top)
  const shortest = Math.min(one.bottom - one.top, other.bottom - other.top)
  if (shared < MIN_OVERLAP * tallest && shared < MIN_BESIDE * shortest) return 0
  const size = largest(inside.map((item) => item.size))
  const fewest = smallest(sides.map((side) => linesIn(side).length))
  if (fewest < FEW_LINES && other.left - one.right < WORD_GAP * size) return 0
  // of equally tall corridors, choose the one with the most even sides
  const letters = sides.map((side) => side.reduce((sum, item) => sum + item.letters, 0))
  return shared * (1 + 0.05 * (smallest(letters) / largest(letters)))
}

function isColumn(side: readonly ColumnItem[]): boolean {
  const lines = linesIn(side.filter(({ letters }) => letters > 0))
  // a figure or a table beside text
  if (side.some((item) => item.letters === 0 && item.bottom - item.top > MIN_FIGURE)) return true
  if (lines.length < MIN_LINES) return false
  const letters = side.reduce((sum, item) => sum + item.letters, 0)
  if (letters / lines.length < MIN_LETTERS || alignedLines(lines) < MIN_ALIGNED_SHARE * lines.length) return false
  const widths = lines.map(({ left, right }) => right - left).toSorted((a, b) => a - b)
  return (widths[widths.length >> 1] as number) >= MIN_FILLED * (widths.at(-1) as number)
}

function linesIn(side: readonly Box[]): Box[] {
  const lines = new Map<number, Box>()
  for (const item of side) {
    const baseline = Math.round(item.bottom / 4)
    const line = lines.get(baseline)
    lines.set(baseline, line === undefined ? item : boundingBox([line, item]))
  }
  return [...lines.values()]
}

/** The largest number of lines with the same left or right edge. */
function alignedLines(lines: readonly Box[]): number {
  const most = (edges: number[]): number => {
    const sorted = edges.toSorted((a, b) => a - b)
    let [from, best] = [0, 0]
    for (const [to, edge] of sorted.entries()) {
      while (edge - (sorted[from] as number) > EDGE_TOLERANCE) from++
      best = Math.max(best, to - from + 1)
    }
    return best
  }
  return Math.max(most(lines.map(({ left }) => left)), most(lines.map(({ right }) => right)))
}
