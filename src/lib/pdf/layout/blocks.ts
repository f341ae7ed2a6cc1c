/**
 * Turns the content of a page into blocks in reading order: paragraphs, headings, lists, tables and pictures. Tables
 * are found by ruled lines first; text without them is searched for rows whose gaps are aligned.
 */

import { append, largest, smallest } from '../../../lists.ts'
import { type Band, bandsOf, type ColumnItem } from './columns.ts'
import { boundingBox, isRtl, type Line, linesOf } from './lines.ts'
import type { PageContent, PageImage, Run, Shape } from './page-content.ts'
import { area, type Box, isWithin } from './page-geometry.ts'
import { type ColumnExtent, paragraphsOf, type TextBlock } from './paragraphs.ts'
import type { Grid } from './tables.ts'

export type ImageBlock = PageImage & { shape: 'picture' }
export type TableCell = {
  columns: number
  rows: number
  column: number
  blocks: Block[]
  bordered: boolean
  fill?: string
}
export type Table = Box & { shape: 'table'; widths: number[]; heights: number[]; rows: TableCell[][]; rtl: boolean }
export type Block = TextBlock | ImageBlock | Table
/** A part of a page with one column or several. */
export type Section = Box & { rtl: boolean; columns: (ColumnExtent & { blocks: Block[] })[] }

/** @param extent the left and right edges of the page's text, if they are known */
export function layOut(
  { runs, pictures, shapes }: Pick<PageContent, 'runs' | 'pictures' | 'shapes'>,
  grids: readonly Grid[],
  extent?: ColumnExtent,
): Section[] {
  const inGrid = (box: Box): boolean => grids.some((grid) => isWithin(box, grid))
  const tables = grids.map((grid) => tableOf(grid, runs, pictures, shapes))
  const rtl = isRtl(runs)
  type Item = ColumnItem & { run?: Run; block?: Block }
  const itemOf = (block: Block): Item => ({ ...box(block), letters: 0, size: 0, block })
  const items: Item[] = [
    ...runs
      .filter((run) => !inGrid(run))
      .map((run): Item => ({ ...box(run), letters: run.text.length, size: run.size, run })),
    ...tables.map(itemOf),
    ...pictures.filter((picture) => !inGrid(picture)).map((picture) => itemOf({ ...picture, shape: 'picture' })),
  ]
  const page = extent ?? boundingBox(items)
  return joined(bandsOf(items, rtl)).map((band) => ({
    ...box(band),
    rtl,
    columns: band.columns.map((column) => {
      const { left, right } = band.columns.length === 1 ? page : column
      const columnRuns = column.items.flatMap(({ run }) => (run === undefined ? [] : [run]))
      const columnBlocks = column.items.flatMap(({ block }) => (block === undefined ? [] : [block]))
      return { left, right, blocks: orderBlocks(columnRuns, columnBlocks, { left, right }) }
    }),
  }))
}

/** Joins consecutive parts without columns. */
function joined<T extends Box>(bands: readonly Band<T>[]): Band<T>[] {
  const out: Band<T>[] = []
  for (const band of bands) {
    const last = out.at(-1)
    const [mine, theirs] = [last?.columns[0], band.columns[0]]
    if (last?.columns.length === 1 && band.columns.length === 1 && mine !== undefined && theirs !== undefined) {
      const items = [...mine.items, ...theirs.items]
      out.splice(-1, 1, { ...boundingBox(items), columns: [{ ...boundingBox(items), items }] })
    } else out.push(band)
  }
  return out
}

const box = ({ left, right, top, bottom }: Box): Box => ({ left, right, top, bottom })

/** Orders lines of text and blocks from top to bottom, and groups the lines into paragraphs. */
function orderBlocks(runs: readonly Run[], blocks: readonly Block[], extent: ColumnExtent): Block[] {
  const lines = linesOf(runs)
  const entries: { top: number; line?: Line; block?: Block }[] = [
    ...lines.map((line) => ({ top: line.baseline - 0.5 * line.size, line })),
    ...blocks.map((block) => ({ top: block.top, block })),
  ].toSorted((a, b) => a.top - b.top)
  const out: Block[] = []
  let pending: Line[] = []
  const flush = (): void => {
    append(out, withAlignedTables(pending, extent))
    pending = []
  }
  for (const { line, block } of entries)
    if (line !== undefined) pending.push(line)
    else if (block !== undefined) {
      flush()
      out.push(block)
    }
  flush()
  return out
}

function tableOf(grid: Grid, runs: readonly Run[], pictures: readonly PageImage[], shapes: readonly Shape[]): Table {
  const rows: TableCell[][] = Array.from({ length: grid.ys.length - 1 }, () => [])
  const tableRuns: Run[] = []
  for (const cell of grid.cells) {
    const inside = runs.filter((run) => isWithin(run, cell))
    append(tableRuns, inside)
    const images = pictures
      .filter((picture) => isWithin(picture, cell))
      .map((picture): Block => ({ ...picture, shape: 'picture' }))
    const blocks = orderBlocks(inside, images, { left: cell.left + CELL_MARGIN, right: cell.right - CELL_MARGIN })
    const { columns, rows: height, column } = cell
    const fill = fillBehind(cell, shapes)
    rows[cell.row]?.push({ columns, rows: height, column, blocks, bordered: true, ...(fill && { fill }) })
  }
  const widths = grid.xs.slice(1).map((x, i) => x - (grid.xs[i] as number))
  const heights = grid.ys.slice(1).map((y, i) => y - (grid.ys[i] as number))
  return { ...box(grid), shape: 'table', widths, heights, rows, rtl: isRtl(tableRuns) }
}

