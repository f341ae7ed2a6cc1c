/** Wraps bare CFF, as embedded in PDFs, in an OpenType font, which HarfBuzz and fontkit need. */
import { openFont } from './font-tables.ts'

const [DIRECTORY_BYTES, ENTRY_BYTES] = [12, 16]
const HEAD_MAGIC = 0x5f0f3cf5
const UNITS_PER_EM = 1000

/** An OpenType font with the minimum of tables that readers accept. */
export function wrappedCff(cff: Uint8Array, glyphCount: number): Buffer {
  const head = Buffer.alloc(54)
  head.writeUInt32BE(0x10000, 0)
  head.writeUInt32BE(HEAD_MAGIC, 12)
  head.writeUInt16BE(UNITS_PER_EM, 18)
  const maxp = Buffer.alloc(6)
  maxp.writeUInt32BE(0x5000, 0)
  maxp.writeUInt16BE(glyphCount, 4)
  const tables: [string, Uint8Array][] = [
    ['CFF ', cff],
    ['head', head],
    ['maxp', maxp],
  ]
  const directory = Buffer.alloc(DIRECTORY_BYTES + ENTRY_BYTES * tables.length)
  directory.write('OTTO', 'latin1')
  directory.writeUInt16BE(tables.length, 4)
  const parts: Uint8Array[] = [directory]
  let at = directory.length
  for (const [i, [tag, table]] of tables.entries()) {
    const entry = DIRECTORY_BYTES + ENTRY_BYTES * i
    directory.write(tag, entry, 'latin1')
    directory.writeUInt32BE(at, entry + 8)
    directory.writeUInt32BE(table.length, entry + 12)
    parts.push(table, Buffer.alloc(-table.length & 3))
    at += table.length + (-table.length & 3)
  }
  return Buffer.concat(parts)
}

/** @returns undefined for data that is not CFF */
export async function glyphCountOf(cff: Uint8Array): Promise<number | undefined> {
  const font = await openFont(wrappedCff(cff, 0))
  try {
    return font?.['CFF ']?.topDict.CharStrings.length
  } catch {
    // fontkit reads the table when it is used, and throws for a damaged one
    return undefined
  }
}

/** The CFF table of an OpenType font. */
export function cffFrom(font: Uint8Array): Uint8Array | undefined {
  const bytes = Buffer.from(font.buffer, font.byteOffset, font.length)
  for (let i = 0; i < bytes.readUInt16BE(4); i++) {
    const entry = DIRECTORY_BYTES + ENTRY_BYTES * i
    if (bytes.toString('latin1', entry, entry + 4) !== 'CFF ') continue
    const from = bytes.readUInt32BE(entry + 8)
    return bytes.subarray(from, from + bytes.readUInt32BE(entry + 12))
  }
  return undefined
}
