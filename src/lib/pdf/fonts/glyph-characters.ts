/** Maps the codes of a font to characters, by its map to Unicode and by the names of its glyphs. */
import type { PDFDict, PDFRawStream } from '@cantoo/pdf-lib'
import { streamDecoder } from '../structure/stream-decoder.ts'
import { encodingOf } from './font-programs.ts'
import { charactersOf } from './font-tables.ts'

const MAX_CODES = 65_536
const MAX_MAP_BYTES = 4 * 2 ** 20
const CHARACTER = /<([0-9A-Fa-f\s]+)>\s*<([0-9A-Fa-f\s]*)>/g
const RANGE = /<([0-9A-Fa-f\s]+)>\s*<([0-9A-Fa-f\s]+)>\s*(?:<([0-9A-Fa-f\s]*)>|\[([^\][]*)\])/g

const numberOf = (hex = ''): number => Number.parseInt(hex.replace(/\s+/g, ''), 16)
const textOf = (hex = ''): string => Buffer.from(hex.replace(/\s+/g, ''), 'hex').swap16().toString('utf16le')
const isText = (hex = ''): boolean => hex.replace(/\s+/g, '').length % 4 === 0

/** ISO 32000-1, 9.10.3 */
export async function unicodeMapOf(font: PDFDict): Promise<Map<number, string>> {
  const { PDFName, PDFRawStream } = await import('@cantoo/pdf-lib')
  const map = font.lookup(PDFName.of('ToUnicode'))
  return map instanceof PDFRawStream ? parsed(map, await streamDecoder()) : new Map()
}

function parsed(map: PDFRawStream, decode: (stream: PDFRawStream) => Uint8Array | undefined): Map<number, string> {
  const texts = new Map<number, string>()
  /** Ranges may overlap. */
  let left = 2 * MAX_CODES
  const set = (code: number, text: string): void => {
    if (--left >= 0 && code < MAX_CODES) texts.set(code, text)
  }
  for (const { isRange, block } of blocksOf(Buffer.from(decode(map) ?? [])))
    if (!isRange) {
      for (const [, code, text] of block.matchAll(CHARACTER)) if (isText(text)) set(numberOf(code), textOf(text))
    } else
      for (const [, from, to, text, list] of block.matchAll(RANGE)) {
        const [first, last] = [numberOf(from), Math.min(numberOf(to), MAX_CODES - 1)]
        const items = list?.match(/<[^>]*>/g)?.map((item) => item.slice(1, -1))
        for (let code = first; code <= last && left > 0; code++) {
          const hex = list === undefined ? text : items?.[code - first]
          if (hex === undefined || !isText(hex)) break
          const start = textOf(hex)
          const end = start.charCodeAt(start.length - 1)
          set(code, list === undefined ? start.slice(0, -1) + String.fromCharCode(end + code - first) : start)
        }
      }
  return texts
}

function* blocksOf(bytes: Buffer): Generator<{ isRange: boolean; block: string }> {
  if (bytes.length > MAX_MAP_BYTES) return
  const text = bytes.toString('latin1')
  for (let at = text.indexOf('beginbf'); at >= 0; ) {
    const end = text.indexOf('endbf', at)
    if (end < 0) return
    yield { isRange: text.startsWith('beginbfrange', at), block: text.slice(at, end) }
    at = text.indexOf('beginbf', end)
  }
}

/**
 * Adobe glyph list names (afii…) of Cyrillic and Arabic letters: the first number of each range, and its characters.
 */
const NUMBERED: readonly (readonly [first: number, characters: string])[] = [
  [10_017, 'АБВГДЕЁЖЗИЙКЛМНОПРСТУФХЦЧШЩЪЫЬЭЮЯҐЂЃЄЅІЇЈЉЊЋЌЎ'],
  [10_065, 'абвгдеёжзийклмнопрстуфхцчшщъыьэюяґђѓєѕіїјљњћќў'],
  [10_145, 'Џ'],
  [10_193, 'џ'],
  [57_388, '،'],
  [57_392, '٠١٢٣٤٥٦٧٨٩'],
  [57_403, '؛'],
  [57_407, '؟'],
  [57_409, 'ءآأؤإئابةتثجحخدذرزسشصضطظعغ'],
  [57_440, 'ـفقكلمنهوىي\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652'],
]
const AFII = new Map(NUMBERED.flatMap(([first, text]) => [...text].map((sign, i) => [`afii${first + i}`, sign])))
const DIERESIS = '\u0308'
const TONOS = '\u0301'

/** @returns no character for an unknown name */
export function characterNamed(name: string): string | undefined {
  const [known] = charactersOf(name)
  if (known !== undefined) return known
  const [, letter = '', dieresis, tonos] = /^([A-Z]?[a-z]+?)(dieresis)?(tonos)?$/.exec(name) ?? []
  const [base] = charactersOf(letter)
  if (base !== undefined && /\p{Script=Greek}/u.test(base))
    return (base + (dieresis ? DIERESIS : '') + (tonos ? TONOS : '')).normalize('NFC')
  return AFII.get(name)
}

const LATIN = new TextDecoder('windows-1252')

/** The characters of a simple font: a byte is a code. */
export async function charactersOfCodes(font: PDFDict): Promise<Map<number, string>> {
  const { differences } = await encodingOf(font)
  const map = await unicodeMapOf(font)
  const texts = new Map<number, string>()
  for (let code = 0; code < 256; code++) {
    const name = differences.get(code)
    const latin = name === undefined ? LATIN.decode(Uint8Array.of(code)) : undefined
    const text = (name && characterNamed(name)) ?? map.get(code) ?? latin
    if (text !== undefined) texts.set(code, text)
  }
  return texts
}
