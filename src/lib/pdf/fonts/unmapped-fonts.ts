/**
 * Marks fonts without a map from codes to letters, so that readers do not treat the codes as letters: their codes are
 * mapped to private-use characters (ISO 32000-2, 9.10.2, lists the fonts that need no map).
 */
import type { PDFDict, PDFDocument } from '@cantoo/pdf-lib'
import { UNMAPPED } from '../layout/unmapped.ts'
import { streamDecoder } from '../structure/stream-decoder.ts'

/** Generated glyph names that do not identify a letter, such as g12 or cid_34. */
const NUMBERED_NAME = /^(?!uni[0-9A-F]{4}|u[0-9A-F]{4,6}$)[A-Za-z]{1,5}[-_.]?\d+$/
/** Collections of characters with published maps to Unicode. */
const KNOWN_COLLECTION = /^(Japan1|GB1|CNS1|Korea1|KR|UCS)/
/** Symbol fonts, with glyph numbers chosen by their designers. */
const SIGNS = /dingbat|symbol|wingding|webding/i

/** @returns whether any font was marked */
export async function markUnmappedFonts(document: PDFDocument): Promise<boolean> {
  const { PDFArray, PDFDict, PDFName, PDFRawStream, PDFString, PDFHexString } = await import('@cantoo/pdf-lib')
  const { context } = document
  const decode = await streamDecoder()
  const textOf = (value: unknown): string =>
    value instanceof PDFName
      ? value.decodeText()
      : value instanceof PDFString || value instanceof PDFHexString
        ? value.decodeText()
        : ''

  /** Whether a font has a non-empty map. */
  function hasMap(font: PDFDict): boolean {
    const map = font.lookup(PDFName.of('ToUnicode'))
    if (!(map instanceof PDFRawStream)) return false
    const text = Buffer.from(decode(map) ?? []).toString('latin1')
    return /begin(bfchar|bfrange)\s*<|usecmap/.test(text)
  }
  function isUnmappedComposite(font: PDFDict): boolean {
    const descendants = font.lookup(PDFName.of('DescendantFonts'))
    const descendant = descendants instanceof PDFArray ? descendants.lookup(0) : undefined
    const collection = descendant instanceof PDFDict ? descendant.lookup(PDFName.of('CIDSystemInfo')) : undefined
    const ordering = collection instanceof PDFDict ? textOf(collection.lookup(PDFName.of('Ordering'))) : ''
    const encoding = font.lookup(PDFName.of('Encoding'))
    const isPredefined = encoding instanceof PDFName && !/^\/?Identity/.test(encoding.toString())
    return !isPredefined && !KNOWN_COLLECTION.test(ordering)
  }
  function hasNumberedNames(font: PDFDict): boolean {
    const encoding = font.lookup(PDFName.of('Encoding'))
    const differences = encoding instanceof PDFDict ? encoding.lookup(PDFName.of('Differences')) : undefined
    if (!(differences instanceof PDFArray)) return false
    const names = differences
      .asArray()
      .flatMap((one) => (one instanceof PDFName && textOf(one) !== '.notdef' ? [textOf(one)] : []))
    return names.length > 0 && names.filter((name) => NUMBERED_NAME.test(name)).length > names.length / 2
  }

  let isChanged = false
  for (const [, font] of context.enumerateIndirectObjects()) {
    if (!(font instanceof PDFDict) || font.lookup(PDFName.of('Type')) !== PDFName.of('Font')) continue
    const subtype = textOf(font.lookup(PDFName.of('Subtype')))
    if (subtype.startsWith('CIDFont') || SIGNS.test(textOf(font.lookup(PDFName.of('BaseFont')))) || hasMap(font))
      continue
    const isComposite = subtype === 'Type0'
    if (!(isComposite ? isUnmappedComposite(font) : hasNumberedNames(font))) continue
    font.set(PDFName.of('ToUnicode'), context.register(context.flateStream(privateMap(isComposite))))
    isChanged = true
  }
  return isChanged
}

/** Maps all codes of one or two bytes to private characters. */
function privateMap(isComposite: boolean): string {
  const first = Buffer.alloc(4)
  const character = String.fromCodePoint(UNMAPPED)
  first.writeUInt16BE(character.charCodeAt(0), 0)
  first.writeUInt16BE(character.charCodeAt(1), 2)
  const target = first.toString('hex')
  const hex = (value: number): string => value.toString(16).padStart(2, '0')
  const ranges = isComposite
    ? Array.from({ length: 256 }, (_, high) => `<${hex(high)}00> <${hex(high)}ff> <${target}>`)
    : [`<00> <ff> <${target}>`]
  const blocks: string[] = []
  // a block has at most 100 entries
  for (let at = 0; at < ranges.length; at += 64) {
    const block = ranges.slice(at, at + 64)
    blocks.push(`${block.length} beginbfrange\n${block.join('\n')}\nendbfrange`)
  }
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    '/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def',
    '/CMapName /Adobe-Identity-UCS def /CMapType 2 def',
    `1 begincodespacerange ${isComposite ? '<0000> <ffff>' : '<00> <ff>'} endcodespacerange`,
    ...blocks,
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n')
}
