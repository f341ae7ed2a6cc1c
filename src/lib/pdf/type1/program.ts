/** Reads Type 1 font programs (Adobe Type 1 Font Format), as PDFs embed them. */
import { STANDARD_ENCODING } from './standard-names.ts'

export type Type1Program = {
  name: string
  matrix: number[]
  bounds: number[]
  /** The font's own encoding; undefined for one that is not a list of codes. */
  encoding: ReadonlyMap<number, string> | undefined
  /** Decrypted. */
  charstrings: ReadonlyMap<string, Uint8Array>
  subroutines: ReadonlyMap<number, Uint8Array>
}

const [EEXEC_KEY, CHARSTRING_KEY] = [55_665, 4_330]
const EEXEC_RANDOM_BYTES = 4
const DEFAULT_RANDOM_BYTES = 4
const MAX_GLYPHS = 65_535
const MAX_CLEAR_BYTES = 2 ** 18
/**
 * The next entry of the dictionary of glyphs or the array of subroutines: its key, its length, and an operator before
 * exactly one space and the data. Only the end of the entry before, or the beginning of the array, may precede it.
 */
const GLYPH = /\s*(?:(?!end\s)[^\s/]+\s+){0,5}\/([^\s/[\](){}<>%]+)\s+(\d+)\s+\S+[ \t\r\n]/y
const SUBROUTINE = /\s*(?:[^\s]+\s+){0,4}?dup\s+(\d+)\s+(\d+)\s+\S+[ \t\r\n]/y

/** Adobe Type 1 Font Format, 7.1. */
function decrypted(bytes: Uint8Array, key: number, randomBytes: number): Uint8Array {
  const out = new Uint8Array(bytes.length)
  let state = key
  for (const [i, cipher] of bytes.entries()) {
    out[i] = cipher ^ (state >> 8)
    state = ((cipher + state) * 52_845 + 22_719) & 0xffff
  }
  return out.subarray(randomBytes)
}

/** Without the headers of the segments of a PFB file. */
function withoutSegments(bytes: Buffer): Buffer {
  const parts: Buffer[] = []
  let at = 0
  while (bytes[at] === 0x80 && (bytes[at + 1] === 1 || bytes[at + 1] === 2) && at + 6 <= bytes.length) {
    const end = at + 6 + bytes.readUInt32LE(at + 2)
    parts.push(bytes.subarray(at + 6, end))
    at = end
  }
  return parts.length === 0 ? bytes : Buffer.concat(parts)
}

/** @returns the clear and the decrypted part */
function partsOf(bytes: Buffer): [clear: string, secret: Buffer] | undefined {
  const mark = /\beexec(?:\r\n|[ \t\r\n])/.exec(bytes.toString('latin1'))
  if (mark === null || mark.index > MAX_CLEAR_BYTES) return undefined
  const cipher = bytes.subarray(mark.index + mark[0].length)
  const isHexadecimal = /^[0-9A-Fa-f\s]{8}/.test(cipher.toString('latin1', 0, 8))
  const binary = isHexadecimal ? Buffer.from(cipher.toString('latin1').replace(/\s+/g, ''), 'hex') : cipher
  const secret = decrypted(binary, EEXEC_KEY, EEXEC_RANDOM_BYTES)
  return [bytes.toString('latin1', 0, mark.index), Buffer.from(secret.buffer, secret.byteOffset, secret.length)]
}

const numbersIn = (text: string | undefined): number[] => (text?.match(/[-+.\deE]+/g) ?? []).map(Number)

/** @returns undefined for an encoding that is neither StandardEncoding nor a list of codes */
function encodingIn(clear: string): Map<number, string> | undefined {
  if (/\/Encoding\s+StandardEncoding\s+def/.test(clear)) return new Map(STANDARD_ENCODING)
  const [, list] = /\/Encoding\s+256\s+array([\s\S]*?)(?:\breadonly\s+)?\bdef\b/.exec(clear) ?? []
  if (list === undefined) return undefined
  const entries = [...list.matchAll(/\bdup\s+(?:(\d+)#)?([0-9A-Za-z]+)\s*\/([^\s/[\](){}<>%]+)\s+put\b/g)]
  return new Map(entries.map(([, radix, code, name]) => [Number.parseInt(code ?? '', Number(radix ?? 10)), name ?? '']))
}

/**
 * @returns undefined for a font that is damaged, or of a kind that has more than one set of glyphs (synthetic, hybrid and
 * multiple master fonts) or draws outlines
 */
export function readType1(bytes: Uint8Array): Type1Program | undefined {
  const parts = partsOf(withoutSegments(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)))
  if (parts === undefined) return undefined
  const [clear, secret] = parts
  const text = secret.toString('latin1')
  const paintType = Number(/\/PaintType\s+(\d+)/.exec(clear)?.[1] ?? 0)
  if (paintType !== 0 || /\/(?:WeightVector|BlendDesignMap)\b/.test(clear + text)) return undefined
  const [charstringsAt, ...others] = [...text.matchAll(/\/CharStrings\b/g)].map(({ index }) => index)
  const subroutinesAt = [...text.matchAll(/\/Subrs\b/g)].map(({ index }) => index)
  if (charstringsAt === undefined || others.length > 0 || subroutinesAt.length > 1) return undefined
  const randomBytes = Number(/\/lenIV\s+(-?\d+)/.exec(text)?.[1] ?? DEFAULT_RANDOM_BYTES)
  const charstrings = entriesFrom(charstringsAt, GLYPH)
  const subroutines = subroutinesAt[0] === undefined ? new Map() : entriesFrom(subroutinesAt[0], SUBROUTINE)
  const matrix = numbersIn(/\/FontMatrix\s*[[{]([^\]}]*)[\]}]/.exec(clear)?.[1])
  const bounds = numbersIn(/\/FontBBox\s*[[{]([^\]}]*)[\]}]/.exec(clear)?.[1])
  if (!charstrings.has('.notdef') || charstrings.size > MAX_GLYPHS || matrix.length !== 6) return undefined
  return {
    name: /\/FontName\s*\/([!-~]+)/.exec(clear)?.[1] ?? 'Type1',
    matrix,
    bounds: bounds.length === 4 ? bounds : [0, 0, 0, 0],
    encoding: encodingIn(clear),
    charstrings,
    subroutines: new Map([...subroutines].map(([index, data]) => [Number(index), data])),
  }

  function entriesFrom(start: number, entry: RegExp): Map<string, Uint8Array> {
    const entries = new Map<string, Uint8Array>()
    entry.lastIndex = start + 1
    for (let found = entry.exec(text); found !== null; found = entry.exec(text)) {
      const [, key = '', length] = found
      const end = entry.lastIndex + Number(length)
      if (end > secret.length) break
      const data = secret.subarray(entry.lastIndex, end)
      // readers differ about which of two entries counts; fonts have each once
      if (!entries.has(key)) entries.set(key, randomBytes < 0 ? data : decrypted(data, CHARSTRING_KEY, randomBytes))
      entry.lastIndex = end
    }
    return entries
  }
}
