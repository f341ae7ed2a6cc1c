/**
 * The character maps (CMaps) that files contain for their fonts (ISO 32000-1, 9.7.5.3). PDFium ignores maps used by
 * other maps, and reads three-byte codes only if the map also has shorter ones; PDF.js needs code ranges. Such maps are
 * rewritten as one complete list.
 */
import type { PDFDocument, PDFObject, PDFRawStream, PDFRef } from '@cantoo/pdf-lib'
import { streamDecoder } from '../structure/stream-decoder.ts'
import { type CharacterMap, characterMap } from './character-maps.ts'

type Codespace = CharacterMap['codespaces'][number]
type Entry = Codespace & { cid: number }
type EmbeddedMap = { codespaces: Codespace[]; entries: Entry[]; isVertical: boolean; ordering: string }

const MAX_MAP_BYTES = 4 * 2 ** 20
const MAX_DEPTH = 8
/** Maximum entries of one map, and of all rewritten maps of a file; the largest published maps have 30,000. */
const MAX_ENTRIES = 100_000
const MAX_ENTRIES_OF_FILE = 500_000
const MAX_CODES = 65_536
/** ISO 32000-1, 9.7.5.2 */
const IDENTITY = /^Identity-([HV])$/

const CODESPACE = /<([0-9A-Fa-f\s]+)>\s*<([0-9A-Fa-f\s]+)>/g
const RANGE = /<([0-9A-Fa-f\s]+)>\s*<([0-9A-Fa-f\s]+)>\s*(\d+)/g
const CHARACTER = /<([0-9A-Fa-f\s]+)>\s*(\d+)/g
const USED = /\/([\w-]{1,40})\s+usecmap\b/

type Kind = 'codespacerange' | 'cidrange' | 'cidchar'

function* blocksOf(text: string): Generator<{ kind: Kind; block: string }> {
  const begin = /begin(codespacerange|cidrange|cidchar)\b/g
  for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
    const kind = found[1] as Kind
    const end = text.indexOf(`end${kind}`, begin.lastIndex)
    if (end < 0) return
    yield { kind, block: text.slice(begin.lastIndex, end) }
    begin.lastIndex = end
  }
}

/** Whether a map, given as text, is of a kind that readers handle wrongly. */
export function isDifficultMap(text: string): boolean {
  if (/\busecmap\b/.test(text)) return true
  let hasCodespace = false
  for (const { kind, block } of blocksOf(text)) {
    if (kind !== 'codespacerange') continue
    if (/<(?:[0-9A-Fa-f]{2}\s*){3,}>/.test(block)) return true
    hasCodespace = true
  }
  return !hasCodespace
}

const codespace = (from: string, to: string): Codespace => {
  const digits = from.replace(/\s+/g, '')
  return {
    bytes: Math.ceil(digits.length / 2),
    from: Number.parseInt(digits, 16),
    to: Number.parseInt(to.replace(/\s+/g, ''), 16),
  }
}

/** @returns undefined for a map that cannot be decoded or is too large */
async function read(stream: PDFRawStream, depth = 0): Promise<EmbeddedMap | undefined> {
  const { PDFName, PDFRawStream } = await import('@cantoo/pdf-lib')
  const bytes = (await streamDecoder())(stream)
  if (bytes === undefined || bytes.length > MAX_MAP_BYTES || depth > MAX_DEPTH) return undefined
  const text = Buffer.from(bytes).toString('latin1')
  const given = stream.dict.lookup(PDFName.of('UseCMap'))
  const name = given instanceof PDFName ? given.decodeText() : USED.exec(text)?.[1]
  const used =
    given instanceof PDFRawStream
      ? await read(given, depth + 1)
      : name === undefined
        ? undefined
        : await predefined(name)
  const codespaces = [...(used?.codespaces ?? [])]
  const entries = [...(used?.entries ?? [])]
  for (const { kind, block } of blocksOf(text)) {
    if (entries.length > MAX_ENTRIES) return undefined
    if (kind === 'codespacerange')
      for (const [, from = '', to = ''] of block.matchAll(CODESPACE)) codespaces.push(codespace(from, to))
    else if (kind === 'cidrange')
      for (const [, from = '', to = '', cid] of block.matchAll(RANGE))
        entries.push({ ...codespace(from, to), cid: Number(cid) })
    else
      for (const [, code = '', cid] of block.matchAll(CHARACTER))
        entries.push({ ...codespace(code, code), cid: Number(cid) })
  }
  if (codespaces.length === 0)
    for (const bytes of new Set(entries.map((entry) => entry.bytes)))
      codespaces.push({ bytes, from: 0, to: 256 ** bytes - 1 })
  const [, mode] = /\/WMode\s+([01])/.exec(text) ?? []
  const [, ordering = 'Identity'] = /\/Ordering\s*\(([\w-]{1,40})\)/.exec(text) ?? []
  return { codespaces, entries, isVertical: mode === undefined ? (used?.isVertical ?? false) : mode === '1', ordering }
}

