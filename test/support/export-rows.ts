/** Exported readings, read by independent programs. */
import { expect } from 'bun:test'
import { zstdDecompressSync } from 'node:zlib'
import { RecordBatchReader } from 'apache-arrow'
import { parquetMetadata, parquetReadObjects } from 'hyparquet'
import Papa from 'papaparse'
import { iso } from './server/recorded-readings.ts'

type Cell = string | number | boolean | null
export type Row = Record<string, Cell>

/** Text of a CSV file as an independent parser reads it, which reports broken quotes and rows of other lengths. */
export function parseCsv(text: string): Row[] {
  const { data, errors } = Papa.parse<Record<string, string>>(text, { header: true, newline: '\r\n' })
  // the last line ends with a line break too, after which the parser sees an empty row
  data.pop()
  expect(errors.filter(({ row }) => row !== data.length)).toEqual([])
  // RFC 4180: lines end with CRLF
  expect(text.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/)
  return data
}
export async function parquetRows(
  response: Response,
): Promise<{ rows: Row[]; types: Record<string, string | undefined> }> {
  const file = await response.arrayBuffer()
  const compressors = { ZSTD: (input: Uint8Array) => zstdDecompressSync(input) }
  const rows = await parquetReadObjects({ file, compressors })
  const types = parquetMetadata(file)
    .schema.slice(1)
    .map(({ name, type }) => [name, type])
  return {
    rows: rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, cell]) => [name, plain(cell)]))),
    types: Object.fromEntries(types),
  }
}
const plain = (cell: unknown): Cell =>
  cell instanceof Date ? cell.toISOString() : typeof cell === 'bigint' ? Number(cell) : ((cell ?? null) as Cell)

export async function arrowRows(response: Response): Promise<{ rows: Row[]; types: Record<string, string> }> {
  const reader = RecordBatchReader.from(new Uint8Array(await response.arrayBuffer())).open()
  const { fields } = reader.schema
  const rows: Row[] = []
  for (const batch of reader)
    for (const row of batch)
      rows.push(
        Object.fromEntries(
          Object.entries(row.toJSON()).map(([name, cell]) => [name, name === 'at' ? iso(Number(cell)) : plain(cell)]),
        ),
      )
  return { rows, types: Object.fromEntries(fields.map(({ name, type }) => [name, String(type)])) }
}
