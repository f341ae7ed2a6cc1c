/** Groups lines into paragraphs and list items, with alignment, indents and line spacing. */

import { append, largest, smallest } from '../../../lists.ts'
import { boundingBox, type Line, type Span, spansOf } from './lines.ts'
import type { Box } from './page-geometry.ts'

export type Align = 'start' | 'center' | 'end' | 'both'
export type ListMarker = { kind: 'bullet' } | { kind: 'number'; value: number; pattern: string }
export type TextBlock = Box & {
  shape: 'text'
  spans: Span[]
  rtl: boolean
  align: Align
  size: number
  /** Distance between baselines, in points. */
  leading: number
  /**
   * Distance of the start edge from the column's start edge (the right one for right-to-left text); `firstLine` is
   * added on the first line.
   */
  indent: number
  firstLine: number
  list?: ListMarker
  /** Width of the letters relative to the original, so that lines without hyphens hold as much text. */
  fit: number
}
/** The column that a paragraph stands in. */
export type ColumnExtent = { left: number; right: number }

const NORMAL_LEADING = 1.2
const FEW_STEPS = 5
/**
 * Usual width of the first part of a hyphenated word, as a share of the font size; and the maximum total reduction in
 * width.
 */
const BROKEN_WORD = 1.8
const MAX_TIGHTENING = 0.035
/** Programs that hyphenate also make the spaces of a line narrower, by this share of the font size. */
const SHRINKING = 0.2
/** A line distance larger than the usual one by this factor starts a new paragraph. */
const WIDE_STEP = 1.35
const SAME_SIZE = 1.12
/** Tolerance for aligned edges, as a share of the font size. */
const ALIGN_TOLERANCE = 0.6
/** A number as a marker, without spaces; in right-to-left text the sign may come first. */
const MARKER = /^\(?\d{1,3}[.)]|^[.)]\d{1,3}/
/** Width of a list marker, in points, if no text follows it. */
const MARKER_WIDTH = 16
const BULLET = /^([•◦▪‣●○■□∙·–—*\-\uF0B7\uF0A7\uF0D8])\s*$/u
const BULLET_START = /^([•◦▪‣●○■□∙\uF0B7\uF0A7\uF0D8]|[–—*-](?=\s))\s*/u
const NUMBER_START = /^(\(?)(\d{1,3})([.)])\s+(?=\S)/

export function paragraphsOf(lines: readonly Line[], extent: ColumnExtent): TextBlock[] {
  const groups: Line[][] = []
  const steps = lines.slice(1).map((line, i) => (line.baseline - (lines[i] as Line).baseline) / line.size)
  const close = steps.filter((step) => step > 0.8 && step < 2).toSorted((a, b) => a - b)
  const middle = close[Math.floor(close.length / 2)] ?? NORMAL_LEADING
  // a few lines may all be widely spaced, such as the lines of a title
  const usualStep = close.length < FEW_STEPS ? Math.min(middle, NORMAL_LEADING * 1.1) : middle
  for (const line of lines) {
    const group = groups.at(-1)
    if (group !== undefined && continuesParagraph(group, line, extent, usualStep)) group.push(line)
    else groups.push([line])
  }
  return groups.map((group) => paragraphOf(group, extent, usualStep))
}

const textOf = (line: Line): string =>
  spansOf(line)
    .map(({ text }) => text)
    .join('')
const startOf = (line: Line): number => (line.rtl ? -line.right : line.left)
const hasMarker = (line: Line): boolean =>
  BULLET_START.test(textOf(line)) || NUMBER_START.test(textOf(line)) || isSymbolBullet(line)
