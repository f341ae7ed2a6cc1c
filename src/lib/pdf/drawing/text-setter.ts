/** Sets text in a PDF with the product's fonts; each font is embedded once, with only the glyphs in use. */
import type { PDFDict, PDFDocument, PDFRef } from '@cantoo/pdf-lib'
import type { Font, Glyph } from 'fontkit'
import { ligatures } from '../../text/arabic-ligatures.ts'
import type { Line } from '../../text/typeset.ts'

export type TextSetter = {
  /**
   * Returns the operators that show a line whose baseline starts at x, y, without a colour.
   * @param size of the font, in the units of the content stream
   */
  show(line: Line, size: number, x: number, y: number): string
  /** For the `Font` entry of resources; contains every font shown before `embed`. */
  fonts: PDFDict
  /**
   * Writes the fonts into the document; call it once, after all text is shown.
   * @returns the characters that no font contains
   */
  embed(): Promise<string[]>
}

type EmbeddedFont = {
  name: string
  ref: PDFRef
  font: Font
  /** By glyph and characters: one glyph may stand for several texts, such as e for "e" and as a part of "é". */
  codes: Map<string, number>
  /** The glyph of each code; 0 is the missing glyph. */
  glyphs: Glyph[]
}

/** Glyph number for characters that a font lacks. */
const MISSING = 0

const number = (value: number): string => String(Math.round(value * 1e4) / 1e4)
const hex4 = (value: number): string => value.toString(16).padStart(4, '0')

export async function createTextSetter(document: PDFDocument): Promise<TextSetter> {
  const { PDFDict, PDFName } = await import('@cantoo/pdf-lib')
  const { context } = document
  const fonts = PDFDict.withContext(context)
  const embedded = new Map<Font, EmbeddedFont>()

  function use(font: Font): EmbeddedFont {
    const existing = embedded.get(font)
    if (existing !== undefined) return existing
    const [name, ref] = [`Plex${embedded.size}`, context.nextRef()]
    const created = { name, ref, font, codes: new Map<string, number>(), glyphs: [font.getGlyph(MISSING)] }
    embedded.set(font, created)
    fonts.set(PDFName.of(name), ref)
    return created
  }
  function codeOf({ codes, glyphs }: EmbeddedFont, glyph: Glyph): number {
    const key = [glyph.id, ...glyph.codePoints].join()
    const code = codes.get(key) ?? glyphs.push(glyph) - 1
    codes.set(key, code)
    return code
  }

  function show({ glyphs }: Line, size: number, x: number, y: number): string {
    const parts: string[] = ['BT', `1 0 0 1 ${number(x)} ${number(y)} Tm`]
    let current: Font | undefined
    let rise = 0
    let elements: string[] = []
    const flush = (): void => {
      if (elements.length > 0) parts.push(`[${elements.join('')}] TJ`)
      elements = []
    }
    for (const { font, glyph, advance, xOffset, yOffset } of glyphs) {
      const entry = use(font)
      if (font !== current) {
        flush()
        parts.push(`/${entry.name} ${number(size)} Tf`)
        current = font
      }
      if (yOffset !== rise) {
        flush()
        parts.push(`${number(yOffset * size)} Ts`)
        rise = yOffset
      }
      const naturalAdvance = glyph.advanceWidth / font.unitsPerEm
      if (Math.abs(xOffset) > 1e-6) elements.push(number(-1000 * xOffset))
      elements.push(`<${hex4(codeOf(entry, glyph))}>`)
      // the rest of the advance after the glyph
      const rest = advance - xOffset - naturalAdvance
      if (Math.abs(rest) > 1e-6) elements.push(number(-1000 * rest))
    }
    flush()
    if (rise !== 0) parts.push('0 Ts')
    return `${parts.join('\n')}\nET\n`
  }

  async function embed(): Promise<string[]> {
    for (const entry of embedded.values()) await embedFont(document, entry)
    const missing = [...embedded.values()].flatMap(({ glyphs }) => glyphs.filter(({ id }) => id === MISSING))
    return [...new Set(missing.flatMap(({ codePoints }) => codePoints.map((code) => String.fromCodePoint(code))))]
  }
  return { show, fonts, embed }
}

