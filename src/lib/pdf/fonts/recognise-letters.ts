/**
 * Recognises the letters of fonts without a map to characters: lines in such a font are read with OCR. If a line has as
 * many letters as glyphs, each glyph gets a vote for its letter, so that a font needs few lines and a misread letter is
 * outvoted. A line whose letters cannot be assigned, as in Arabic, takes the text of the OCR.
 */

import { largest } from '../../../lists.ts'
import type { GreyImage } from '../../ocr/grey-image.ts'
import type { Language } from '../../ocr/recognise.ts'
import { boundingBox, linesOf } from '../layout/lines.ts'
import type { Letter, PageContent, Run } from '../layout/page-content.ts'
import { type Box, grown } from '../layout/page-geometry.ts'
import { withLetters } from '../layout/page-runs.ts'
import { separateSigns } from '../layout/signs.ts'
import { readingOrderOf } from '../layout/visual-order.ts'
import { alignedLetters } from './align-letters.ts'

export type LetterReader = {
  /** Fills in the text of unmapped glyphs on a page. @returns whether there were any */
  read(content: PageContent, page: number): Promise<boolean>
  close(): Promise<void>
}
type Glyph = { run: Run; letter: Letter }
/** Runs on one line without a wide gap between them. */
type Segment = { runs: Run[]; glyphs: Glyph[]; text?: string }

/** Votes that settle a glyph, and maximum lines read in a document. */
const ENOUGH_VOTES = 3
const MAX_LINES = 400
/** A font counts as unmapped if this share of its glyphs is unmapped. */
const MAX_UNMAPPED = 0.2
/** Margin around a line, as a share of the font size, and white pixels around it. */
const ROOM = 0.3
const WHITE = 30
const LANGUAGE: Language = 'eng+ara'
const ARABIC = /\p{Script=Arabic}/u
/** Stands for a glyph that OCR did not recognise. */
const UNKNOWN = '\uFFFD'

export function letterReader(path: string): LetterReader {
  const votes = new Map<string, Map<string, number>>()
  let linesRead = 0

  const keyOf = ({ run, letter }: Glyph): string => `${run.face.id} ${letter.code}`
  const bestOf = (key: string): [string, number] | undefined =>
    [...(votes.get(key) ?? [])].toSorted((a, b) => b[1] - a[1])[0]
  const isCertain = (glyph: Glyph): boolean => (bestOf(keyOf(glyph))?.[1] ?? 0) >= ENOUGH_VOTES
  const textOf = (glyph: Glyph): string | undefined =>
    glyph.letter.isUnmapped ? bestOf(keyOf(glyph))?.[0] : glyph.letter.text
  function vote(glyph: Glyph, text: string): void {
    if (!glyph.letter.isUnmapped) return
    const forKey = votes.get(keyOf(glyph)) ?? new Map<string, number>()
    votes.set(keyOf(glyph), forKey.set(text, (forKey.get(text) ?? 0) + 1))
  }

  async function recognised({ runs }: Segment, page: number, pageWidth: number): Promise<string> {
    const { drawGreyPage } = await import('../../ocr/pdf-page.ts')
    const { recognise } = await import('../../ocr/recognise.ts')
    const { textOf: textOfLines } = await import('../../ocr/read-page.ts')
    const image = await drawGreyPage(path, page - 1)
    const size = largest(runs.map((run) => run.size))
    const line = cropped(image, grown(boundingBox(runs), ROOM * size), image.width / pageWidth)
    return textOfLines(await recognise(line, LANGUAGE))
      .replace(/\s+/g, ' ')
      .trim()
  }

  async function read(content: PageContent, page: number): Promise<boolean> {
    const { runs, width } = content
    markFonts(runs)
    separateSigns(content)
    const isAffected = (run: Run): boolean => run.letters.some(({ isUnmapped }) => isUnmapped)
    if (!runs.some(isAffected)) return false
    const segments = segmentsOf(runs).filter((segment) => segment.runs.some(isAffected))
    for (const segment of segments) {
      if (segment.glyphs.every((glyph) => !glyph.letter.isUnmapped || isCertain(glyph)) || linesRead >= MAX_LINES)
        continue
      linesRead++
      segment.text = await recognised(segment, page, width)
      if (ARABIC.test(segment.text)) continue
      for (const letters of [[...segment.text], [...segment.text.replace(/ /g, '')]])
        if (letters.length === segment.glyphs.length) {
          for (const [i, glyph] of segment.glyphs.entries()) vote(glyph, letters[i] as string)
          break
        }
    }
    // letters known by now help to assign the glyphs of other lines, such as ligatures
    for (const { text, glyphs } of segments)
      if (text !== undefined && !ARABIC.test(text))
        for (const [at, letters] of alignedLetters(glyphs.map(textOf), text)) vote(glyphs[at] as Glyph, letters)
    for (const segment of segments) write(runs, segment)
    return true
  }

  function write(runs: Run[], { glyphs, text, runs: members }: Segment): void {
    const isKnown = glyphs.every((glyph) => textOf(glyph) !== undefined)
    if (text !== undefined && text !== '' && (ARABIC.test(text) || !isKnown)) {
      replace(runs, members, text)
      return
    }
    for (const glyph of glyphs) {
      glyph.letter.text = textOf(glyph) ?? UNKNOWN
      delete glyph.letter.isUnmapped
    }
    for (const run of members) Object.assign(run, withLetters(run, run.letters))
  }
  return {
    read,
    async close() {
      if (linesRead > 0) (await import('../../ocr/pdf-page.ts')).closeDocument()
    },
  }
}