async function predefined(name: string): Promise<EmbeddedMap | undefined> {
  const isVertical = name.endsWith('V')
  if (IDENTITY.test(name)) {
    const all = { bytes: 2, from: 0, to: 0xffff }
    return { codespaces: [all], entries: [{ ...all, cid: 0 }], isVertical, ordering: 'Identity' }
  }
  const map = await characterMap(name)
  if (map === undefined) return undefined
  const entries: Entry[] = []
  for (const [code, cid] of [...map.cids].sort(([a], [b]) => a - b)) {
    const bytes = map.codespaces.find(({ from, to }) => code >= from && code <= to)?.bytes ?? 2
    const last = entries.at(-1)
    const isNext = last?.bytes === bytes && last.to === code - 1 && last.cid + code - last.from === cid
    // within a range only the last byte may change
    if (last !== undefined && isNext && code % 256 !== 0) last.to = code
    else entries.push({ bytes, from: code, to: code, cid })
  }
  return { codespaces: [...map.codespaces], entries, isVertical, ordering: 'Identity' }
}

/** A map from a file, for decoding text. */
export async function embeddedMap(stream: PDFRawStream): Promise<CharacterMap | undefined> {
  const map = await read(stream)
  if (map === undefined) return undefined
  const cids = new Map<number, number>()
  for (const { from, to, cid } of map.entries) {
    if (cids.size > MAX_CODES) return undefined
    for (let code = from; code <= Math.min(to, from + MAX_CODES); code++) cids.set(code, cid + code - from)
  }
  return { codespaces: map.codespaces, cids, characters: new Map() }
}

/** @returns whether any map was rewritten */
export async function flattenMaps({ context }: PDFDocument): Promise<boolean> {
  const { PDFDict, PDFName, PDFRawStream, PDFRef } = await import('@cantoo/pdf-lib')
  const decode = await streamDecoder()
  const flat = new Map<PDFObject, PDFRef | undefined>()
  let left = MAX_ENTRIES_OF_FILE
  for (const [, font] of context.enumerateIndirectObjects()) {
    if (!(font instanceof PDFDict) || font.lookup(PDFName.of('Subtype')) !== PDFName.of('Type0')) continue
    const key = font.get(PDFName.of('Encoding'))
    const stream = context.lookup(key)
    if (!(key instanceof PDFRef) || !(stream instanceof PDFRawStream)) continue
    if (!flat.has(key)) {
      const isDifficult = isDifficultMap(Buffer.from(decode(stream) ?? []).toString('latin1'))
      const map = isDifficult && left > 0 ? await read(stream) : undefined
      left -= map?.entries.length ?? 0
      const entries = { Type: 'CMap', CMapName: 'Flat', WMode: map?.isVertical ? 1 : 0 }
      flat.set(key, map && context.register(context.flateStream(written(map), entries)))
    }
    const made = flat.get(key)
    if (made !== undefined) font.set(PDFName.of('Encoding'), made)
  }
  return [...flat.values()].some((made) => made !== undefined)
}

const BLOCK_ENTRIES = 100

function written({ codespaces, entries, isVertical, ordering }: EmbeddedMap): string {
  const hex = (value: number, bytes: number): string => `<${value.toString(16).padStart(2 * bytes, '0')}>`
  const blocks = (kind: string, lines: readonly string[]): string[] =>
    Array.from({ length: Math.ceil(lines.length / BLOCK_ENTRIES) }, (_, i) => {
      const some = lines.slice(BLOCK_ENTRIES * i, BLOCK_ENTRIES * (i + 1))
      return `${some.length} begin${kind}\n${some.join('\n')}\nend${kind}`
    })
  // PDFium treats a single range as one- or two-byte codes
  const [only, ...others] = codespaces
  const spaces = only !== undefined && only.bytes > 2 && others.length === 0 ? [only, only] : codespaces
  return [
    '/CIDInit /ProcSet findresource begin 12 dict begin begincmap',
    `/CIDSystemInfo << /Registry (Adobe) /Ordering (${ordering}) /Supplement 0 >> def`,
    `/CMapName /Flat def /CMapType 1 def /WMode ${isVertical ? 1 : 0} def`,
    ...blocks(
      'codespacerange',
      spaces.map(({ bytes, from, to }) => `${hex(from, bytes)} ${hex(to, bytes)}`),
    ),
    ...blocks(
      'cidrange',
      entries.map(({ bytes, from, to, cid }) => `${hex(from, bytes)} ${hex(to, bytes)} ${cid}`),
    ),
    'endcmap CMapName currentdict /CMap defineresource pop end end',
  ].join('\n')
}
