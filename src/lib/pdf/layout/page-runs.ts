/** Collects glyphs into runs of one style on one baseline, and splits runs where links start and end. */
import { faceOf } from './font-face.ts'
import type { Face, Letter, Run } from './page-content.ts'
import { type Box, boxOf, point } from './page-geometry.ts'
import type { PaintedGlyph } from './page-operators.ts'
import { isUnmapped } from './unmapped.ts'

/** Sine of the largest angle at which text counts as horizontal. */
const MAX_TILT = 0.06
/** Slope of upright letters that are slanted to stand for italic ones. */
const MIN_SLANT = 0.15
/** Distances as shares of the font size: to the next letter of a run, of baselines, of a letter printed twice. */
const MAX_GAP = 0.6
const SAME_BASELINE = 0.1
const DOUBLE_PRINT = 0.12
/** Accents that are drawn over a letter, and the combining characters for them. */
const ACCENTS: Record<string, string> = {
  '`': '\u0300',
  '´': '\u0301',
  ˆ: '\u0302',
  '˜': '\u0303',
  '¯': '\u0304',
  '˘': '\u0306',
  '˙': '\u0307',
  '¨': '\u0308',
  '˚': '\u030A',
  '˝': '\u030B',
  ˇ: '\u030C',
  '¸': '\u0327',
  '˛': '\u0328',
}
/** Ligatures and Arabic presentation forms, which become plain letters. */
const JOINED = /[\uFB00-\uFB06\uFB50-\uFDFF\uFE70-\uFEFF]+/g

type Mark = { letter: Letter; baseline: number; run: Run; at: number }

export function runReader(): { glyph(glyph: PaintedGlyph): void; finish(): Run[] } {
  const faces = new Map<string, Face>()
  const runs: Run[] = []
  const marks: Mark[] = []
  const printed = new Map<string, Run>()

  const faceFor = (id: string, font: PaintedGlyph['font'], bold: boolean, italic: boolean): Face => {
    const key = `${id} ${bold} ${italic}`
    let face = faces.get(key)
    if (face === undefined) {
      const plain = faceOf(id, font)
      face = { ...plain, bold: plain.bold || bold, italic: plain.italic || italic }
      faces.set(key, face)
    }
    return face
  }

  function glyph(painted: PaintedGlyph): void {
    const { text, code, matrix, advance, fontSize, font, fontId, color, isStroked, isHidden } = painted
    const [height, across] = [Math.hypot(matrix[2], matrix[3]), Math.hypot(matrix[0], matrix[1])]
    const size = Math.abs(fontSize) * height
    if (!(size > 0.5 && across > 0)) return
    const isTilted = Math.abs(matrix[1]) > MAX_TILT * across
    const rotated = font.vertical === true || isTilted || matrix[0] * Math.sign(fontSize) < 0
    const [x1, y1] = point(matrix, 0, 0)
    const [x2, y2] = point(matrix, advance, 0)
    const slant = (matrix[0] * matrix[2] + matrix[1] * matrix[3]) / (across * height)
    const shade = color.replace('#', '').toUpperCase()
    const letter: Letter = {
      text: text.replace(JOINED, (joined) => joined.normalize('NFKC')),
      ...{ left: Math.min(x1, x2), right: Math.max(x1, x2) },
      code,
      ...(isUnmapped(text) && { isUnmapped: true }),
    }
    const run: Run = {
      ...(rotated
        ? boxOf(matrix, 0, -0.2 * fontSize, advance, 0.8 * fontSize)
        : { left: letter.left, right: letter.right, top: y1 - 0.8 * size, bottom: y1 + 0.2 * size }),
      ...{ letters: [letter], text: '', size, rotated, hidden: isHidden, baseline: rotated ? y2 : y1 },
      face: faceFor(fontId, font, isStroked && !isHidden, Math.abs(slant) > MIN_SLANT),
      ...(shade !== '000000' && { color: shade }),
    }
    if (rotated) {
      const last = runs.at(-1)
      const end = last?.letters.at(-1)
      if (last?.rotated && last.face === run.face && Math.hypot(x1 - (end?.right ?? 0), y1 - last.baseline) < 2 * size)
        extend(last, run)
      else runs.push(run)
    } else if (markOf(letter.text) !== undefined) marks.push({ letter, baseline: y1, run, at: runs.length - 1 })
    else if (letter.text.trim() === '' || !wasPrinted(letter, y1, size)) {
      const last = runs.at(-1)
      if (last !== undefined && continues(last, run)) extend(last, run)
      else runs.push(run)
      printed.set(keyOf(letter.text, cell(letter.left, size), cell(y1, size)), runs.at(-1) as Run)
    }
  }

  const cell = (value: number, size: number): number => Math.floor(value / (2 * DOUBLE_PRINT * size))
  const keyOf = (text: string, x: number, y: number): string => `${text} ${x} ${y}`
  /** Whether the same letter stands there already. Printed twice, slightly apart, it stands for a bold one. */
  function wasPrinted({ text, left }: Letter, y: number, size: number): boolean {
    for (const dx of [0, -1, 1])
      for (const dy of [0, -1, 1]) {
        const run = printed.get(keyOf(text, cell(left, size) + dx, cell(y, size) + dy))
        const twin = run?.letters.find((one) => one.text === text && Math.abs(one.left - left) < DOUBLE_PRINT * size)
        if (run === undefined || twin === undefined || Math.abs(run.baseline - y) > DOUBLE_PRINT * size) continue
        if (Math.abs(run.size - size) > 0.1 * size) continue
        if (twin.left !== left) run.face = faceFor(run.face.id, {}, true, run.face.italic)
        return true
      }
    return false
  }

  /** Puts accents and marks on the letters under them. */
  function placeMarks(): void {
    for (const { letter, baseline, run, at } of marks) {
      const middle = (letter.left + letter.right) / 2
      const base = [at, at + 1, at - 1, at + 2]
        .flatMap((i) => runs[i] ?? [])
        .filter((near) => !near.rotated && Math.abs(near.baseline - baseline) < near.size)
        .flatMap((near) => near.letters)
        .find(({ text, left, right }) => /^[\p{L}\p{M}]+$/u.test(text) && middle >= left - 0.3 && middle <= right + 0.3)
      if (base !== undefined) base.text = composed(base.text, markOf(letter.text) as string)
      else if (!/\p{M}/u.test(letter.text)) runs.push(run)
    }
  }

  function finish(): Run[] {
    placeMarks()
    // without spaces at the ends of runs the gaps between columns stay visible
    return runs.flatMap((run) => {
      const isLetter = ({ text }: Letter): boolean => text.trim() !== ''
      const from = run.letters.findIndex(isLetter)
      return from < 0 ? [] : [withLetters(run, run.letters.slice(from, run.letters.findLastIndex(isLetter) + 1))]
    })
  }
  return { glyph, finish }
}