/** ISO 32000-1, 9.7: a composite font whose codes are mapped to the glyphs of a subset. */
async function embedFont({ context }: PDFDocument, { ref, font, glyphs }: EmbeddedFont): Promise<void> {
  const { PDFString } = await import('@cantoo/pdf-lib')
  const subset = font.createSubset()
  const numbers = Buffer.alloc(2 * glyphs.length)
  for (const [code, glyph] of glyphs.entries())
    numbers.writeUInt16BE(subset.includeGlyph(glyph) as unknown as number, 2 * code)
  const scale = 1000 / font.unitsPerEm
  const name = `${subsetTag(glyphs)}+${font.postscriptName}`
  const { minX, minY, maxX, maxY } = font.bbox
  const descriptor = context.obj({
    Type: 'FontDescriptor',
    FontName: name,
    Flags: SYMBOLIC,
    ItalicAngle: font.italicAngle,
    StemV: 80,
    Ascent: font.ascent * scale,
    Descent: font.descent * scale,
    CapHeight: font.capHeight * scale,
    FontBBox: [minX, minY, maxX, maxY].map((value) => value * scale),
    FontFile2: context.register(context.flateStream(subset.encode())),
  })
  const descendant = context.obj({
    Type: 'Font',
    Subtype: 'CIDFontType2',
    BaseFont: name,
    DW: 0,
    CIDToGIDMap: context.register(context.flateStream(numbers)),
    CIDSystemInfo: { Registry: PDFString.of('Adobe'), Ordering: PDFString.of('Identity'), Supplement: 0 },
    FontDescriptor: context.register(descriptor),
    W: glyphs.flatMap((glyph, code) => [code, [glyph.advanceWidth * scale]]),
  })
  const composite = context.obj({
    Type: 'Font',
    Subtype: 'Type0',
    BaseFont: name,
    Encoding: 'Identity-H',
    DescendantFonts: [context.register(descendant)],
    ToUnicode: context.register(context.flateStream(unicodeMap(glyphs))),
  })
  context.assign(ref, composite)
}

const SYMBOLIC = 4

/** ISO 32000-1, 9.6.4: six letters that differ between subsets of one font. */
function subsetTag(glyphs: readonly Glyph[]): string {
  let hash = 2166136261
  for (const { id } of glyphs) hash = Math.imul(hash ^ id, 16777619) >>> 0
  return Array.from({ length: 6 }, (_, i) => String.fromCharCode(65 + (Math.floor(hash / 26 ** i) % 26))).join('')
}

/** ToUnicode map (ISO 32000-1, 9.10.3); a glyph for several characters maps to all of them. */
function unicodeMap(glyphs: readonly Glyph[]): string {
  const lines = glyphs.flatMap(({ codePoints }, code) => {
    const text = String.fromCodePoint(...codePoints)
    const units = [...(ligatures().get(text) ?? text)].flatMap((character) =>
      Array.from({ length: character.length }, (_, i) => hex4(character.charCodeAt(i))),
    )
    return units.length === 0 ? [] : [`<${hex4(code)}> <${units.join('')}>`]
  })
  const blocks: string[] = []
  for (let at = 0; at < lines.length; at += MAX_LINES) {
    const block = lines.slice(at, at + MAX_LINES)
    blocks.push(`${block.length} beginbfchar\n${block.join('\n')}\nendbfchar`)
  }
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def /CMapType 2 def',
    '1 begincodespacerange <0000> <ffff> endcodespacerange',
    ...blocks,
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n')
}
/** Maximum entries of a block in the map. */
const MAX_LINES = 100
