/**
 * Typesets text as lines of positioned glyphs: ordered by the Unicode Bidirectional Algorithm (UAX #9), shaped run by
 * run with OpenType, each character in the first font that contains it. Widths are shares of the font size.
 */
import type { Font, Glyph } from 'fontkit'
import { append } from '../../lists.ts'
import { loadFonts, type Weight } from './fonts.ts'

export type SetGlyph = {
  font: Font
  glyph: Glyph
  /** Distance to the origin of the next glyph. */
  advance: number
  /** Offset from the origin; positions marks above and below letters. */
  xOffset: number
  yOffset: number
}
export type Direction = 'ltr' | 'rtl'
/** Glyphs in visual order, from left to right. */
export type Line = { glyphs: SetGlyph[]; width: number; direction: Direction }

/** A word with the spaces after it; `bareWidth` excludes the spaces and decides whether the word fits on a line. */
type Word = { text: string; width: number; bareWidth: number }
export type Paragraph = { direction: Direction; words: Word[] }

export type Typesetter = {
  /** Sets a single line. @param base the direction of its paragraph */
  setLine(text: string, base?: Direction): Line
  /** Sets a single line unshaped, one glyph per character, for invisible text that is only searched and copied. */
  setLetters(text: string, base?: Direction): Line
  /** Measures text once, for breaking it at any width. */
  measure(text: string): Paragraph[]
  /**
   * Breaks lines between words, and inside a word that is wider than a line. @param maxWidth as a share of the font
   * size
   */
  breakLines(paragraphs: readonly Paragraph[], maxWidth: number): { text: string; direction: Direction }[]
}

/** Line metrics as shares of the font size. */
export const ASCENT = 1.03
export const DESCENT = 0.3
export const LINE_HEIGHT = 1.4

/** Width of an unshaped mark. */
const MIN_LETTER = 0.1

const RTL_LETTER = /[\p{Script=Arabic}\p{Script=Hebrew}]/u
/** Maximum number of cached word widths; the cache is cleared above it. */
const MAX_WORDS = 50_000
/** The same for shaped runs. Longer runs are rarely repeated: they are cut at the ends of lines. */
const MAX_RUNS = 20_000
const LONGEST_CACHED_RUN = 40

/** The direction of the first letter. */
export const directionOf = (text: string): Direction =>
  RTL_LETTER.test(/[\p{Script=Arabic}\p{Script=Hebrew}]|\p{L}/u.exec(text)?.[0] ?? '') ? 'rtl' : 'ltr'

