/**
 * Reads a CSV file of any size in small pieces, so that the page stays usable: each piece takes a few milliseconds, and
 * only rows that are looked at are in memory.
 */
import type { Parser as PapaParser } from 'papaparse'
import { isEmptyRow } from './csv-rows.ts'

export type CsvFormat = {
  encoding: string
  delimiter: string
  newline: '\n' | '\r' | '\r\n'
}
export type CsvHead = CsvFormat & { rows: string[][] }
/** `first` is the number of the first row in the file, from 1. */
export type CsvRows = { first: number; rows: string[][]; bytesRead: number }
/** A row with its number in the file, from 1. */
export type CsvRow = { number: number; cells: string[] }

/** The file cannot be read further than `row`. */
export class CsvFault extends Error {
  readonly row: number
  constructor(row: number) {
    super(`The quote in row ${row} is never closed`)
    this.row = row
  }
}

const PIECE_BYTES = 65_536
/** Maximum length of a row; longer text means a quote that is never closed. */
const LONGEST_ROW = 1_048_576
const HEAD_ROWS = 20

/** Spreadsheets in Arabic and in western languages may be saved without Unicode. */
const LEGACY = { ar: 'windows-1256', en: 'windows-1252' }

function encodingOf(bytes: Uint8Array, isWhole: boolean): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  try {
    // the piece may end inside a character
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: !isWhole })
    return 'utf-8'
  } catch {
    return document.documentElement.lang === 'ar' ? LEGACY.ar : LEGACY.en
  }
}

async function papaparse() {
  const module = await import('papaparse')
  return module.default
}

async function bytesOf(file: Blob, from: number): Promise<Uint8Array> {
  return new Uint8Array(await file.slice(from, from + PIECE_BYTES).arrayBuffer())
}

/** How the file is written, and its first rows. */
export async function readHead(file: Blob): Promise<CsvHead> {
  const papa = await papaparse()
  const bytes = await bytesOf(file, 0)
  const isWhole = bytes.length === file.size
  const encoding = encodingOf(bytes, isWhole)
  const text = new TextDecoder(encoding).decode(bytes, { stream: !isWhole })
  const { data, meta } = papa.parse<string[]>(text, { preview: HEAD_ROWS, skipEmptyLines: 'greedy' })
  const newline = meta.linebreak === '\r' || meta.linebreak === '\r\n' ? meta.linebreak : '\n'
  return { encoding, delimiter: meta.delimiter, newline, rows: data }
}

/**
 * Reading a piece of the file lets the browser draw and respond before the next one is parsed. A timer would too, but
 * background pages get one timer tick a second.
 * @throws CsvFault
 * @throws TypeError where the bytes are not in the encoding
 */
export async function* readRows(
  file: Blob,
  format: CsvFormat,
  { signal, onBytes }: { signal: AbortSignal; onBytes?: (bytes: Uint8Array) => void },
): AsyncGenerator<CsvRows> {
  const papa = await papaparse()
  const parser: PapaParser = new papa.Parser({ delimiter: format.delimiter, newline: format.newline })
  // the encoding was found at the start of the file
  const decoder = new TextDecoder(format.encoding, { fatal: true })
  let rest = ''
  let next = 1
  for (let at = 0; at < file.size || rest !== ''; ) {
    signal.throwIfAborted()
    const bytes = await bytesOf(file, at)
    at += bytes.length
    const isLast = at >= file.size
    onBytes?.(bytes)
    const text = rest + decoder.decode(bytes, { stream: !isLast })
    const { data, errors, meta } = parser.parse(text, 0, !isLast) as {
      data: string[][]
      errors: { code: string; row: number }[]
      meta: { cursor: number }
    }
    const open = errors.find(({ code }) => code === 'MissingQuotes')
    const rows = open === undefined ? data : data.slice(0, open.row)
    if (rows.length > 0) yield { first: next, rows, bytesRead: at }
    next += rows.length
    if (open !== undefined) throw new CsvFault(next)
    rest = isLast ? '' : text.slice(meta.cursor)
    if (rest.length > LONGEST_ROW) throw new CsvFault(next)
  }
}

/** The first non-empty rows. A quote that is never closed ends them. */
export async function firstRows(file: Blob, format: CsvFormat, count: number): Promise<CsvRow[]> {
  const found: CsvRow[] = []
  const reading = new AbortController()
  try {
    for await (const { first, rows } of readRows(file, format, { signal: reading.signal })) {
      for (const [i, cells] of rows.entries()) if (!isEmptyRow(cells)) found.push({ number: first + i, cells })
      if (found.length >= count) break
    }
  } catch (error) {
    if (!(error instanceof CsvFault)) throw error
  }
  return found.slice(0, count)
}
