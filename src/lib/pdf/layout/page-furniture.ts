/** Finds running headers and footers: lines in the margins that are repeated from page to page. */
import { boundingBox, type Line, linesOf, spansOf } from './lines.ts'
import type { PageContent, Run } from './page-content.ts'

/** Lines at the edges of a page that stand apart from its text. */
export type Edges = { header: Line[]; footer: Line[] }
export type Furniture = {
  header: Line[]
  footer: Line[]
  /** Equal on pages with the same header and footer. */
  signature: string
}

/** Share of the page height in which headers and footers stand. */
const ZONE = 0.12
/** Distance from the text, as a share of the font size. */
const APART = 0.8
const MAX_LINES = 3

export function edgesOf(
  { runs, pictures }: Pick<PageContent, 'runs' | 'pictures'>,
  height: number,
): Edges & { body: Run[] } {
  const lines = linesOf(runs.filter((run) => !run.rotated && !run.hidden))
  const [first, last] = [boundingBox(pictures).top, boundingBox(pictures).bottom]
  const header = apart(lines, (line) => line.bottom < ZONE * height && line.bottom < first)
  const footer = apart(lines.toReversed(), (line) => line.top > (1 - ZONE) * height && line.top > last)
  const taken = new Set([...header, ...footer].flatMap((line) => line.runs))
  if (taken.size === runs.length) return { header: [], footer: [], body: [...runs] }
  return { header, footer: footer.toReversed(), body: runs.filter((run) => !taken.has(run)) }
}

/** The first lines that stand in a margin, if there is a gap between them and the next line. */
function apart(lines: readonly Line[], isInMargin: (line: Line) => boolean): Line[] {
  for (let count = Math.min(MAX_LINES, lines.length - 1); count > 0; count--) {
    const found = lines.slice(0, count)
    const [last, next] = [found.at(-1) as Line, lines[count] as Line]
    const gap = Math.max(next.top - last.bottom, last.top - next.bottom)
    if (found.every(isInMargin) && gap > APART * last.size) return found
  }
  return []
}

const textOf = (line: Line): string =>
  spansOf(line)
    .map(({ text }) => text)
    .join('')
const withoutNumbers = (text: string): string => text.replace(/\p{Nd}+/gu, '#')
const keyOf = (line: Line): string => `${Math.round(line.baseline / 3)} ${withoutNumbers(textOf(line))}`

/** Keeps the lines that at least one other page has at the same height; the others are text. */
export function furnitureOf(pages: readonly Edges[]): Furniture[] {
  const counts = new Map<string, number>()
  for (const { header, footer } of pages)
    for (const key of new Set([...header, ...footer].map(keyOf))) counts.set(key, (counts.get(key) ?? 0) + 1)
  const isRepeated = (line: Line): boolean => (counts.get(keyOf(line)) ?? 0) > 1
  return pages.map((page) => {
    const [header, footer] = [page.header.filter(isRepeated), page.footer.filter(isRepeated)]
    return { header, footer, signature: JSON.stringify([header.map(keyOf), footer.map(keyOf)]) }
  })
}

/** Offset of printed page numbers from counted ones; undefined when no line holds a page number. */
export function pageNumberShift(pages: readonly Furniture[]): number | undefined {
  const votes = new Map<number, number>()
  for (const [i, { header, footer }] of pages.entries())
    for (const shift of new Set(
      [...header, ...footer].flatMap((line) => numbersIn(textOf(line)).map((n) => n - i - 1)),
    ))
      votes.set(shift, (votes.get(shift) ?? 0) + 1)
  const [best] = [...votes].toSorted((a, b) => b[1] - a[1])
  return best !== undefined && best[1] > 1 && best[0] >= 0 ? best[0] : undefined
}

const numbersIn = (text: string): number[] => (text.match(/(?<![\d.])\d{1,5}(?![\d.])/g) ?? []).map(Number)
