/** Groups runs of text into lines, and finds the reading order of a page with columns. */
import type { Face, Run } from './page-content.ts'
import type { Box } from './page-geometry.ts'

export type Span = { text: string; face: Face; size: number; link?: string; superscript?: boolean }
export type Line = Box & {
  baseline: number
  size: number
  rtl: boolean
  rotated: boolean
  runs: Run[]
}

export const boundingBox = (boxes: readonly Box[]): Box => ({
  left: Math.min(...boxes.map(({ left }) => left)),
  right: Math.max(...boxes.map(({ right }) => right)),
  top: Math.min(...boxes.map(({ top }) => top)),
  bottom: Math.max(...boxes.map(({ bottom }) => bottom)),
})

const RTL_LETTER = /[\p{Script=Arabic}\p{Script=Hebrew}]/gu
const LETTER = /\p{L}/gu
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

export const isRtl = (runs: readonly { text: string }[]): boolean => {
  const text = runs.map((run) => run.text).join('')
  return count(text, RTL_LETTER) * 2 > count(text, LETTER)
}

/** Maximum distance of baselines on one line, as a share of the font size; larger for superscripts and subscripts. */
const BASELINE_TOLERANCE = 0.3
const SUPERSCRIPT_TOLERANCE = 0.6
/** Runs up to this share of the line's font size may be superscript. */
const SUPERSCRIPT_SIZE = 0.85

export function linesOf(runs: readonly Run[]): Line[] {
  const lines: Run[][] = []
  for (const run of runs.toSorted((a, b) => a.baseline - b.baseline || a.left - b.left)) {
    const line = lines.findLast(([first]) => {
      const other = first as Run
      if (run.rotated || other.rotated) return false
      const large = Math.max(run.size, other.size)
      const small = Math.min(run.size, other.size)
      const tolerance = small <= SUPERSCRIPT_SIZE * large ? SUPERSCRIPT_TOLERANCE : BASELINE_TOLERANCE
      return Math.abs(run.baseline - other.baseline) <= tolerance * large
    })
    if (line === undefined) lines.push([run])
    else line.push(run)
  }
  return lines.map((members) => {
    const sorted = members.toSorted((a, b) => a.left - b.left)
    const large = sorted.toSorted((a, b) => b.size - a.size || b.text.length - a.text.length)[0] as Run
    return {
      ...boundingBox(sorted),
      baseline: large.baseline,
      size: large.size,
      rtl: isRtl(sorted),
      rotated: large.rotated,
      runs: sorted,
    }
  })
}

/** Gap between runs, as a share of the font size, that counts as a space. */
const SPACE_GAP = 0.12

/** The text of a line in reading order: a right-to-left line keeps its numbers and Latin words left to right. */
export function spansOf(line: Line): Span[] {
  const order = line.rtl ? rightToLeftOrder(line.runs) : line.runs
  const spans: Span[] = []
  let before: Run | undefined
  for (const run of order) {
    const gap = before === undefined ? 0 : Math.max(run.left - before.right, before.left - run.right)
    const last = spans.at(-1)
    const isApart = before !== undefined && gap > SPACE_GAP * Math.min(run.size, before.size)
    if (isApart && last !== undefined && !/\s$/.test(last.text) && !/^\s/.test(run.text)) last.text += ' '
    const superscript = run.size <= SUPERSCRIPT_SIZE * line.size && run.baseline < line.baseline - 0.15 * line.size
    if (last !== undefined && last.face === run.face && last.size === run.size && last.link === run.link)
      last.text += run.text
    else
      spans.push({
        text: run.text,
        face: run.face,
        size: run.size,
        ...(run.link && { link: run.link }),
        ...(superscript && { superscript }),
      })
    before = run
  }
  return spans
}

