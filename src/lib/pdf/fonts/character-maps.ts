/**
 * The character maps (CMaps) of Chinese, Japanese and Korean fonts that files name but do not contain
 * (ISO 32000-1, 9.7.5.2), in the packed form that PDF.js brings: codes to CIDs, and CIDs to characters.
 */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { append } from '../../../lists.ts'

const require = createRequire(import.meta.url)

type Codespace = { bytes: number; from: number; to: number }
export type CharacterMap = {
  codespaces: Codespace[]
  /** CIDs by codes. */
  cids: Map<number, number>
  /** Characters by CIDs, of the maps whose names end with UCS2. */
  characters: Map<number, string>
}

/** Maximum depth of maps that use other maps. */
const MAX_DEPTH = 8
const NAME = /^[\w-]{1,40}$/

const maps = new Map<string, Promise<CharacterMap | undefined>>()

/** @returns undefined for a name that is not a predefined map */
export function characterMap(name: string, depth = 0): Promise<CharacterMap | undefined> {
  const known = maps.get(name)
  if (known !== undefined) return known
  if (!NAME.test(name) || depth > MAX_DEPTH) return Promise.resolve(undefined)
  const path = join(dirname(require.resolve('pdfjs-dist/package.json')), 'cmaps', `${name}.bcmap`)
  const map = readFile(path).then(
    (bytes) => unpacked(bytes, depth),
    () => undefined,
  )
  // unknown names come from the file and are not cached
  map.then((found) => found === undefined && maps.delete(name))
  maps.set(name, map)
  return map
}

/**
 * @param cids undefined if the codes are the CIDs
 * @returns the CIDs of the codes in a string
 */
export function cidsIn(
  text: Uint8Array,
  { codespaces, cids }: { codespaces: CharacterMap['codespaces']; cids: CharacterMap['cids'] | undefined },
): number[] {
  const found: number[] = []
  for (let at = 0; at < text.length; ) {
    let [code, length] = [0, 0]
    const isCode = (): boolean => codespaces.some((one) => one.bytes === length && isWithin(code, one))
    do code = code * 256 + (text[at + length++] ?? 0)
    while (!isCode() && length < 4 && at + length < text.length)
    // a code outside all ranges is one byte (9.7.6.3)
    at += isCode() ? length : 1
    const cid = cids === undefined ? code : cids.get(code)
    if (cid !== undefined) found.push(cid)
  }
  return found
}

/** Each byte is within its own range (9.7.6.2). */
function isWithin(code: number, { bytes, from, to }: Codespace): boolean {
  for (let i = 0; i < bytes; i++) {
    const byte = (value: number): number => Math.floor(value / 256 ** i) % 256
    if (byte(code) < byte(from) || byte(code) > byte(to)) return false
  }
  return true
}

/** Numbers of a packed map: of seven bits a byte, the highest bit set in all but the last byte. */
class Reader {
  private at = 0
  constructor(private readonly bytes: Uint8Array) {}

  get isAtEnd(): boolean {
    return this.at >= this.bytes.length
  }
  byte(): number {
    return this.bytes[this.at++] ?? 0
  }
  /** Up to 16 bytes, for codes of several characters. */
  big(): bigint {
    let value = 0n
    for (;;) {
      const byte = this.byte()
      value = (value << 7n) | BigInt(byte & 0x7f)
      if ((byte & 0x80) === 0 || this.isAtEnd) return value
    }
  }
  number(): number {
    return Number(this.big())
  }
  signed(): bigint {
    const value = this.big()
    return value & 1n ? -(value >> 1n) - 1n : value >> 1n
  }
  fixed(bytes: number): bigint {
    let value = 0n
    for (let i = 0; i < bytes; i++) value = (value << 8n) | BigInt(this.byte())
    return value
  }
  text(): string {
    return String.fromCharCode(...Array.from({ length: this.number() }, () => this.number()))
  }
}

/** Kinds of entries, in the highest three bits of their first byte. */
const [CODESPACE, NOTDEF, CID, CID_RANGE, CHARACTER, CHARACTER_RANGE, OTHER] = [0, 1, 2, 3, 4, 5, 7]

async function unpacked(bytes: Uint8Array, depth: number): Promise<CharacterMap> {
  const map: CharacterMap = { codespaces: [], cids: new Map(), characters: new Map() }
  const read = new Reader(bytes)
  read.byte()
  while (!read.isAtEnd) {
    const head = read.byte()
    const kind = head >> 5
    if (kind === OTHER) {
      const name = read.text()
      const used = (head & 0x1f) === 1 ? await characterMap(name, depth + 1) : undefined
      append(map.codespaces, used?.codespaces ?? [])
      for (const [code, cid] of used?.cids ?? []) map.cids.set(code, cid)
    } else readEntries(read, map, { kind, isSequence: (head & 0x10) !== 0, size: (head & 0x0f) + 1 })
  }
  return map
}

type Entries = { kind: number; isSequence: boolean; size: number }

/** Each entry is stored as the difference from the previous one. */
function readEntries(read: Reader, map: CharacterMap, { kind, isSequence, size }: Entries): void {
  const count = read.number()
  const codeBytes = kind === CHARACTER || kind === CHARACTER_RANGE ? 2 : size
  const isRange = kind !== CID && kind !== CHARACTER
  const textOf = (value: bigint): string =>
    Buffer.from(
      BigInt.asUintN(8 * size, value)
        .toString(16)
        .padStart(2 * size, '0'),
      'hex',
    )
      .swap16()
      .toString('utf16le')
  let last = -1n
  let target = 0n
  for (let i = 0; i < count; i++) {
    const isSkipping = i > 0 && (!isSequence || kind === CODESPACE || kind === NOTDEF)
    const from = i === 0 ? read.fixed(codeBytes) : last + 1n + (isSkipping ? read.big() : 0n)
    const to = isRange ? from + read.big() : from
    last = to
    if (kind === CODESPACE) map.codespaces.push({ bytes: size, from: Number(from), to: Number(to) })
    else if (kind === NOTDEF) read.number()
    else if (kind === CID) {
      target = i === 0 ? read.big() : target + 1n + read.signed()
      map.cids.set(Number(from), Number(target))
    } else if (kind === CID_RANGE) {
      const first = read.number()
      for (let code = Number(from); code <= Number(to); code++) map.cids.set(code, first + code - Number(from))
    } else {
      if (kind === CHARACTER) target = i === 0 ? read.fixed(size) : target + 1n + read.signed()
      else target = read.fixed(size)
      for (let code = from; code <= to; code++) map.characters.set(Number(code), textOf(target + code - from))
    }
  }
}