/** Marks all letters of fonts with many unmapped glyphs, because their mapped glyphs are then wrong too. */
function markFonts(runs: readonly Run[]): void {
  const fonts = new Map<string, { codes: Set<number>; unmapped: Set<number> }>()
  for (const { face, letters } of runs)
    for (const { code = -1, isUnmapped } of letters) {
      const font = fonts.get(face.id) ?? { codes: new Set(), unmapped: new Set() }
      font.codes.add(code)
      if (isUnmapped) font.unmapped.add(code)
      fonts.set(face.id, font)
    }
  for (const { face, letters } of runs) {
    const font = fonts.get(face.id)
    if (font === undefined || font.unmapped.size <= MAX_UNMAPPED * font.codes.size) continue
    for (const letter of letters) letter.isUnmapped = true
  }
}

function segmentsOf(runs: readonly Run[]): Segment[] {
  return linesOf(runs.filter(({ hidden }) => !hidden)).flatMap((line) => {
    const segments: Run[][] = []
    let right = Number.NEGATIVE_INFINITY
    for (const run of line.runs) {
      if (run.left - right > line.size) segments.push([run])
      else segments.at(-1)?.push(run)
      right = Math.max(right, run.right)
    }
    return segments.map((members) => ({
      runs: members,
      glyphs: members.flatMap((run) => run.letters.map((letter): Glyph => ({ run, letter }))),
    }))
  })
}

/** Replaces runs by one with the given text, whose words are spread over their width. */
function replace(runs: Run[], members: readonly Run[], text: string): void {
  const [first, ...others] = members as [Run]
  for (const run of others) runs.splice(runs.indexOf(run), 1)
  const words = text.split(' ').flatMap((word, i) => (i === 0 ? [{ text: word }] : [{ text: ' ' }, { text: word }]))
  const { left, right } = boundingBox(members)
  const unit = (right - left) / text.length
  let at = left
  const letters = readingOrderOf(words, ARABIC.test(text)).map((word): Letter => {
    const start = at
    at += word.text.length * unit
    return { ...word, left: start, right: at }
  })
  Object.assign(first, withLetters({ ...first, rotated: false }, letters))
}

/** The part of an image in a box, with white around it. */
function cropped({ data, width, height }: GreyImage, box: Box, scale: number): GreyImage {
  const [left, top] = [Math.max(0, Math.floor(box.left * scale)), Math.max(0, Math.floor(box.top * scale))]
  const columns = Math.max(1, Math.min(width, Math.ceil(box.right * scale)) - left)
  const rows = Math.max(1, Math.min(height, Math.ceil(box.bottom * scale)) - top)
  const out = { width: columns + 2 * WHITE, height: rows + 2 * WHITE }
  const pixels = new Uint8Array(out.width * out.height).fill(255)
  for (let y = 0; y < rows; y++)
    pixels.set(
      data.subarray((top + y) * width + left, (top + y) * width + left + columns),
      (y + WHITE) * out.width + WHITE,
    )
  return { ...out, data: pixels }
}
