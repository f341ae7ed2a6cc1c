/**
 * Embeds our fonts in place of missing ones that show Arabic, Greek, Cyrillic, Chinese, Japanese or Korean letters,
 * which PDFium's fonts lack. Glyph positions stay as in the file.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { PDFDict, PDFDocument, PDFRef } from '@cantoo/pdf-lib'
import type { Font } from 'fontkit'
import { largest } from '../../../lists.ts'
import { type Usage, usageOf } from '../structure/page-usage.ts'
import { eastAsianProgram } from './east-asian-programs.ts'
import { fontName, orderingOf } from './font-names.ts'
import { charactersOfCodes, unicodeMapOf } from './glyph-characters.ts'

const require = createRequire(import.meta.url)
const PLEX = join(import.meta.dirname, '../../../../node_modules/@expo-google-fonts')

/** Scripts that need substitution; PDFium's fonts have the signs found in Latin fonts. */
const LACKING = /(?![µμΩΩΔπ])[\p{Script=Arabic}\p{Script=Greek}\p{Script=Cyrillic}]/u
/** Real files hardly have more fonts that are not embedded. */
const MAX_FONTS = 500
/** Contained in PDFium. */
const SIGNS = /symbol|dingbat/i
const BOLD = /bold|black|heavy|demi|-W[6-9]\b/i

/** Liberation has the widths of Arial; the others supply letters that Liberation lacks. */
function filesFor(name: string): string[] {
  const liberation = join(dirname(require.resolve('pdfjs-dist/package.json')), 'standard_fonts')
  const isBold = BOLD.test(name)
  const style = `${isBold ? 'Bold' : ''}${/italic|oblique/i.test(name) ? 'Italic' : ''}` || 'Regular'
  const weight = isBold ? '600SemiBold' : '400Regular'
  return [
    join(liberation, `LiberationSans-${style}.ttf`),
    join(PLEX, `ibm-plex-sans/${weight}/IBMPlexSans_${weight}.ttf`),
    join(PLEX, `ibm-plex-sans-arabic/${weight}/IBMPlexSansArabic_${weight}.ttf`),
  ]
}

type Program = { bytes: Buffer; font: Font }
const programs = new Map<string, Promise<Program>>()

function programAt(path: string): Promise<Program> {
  const known = programs.get(path)
  if (known !== undefined) return known
  const program = Promise.all([readFile(path), import('fontkit')]).then(([bytes, { create }]) => ({
    bytes,
    font: create(bytes) as Font,
  }))
  programs.set(path, program)
  return program
}

const glyphOf = (font: Font, text: string): number => {
  const [character] = text.length > 1 ? text.normalize('NFC') : text
  const code = character?.codePointAt(0) ?? 0
  return font.hasGlyphForCodePoint(code) ? font.glyphForCodePoint(code).id : 0
}

