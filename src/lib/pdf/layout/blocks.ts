/**
 * Turns the content of a page into blocks in reading order: paragraphs, headings, lists, tables and pictures. Tables
 * are found by ruled lines first; text without them is searched for rows whose gaps are aligned.
 */
import { boundingBox, isRtl, type Line, linesOf, readingOrder } from './lines.ts'
import type { PageContent, PageImage, Run } from './page-content.ts'
import type { Box } from './page-geometry.ts'
import { type ColumnExtent, paragraphsOf, type TextBlock } from './paragraphs.ts'
import { findTables, type Grid } from './tables.ts'

export type ImageBlock = PageImage & { shape: 'picture' }
export type TableCell = { columns: number; rows: number; column: number; blocks: Block[]; bordered: boolean }
export type Table = Box & { shape: 'table'; widths: number[]; rows: TableCell[][]; rtl: boolean }
export type Block = TextBlock | ImageBlock | Table

export function layOut({ runs, pictures, rules }: PageContent): Block[] {
  const grids = findTables(rules).filter((grid) => runs.some((run) => isWithin(run, grid)))
  const inGrid = (box: Box): boolean => grids.some((grid) => isWithin(box, grid))
  const tables = grids.map((grid) => tableOf(grid, runs, pictures))
  const outsideTables = runs.filter((run) => !inGrid(run))
  const rtl = isRtl(runs)
  type Item = Box & { run?: Run; block?: Block }
  const items: Item[] = [
    ...outsideTables.map((run): Item => ({ ...box(run), run })),
    ...tables.map((block): Item => ({ ...box(block), block })),
    ...pictures
      .filter((picture) => !inGrid(picture))
      .map((picture): Item => ({ ...box(picture), block: { ...picture, shape: 'picture' } })),
  ]
  const parts = readingOrder(items, ({ run }) => run?.text.length ?? 0, rtl)
  return parts.flatMap((part) => {
    const partRuns = part.flatMap(({ run }) => (run === undefined ? [] : [run]))
    const blocks = part.flatMap(({ block }) => (block === undefined ? [] : [block]))
    return orderBlocks(partRuns, blocks)
  })
}

const box = ({ left, right, top, bottom }: Box): Box => ({ left, right, top, bottom })

function isWithin(inner: Box, outer: Box): boolean {
  const [x, y] = [(inner.left + inner.right) / 2, (inner.top + inner.bottom) / 2]
  return x >= outer.left && x <= outer.right && y >= outer.top && y <= outer.bottom
}

/** Orders lines of text and blocks from top to bottom, and groups the lines into paragraphs. */
function orderBlocks(runs: readonly Run[], blocks: readonly Block[], within?: ColumnExtent): Block[] {
  const lines = linesOf(runs)
  const extent = within ?? (lines.length > 0 ? boundingBox(lines) : { left: 0, right: 0 })
  const entries: { top: number; line?: Line; block?: Block }[] = [
    ...lines.map((line) => ({ top: line.baseline - 0.5 * line.size, line })),
    ...blocks.map((block) => ({ top: block.top, block })),
  ].toSorted((a, b) => a.top - b.top)
  const out: Block[] = []
  let pending: Line[] = []
  const flush = (): void => {
    out.push(...withAlignedTables(pending, extent))
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

function tableOf(grid: Grid, runs: readonly Run[], pictures: readonly PageImage[]): Table {
  const rows: TableCell[][] = Array.from({ length: grid.ys.length - 1 }, () => [])
  const tableRuns: Run[] = []
  for (const cell of grid.cells) {
    const inside = runs.filter((run) => isWithin(run, cell))
    tableRuns.push(...inside)
    const images = pictures
      .filter((picture) => isWithin(picture, cell))
      .map((picture): Block => ({ ...picture, shape: 'picture' }))
    const blocks = orderBlocks(inside, images, { left: cell.left + 4, right: cell.right - 4 })
    rows[cell.row]?.push({ columns: cell.columns, rows: cell.rows, column: cell.column, blocks, bordered: true })
  }
  const widths = grid.xs.slice(1).map((x, i) => x - (grid.xs[i] as number))
  return { ...box(grid), shape: 'table', widths, rows, rtl: isRtl(tableRuns) }
}

/** Minimum gap between cells without ruled lines, as a share of the font size. */
const CELL_GAP = 0.9
/** Extra width in points for substitute fonts that are wider than the original ones. */
const SPARE_WIDTH = 10
const ROW_STEP = 4
const MIN_ROWS = 3
/** Average length of cells above which the columns are running text, not a table. */
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
      out.push(...paragraphsOf(plain, extent), table.block)
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
  const edges = [all.left - 2, ...shared.map(({ from, to }) => (from + to) / 2), all.right + SPARE_WIDTH]
  const cells = rows.map((pieces) =>
    edges.slice(1).map((right, column): TableCell => {
      const left = edges[column] as number
      const inside = pieces
        .flat()
        .filter((run) => (run.left + run.right) / 2 >= left && (run.left + run.right) / 2 < right)
      const blocks = paragraphsOf(linesOf(inside), { left, right })
      return { columns: 1, rows: 1, column, blocks, bordered: false }
    }),
  )
  const widths = edges.slice(1).map((right, i) => right - (edges[i] as number))
  const rtl = isRtl(rows.flat(2))
  return { block: { ...all, shape: 'table', widths, rows: cells, rtl }, end }
}

const isListItem = (pieces: readonly Run[][]): boolean =>
  pieces.length === 2 &&
  /^([•◦▪‣●○■□∙·–—*\-\uF0B7\uF0A7]|\(?\w{1,3}[.)])$/u.test(
    (pieces[0] ?? [])
      .map(({ text }) => text)
      .join('')
      .trim(),
  )
