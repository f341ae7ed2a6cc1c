/** Makes font programs for composite fonts of Chinese, Japanese or Korean that the file does not contain. */
import type { PDFDict } from '@cantoo/pdf-lib'
import { type CharacterMap, characterMap, cidsIn } from './character-maps.ts'
import { type EastAsianFont, eastAsianFont } from './east-asian-glyphs.ts'
import { embeddedMap } from './embedded-maps.ts'
import { orderingOf } from './font-names.ts'
import { unicodeMapOf } from './glyph-characters.ts'

const EAST_ASIAN =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Bopomofo}\u3000-\u303f\uff01-\uffee]/u
/** Collections of characters that have a map to Unicode, and the font with the shapes of their region. */
const REGIONS: Readonly<Record<string, EastAsianFont>> = { GB1: 'sc', CNS1: 'tc', Japan1: 'jp', Korea1: 'kr' }
const MAX_GLYPHS = 65_534
const TWO_BYTES: CharacterMap['codespaces'] = [{ bytes: 2, from: 0, to: 0xffff }]

/**
 * @param strings shown in the font; the program contains only their characters
 * @returns the program and the numbers of its glyphs by CIDs, two bytes each; undefined when there are no such letters,
 *   or the file does not map its codes to characters
 */
export async function eastAsianProgram(
  font: PDFDict,
  descendant: PDFDict,
  isBold: boolean,
  strings: () => Promise<readonly Uint8Array[]>,
): Promise<{ bytes: Buffer; glyphs: Buffer } | undefined> {
  const { PDFName, PDFRawStream } = await import('@cantoo/pdf-lib')
  const encoding = font.lookup(PDFName.of('Encoding'))
  if (!(encoding instanceof PDFName || encoding instanceof PDFRawStream)) return undefined
  const isIdentity = encoding instanceof PDFName && /^Identity-[HV]$/.test(encoding.decodeText())
  const ordering = await orderingOf(descendant)
  const region = Object.hasOwn(REGIONS, ordering) ? REGIONS[ordering] : undefined
  const given = isIdentity ? await unicodeMapOf(font) : undefined
  const known = region && (await characterMap(`Adobe-${ordering}-UCS2`))
  const texts = given?.size ? given : known?.characters
  const codes = isIdentity
    ? undefined
    : await (encoding instanceof PDFName ? characterMap(encoding.decodeText()) : embeddedMap(encoding))
  if (texts === undefined || (codes === undefined && !isIdentity)) return undefined
  if (![...texts.values()].some((text) => EAST_ASIAN.test(text))) return undefined

  const shown = new Map<number, string>()
  for (const string of await strings())
    for (const cid of cidsIn(string, codes ?? { codespaces: TWO_BYTES, cids: undefined })) {
      const text = texts.get(cid)
      if (text !== undefined) shown.set(cid, text)
    }
  const characters = [...new Set(shown.values())].slice(0, MAX_GLYPHS)
  if (!characters.some((text) => EAST_ASIAN.test(text))) return undefined
  const numbers = new Map(characters.map((text, i) => [text, i + 1]))
  const glyphs = Buffer.alloc(2 * (1 + [...shown.keys()].reduce((most, cid) => Math.max(most, cid))))
  for (const [cid, text] of shown) glyphs.writeUInt16BE(numbers.get(text) ?? 0, 2 * cid)
  return { bytes: await eastAsianFont(characters, region ?? regionOf(characters.join('')), isBold), glyphs }
}

function regionOf(text: string): EastAsianFont {
  if (/\p{Script=Hangul}/u.test(text)) return 'kr'
  return /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text) ? 'jp' : 'sc'
}
