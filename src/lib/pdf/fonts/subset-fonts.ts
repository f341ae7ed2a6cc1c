/** Reduces embedded fonts to the shown glyphs. */
import type { PDFDict, PDFDocument, PDFRef } from '@cantoo/pdf-lib'
import { decodeLossless, filtersOf } from '../structure/filters.ts'
import type { Usage } from '../structure/page-usage.ts'
import { cffFrom, glyphCountOf, wrappedCff } from './bare-cff.ts'
import { type FontUse, shownGlyphs } from './font-programs.ts'
import { openFont } from './font-tables.ts'
import { subsetFont } from './harfbuzz-subset.ts'

/** Smaller fonts have most likely been subset already. */
const MIN_BYTES = 20_000
const MAX_BYTES = 64 * 2 ** 20

/** TrueType and CFF, in composite fonts with the encoding Identity and in simple fonts. */
export async function subsetFonts(document: PDFDocument, { shown }: Usage): Promise<void> {
  const { PDFArray, PDFDict, PDFName, PDFRawStream, PDFRef } = await import('@cantoo/pdf-lib')
  const { context } = document
  const key = PDFName.of
  const formFonts = fontsOfForms()
  const uses = new Map<PDFRef, FontUse[]>()
  const excluded = new Set<PDFRef>()
  for (const [ref, object] of context.enumerateIndirectObjects()) {
    if (!(object instanceof PDFDict) || object.lookup(key('Type')) !== key('Font')) continue
    if (/^\/CIDFontType/.test(String(object.lookup(key('Subtype'))))) continue
    const descendant = descendantOf(object)
    const file = fileOf(descendant ?? object)
    if (file === undefined) continue
    const strings = shown.get(ref)
    if (strings === undefined || formFonts.has(ref)) excluded.add(file)
    else uses.set(file, [...(uses.get(file) ?? []), { font: object, descendant, strings }])
  }
  for (const [ref, fonts] of uses) {
    const stream = context.lookup(ref)
    if (excluded.has(ref) || !(stream instanceof PDFRawStream)) continue
    const original = await decodeLossless(stream.getContents(), await filtersOf(stream.dict), MAX_BYTES)
    if (original === undefined || original.length < MIN_BYTES) continue
    const reduced = await reducedProgram(original, fonts)
    if (reduced === undefined || reduced.length >= original.length) continue
    const subtype = stream.dict.get(key('Subtype'))
    context.assign(ref, context.flateStream(reduced, subtype ? { Subtype: subtype } : { Length1: reduced.length }))
  }

  /** Fonts of form resources, which viewers use for values filled in later, and fonts inside Type 3 glyphs. */
  function fontsOfForms(): Set<PDFRef> {
    const found = new Set<PDFRef>()
    const add = (resources: unknown): void => {
      const fonts = resources instanceof PDFDict ? resources.lookup(key('Font')) : undefined
      if (fonts instanceof PDFDict) for (const font of fonts.values()) if (font instanceof PDFRef) found.add(font)
    }
    const form = document.catalog.lookup(key('AcroForm'))
    if (form instanceof PDFDict) add(form.lookup(key('DR')))
    for (const [, object] of context.enumerateIndirectObjects())
      if (object instanceof PDFDict && object.lookup(key('Subtype')) === key('Type3'))
        add(object.lookup(key('Resources')))
    return found
  }
  function descendantOf(font: PDFDict): PDFDict | undefined {
    const list = font.lookup(key('DescendantFonts'))
    const descendant = list instanceof PDFArray ? list.lookup(0) : undefined
    return descendant instanceof PDFDict ? descendant : undefined
  }
  function fileOf(font: PDFDict): PDFRef | undefined {
    const descriptor = font.lookup(key('FontDescriptor'))
    if (!(descriptor instanceof PDFDict)) return undefined
    const file = descriptor.get(key('FontFile2')) ?? descriptor.get(key('FontFile3'))
    return file instanceof PDFRef ? file : undefined
  }
}

/** CFF version 1; OpenType fonts begin with other bytes. */
const isBareCff = (font: Uint8Array): boolean => font[0] === 1 && font[1] === 0 && (font[2] ?? 0) >= 4

/** @returns undefined when it is not certain which glyphs are shown, and for a damaged font */
async function reducedProgram(original: Uint8Array, uses: readonly FontUse[]): Promise<Uint8Array | undefined> {
  const isBare = isBareCff(original)
  let font = original
  if (isBare) {
    const count = await glyphCountOf(original)
    if (count === undefined) return undefined
    font = wrappedCff(original, count)
  }
  const open = await openFont(font)
  if (open === undefined) return undefined
  const glyphs = new Set([0])
  for (const use of uses) {
    let shown: Set<number> | undefined
    try {
      shown = await shownGlyphs(open, use)
    } catch {
      // fontkit reads tables when they are used, and throws for damaged ones; the font stays as it is
      return undefined
    }
    if (shown === undefined) return undefined
    for (const glyph of shown) glyphs.add(glyph)
  }
  const isSimple = uses.some(({ descendant }) => descendant === undefined)
  const subset = await subsetFont(font, glyphs, isSimple)
  return isBare && subset !== undefined ? cffFrom(subset) : subset
}
