/**
 * The names of a file's columns, read in the browser from as few bytes as possible. Formats that this does not read
 * (GeoPackage, KML and others) have no list, and the name is typed.
 */
import { api, dataOf, send } from '../../../api/client.ts'
import { ownerId } from '../../../shell/session.ts'
import { type CsvHead, readHead } from '../../../ui/table/csv-reader.ts'

/** Enough for the properties of many features. */
const HEAD_BYTES = 512 * 1024
const MAX_COLUMNS = 1_000

/** The same for a stored file, of which only the start is loaded. */
export async function readStoredColumns(key: string, name: string): Promise<string[] | undefined> {
  try {
    if (key.startsWith('lay_')) {
      const path = { ownerId: ownerId.peek() ?? '', id: key }
      return (await dataOf(api.GET('/manage/v1/owners/{ownerId}/layers/{id}', { params: { path } }))).fields
    }
    const range = { range: `bytes=0-${HEAD_BYTES - 1}` }
    const response = await send(`/enterprise/v1/gis/files/${encodeURIComponent(key)}`, { headers: range })
    return await readColumns(new File([await response.blob()], name))
  } catch {
    // the file no longer exists; the tool reports it
    return undefined
  }
}

/** @returns undefined when the columns cannot be read */
export async function readColumns(file: File): Promise<string[] | undefined> {
  try {
    const start = new Uint8Array(await file.slice(0, 4).arrayBuffer())
    if (start[0] === 0x50 && start[1] === 0x4b) return await columnsOfShapefile(file)
    const text = await file.slice(0, HEAD_BYTES).text()
    if (/^\ufeff?\s*[{[]/.test(text)) return columnsOfGeojson(text)
    return /\.(csv|tsv|txt)$/i.test(file.name) ? columnsOfCsv(await readHead(file)) : undefined
  } catch {
    // a broken file; the tool reports it
    return undefined
  }
}

const columnsOfCsv = ({ rows: [head = []] }: CsvHead): string[] | undefined =>
  head.length > 1 ? head.map((name) => name.trim()).filter((name) => name !== '') : undefined

/** Of the features at the start of the file. Each `properties` is cut out, because the text may end anywhere. */
export function columnsOfGeojson(text: string): string[] | undefined {
  const names = new Set<string>()
  const start = /"properties"\s*:\s*(?=\{)/g
  let isFound = false
  for (let match = start.exec(text); match !== null && names.size < MAX_COLUMNS; match = start.exec(text)) {
    const end = endOfObject(text, start.lastIndex)
    if (end === undefined) break
    const properties = JSON.parse(text.slice(start.lastIndex, end)) as Record<string, unknown>
    for (const name of Object.keys(properties)) names.add(name)
    isFound = true
    start.lastIndex = end
  }
  return isFound ? [...names] : undefined
}

/** @returns the position after the bracket that closes the object at `from`; undefined when the text ends before it */
function endOfObject(text: string, from: number): number | undefined {
  let depth = 0
  for (let i = from; i < text.length; i++) {
    const character = text[i]
    if (character === '"') {
      for (i++; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i++
    } else if (character === '{') depth++
    else if (character === '}' && --depth === 0) return i + 1
  }
  return undefined
}

const END_OF_DIRECTORY = 0x06054b50
const ENTRY = 0x02014b50
/** The end record with the longest comment. */
const LONGEST_END = 22 + 65_535
/** A DBF has at most 255 fields of 32 bytes, and some writers put more behind them. */
const DBF_HEAD_BYTES = 32 + 32 * 256

type Entry = { name: string; method: number; compressedBytes: number; headerAt: number }

/** Fields of the first DBF in a zip. */
async function columnsOfShapefile(file: File): Promise<string[] | undefined> {
  const entries = await entriesOf(file)
  const dbf = entries.find(({ name }) => /\.dbf$/i.test(name))
  if (dbf === undefined) return undefined
  const codePage = entries.find(({ name }) => name.toLowerCase() === dbf.name.toLowerCase().replace(/dbf$/, 'cpg'))
  const label = codePage && new TextDecoder().decode(await contentOf(file, codePage, 64)).trim()
  return fieldsOfDbf(await contentOf(file, dbf, DBF_HEAD_BYTES), label)
}

async function viewOf(file: Blob, from: number, to: number): Promise<DataView> {
  return new DataView(await file.slice(Math.max(0, from), to).arrayBuffer())
}

/** The central directory of a zip (APPNOTE 6.3.10, 4.3.12 and 4.3.16). */
async function entriesOf(file: Blob): Promise<Entry[]> {
  const tail = await viewOf(file, file.size - LONGEST_END, file.size)
  let end = tail.byteLength - 22
  while (end >= 0 && tail.getUint32(end, true) !== END_OF_DIRECTORY) end--
  if (end < 0) return []
  const at = tail.getUint32(end + 16, true)
  const directory = await viewOf(file, at, at + tail.getUint32(end + 12, true))
  const entries: Entry[] = []
  for (let i = 0; i + 46 <= directory.byteLength && directory.getUint32(i, true) === ENTRY; ) {
    const nameLength = directory.getUint16(i + 28, true)
    entries.push({
      name: new TextDecoder().decode(new Uint8Array(directory.buffer, i + 46, nameLength)),
      method: directory.getUint16(i + 10, true),
      compressedBytes: directory.getUint32(i + 20, true),
      headerAt: directory.getUint32(i + 42, true),
    })
    i += 46 + nameLength + directory.getUint16(i + 30, true) + directory.getUint16(i + 32, true)
  }
  return entries
}

/** The first bytes of an entry. */
async function contentOf(file: Blob, entry: Entry, most: number): Promise<Uint8Array> {
  const header = await viewOf(file, entry.headerAt, entry.headerAt + 30)
  const from = entry.headerAt + 30 + header.getUint16(26, true) + header.getUint16(28, true)
  const packed = file.slice(from, from + entry.compressedBytes)
  if (entry.method === 0) return new Uint8Array(await packed.slice(0, most).arrayBuffer())
  const reader = packed.stream().pipeThrough(new DecompressionStream('deflate-raw')).getReader()
  const found = new Uint8Array(most)
  let length = 0
  while (length < most) {
    const { value, done } = await reader.read()
    if (done) break
    const piece = value.subarray(0, most - length)
    found.set(piece, length)
    length += piece.length
  }
  await reader.cancel()
  return found.subarray(0, length)
}

/** Field descriptors follow the 32 bytes of the header and end with a carriage return. */
function fieldsOfDbf(bytes: Uint8Array, codePage: string | undefined): string[] {
  const decoder = decoderFor(codePage)
  const names: string[] = []
  for (let i = 32; i + 32 <= bytes.length && bytes[i] !== 0x0d; i += 32) {
    const name = bytes.subarray(i, i + 11)
    const end = name.indexOf(0)
    names.push(decoder.decode(end < 0 ? name : name.subarray(0, end)).trim())
  }
  return names
}

function decoderFor(label = 'utf-8'): TextDecoder {
  try {
    return new TextDecoder(/^\d{3,4}$/.test(label) ? `windows-${label}` : label)
  } catch {
    return new TextDecoder()
  }
}