const isSymbolBullet = (line: Line): boolean => {
  const first = line.rtl ? line.runs.at(-1) : line.runs[0]
  return (
    first !== undefined &&
    line.runs.length > 1 &&
    ((first.face.symbolic && first.text.trim().length === 1) || BULLET.test(first.text.trim()))
  )
}
/** Start of a list item's text, after the marker. */
function hangingStart(line: Line): number {
  if (!hasMarker(line)) return startOf(line)
  const letters = line.runs.flatMap((run) => run.letters).filter(({ text }) => text.trim() !== '')
  const sorted = letters.toSorted((one, other) => (line.rtl ? other.right - one.right : one.left - other.left))
  const marker = MARKER.exec(sorted.map(({ text }) => text).join(''))?.[0].length ?? 1
  const next = sorted[marker]
  return next === undefined ? startOf(line) + MARKER_WIDTH : line.rtl ? -next.right : next.left
}

/** Width of the first word of a line and the space before it. */
function firstWordWidth(line: Line): number {
  const text = textOf(line)
  const letters = /^\S+/.exec(text)?.[0].length ?? 1
  return (letters + 1) * ((line.right - line.left) / Math.max(1, text.length))
}

/** Whether a line continues the paragraph of the lines before it. */
function continuesParagraph(group: readonly Line[], line: Line, extent: ColumnExtent, usualStep: number): boolean {
  const [first, last] = [group[0] as Line, group.at(-1) as Line]
  if (line.rotated || last.rotated || line.rtl !== last.rtl || hasMarker(line)) return false
  const ratio = Math.max(line.size, last.size) / Math.min(line.size, last.size)
  const step = (line.baseline - last.baseline) / Math.min(line.size, last.size)
  if (ratio > SAME_SIZE || step > WIDE_STEP * Math.max(usualStep, 1) || step < 0.5) return false
  if (isBold(line) !== isBold(last) && group.length === 1 && isBold(last)) return false
  const tolerance = ALIGN_TOLERANCE * line.size
  const isCentred = (one: Line): boolean =>
    Math.abs(one.left - extent.left - (extent.right - one.right)) < 2 * tolerance && one.left - extent.left > tolerance
  if (isCentred(last) && isCentred(line)) return true
  // a paragraph ended if the first word would have fitted on the previous line
  const free = last.rtl ? last.left - extent.left : extent.right - last.right
  if (free > firstWordWidth(line) + tolerance) return false
  const start = startOf(line)
  if (group.length === 1 && !(line.rtl && Math.max(line.left, last.left) - extent.left < tolerance))
    return start <= startOf(first) + tolerance || Math.abs(start - hangingStart(first)) < 1.5 * tolerance
  // lines that reach the column's left edge are full lines of right-to-left text
  if (line.rtl && Math.max(line.left, last.left) - extent.left < tolerance) return true
  return Math.abs(start - startOf(last)) < tolerance
}

const isBold = (line: Line): boolean => line.runs.every(({ face }) => face.bold)

function paragraphOf(lines: readonly Line[], extent: ColumnExtent, usualStep: number): TextBlock {
  const [first, last] = [lines[0] as Line, lines.at(-1) as Line]
  const size = lines.toSorted((a, b) => b.right - b.left - (a.right - a.left))[0]?.size ?? first.size
  const second = lines[1] ?? first
  const edge = (line: Line): number => (first.rtl ? extent.right - line.right : line.left - extent.left)
  const aligned = alignOf(lines, extent)
  const { joined, hyphens } = withoutBreaks(lines, aligned === 'center' ? extent : undefined)
  const { spans, list } = splitMarker(joined)
  const width = lines.reduce((sum, line) => sum + line.right - line.left, 0)
  const indent =
    list === undefined
      ? edge(second)
      : lines.length > 1
        ? edge(second)
        : first.rtl
          ? extent.right + hangingStart(first)
          : hangingStart(first) - extent.left
  const align = list !== undefined && aligned !== 'both' ? 'start' : aligned
  const isAtStart = align === 'start' || align === 'both'
  return {
    ...boundingBox(lines),
    shape: 'text',
    spans,
    size,
    rtl: first.rtl,
    align,
    leading:
      lines.length > 1
        ? (last.baseline - first.baseline) / (lines.length - 1)
        : Math.min(usualStep, NORMAL_LEADING) * size,
    indent: isAtStart ? Math.max(0, indent) : 0,
    firstLine: isAtStart && list === undefined ? edge(first) - edge(second) : 0,
    fit:
      hyphens === 0
        ? 1
        : 1 - Math.min(MAX_TIGHTENING, (hyphens * BROKEN_WORD + lines.length * SHRINKING) * (size / width)),
    ...(list && { list }),
  }
}