const WHITE = 'FFFFFF'

/** The colour of the last area drawn behind a box, unless it is white. */
export function fillBehind(inner: Box, shapes: readonly Shape[]): string | undefined {
  const behind = shapes.findLast(
    (shape) => shape.fill !== undefined && !shape.isRule && isWithin(inner, shape) && area(shape) > 0.8 * area(inner),
  )
  const fill = behind?.fill?.replace('#', '').toUpperCase()
  return fill === WHITE ? undefined : fill
}

/** Distance between the edge of a cell and its text in the output, in points. */
export const CELL_MARGIN = 1.5

/** Minimum gap between cells without ruled lines, as a share of the font size. */
const CELL_GAP = 0.9
/** Extra width in points for substitute fonts that are wider than the original ones. */
const SPARE_WIDTH = 10
const ROW_STEP = 4
/** Tolerance in points for cells with the same start. */
const EDGE_TOLERANCE = 2
const MIN_ROWS = 3
/** Average cell length above which columns are running text and not a table. */
const MAX_CELL_LETTERS = 32

/** Splits a line at wide gaps. */
function splitAtGaps(line: Line): Run[][] {
  const pieces: Run[][] = []
  let end = Number.NEGATIVE_INFINITY
  for (const run of line.runs) {
    if (run.left - end > CELL_GAP * line.size) pieces.push([run])
    else pieces.at(-1)?.push(run)
    end = Math.max(end, run.right)
  }
  return pieces
}

/** Finds tables without ruled lines: consecutive rows whose gaps overlap. */
function withAlignedTables(lines: readonly Line[], extent: ColumnExtent): Block[] {
  const out: Block[] = []
  let plain: Line[] = []
  for (let i = 0; i < lines.length; ) {
    const table = alignedTableAt(lines, i)
    if (table === undefined) plain.push(lines[i++] as Line)
    else {
      append(out, paragraphsOf(plain, extent))
      out.push(table.block)
      plain = []
      i = table.end
    }
  }
  return [...out, ...paragraphsOf(plain, extent)]
}

function alignedTableAt(lines: readonly Line[], start: number): { block: Table; end: number } | undefined {
  type Gap = { from: number; to: number }
  let shared: Gap[] | undefined
  const rows: Run[][][] = []
  let end = start
  for (; end < lines.length; end++) {
    const line = lines[end] as Line
    const pieces = splitAtGaps(line)
    const previous = lines[end - 1]
    if (pieces.length < 2 || line.rotated || isListItem(pieces)) break
    if (end > start && previous !== undefined && line.baseline - previous.baseline > ROW_STEP * line.size) break
    const gaps = pieces
      .slice(1)
      .map((piece, i): Gap => ({ from: boundingBox(pieces[i] as Run[]).right, to: boundingBox(piece).left }))
    const common: Gap[] =
      shared === undefined
        ? gaps
        : shared.flatMap((gap) =>
            gaps.flatMap((other) => {
              const both = { from: Math.max(gap.from, other.from), to: Math.min(gap.to, other.to) }
              return both.to - both.from > 0.5 * line.size ? [both] : []
            }),
          )
    if (common.length === 0 || (shared !== undefined && common.length < shared.length && rows.length > 1)) break
    shared = common
    rows.push(pieces)
  }
  const letters = rows.flat().map((piece) => piece.reduce((sum, { text }) => sum + text.length, 0))
  const average = letters.reduce((sum, value) => sum + value, 0) / letters.length
  if (shared === undefined || rows.length < MIN_ROWS || average > MAX_CELL_LETTERS) return undefined
  const all = boundingBox(rows.flat(2))
  // a column starts at its cells' common start, if there is one
  const inner = shared.map(({ from, to }) => {
    const lefts = rows.flatMap((pieces) =>
      pieces
        .map((piece) => boundingBox(piece).left)
        .filter((x) => x >= to - 0.5)
        .slice(0, 1),
    )
    const isAligned = largest(lefts) - smallest(lefts) < EDGE_TOLERANCE
    return isAligned ? smallest(lefts) - CELL_MARGIN : (from + to) / 2
  })
  const edges = [all.left - CELL_MARGIN, ...inner, all.right + SPARE_WIDTH]
  const cells = rows.map((pieces) =>
    edges.slice(1).map((right, column): TableCell => {
      const left = edges[column] as number
      const inside = pieces
        .flat()
        .filter((run) => (run.left + run.right) / 2 >= left && (run.left + run.right) / 2 < right)
      const blocks = paragraphsOf(linesOf(inside), { left: left + CELL_MARGIN, right: right - CELL_MARGIN })
      return { columns: 1, rows: 1, column, blocks, bordered: false }
    }),
  )
  const widths = edges.slice(1).map((right, i) => right - (edges[i] as number))
  const rtl = isRtl(rows.flat(2))
  const heights = lines
    .slice(start, end)
    .map(({ baseline, size }, i, some) => (some[i + 1]?.baseline ?? baseline + 1.2 * size) - baseline)
  return { block: { ...all, shape: 'table', widths, heights, rows: cells, rtl }, end }
}

const isListItem = (pieces: readonly Run[][]): boolean =>
  pieces.length === 2 &&
  /^([•◦▪‣●○■□∙·–—*\-\uF0B7\uF0A7]|\(?\w{1,3}[.)])$/u.test(
    (pieces[0] ?? [])
      .map(({ text }) => text)
      .join('')
      .trim(),
  )
