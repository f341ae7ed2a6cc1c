/** Reads the tables of embedded fonts that find glyphs: `cmap` of TrueType; names, codes and CIDs of CFF. */
import { Encodings } from '@cantoo/pdf-lib/standard-fonts'

/** The parts of fontkit's fonts that its types omit. */
export type OpenFont = {
  'CFF '?: {
    isCIDFont: boolean
    topDict: {
      CharStrings: unknown[]
      Encoding: string[] | { version: number; codes?: number[]; ranges?: { first: number; nLeft: number }[] }
      charset: string[] | { version: number; glyphs?: number[]; ranges?: { first: number; nLeft: number }[] }
    }
    getGlyphName(glyph: number): string | null | undefined
  }
  cmap?: { tables: { platformID: number; encodingID: number; table: Cmap }[] }
}
type List<T = number> = { get(i: number): T | null }
type Cmap =
  | { version: 0; codeMap: List }
  | {
      version: 4
      segCount: number
      startCode: List
      endCode: List
      idDelta: List
      idRangeOffset: List
      glyphIndexArray: List
    }
  | { version: 6; firstCode: number; glyphIndices: List }
  | { version: 12; nGroups: number; groups: List<{ startCharCode: number; endCharCode: number; glyphID: number }> }

/** @returns undefined for fonts that fontkit cannot read */
export async function openFont(bytes: Uint8Array): Promise<OpenFont | undefined> {
  const fontkit = await import('fontkit')
  try {
    return fontkit.create(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)) as unknown as OpenFont
  } catch {
    // damaged, or of another format
    return undefined
  }
}

export type Cff = {
  glyphsOfName: Map<string, number[]>
  glyphsOfCharacter(character: string): number[]
  /** By the font's own encoding. */
  glyphOfCode: Map<number, number>
  /** Undefined when a CID is the number of a glyph. */
  glyphOfCid: Map<number, number> | undefined
}

/** @returns undefined for a font without CFF */
export function cffOf(open: OpenFont): Cff | undefined {
  const cff = open['CFF ']
  if (cff === undefined) return undefined
  const { Encoding, charset, CharStrings } = cff.topDict
  const glyphsOfName = new Map<string, number[]>()
  const glyphOfCode = new Map<number, number>()
  const glyphOfCid = cff.isCIDFont && !Array.isArray(charset) ? new Map([[0, 0]]) : undefined
  if (glyphOfCid !== undefined && !Array.isArray(charset))
    for (const [i, cid] of expanded(charset.glyphs, charset.ranges).entries()) glyphOfCid.set(cid, i + 1)
  else if (!cff.isCIDFont) {
    for (let glyph = 0; glyph < CharStrings.length; glyph++) {
      const name = cff.getGlyphName(glyph)
      if (name) glyphsOfName.set(name, [...(glyphsOfName.get(name) ?? []), glyph])
    }
    if (Array.isArray(Encoding))
      for (const [code, name] of Encoding.entries()) {
        const glyph = glyphsOfName.get(name)?.[0]
        if (glyph !== undefined) glyphOfCode.set(code, glyph)
      }
    else for (const [i, code] of expanded(Encoding.codes, Encoding.ranges).entries()) glyphOfCode.set(code, i + 1)
  }
  return {
    glyphsOfName,
    glyphOfCode,
    glyphOfCid,
    glyphsOfCharacter: (character) => namesOf(character).flatMap((name) => glyphsOfName.get(name) ?? []),
  }
}

const expanded = (list: number[] = [], ranges: { first: number; nLeft: number }[] = []): number[] => [
  ...list,
  ...ranges.flatMap(({ first, nLeft }) => Array.from({ length: nLeft + 1 }, (_, i) => first + i)),
]

/** Names of the Adobe Glyph List for the characters of PDF's encodings. */
const NAMES = new Map<string, string[]>()
const CHARACTERS = new Map<string, string>()
for (const encoding of [Encodings.WinAnsi, Encodings.Symbol])
  for (const codePoint of encoding.supportedCodePoints) {
    const { name } = encoding.encodeUnicodeCodePoint(codePoint)
    const character = String.fromCodePoint(codePoint)
    NAMES.set(character, [...(NAMES.get(character) ?? []), name])
    CHARACTERS.set(name, character)
  }

const namesOf = (character: string): string[] => NAMES.get(character) ?? []

/** @returns no character for an unknown name */
export function charactersOf(name: string): string[] {
  const known = CHARACTERS.get(name)
  if (known !== undefined) return [known]
  const [, digits] = /^uni([0-9A-F]{4})$/.exec(name) ?? /^u([0-9A-F]{4,5})$/.exec(name) ?? []
  return digits === undefined ? [] : [String.fromCodePoint(Number.parseInt(digits, 16))]
}

const [UNICODE, MACINTOSH, WINDOWS] = [0, 1, 3]
/** Code offsets of symbol fonts. */
const SYMBOL_BLOCKS = [0, 0xf000, 0xf100, 0xf200]

/**
 * Finds the glyphs of a code in all tables that a reader may use.
 * @returns undefined for a font whose tables are missing or of an unusual format
 */
export function glyphFinder(open: OpenFont): ((code: number, characters: readonly string[]) => number[]) | undefined {
  const tables = open.cmap?.tables ?? []
  if (tables.length === 0 || !tables.every(({ table }) => [0, 4, 6, 12].includes(table.version))) return undefined
  return (code, characters) =>
    tables.flatMap(({ platformID, encodingID, table }) => {
      const isSymbol = platformID === WINDOWS && encodingID === 0
      if (isSymbol) return SYMBOL_BLOCKS.map((block) => lookup(table, block + code))
      if (platformID === MACINTOSH) return [code, ...characters.flatMap(macCodes)].map((one) => lookup(table, one))
      const isUnicode = platformID === UNICODE || platformID === WINDOWS
      return isUnicode ? characters.map((character) => lookup(table, character.codePointAt(0) ?? 0)) : []
    })
}

const MAC = new TextDecoder('macintosh').decode(Uint8Array.from({ length: 256 }, (_, code) => code))
const macCodes = (character: string): number[] => (MAC.includes(character) ? [MAC.indexOf(character)] : [])

function lookup(table: Cmap, code: number): number {
  switch (table.version) {
    case 0:
      return code < 256 ? (table.codeMap.get(code) ?? 0) : 0
    case 6:
      return code >= table.firstCode ? (table.glyphIndices.get(code - table.firstCode) ?? 0) : 0
    case 12:
      for (let i = 0; i < table.nGroups; i++) {
        const group = table.groups.get(i)
        if (group && code >= group.startCharCode && code <= group.endCharCode)
          return group.glyphID + code - group.startCharCode
      }
      return 0
    case 4:
      for (let i = 0; i < table.segCount; i++) {
        const [start, end] = [table.startCode.get(i) ?? 1, table.endCode.get(i) ?? 0]
        if (code < start || code > end) continue
        const [offset, delta] = [table.idRangeOffset.get(i) ?? 0, table.idDelta.get(i) ?? 0]
        if (offset === 0) return (code + delta) & 0xffff
        const glyph = table.glyphIndexArray.get(offset / 2 + (code - start) - (table.segCount - i)) ?? 0
        return glyph === 0 ? 0 : (glyph + delta) & 0xffff
      }
      return 0
  }
}