export async function loadTypesetter(weight: Weight): Promise<Typesetter> {
  const { default: createBidi } = await import('bidi-js')
  const { getEmbeddingLevels, getReorderedIndices, getMirroredCharacter } = createBidi()
  const fonts = await loadFonts(weight)
  const widths = new Map<string, number>()
  const runs = new Map<string, SetGlyph[]>()

  // shaping takes most of the time, and words are repeated
  function shapeCached(text: string, font: Font, direction: Direction): SetGlyph[] {
    if (text.length > LONGEST_CACHED_RUN) return shape(text, font, direction)
    const key = `${fonts.indexOf(font)} ${direction} ${text}`
    const cached = runs.get(key)
    if (cached !== undefined) return cached
    const shaped = shape(text, font, direction)
    if (runs.size >= MAX_RUNS) runs.clear()
    runs.set(key, shaped)
    return shaped
  }

  const setLine = (text: string, base: Direction = directionOf(text)): Line =>
    set(text, base, (run, font, direction) => {
      const isRtl = direction === 'rtl'
      const mirrored = isRtl ? [...run].map((character) => getMirroredCharacter(character) ?? character).join('') : run
      return shapeCached(mirrored, font, direction)
    })

  const setLetters = (text: string, base: Direction = directionOf(text)): Line => set(text, base, lettersOf)

  function set(text: string, base: Direction, setRun: typeof shape): Line {
    // compose accents, because the fonts contain most accented letters as one glyph
    const line = text.normalize('NFC').replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
    const embedding = getEmbeddingLevels(line, base)
    const { levels } = embedding
    const order = line === '' ? [] : getReorderedIndices(line, embedding)
    const fontAt = fontsOf(line, fonts)
    const glyphs: SetGlyph[] = []
    for (let at = 0; at < order.length; ) {
      const first = order[at] as number
      const level = levels[first] as number
      const isRtl = level % 2 === 1
      let end = at + 1
      while (
        order[end] === (order[end - 1] as number) + (isRtl ? -1 : 1) &&
        levels[order[end] as number] === level &&
        fontAt[order[end] as number] === fontAt[first]
      )
        end++
      const run = line.slice(Math.min(first, order[end - 1] as number), Math.max(first, order[end - 1] as number) + 1)
      append(glyphs, setRun(run, fontAt[first] as Font, isRtl ? 'rtl' : 'ltr'))
      at = end
    }
    return { glyphs, width: glyphs.reduce((sum, { advance }) => sum + advance, 0), direction: base }
  }

  function widthOf(text: string): number {
    const cached = widths.get(text)
    if (cached !== undefined) return cached
    const { width } = setLine(text)
    if (widths.size >= MAX_WORDS) widths.clear()
    widths.set(text, width)
    return width
  }

  const measure = (text: string): Paragraph[] =>
    text.split(/\r\n|[\n\r\u2028\u2029]/).map((paragraph) => ({
      direction: directionOf(paragraph),
      words: paragraph.split(/(?<=\s)(?=\S)/).map((word) => {
        const bareWidth = widthOf(word.trimEnd())
        return { text: word, bareWidth, width: bareWidth + widthOf(' ') * (word.length - word.trimEnd().length) }
      }),
    }))

  function breakLines(paragraphs: readonly Paragraph[], maxWidth: number) {
    const lines: { text: string; direction: Direction }[] = []
    for (const { direction, words } of paragraphs) {
      let [line, lineWidth] = ['', 0]
      const end = (): void => {
        lines.push({ text: line.trimEnd(), direction })
        ;[line, lineWidth] = ['', 0]
      }
      const add = (text: string, width: number, bareWidth: number): void => {
        if (line !== '' && lineWidth + bareWidth > maxWidth) end()
        line += text
        lineWidth += width
      }
      for (const { text, width, bareWidth } of words)
        if (bareWidth <= maxWidth) add(text, width, bareWidth)
        else for (const character of text) add(character, widthOf(character), widthOf(character))
      end()
    }
    return lines
  }

  return { setLine, setLetters, measure, breakLines }
}

/** The font of each UTF-16 unit; marks and spaces use the font of the preceding character. */
function fontsOf(line: string, fonts: readonly Font[]): Font[] {
  const chosen: Font[] = []
  let current = fonts[0] as Font
  for (const character of line) {
    const code = character.codePointAt(0) as number
    const follows = /[\p{Cf}\s]/u.test(character) || (/\p{M}/u.test(character) && current.hasGlyphForCodePoint(code))
    if (!follows) current = fonts.find((font) => font.hasGlyphForCodePoint(code)) ?? current
    for (let i = 0; i < character.length; i++) chosen.push(current)
  }
  return chosen
}

function shape(text: string, font: Font, direction: Direction): SetGlyph[] {
  // keep joiners, which affect shaping; other format characters are not drawn
  const visible = text.replace(/[\p{Cf}--[\u200C\u200D]]/gv, '')
  if (visible === '') return []
  const scale = 1 / font.unitsPerEm
  // fontkit detects the script itself; a run of spaces and signs has none
  const { glyphs, positions } = font.layout(visible, undefined, undefined, undefined, direction)
  return glyphs.map((glyph, i) => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[i] ?? {}
    return { font, glyph, advance: xAdvance * scale, xOffset: xOffset * scale, yOffset: yOffset * scale }
  })
}

function lettersOf(text: string, font: Font, direction: Direction): SetGlyph[] {
  const glyphs = [...text].map((character) => font.glyphForCodePoint(character.codePointAt(0) as number))
  const visual = direction === 'rtl' ? glyphs.reverse() : glyphs
  return visual.map((glyph) => ({
    font,
    glyph,
    xOffset: 0,
    yOffset: 0,
    // marks have no width, but readers need a separate position for every character
    advance: Math.max(glyph.advanceWidth / font.unitsPerEm, MIN_LETTER),
  }))
}