function alignOf(lines: readonly Line[], extent: ColumnExtent): Align {
  const { size, rtl } = lines[0] as Line
  const tolerance = ALIGN_TOLERANCE * size
  const left = lines.map((line) => line.left - extent.left)
  const right = lines.map((line) => extent.right - line.right)
  const every = (values: readonly number[]): boolean => values.every((value) => value < tolerance)
  const slack = lines.length === 1 ? 2 * tolerance : tolerance
  const isMiddle = lines.every((_, i) => Math.abs((left[i] as number) - (right[i] as number)) < slack)
  // text indented on both sides has aligned left edges and is not centred
  const isRagged = lines.length === 1 || largest(left) - smallest(left) > 1
  if (isMiddle && isRagged && largest(left) > tolerance) return 'center'
  const [near, far] = rtl ? [right, left] : [left, right]
  if (lines.length > 2 && every(near.slice(1)) && far.slice(0, -1).every((value) => value < tolerance / 3))
    return 'both'
  return every(far) && !every(near) ? 'end' : 'start'
}

/** Joins lines with spaces, and words split by a hyphen without it. */
/** @param centred the column of centred lines, whose line breaks are the author's */
function withoutBreaks(lines: readonly Line[], centred?: ColumnExtent): { joined: Span[]; hyphens: number } {
  const out: Span[] = []
  let hyphens = 0
  for (const [i, line] of lines.entries()) {
    const spans = spansOf(line)
    const last = out.at(-1)
    const next = spans[0]
    if (last !== undefined && next !== undefined) {
      const before = lines[i - 1] as Line
      const free = centred && centred.right - centred.left - (before.right - before.left)
      if (free !== undefined && free > firstWordWidth(line)) last.text += '\n'
      else if (/\u00AD$/.test(last.text) || (/\p{Ll}-$/u.test(last.text) && /^\p{Ll}/u.test(next.text))) {
        last.text = last.text.slice(0, -1)
        hyphens++
      } else if (!/\s$/.test(last.text)) last.text += ' '
      if (isSameStyle(last, next)) {
        last.text += next.text
        spans.shift()
      }
    }
    append(out, spans)
  }
  return { joined: out, hyphens }
}

const isSameStyle = (one: Span, other: Span): boolean =>
  one.face === other.face &&
  Math.abs(one.size - other.size) < 0.3 &&
  one.color === other.color &&
  one.background === other.background &&
  one.link === other.link &&
  one.superscript === other.superscript &&
  one.subscript === other.subscript

function splitMarker(spans: Span[]): { spans: Span[]; list?: ListMarker } {
  const text = spans.map((span) => span.text).join('')
  const [first] = spans
  const number = NUMBER_START.exec(text)
  const bullet =
    BULLET_START.exec(text) ??
    (first?.face.symbolic && first.text.trim().length === 1 && spans.length > 1 ? [first.text] : null)
  const marker = bullet ?? number
  if (marker === null || marker[0].length >= text.length) return { spans }
  let remainingDrop = marker[0].length
  const remaining = spans.flatMap((span) => {
    const removedLength = Math.min(remainingDrop, span.text.length)
    remainingDrop -= removedLength
    return removedLength === span.text.length
      ? []
      : [{ ...span, text: removedLength === 0 ? span.text : span.text.slice(removedLength) }]
  })
  const [head] = remaining
  if (head !== undefined) head.text = head.text.trimStart()
  if (bullet !== null) return { spans: remaining, list: { kind: 'bullet' } }
  return {
    spans: remaining,
    list: { kind: 'number', value: Number(number?.[2]), pattern: `${number?.[1]}%1${number?.[3]}` },
  }
}
