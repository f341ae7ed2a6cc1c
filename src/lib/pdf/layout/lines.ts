/** Groups runs of text into lines, and reads the text of a line. */
import type { Letter, Run, Style } from './page-content.ts'
import type { Box } from './page-geometry.ts'
import { readingOrderOf } from './visual-order.ts'

export type Span = Style & { text: string; superscript?: boolean; subscript?: boolean }
export type Line = Box & {
  baseline: number
  size: number
  rtl: boolean
  rotated: boolean
  runs: Run[]
}

export const boundingBox = (boxes: readonly Box[]): Box => {
  let [left, right, top, bottom] = [Infinity, -Infinity, Infinity, -Infinity]
  for (const box of boxes) {
    ;[left, right] = [Math.min(left, box.left), Math.max(right, box.right)]
    ;[top, bottom] = [Math.min(top, box.top), Math.max(bottom, box.bottom)]
  }
  return { left, right, top, bottom }
}

const RTL_LETTER = /[\p{Script=Arabic}\p{Script=Hebrew}]/gu
const LETTER = /\p{L}/gu
const count = (text: string, pattern: RegExp): number => text.match(pattern)?.length ?? 0

export const isRtl = (runs: readonly { text: string }[]): boolean => {
  const text = runs.map((run) => run.text).join('')
  return count(text, RTL_LETTER) * 2 > count(text, LETTER)
}

/** Maximum distance of baselines on one line, as a share of the font size; larger for superscripts and subscripts. */
const BASELINE_TOLERANCE = 0.3
const SCRIPT_TOLERANCE = 0.6
/** Runs up to this share of the line's font size may be superscript or subscript. */
const SCRIPT_SIZE = 0.85
const SCRIPT_SHIFT = 0.12

export function linesOf(runs: readonly Run[]): Line[] {
  const lines: Run[][] = []
  // large runs first, so that superscripts join the line that they belong to
  for (const run of runs.toSorted((a, b) => b.size - a.size || a.baseline - b.baseline || a.left - b.left)) {
    let line: Run[] | undefined
    let nearest = Number.POSITIVE_INFINITY
    for (const other of run.rotated ? [] : lines) {
      const [first] = other as [Run]
      if (first.rotated) continue
      const isSmall = run.size <= SCRIPT_SIZE * first.size
      const distance = Math.abs(run.baseline - first.baseline)
      if (distance <= (isSmall ? SCRIPT_TOLERANCE : BASELINE_TOLERANCE) * first.size && distance < nearest)
        [line, nearest] = [other, distance]
    }
    if (line === undefined) lines.push([run])
    else line.push(run)
  }
  return lines
    .map((members) => {
      const sorted = members.toSorted((a, b) => a.left - b.left)
      const [{ baseline, size, rotated }] = members as [Run]
      return { ...boundingBox(sorted), baseline, size, rtl: isRtl(sorted), rotated, runs: sorted }
    })
    .toSorted((a, b) => a.baseline - b.baseline || a.left - b.left)
}

/** Gap between letters, as a share of the font size, that counts as a space. */
const SPACE_GAP = 0.13

type Placed = Letter & { run?: Run }

/** The text of a line in reading order. */
export function spansOf(line: Line): Span[] {
  const spans: Span[] = []
  let before: Run | undefined
  let space = ''
  for (const { text, run } of readingOrderOf(withSpaces(line), line.rtl)) {
    if (run === undefined) {
      space = text
      continue
    }
    const last = spans.at(-1)
    if (last !== undefined && (before === run || isSameStyle(before, run, line))) last.text += space + text
    else {
      // a space takes the style of the text before it, but is not part of a link
      if (last !== undefined && last.link === undefined) last.text += space
      spans.push({ text: (last?.link === undefined ? '' : space) + text, ...styleOf(run), ...scriptOf(run, line) })
    }
    ;[before, space] = [run, '']
  }
  return spans
}

/** The letters of a line from left to right, with a space wherever there is a gap or a blank. */
function withSpaces(line: Line): Placed[] {
  const letters = line.runs
    .flatMap((run) => run.letters.map((letter): Placed => ({ ...letter, run })))
    .toSorted((a, b) => a.left - b.left)
  const tracking = line.rotated ? 0 : trackingOf(letters, line.size)
  const out: Placed[] = []
  for (const letter of letters) {
    const last = out.at(-1)
    const isBlank = letter.text.trim() === ''
    const size = Math.min(letter.run?.size ?? line.size, last?.run?.size ?? line.size)
    const isApart = last !== undefined && !line.rotated && letter.left - last.right > SPACE_GAP * size + tracking
    if (last !== undefined && last.text !== ' ' && (isBlank || isApart)) {
      const { run: _, ...space } = { ...letter, text: ' ' }
      out.push(isBlank ? { ...space, right: letter.right } : { ...space, left: last.right, right: letter.left })
    }
    if (!isBlank) out.push(letter)
  }
  return out.at(-1)?.text === ' ' ? out.slice(0, -1) : out
}

/** Distance between the letters of spaced-out text; only lines without blanks are examined. */
function trackingOf(letters: readonly Placed[], size: number): number {
  const gaps = letters.slice(1).flatMap((letter, i) => {
    const before = letters[i] as Placed
    const isPair = /\p{L}$/u.test(before.text) && /^\p{L}/u.test(letter.text)
    return isPair ? [letter.left - before.right] : []
  })
  if (gaps.length < 6 || letters.some(({ text }) => text.trim() === '')) return 0
  const middle = gaps.toSorted((a, b) => a - b)[gaps.length >> 1] as number
  return middle > SPACE_GAP * size ? middle : 0
}

const styleOf = ({ face, size, color, background, link }: Run): Style => ({
  face,
  size,
  ...(color && { color }),
  ...(background && { background }),
  ...(link && { link }),
})

function scriptOf(run: Run, line: Line): { superscript?: true; subscript?: true } {
  const shift = (line.baseline - run.baseline) / line.size
  if (run.size > SCRIPT_SIZE * line.size || Math.abs(shift) < SCRIPT_SHIFT) return {}
  return shift > 0 ? { superscript: true } : { subscript: true }
}

function isSameStyle(one: Run | undefined, other: Run, line: Line): boolean {
  if (one === undefined) return false
  const { face } = one
  return (
    (face === other.face ||
      (face.family === other.face.family && face.bold === other.face.bold && face.italic === other.face.italic)) &&
    Math.abs(one.size - other.size) < 0.3 &&
    one.color === other.color &&
    one.background === other.background &&
    one.link === other.link &&
    JSON.stringify(scriptOf(one, line)) === JSON.stringify(scriptOf(other, line))
  )
}