/** Signs that belong to the number they touch: even in a right-to-left line, those after it stand on its right. */
const AFTER_NUMBER = /^[%‰°]+$/
const BEFORE_NUMBER = /^[-+−$€£#]$/

function rightToLeftOrder(runs: readonly Run[]): Run[] {
  const out: Run[] = []
  let latin: Run[] = []
  const flush = (): void => {
    out.push(...latin.toReversed())
    latin = []
  }
  const isLatin = (run: Run | undefined): boolean => run !== undefined && !run.rtl && /[\p{L}\p{N}]/u.test(run.text)
  const touch = (left: Run | undefined, right: Run | undefined): boolean =>
    left !== undefined && right !== undefined && right.left - left.right < SPACE_GAP * right.size
  const reversed = runs.toReversed()
  for (const [i, run] of reversed.entries()) {
    const [before, next] = [latin.at(-1), reversed[i + 1]]
    const belongs =
      (AFTER_NUMBER.test(run.text.trim()) && isLatin(next) && touch(next, run)) ||
      (BEFORE_NUMBER.test(run.text.trim()) && touch(run, before))
    if (isLatin(run) || belongs) latin.push(run)
    else {
      flush()
      out.push(run)
    }
  }
  flush()
  return out
}

/** Minimum width of the gap between columns in points, and minimum letters per line in a column. */
const GUTTER = 10
const MIN_COLUMN_LETTERS = 14
const MIN_COLUMN_LINES = 3
const MIN_OVERLAP = 0.6
/** Share of the lines in a column that must be aligned, within a tolerance in points. */
const MIN_ALIGNED_SHARE = 0.6
const EDGE_TOLERANCE = 5
const MAX_CUTS = 30
const MAX_COMPARISONS = 20_000

/** Splits a page into parts in reading order; each part is read line by line. */
export function readingOrder<T extends Box>(items: readonly T[], lettersOf: (item: T) => number, rtl: boolean): T[][] {
  if (items.length < 2 * MIN_COLUMN_LINES) return [[...items]]
  const columns = splitColumns(items, lettersOf)
  if (columns !== undefined) {
    const [left, right] = columns
    return (rtl ? [right, left] : [left, right]).flatMap((part) => readingOrder(part, lettersOf, rtl))
  }
  // titles above and footers below columns hide the gap between them, so bands of the page are searched
  const band = columnBand(items, lettersOf)
  if (band === undefined) return [[...items]]
  return [band.above, band.within, band.below].flatMap((part) =>
    part.length > 0 ? readingOrder(part, lettersOf, rtl) : [],
  )
}

function columnBand<T extends Box>(items: readonly T[], lettersOf: (item: T) => number) {
  const whole = boundingBox(items)
  // limit the work on pages with thousands of items, which are not columns of text
  const most = Math.min(MAX_CUTS, Math.ceil(MAX_COMPARISONS / items.length))
  const cuts = [whole.top - 1, ...gaps(items, 'top', 'bottom').slice(0, most), whole.bottom + 1].toSorted(
    (a, b) => a - b,
  )
  const bands = cuts.flatMap((top, i) => cuts.slice(i + 1).map((bottom) => ({ top, bottom })))
  let best: { columns: [T[], T[]]; top: number; bottom: number; lines: number } | undefined
  for (const { top, bottom } of bands.toSorted((a, b) => b.bottom - b.top - (a.bottom - a.top))) {
    const inside = items.filter((item) => item.bottom > top && item.bottom <= bottom)
    const columns = inside.length < items.length ? splitColumns(inside, lettersOf) : undefined
    if (columns === undefined) continue
    const lines = Math.min(...columns.map(alignedLines))
    if (lines > (best?.lines ?? 0)) best = { columns, top, bottom, lines }
  }
  if (best === undefined) return undefined
  const { columns, top, bottom } = best
  // items below the shorter column span both columns and come after them
  const shorter = Math.min(...columns.map((column) => boundingBox(column).bottom))
  const end = bottom < whole.bottom ? (cuts.find((cut) => cut >= shorter) ?? bottom) : bottom
  return {
    within: items.filter((item) => item.bottom > top && item.bottom <= end),
    above: items.filter((item) => item.bottom <= top),
    below: items.filter((item) => item.bottom > end),
  }
}

/** Middles of the gaps across all items, widest first. */
function gaps(items: readonly Box[], from: 'left' | 'top', to: 'right' | 'bottom', minGap = 0): number[] {
  const found: { at: number; width: number }[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const item of items.toSorted((a, b) => a[from] - b[from])) {
    if (item[from] - end > minGap && end > Number.NEGATIVE_INFINITY)
      found.push({ at: (end + item[from]) / 2, width: item[from] - end })
    end = Math.max(end, item[to])
  }
  return found.toSorted((a, b) => b.width - a.width).map(({ at }) => at)
}

/** Vertical overlap of two parts, as a share of the taller one. */
function verticalOverlap(a: readonly Box[], b: readonly Box[]): number {
  const [one, other] = [boundingBox(a), boundingBox(b)]
  const both = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  return both / Math.max(one.bottom - one.top, other.bottom - other.top)
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

/** The number of lines in a part that share a left or right edge. */
function alignedLines(side: readonly Box[]): number {
  const boxes = linesIn(side)
  const most = (edges: readonly number[]): number =>
    Math.max(...edges.map((edge) => edges.filter((other) => Math.abs(other - edge) <= EDGE_TOLERANCE).length))
  return Math.max(most(boxes.map(({ left }) => left)), most(boxes.map(({ right }) => right)))
}

function splitColumns<T extends Box>(items: readonly T[], lettersOf: (item: T) => number): [T[], T[]] | undefined {
  for (const at of gaps(items, 'left', 'right', GUTTER)) {
    const sides: [T[], T[]] = [items.filter(({ right }) => right <= at), items.filter(({ right }) => right > at)]
    const isColumn = (side: readonly T[]): boolean => {
      const lines = linesIn(side).length
      const letters = side.reduce((sum, item) => sum + lettersOf(item), 0)
      return (
        lines >= MIN_COLUMN_LINES &&
        letters / lines >= MIN_COLUMN_LETTERS &&
        alignedLines(side) >= MIN_ALIGNED_SHARE * lines
      )
    }
    if (sides.every(isColumn) && verticalOverlap(...sides) >= MIN_OVERLAP) return sides
  }
  return undefined
}
