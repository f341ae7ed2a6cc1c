/**
 * Text set in lines of glyphs: in the order of the Unicode Bidirectional Algorithm (UAX #9), shaped run by run by
 * OpenType's rules, each character in the first font that has it. Widths are shares of the font's size.
 */
import type { Bidi } from 'bidi-js'
import type { Font, Glyph } from 'fontkit'
import { loadFonts, type Weight } from './fonts.ts'

export type SetGlyph = {
  font: Font
  glyph: Glyph
  /** How far the next glyph lies from here. */
  advance: number
  /** From where it would stand by itself; marks lie above and below letters by it. */
  xOffset: number
  yOffset: number
}
/** From left to right, as it is seen. */
export type Line = { glyphs: SetGlyph[]; width: number }
export type Direction = 'ltr' | 'rtl'

/** Of a line, as shares of the font's size. */
export const ASCENT = 1.03
export const DESCENT = 0.3
export const LINE_HEIGHT = 1.4

let bidi: Promise<Bidi> | undefined

const loadBidi = (): Promise<Bidi> => {
  bidi ??= import('bidi-js').then(({ default: create }) => create())
  return bidi
}

/** Of the first letter that has one. */
export const directionOf = (text: string): Direction =>
  /[\p{Script=Arabic}\p{Script=Hebrew}]|\p{L}/u.exec(text)?.[0].match(/[\p{Script=Arabic}\p{Script=Hebrew}]/u)
    ? 'rtl'
    : 'ltr'

/** One line, whatever is in it. @param base the direction of its paragraph */
export async function setLine(text: string, weight: Weight, base: Direction = directionOf(text)): Promise<Line> {
  const { getEmbeddingLevels, getReorderedIndices, getMirroredCharacter } = await loadBidi()
  const fonts = await loadFonts(weight)
  // a letter with its accent is one character where a font has that
  const line = text.normalize('NFC').replace(/[\p{Cc}\u2028\u2029]/gu, ' ')
  const embedding = getEmbeddingLevels(line, base)
  const { levels } = embedding
  const order = getReorderedIndices(line, embedding)
  const fontAt = fontsOf(line, fonts)
  const glyphs: SetGlyph[] = []
  for (let at = 0; at < order.length; ) {
    const first = order[at] as number
    const level = levels[first] as number
    const step = level % 2 === 1 ? -1 : 1
    let end = at + 1
    while (
      end < order.length &&
      order[end] === (order[end - 1] as number) + step &&
      levels[order[end] as number] === level &&
      fontAt[order[end] as number] === fontAt[first]
    )
      end++
    const indices = order.slice(at, end).toSorted((a, b) => a - b)
    const run = indices.map((i) => (level % 2 === 1 ? (getMirroredCharacter(line[i] as string) ?? line[i]) : line[i]))
    glyphs.push(...shape(run.join(''), fontAt[first] as Font, level % 2 === 1 ? 'rtl' : 'ltr'))
    at = end
  }
  return { glyphs, width: glyphs.reduce((sum, { advance }) => sum + advance, 0) }
}

/** For each unit of the text; marks and blanks go with what stands before them. */
function fontsOf(line: string, fonts: readonly Font[]): Font[] {
  const chosen: Font[] = []
  let current = fonts[0] as Font
  for (const character of line) {
    const code = character.codePointAt(0) as number
    const stays =
      /[\p{M}\p{Cf}\s]/u.test(character) && (current.hasGlyphForCodePoint(code) || /[\p{Cf}\s]/u.test(character))
    if (!stays) current = fonts.find((font) => font.hasGlyphForCodePoint(code)) ?? current
    for (let i = 0; i < character.length; i++) chosen.push(current)
  }
  return chosen
}

function shape(text: string, font: Font, direction: Direction): SetGlyph[] {
  const drawn = text.replace(/[\p{Cf}--[\u200C\u200D]]/gv, '')
  if (drawn === '') return []
  const scale = 1 / font.unitsPerEm
  // fontkit takes the script from the letters; a run of blanks and signs has none
  const { glyphs, positions } = font.layout(drawn, undefined, undefined, undefined, direction)
  return glyphs.map((glyph, i) => {
    const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[i] ?? {}
    return { font, glyph, advance: xAdvance * scale, xOffset: xOffset * scale, yOffset: yOffset * scale }
  })
}

/**
 * Paragraphs broken into lines between words, and within a word that is wider than a line.
 * @param maxWidth as a share of the font's size
 */
export async function setParagraphs(
  text: string,
  weight: Weight,
  maxWidth: number,
): Promise<(Line & { direction: Direction })[]> {
  const lines: (Line & { direction: Direction })[] = []
  for (const paragraph of text.split(/\r\n|[\n\r\u2028\u2029]/)) {
    const direction = directionOf(paragraph)
    for (const line of await broken(paragraph, weight, maxWidth, direction))
      lines.push({ ...(await setLine(line, weight, direction)), direction })
  }
  return lines
}

async function broken(text: string, weight: Weight, maxWidth: number, base: Direction): Promise<string[]> {
  const widths = new Map<string, number>()
  const widthOf = async (piece: string): Promise<number> => {
    const known = widths.get(piece)
    if (known !== undefined) return known
    const { width } = await setLine(piece, weight, base)
    widths.set(piece, width)
    return width
  }
  const lines: string[] = []
  let [line, lineWidth] = ['', 0]
  const end = (): void => {
    lines.push(line.trimEnd())
    ;[line, lineWidth] = ['', 0]
  }
  for (const word of text.split(/(?<=\s)(?=\S)/)) {
    const width = await widthOf(word)
    if (line !== '' && lineWidth + (await widthOf(word.trimEnd())) > maxWidth) end()
    if (width <= maxWidth || (await widthOf(word.trimEnd())) <= maxWidth) {
      line += word
      lineWidth += width
      continue
    }
    for (const character of word) {
      const more = await widthOf(character)
      if (line !== '' && lineWidth + more > maxWidth) end()
      line += character
      lineWidth += more
    }
  }
  end()
  return lines
}
