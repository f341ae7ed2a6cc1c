/** Runs of text put into lines, and lines into the order in which a person reads them. */
import type { Face, Run } from './page-content.ts'
import type { Box } from './page-geometry.ts'

export type Span = { text: string; face: Face; size: number; link?: string; raised?: boolean }
export type Line = Box & {
  base: number
  size: number
  rtl: boolean
  turned: boolean
  runs: Run[]
}

export const around = (boxes: readonly Box[]): Box => ({
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

/** Share of a letter's size by which bases may differ on one line; small letters may stand higher or lower. */
const BASE_TOLERANCE = 0.3
const RAISED_TOLERANCE = 0.6
/** Letters that are no larger beside others may be raised. */
const SMALL = 0.85

export function linesOf(runs: readonly Run[]): Line[] {
  const lines: Run[][] = []
  for (const run of runs.toSorted((a, b) => a.base - b.base || a.left - b.left)) {
    const line = lines.findLast(([first]) => {
      const other = first as Run
      if (run.turned || other.turned) return false
      const large = Math.max(run.size, other.size)
      const small = Math.min(run.size, other.size)
      const tolerance = small <= SMALL * large ? RAISED_TOLERANCE : BASE_TOLERANCE
      return Math.abs(run.base - other.base) <= tolerance * large
    })
    if (line === undefined) lines.push([run])
    else line.push(run)
  }
  return lines.map((members) => {
    const sorted = members.toSorted((a, b) => a.left - b.left)
    const large = sorted.toSorted((a, b) => b.size - a.size || b.text.length - a.text.length)[0] as Run
    return {
      ...around(sorted),
      base: large.base,
      size: large.size,
      rtl: isRtl(sorted),
      turned: large.turned,
      runs: sorted,
    }
  })
}

/** A gap of so much of the letters' size is a blank between words. */
const BLANK = 0.12

/** What a line says, in the order in which it is read: from the right, numbers and Latin words within it from the left. */
export function spansOf(line: Line): Span[] {
  const order = line.rtl ? readFromRight(line.runs) : line.runs
  const spans: Span[] = []
  let before: Run | undefined
  for (const run of order) {
    const gap = before === undefined ? 0 : Math.max(run.left - before.right, before.left - run.right)
    const last = spans.at(-1)
    const isApart = before !== undefined && gap > BLANK * Math.min(run.size, before.size)
    if (isApart && last !== undefined && !/\s$/.test(last.text) && !/^\s/.test(run.text)) last.text += ' '
    const raised = run.size <= SMALL * line.size && run.base < line.base - 0.15 * line.size
    if (last !== undefined && last.face === run.face && last.size === run.size && last.link === run.link)
      last.text += run.text
    else
      spans.push({
        text: run.text,
        face: run.face,
        size: run.size,
        ...(run.link && { link: run.link }),
        ...(raised && { raised }),
      })
    before = run
  }
  return spans
}

/** Signs that go with the number they touch: those after it stand to its right also in a line that runs from the right. */
const AFTER_NUMBER = /^[%‰°]+$/
const BEFORE_NUMBER = /^[-+−$€£#]$/

function readFromRight(runs: readonly Run[]): Run[] {
  const out: Run[] = []
  let latin: Run[] = []
  const flush = (): void => {
    out.push(...latin.toReversed())
    latin = []
  }
  const isLatin = (run: Run | undefined): boolean => run !== undefined && !run.rtl && /[\p{L}\p{N}]/u.test(run.text)
  const touch = (left: Run | undefined, right: Run | undefined): boolean =>
    left !== undefined && right !== undefined && right.left - left.right < BLANK * right.size
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

/** Least width of what is white between two columns, in points, and letters that a column has in a line. */
const GUTTER = 10
const COLUMN_LETTERS = 14
const MIN_COLUMN_LINES = 3
const BESIDES = 0.6
/** Lines of a column that are aligned, by so many points. */
const ALIGNED_SHARE = 0.6
const EDGE_TOLERANCE = 5
const MAX_CUTS = 30
const MAX_LOOKS = 20_000

/** Parts of a page, in reading order, that are each read line by line. */
export function readingOrder<T extends Box>(items: readonly T[], lettersOf: (item: T) => number, rtl: boolean): T[][] {
  if (items.length < 2 * MIN_COLUMN_LINES) return [[...items]]
  const columns = splitColumns(items, lettersOf)
  if (columns !== undefined) {
    const [left, right] = columns
    return (rtl ? [right, left] : [left, right]).flatMap((part) => readingOrder(part, lettersOf, rtl))
  }
  // what stands above and below columns hides the white between them: the band with the longest columns is looked for
  const band = columnBand(items, lettersOf)
  if (band === undefined) return [[...items]]
  return [band.above, band.within, band.below].flatMap((part) =>
    part.length > 0 ? readingOrder(part, lettersOf, rtl) : [],
  )
}

function columnBand<T extends Box>(items: readonly T[], lettersOf: (item: T) => number) {
  const whole = around(items)
  // a page of thousands of pieces is no text that is read in columns
  const most = Math.min(MAX_CUTS, Math.ceil(MAX_LOOKS / items.length))
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
  // where the page goes on across both, what stands below the shorter one alone belongs to that
  const shorter = Math.min(...columns.map((column) => around(column).bottom))
  const end = bottom < whole.bottom ? (cuts.find((cut) => cut >= shorter) ?? bottom) : bottom
  return {
    within: items.filter((item) => item.bottom > top && item.bottom <= end),
    above: items.filter((item) => item.bottom <= top),
    below: items.filter((item) => item.bottom > end),
  }
}

/** Middles of what is white across all items, widest first. */
function gaps(items: readonly Box[], from: 'left' | 'top', to: 'right' | 'bottom', least = 0): number[] {
  const found: { at: number; width: number }[] = []
  let end = Number.NEGATIVE_INFINITY
  for (const item of items.toSorted((a, b) => a[from] - b[from])) {
    if (item[from] - end > least && end > Number.NEGATIVE_INFINITY)
      found.push({ at: (end + item[from]) / 2, width: item[from] - end })
    end = Math.max(end, item[to])
  }
  return found.toSorted((a, b) => b.width - a.width).map(({ at }) => at)
}

/** How far the heights of two parts lie beside each other, as a share of the larger one. */
function besides(a: readonly Box[], b: readonly Box[]): number {
  const [one, other] = [around(a), around(b)]
  const both = Math.min(one.bottom, other.bottom) - Math.max(one.top, other.top)
  return both / Math.max(one.bottom - one.top, other.bottom - other.top)
}

function linesIn(side: readonly Box[]): Box[] {
  const lines = new Map<number, Box>()
  for (const item of side) {
    const base = Math.round(item.bottom / 4)
    const line = lines.get(base)
    lines.set(base, line === undefined ? item : around([line, item]))
  }
  return [...lines.values()]
}

/** How many lines of a part begin, or end, below one another. */
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
        lines >= MIN_COLUMN_LINES && letters / lines >= COLUMN_LETTERS && alignedLines(side) >= ALIGNED_SHARE * lines
      )
    }
    if (sides.every(isColumn) && besides(...sides) >= BESIDES) return sides
  }
  return undefined
}
