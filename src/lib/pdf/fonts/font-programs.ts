/** Finds the glyphs of an embedded font that are shown by the strings of a document. */
import type { PDFDict } from '@cantoo/pdf-lib'
import { decodeLossless, filtersOf } from '../structure/filters.ts'
import { type Cff, cffOf, charactersOf, glyphFinder, type OpenFont } from './font-tables.ts'

/** A font of a document that uses the program. */
export type FontUse = { font: PDFDict; descendant: PDFDict | undefined; strings: readonly Uint8Array[] }

const MAX_MAP_BYTES = 2 * 65_536

/** @returns undefined when it is not certain which glyphs are shown */
export async function shownGlyphs(
  open: OpenFont,
  { font, descendant, strings }: FontUse,
): Promise<Set<number> | undefined> {
  if (descendant !== undefined) return glyphsOfCids(open, font, descendant, strings)
  const cff = cffOf(open)
  return glyphsOfCodes(cff, cff === undefined ? glyphFinder(open) : undefined, font, strings)
}

function codesIn(strings: readonly Uint8Array[]): Set<number> {
  const codes = new Set<number>()
  for (const text of strings) for (const code of text) codes.add(code)
  return codes
}

/** Composite fonts with the encoding Identity: two bytes are a CID. */
async function glyphsOfCids(
  open: OpenFont,
  font: PDFDict,
  descendant: PDFDict,
  strings: readonly Uint8Array[],
): Promise<Set<number> | undefined> {
  const { PDFName, PDFRawStream } = await import('@cantoo/pdf-lib')
  const encoding = font.lookup(PDFName.of('Encoding'))
  if (encoding !== PDFName.of('Identity-H') && encoding !== PDFName.of('Identity-V')) return undefined
  const map = descendant.lookup(PDFName.of('CIDToGIDMap'))
  const isTrueType = descendant.lookup(PDFName.of('Subtype')) === PDFName.of('CIDFontType2')
  let glyphOf = (cid: number): number => cid
  if (isTrueType && map instanceof PDFRawStream) {
    const bytes = await decodeLossless(map.getContents(), await filtersOf(map.dict), MAX_MAP_BYTES)
    if (bytes === undefined) return undefined
    glyphOf = (cid) => ((bytes[2 * cid] ?? 0) << 8) | (bytes[2 * cid + 1] ?? 0)
  } else if (!isTrueType) {
    const cff = cffOf(open)
    if (cff === undefined) return undefined
    const { glyphOfCid } = cff
    if (glyphOfCid !== undefined) glyphOf = (cid) => glyphOfCid.get(cid) ?? 0
  }
  const glyphs = new Set([0])
  for (const text of strings)
    for (let i = 0; i + 1 < text.length; i += 2)
      glyphs.add(glyphOf(((text[i] as number) << 8) | (text[i + 1] as number)))
  return glyphs
}

type Encoding = { base: string; differences: Map<number, string> }

export async function encodingOf(font: PDFDict): Promise<Encoding> {
  const { PDFArray, PDFDict, PDFName, PDFNumber } = await import('@cantoo/pdf-lib')
  const found = font.lookup(PDFName.of('Encoding'))
  const base = found instanceof PDFDict ? found.lookup(PDFName.of('BaseEncoding')) : found
  const differences = new Map<number, string>()
  const list = found instanceof PDFDict ? found.lookup(PDFName.of('Differences')) : undefined
  let code = 0
  for (const item of list instanceof PDFArray ? list.asArray() : []) {
    const value = font.context.lookup(item)
    if (value instanceof PDFNumber) code = value.asNumber()
    else if (value instanceof PDFName) differences.set(code++, value.decodeText())
  }
  return { base: base instanceof PDFName ? base.decodeText() : '', differences }
}

/** The encodings that a reader may assume; together they give a superset of the shown glyphs. */
const DECODERS = [new TextDecoder('windows-1252'), new TextDecoder('macintosh')]
/** ISO 32000-1, annex D: StandardEncoding differs from the two above in its quotes. */
const STANDARD_QUOTES: Record<number, string> = { 39: '’', 96: '‘' }
const LAST_ASCII = 126

/** Simple fonts: a byte is a code. */
async function glyphsOfCodes(
  cff: Cff | undefined,
  find: ReturnType<typeof glyphFinder>,
  font: PDFDict,
  strings: readonly Uint8Array[],
): Promise<Set<number> | undefined> {
  const { base, differences } = await encodingOf(font)
  const isKnownBase = base === 'WinAnsiEncoding' || base === 'MacRomanEncoding'
  const glyphs = new Set([0])
  for (const code of codesIn(strings)) {
    const name = differences.get(code)
    const characters = name === undefined ? assumed(code) : charactersOf(name)
    const builtIn = cff?.glyphOfCode.get(code)
    if (
      name === undefined &&
      !isKnownBase &&
      code > LAST_ASCII &&
      (cff ? builtIn === undefined : base !== '' || differences.size > 0)
    )
      return undefined
    if (cff !== undefined) {
      for (const glyph of glyphsNamed(cff, name, characters)) glyphs.add(glyph)
      if (builtIn !== undefined) glyphs.add(builtIn)
    } else if (find === undefined || (name !== undefined && characters.length === 0)) return undefined
    else for (const glyph of find(code, characters)) glyphs.add(glyph)
  }
  return glyphs
}

const assumed = (code: number): string[] => [
  ...DECODERS.map((decoder) => decoder.decode(Uint8Array.of(code))),
  ...(STANDARD_QUOTES[code] === undefined ? [] : [STANDARD_QUOTES[code]]),
]

function glyphsNamed(
  { glyphsOfName, glyphsOfCharacter }: Cff,
  name: string | undefined,
  characters: string[],
): number[] {
  if (name !== undefined) return glyphsOfName.get(name) ?? []
  return characters.flatMap((character) => glyphsOfCharacter(character))
}