/** @returns the names of the fonts that were replaced */
export async function substituteFonts(document: PDFDocument): Promise<string[]> {
  const { PDFArray, PDFDict, PDFName, PDFNumber, PDFString } = await import('@cantoo/pdf-lib')
  const { context } = document
  const key = PDFName.of
  const embedded = new Map<Program, PDFRef>()
  let usage: Promise<Usage> | undefined
  const names: string[] = []
  for (const [ref, font] of context.enumerateIndirectObjects()) {
    if (names.length >= MAX_FONTS) break
    if (!(font instanceof PDFDict) || font.lookup(key('Type')) !== key('Font')) continue
    const base = font.lookup(key('BaseFont'))
    const name = base instanceof PDFName ? base.decodeText().replace(/^[A-Z]{6}\+/, '') : ''
    const subtype = font.lookup(key('Subtype'))
    let shown = base instanceof PDFName ? fontName(base.asBytes()) : ''
    if (SIGNS.test(name)) continue
    if (subtype === key('Type0')) {
      const descendant = descendantOf(font)
      if (descendant === undefined || hasProgram(descendant)) continue
      const program = (await eastAsian(ref, font, descendant, name)) ?? (await forIdentity(font, name))
      if (program === undefined) continue
      // the name of the composite font may end with its map's name
      const own = descendant.lookup(key('BaseFont'))
      if (own instanceof PDFName) shown = fontName(own.asBytes(), await orderingOf(descendant))
      embed(descendant, name, ...program)
    } else if ([key('Type1'), key('TrueType'), key('MMType1')].includes(subtype as never) && !hasProgram(font)) {
      const program = await chosen(name, await charactersOfCodes(font))
      if (program === undefined) continue
      const descendant = context.obj({ Type: 'Font', BaseFont: name, DW: missingWidth(font) }) as PDFDict
      descendant.set(key('W'), context.obj(widthsOf(font, ...program)))
      embed(descendant, name, ...program)
      font.set(key('Subtype'), key('Type0'))
      font.set(key('Encoding'), context.register(context.flateStream(ONE_BYTE, { Type: 'CMap', CMapName: 'OneByte' })))
      font.set(key('DescendantFonts'), context.obj([context.register(descendant)]))
      for (const entry of ['FirstChar', 'LastChar', 'Widths', 'FontDescriptor']) font.delete(key(entry))
    } else continue
    names.push(shown)
  }
  return names

  function descendantOf(font: PDFDict): PDFDict | undefined {
    const list = font.lookup(key('DescendantFonts'))
    const descendant = list instanceof PDFArray ? list.lookup(0) : undefined
    return descendant instanceof PDFDict ? descendant : undefined
  }
  function hasProgram(font: PDFDict): boolean {
    const descriptor = font.lookup(key('FontDescriptor'))
    return descriptor instanceof PDFDict && ['', '2', '3'].some((kind) => descriptor.has(key(`FontFile${kind}`)))
  }
  function numberIn(font: PDFDict | undefined, entry: string): number {
    const value = font?.lookup(key(entry))
    return value instanceof PDFNumber ? value.asNumber() : 0
  }
  /** Widths from the file, or from the program: standard fonts may lack them in the file (ISO 32000-1, 9.6.2.2). */
  function widthsOf(font: PDFDict, { font: program }: Program, glyphs: Buffer): [first: number, widths: number[]] {
    const list = font.lookup(key('Widths'))
    if (list instanceof PDFArray) {
      const widths = list.asArray().map((one) => context.lookup(one))
      return [numberIn(font, 'FirstChar'), widths.map((width) => (width instanceof PDFNumber ? width.asNumber() : 0))]
    }
    const advance = (glyph: number): number => (1000 * program.getGlyph(glyph).advanceWidth) / program.unitsPerEm
    return [0, Array.from({ length: glyphs.length / 2 }, (_, code) => advance(glyphs.readUInt16BE(2 * code)))]
  }
  function missingWidth(font: PDFDict): number {
    const descriptor = font.lookup(key('FontDescriptor'))
    return numberIn(descriptor instanceof PDFDict ? descriptor : undefined, 'MissingWidth')
  }

  async function eastAsian(
    ref: PDFRef,
    font: PDFDict,
    descendant: PDFDict,
    name: string,
  ): Promise<[Program, Buffer] | undefined> {
    const made = await eastAsianProgram(font, descendant, BOLD.test(name), async () => {
      usage ??= usageOf(document)
      return (await usage).shown.get(ref) ?? []
    })
    if (made === undefined) return undefined
    const { create } = await import('fontkit')
    return [{ bytes: made.bytes, font: create(made.bytes) as Font }, made.glyphs]
  }
  async function forIdentity(font: PDFDict, name: string): Promise<[Program, Buffer] | undefined> {
    const encoding = font.lookup(key('Encoding'))
    if (encoding !== key('Identity-H') && encoding !== key('Identity-V')) return undefined
    return chosen(name, await unicodeMapOf(font))
  }

  /** The font that covers most of the characters. */
  async function chosen(name: string, texts: Map<number, string>): Promise<[Program, Buffer] | undefined> {
    if (![...texts.values()].some((text) => LACKING.test(text))) return undefined
    let best: { program: Program; glyphs: [number, number][]; count: number } | undefined
    for (const path of filesFor(name)) {
      const program = await programAt(path)
      const glyphs = [...texts].map(([code, text]): [number, number] => [code, glyphOf(program.font, text)])
      const lacking = glyphs.filter(([code, glyph]) => glyph !== 0 && LACKING.test(texts.get(code) ?? ''))
      const count = lacking.length
      if (best === undefined || count > best.count) best = { program, glyphs, count }
    }
    if (best === undefined || best.count === 0) return undefined
    // missing characters are left blank and not drawn as boxes
    const blank = glyphOf(best.program.font, ' ')
    const map = Buffer.alloc(2 * (1 + Math.max(0, largest(texts.keys()))))
    for (let at = 0; at < map.length; at += 2) map.writeUInt16BE(blank, at)
    for (const [code, glyph] of best.glyphs) map.writeUInt16BE(glyph || blank, 2 * code)
    return [best.program, map]
  }

  function embed(descendant: PDFDict, name: string, program: Program, glyphs: Buffer): void {
    const { bytes, font } = program
    const file = embedded.get(program) ?? context.register(context.stream(bytes, { Length1: bytes.length }))
    embedded.set(program, file)
    const scale = 1000 / font.unitsPerEm
    const { minX, minY, maxX, maxY } = font.bbox
    const descriptor = context.obj({
      Type: 'FontDescriptor',
      FontName: name,
      Flags: 4,
      ItalicAngle: 0,
      StemV: 80,
      FontBBox: [minX, minY, maxX, maxY].map((value) => value * scale),
      Ascent: font.ascent * scale,
      Descent: font.descent * scale,
      CapHeight: font.capHeight * scale,
      FontFile2: file,
    })
    descendant.set(key('Subtype'), key('CIDFontType2'))
    descendant.set(key('FontDescriptor'), context.register(descriptor))
    descendant.set(key('CIDToGIDMap'), context.register(context.flateStream(glyphs)))
    const collection = { Registry: PDFString.of('Adobe'), Ordering: PDFString.of('Identity'), Supplement: 0 }
    descendant.set(key('CIDSystemInfo'), context.obj(collection))
  }
}

/** Codes of one byte are the CIDs (ISO 32000-1, 9.7.5.3). */
const ONE_BYTE = [
  '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
  '/CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> def',
  '/CMapName /OneByte def /CMapType 1 def',
  '1 begincodespacerange <00> <ff> endcodespacerange',
  '1 begincidrange <00> <ff> 0 endcidrange',
  'endcmap CMapName currentdict /CMap defineresource pop end end',
].join('\n')