function continues(last: Run, next: Run): boolean {
  const gap = next.left - last.right
  return (
    !last.rotated &&
    last.face === next.face &&
    last.color === next.color &&
    last.hidden === next.hidden &&
    Math.abs(last.size - next.size) < 0.1 &&
    Math.abs(last.baseline - next.baseline) < SAME_BASELINE * next.size &&
    Math.abs(gap) < MAX_GAP * next.size
  )
}

function extend(run: Run, next: Run): void {
  run.letters.push(...next.letters)
  if (run.rotated) run.baseline = next.baseline
  run.left = Math.min(run.left, next.left)
  run.right = Math.max(run.right, next.right)
  run.top = Math.min(run.top, next.top)
  run.bottom = Math.max(run.bottom, next.bottom)
}

const markOf = (text: string): string | undefined => (/^\p{M}+$/u.test(text) ? text : ACCENTS[text])

function composed(letter: string, mark: string): string {
  // the dotless letters exist for this
  const base = letter === 'ı' ? 'i' : letter === 'ȷ' ? 'j' : letter
  return `${base}${mark}`.normalize('NFC')
}

export function withLetters(run: Run, letters: Letter[]): Run {
  const sorted = run.rotated ? letters : letters.toSorted((a, b) => a.left - b.left)
  return {
    ...run,
    letters: sorted,
    text: sorted.map(({ text }) => text).join(''),
    ...(!run.rotated && {
      left: Math.min(...sorted.map(({ left }) => left)),
      right: Math.max(...sorted.map(({ right }) => right)),
    }),
  }
}

/** Splits runs at the edges of a box. @returns the runs inside the box */
export function splitRuns(runs: Run[], box: Box): Run[] {
  const within: Run[] = []
  for (let i = 0; i < runs.length; i++) {
    const run = runs[i] as Run
    const middle = (run.top + run.bottom) / 2
    if (run.rotated || middle < box.top || middle > box.bottom) continue
    const isInside = ({ left, right }: Letter): boolean =>
      (left + right) / 2 >= box.left - 0.5 && (left + right) / 2 <= box.right + 0.5
    const isOther = (letter: Letter): boolean =>
      letter.text.trim() !== '' && isInside(letter) !== isInside(run.letters[0] as Letter)
    const cut = run.letters.findIndex(isOther)
    if (cut > 0) {
      const isBlank = (run.letters[cut - 1] as Letter).text.trim() === ''
      const head = run.letters.slice(0, isBlank ? cut - 1 : cut)
      runs.splice(i, 1, withLetters(run, head), withLetters(run, run.letters.slice(cut)))
    }
    const part = runs[i] as Run
    if (isInside(part.letters[0] as Letter)) within.push(part)
  }
  return within
}
