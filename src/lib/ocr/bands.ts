/**
 * Divides a page into bands of whole lines, which processes can read in parallel. A band ends in a gap across the whole
 * page, but not between columns, whose text would get into the wrong order.
 */
import type { GreyImage } from './grey-image.ts'

/** Rows of pixels from `top` until before `bottom`. The gap between two bands belongs to both. */
export type Band = { top: number; bottom: number }

const MAX_BANDS = 4
/** Fewer lines are not worth another process, and Tesseract measures letters over all lines of a band. */
const LEAST_LINES = 8
/** Maximum dark pixels in a blank row, as a share of its width. */
const DUST = 0.001
/** Minimum height of a gap for a cut, in line heights; smaller gaps separate a line from its dots. */
const MIN_GAP = 0.2
/**
 * Width of blank space that may be a gap between columns, within one line and across several lines; in line heights.
 */
const GUTTER = { line: 1.2, lines: 0.6 }
/** Lines above and below a cut that are examined together. */
const EXAMINED = 4
/** Maximum distance of a cut from the point of equal parts, as a share of a part. */
const MAX_CUT_OFFSET = 0.4
/**
 * Gaps whose height is at least this share of the largest gap count as equal, because descenders make that much
 * difference.
 */
const ALIKE = 0.75

/** Rows with ink between two gaps: usually one line. @property left leftmost and rightmost dark pixel */
type Inked = { top: number; bottom: number; left: number; right: number }

/** @param threshold shades below it are ink */
export function bandsOf(image: GreyImage, threshold: number): Band[] {
  const whole = [{ top: 0, bottom: image.height }]
  const rows = inkedRows(image, threshold)
  const lineHeight = usualHeight(rows)
  const lines = rows.filter((row) => heightOf(row) > lineHeight / 2).length
  const count = Math.min(MAX_BANDS, Math.floor(lines / LEAST_LINES))
  if (count < 2) return whole
  const gapAfter = (i: number): number => (rows[i + 1] as Inked).top - (rows[i] as Inked).bottom
  const isCut = (i: number): boolean =>
    gapAfter(i) >= MIN_GAP * lineHeight && !isBetweenColumns(image, threshold, rows, i, lineHeight)
  const bands: Band[] = []
  let top = 0
  for (const { from, to, equal } of searched(rows, count)) {
    const candidates = Array.from({ length: Math.max(0, to - from) }, (_, i) => from + i)
    const widest = candidates.toSorted((a, b) => gapAfter(b) - gapAfter(a)).find(isCut)
    if (widest === undefined) continue
    // of equal gaps, choose the most even split, because the largest part determines the time
    const alike = candidates.filter((i) => gapAfter(i) >= ALIKE * gapAfter(widest))
    const cut = alike.toSorted((a, b) => Math.abs(a - equal) - Math.abs(b - equal)).find(isCut) ?? widest
    const [above, below] = [rows[cut], rows[cut + 1]] as [Inked, Inked]
    bands.push({ top, bottom: below.top })
    top = above.bottom
  }
  return [...bands, { top, bottom: image.height }]
}

export const bandOf = ({ data, width }: GreyImage, { top, bottom }: Band): GreyImage => ({
  data: data.subarray(top * width, bottom * width),
  width,
  height: bottom - top,
})

const heightOf = ({ top, bottom }: Inked): number => bottom - top

function inkedRows({ data, width, height }: GreyImage, threshold: number): Inked[] {
  const rows: Inked[] = []
  let open: Inked | undefined
  for (let y = 0; y < height; y++) {
    const start = y * width
    let count = 0
    let left = width
    let right = 0
    for (let x = 0; x < width; x++) {
      if ((data[start + x] as number) >= threshold) continue
      if (count++ === 0) left = x
      right = x
    }
    if (count <= DUST * width) open = undefined
    else if (open === undefined) {
      open = { top: y, bottom: y + 1, left, right }
      rows.push(open)
    } else {
      open.bottom = y + 1
      open.left = Math.min(open.left, left)
      open.right = Math.max(open.right, right)
    }
  }
  return rows
}

/**
 * Search ranges for cuts, as indexes of the rows above them, so that the parts have about the same amount of text.
 * @property equal the point of equal parts
 */
function searched(rows: readonly Inked[], count: number): { from: number; to: number; equal: number }[] {
  let sum = 0
  const sums = rows.map(({ left, right }) => (sum += right - left))
  const part = sum / count
  const indexAt = (amount: number): number => sums.findIndex((value) => value >= amount)
  return Array.from({ length: count - 1 }, (_, i) => ({
    from: Math.max(0, indexAt((i + 1 - MAX_CUT_OFFSET) * part)),
    to: Math.min(rows.length - 1, indexAt((i + 1 + MAX_CUT_OFFSET) * part)),
    equal: indexAt((i + 1) * part - sum / rows.length / 2),
  }))
}

/** Whether the text above or below a gap has a vertical gap, as in columns and tables. */
function isBetweenColumns(
  image: GreyImage,
  threshold: number,
  rows: readonly Inked[],
  above: number,
  lineHeight: number,
): boolean {
  const widest = (from: number, to: number): number => widestGap(image, threshold, rows.slice(Math.max(0, from), to))
  const below = above + 1
  return (
    widest(above, below) > GUTTER.line * lineHeight ||
    widest(below, below + 1) > GUTTER.line * lineHeight ||
    widest(below - EXAMINED, below) > GUTTER.lines * lineHeight ||
    widest(below, below + EXAMINED) > GUTTER.lines * lineHeight
  )
}

/** The widest run of columns of pixels without ink that has ink on both sides. */
function widestGap({ data, width }: GreyImage, threshold: number, rows: readonly Inked[]): number {
  const hasInk = new Uint8Array(width)
  for (const { top, bottom } of rows)
    for (let y = top; y < bottom; y++)
      for (let x = 0, i = y * width; x < width; x++, i++) if ((data[i] as number) < threshold) hasInk[x] = 1
  let [widest, last] = [0, -1]
  for (let x = 0; x < width; x++) {
    if (hasInk[x] === 0) continue
    if (last !== -1) widest = Math.max(widest, x - last - 1)
    last = x
  }
  return widest
}

/**
 * The height weighted by ink: half of the ink is in rows of at least this height. A plain median could be the height of
 * the dots of Arabic letters, which may form separate rows.
 */
function usualHeight(rows: readonly Inked[]): number {
  const heights = rows.map(heightOf).toSorted((a, b) => a - b)
  let rest = sumOf(heights) / 2
  for (const height of heights) {
    rest -= height
    if (rest <= 0) return height
  }
  return 0
}

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0)
