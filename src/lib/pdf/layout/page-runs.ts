/** Collects glyphs into runs of one style on one baseline, and splits runs where links start and end. */

import { largest, smallest } from '../../../lists.ts'
import { faceOf } from './font-face.ts'
import { boundingBox } from './lines.ts'
import type { Face, Letter, Run } from './page-content.ts'
import { type Box, boxOf } from './page-geometry.ts'
import type { PageFont, PlaceGlyph, TextStyle } from './page-operators.ts'
import { isUnmapped } from './unmapped.ts'

/** Sine of the largest angle at which text counts as horizontal. */
const MAX_TILT = 0.06
/** Minimum slope of upright letters that are slanted to imitate italics. */
const MIN_SLANT = 0.15
/** Distances as shares of the font size: to the next letter of a run, of baselines, of a letter printed twice. */
const MAX_GAP = 0.6
const SAME_BASELINE = 0.1
const DOUBLE_PRINT = 0.12
/** Accents drawn over a letter, with their combining characters. */
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

type Mark = { letter: Letter; run: Run; at: number }

export function runReader(): { text(style: TextStyle): PlaceGlyph; finish(): Run[] } {
  const faces = new Map<string, Face>()
  const runs: Run[] = []
  const marks: Mark[] = []

  const faceFor = (id: string, font: PageFont, bold: boolean, italic: boolean): Face => {
    const key = `${id} ${bold} ${italic}`
    let face = faces.get(key)
    if (face === undefined) {
      const plain = faceOf(id, font)
      face = { ...plain, bold: plain.bold || bold, italic: plain.italic || italic }
      faces.set(key, face)
    }
    return face
  }

  function text({ matrix, fontSize, font, fontId, color, isStroked, isHidden }: TextStyle): PlaceGlyph {
    const [a, b, c, d] = matrix
    const [height, across] = [Math.hypot(c, d), Math.hypot(a, b)]
    const size = Math.abs(fontSize) * height
    if (!(size > 0.5 && across > 0)) return () => undefined
    const rotated = font.vertical === true || Math.abs(b) > MAX_TILT * across || a * Math.sign(fontSize) < 0
    const isSlanted = Math.abs((a * c + b * d) / (across * height)) > MIN_SLANT
    const face = faceFor(fontId, font, isStroked && !isHidden, isSlanted)
    const shade = color.replace('#', '').toUpperCase()
    const colorOf = shade === '000000' ? {} : { color: shade }
    const startRun = (letter: Letter, box: Box, baseline: number): Run => ({
      ...box,
      letters: [letter],
      text: '',
      size,
      face,
      rotated,
      hidden: isHidden,
      baseline,
      ...colorOf,
    })
    const isSameStyle = (run: Run): boolean =>
      run.face === face &&
      run.rotated === rotated &&
      run.hidden === isHidden &&
      run.color === colorOf.color &&
      Math.abs(run.size - size) < 0.1

    function placeRotated(letter: Letter, x: number, y: number, advance: number): void {
      const box = boxOf([a, b, c, d, x, y], 0, -0.2 * fontSize, advance, 0.8 * fontSize)
      const baseline = y + b * advance
      const last = runs.at(-1)
      const end = last?.letters.at(-1)?.right ?? 0
      if (last !== undefined && isSameStyle(last) && Math.hypot(x - end, y - last.baseline) < 2 * size) {
        Object.assign(last, { ...boundingBox([last, box]), baseline })
        last.letters.push(letter)
      } else runs.push(startRun(letter, box, baseline))
    }

    return (unicode, code, x, y, advance) => {
      const end = x + a * advance
      const letter: Letter = { text: plainLetters(unicode), left: Math.min(x, end), right: Math.max(x, end), code }
      if (isUnmapped(unicode)) letter.isUnmapped = true
      if (rotated) {
        placeRotated({ ...letter, left: x, right: end }, x, y, advance)
        return
      }
      const { left, right } = letter
      const box = { left, right, top: y - 0.8 * size, bottom: y + 0.2 * size }
      if (markOf(letter.text) !== undefined) {
        marks.push({ letter, run: startRun(letter, box, y), at: runs.length - 1 })
        return
      }
      const last = runs.at(-1)
      if (last === undefined || !isSameStyle(last) || !isNext(last, left, y, size)) {
        runs.push(startRun(letter, box, y))
        return
      }
      const twin = last.letters.at(-1)
      if (twin?.text === letter.text && letter.text.trim() !== '' && Math.abs(twin.left - left) < DOUBLE_PRINT * size) {
        last.face = faceFor(fontId, font, true, isSlanted)
        return
      }
      last.letters.push(letter)
      last.left = Math.min(last.left, left)
      last.right = Math.max(last.right, right)
      last.top = Math.min(last.top, box.top)
      last.bottom = Math.max(last.bottom, box.bottom)
    }
  }

  /** Puts accents and marks on the letters under them. */
  function placeMarks(): void {
    for (const { letter, run, at } of marks) {
      const middle = (letter.left + letter.right) / 2
      const base = [at, at + 1, at - 1, at + 2]
        .flatMap((i) => runs[i] ?? [])
        .filter((near) => !near.rotated && Math.abs(near.baseline - run.baseline) < near.size)
        .flatMap((near) => near.letters)
        .find(({ text, left, right }) => /^[\p{L}\p{M}]+$/u.test(text) && middle >= left - 0.3 && middle <= right + 0.3)
      if (base !== undefined) base.text = composed(base.text, markOf(letter.text) as string)
      else if (!/\p{M}/u.test(letter.text)) runs.push(run)
    }
  }

  /** Text printed twice, slightly offset, imitates bold text. */
  function withoutDoubles(all: readonly Run[]): Run[] {
    const printed = new Map<string, Run[]>()
    return all.filter((run) => {
      const twins = printed.get(run.text) ?? []
      const isNear = (one: number, other: number): boolean => Math.abs(one - other) < DOUBLE_PRINT * run.size
      const twin = twins.find(
        ({ left, baseline, size, rotated }) =>
          !rotated && isNear(left, run.left) && isNear(baseline, run.baseline) && Math.abs(size - run.size) < 0.5,
      )
      if (twin === undefined) printed.set(run.text, [...twins, run])
      else if (twin.left !== run.left) twin.face = faceFor(twin.face.id, {}, true, twin.face.italic)
      return twin === undefined
    })
  }

  function finish(): Run[] {
    placeMarks()
    // without spaces at the ends of runs the gaps between columns stay visible
    const isLetter = ({ text }: Letter): boolean => text.trim() !== ''
    return withoutDoubles(
      runs.flatMap((run) => {
        const from = run.letters.findIndex(isLetter)
        return from < 0 ? [] : [withLetters(run, run.letters.slice(from, run.letters.findLastIndex(isLetter) + 1))]
      }),
    )
  }
  return { text, finish }
}

const plainLetters = (text: string): string =>
  text < '\uFB00' ? text : text.replace(JOINED, (joined) => joined.normalize('NFKC'))

/** Whether a letter follows or overlaps the end of a run. */
function isNext(run: Run, left: number, baseline: number, size: number): boolean {
  const gap = left - run.right
  return Math.abs(run.baseline - baseline) < SAME_BASELINE * size && gap < MAX_GAP * size && gap > -2 * size
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
      left: smallest(sorted.map(({ left }) => left)),
      right: largest(sorted.map(({ right }) => right)),
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
