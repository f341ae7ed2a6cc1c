/**
 * The rows of an import of sensors: NDJSON with an object in each line, or CSV (RFC 4180) with a header row. An empty cell
 * is a field that the row leaves as it is. A faulty row is refused alone; no cell contains a line break, so a quote that is
 * not closed spoils one row only.
 */
import { type Static, Type } from '@sinclair/typebox'
import { type TypeCheck, TypeCompiler } from '@sinclair/typebox/compiler'
import { AppError, invalidField } from '../../../errors.ts'
import { stepsInTurns } from '../../../event-loop-yield.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { schemaFailure } from '../../../http/body/schema-failure.ts'
import { cellsOf } from '../../../ingest/bodies/csv.ts'
import { isStorableText, parseJsonBody, withoutByteOrderMark } from '../../../json-text.ts'
import type { ImportRow } from '../../../stores/postgres/sensors/import-rows.ts'
import { closed, name } from '../request-schemas.ts'
import { channels, checkChannels, externalId, tags } from './sensor-fields.ts'

export const MAX_ROWS = 100_000

export const importRow = Type.Partial(
  Type.Object({
    id: Type.String({ maxLength: 64, description: 'Of a sensor that exists' }),
    externalId,
    name,
    asset: name,
    assetName: name,
    tags,
    channels,
    enabled: Type.Boolean(),
  }),
  closed,
)
type Sent = Static<typeof importRow>

const COLUMNS = ['id', 'externalId', 'name', 'asset', 'assetName', 'tags', 'channels', 'enabled'] as const
type Column = (typeof COLUMNS)[number]

export type ImportFormat = 'ndjson' | 'csv'

const NEWLINE = 10
/** Of an object in a line. */
const LIMITS = { maxItems: 2_000, maxNames: 2_000 }
/** A line is parsed on the server's thread. */
const MAX_LINE_BYTES = 256 * 1024
/** Of the name of a field in a fault. */
const MAX_FIELD_CHARACTERS = 200
const decoder = new TextDecoder('utf-8', { fatal: true })
const WHERE = 'row'
let compiled: TypeCheck<typeof importRow> | undefined

/** @throws AppError VALIDATION_FAILED for a body without rows, with too many, or with a wrong header */
export async function parseImport(sent: Uint8Array, format: ImportFormat): Promise<ImportRow[]> {
  const { buffer, byteOffset, byteLength } = withoutByteOrderMark(sent)
  const body = Buffer.from(buffer, byteOffset, byteLength)
  const rows: ImportRow[] = []
  let columns: Column[] | undefined
  let [line, start] = [1, 0]

  function take(bytes: Uint8Array): void {
    const text = bytes.length > MAX_LINE_BYTES ? undefined : textOf(bytes)
    if (text?.trim() === '') return
    if (format === 'csv' && columns === undefined) {
      columns = columnsOf(text)
      return
    }
    if (rows.length === MAX_ROWS) throw invalidField('body', 'maxItems', fieldText('itemsAtMost', { most: MAX_ROWS }))
    rows.push(rowOf(line, text, bytes, columns))
  }

  await stepsInTurns(() => {
    const end = body.indexOf(NEWLINE, start)
    take(body.subarray(start, end < 0 ? body.length : end))
    line++
    start = end + 1
    return end >= 0
  })
  if (rows.length === 0) throw invalidField('body', 'minItems', fieldText('itemsAtLeast', { least: 1 }))
  return rows
}

function textOf(bytes: Uint8Array): string | undefined {
  try {
    return decoder.decode(bytes).replace(/\r$/, '')
  } catch {
    // not UTF-8: reported as the fault of its row
    return undefined
  }
}

function rowOf(
  line: number,
  text: string | undefined,
  bytes: Uint8Array,
  columns: readonly Column[] | undefined,
): ImportRow {
  try {
    if (bytes.length > MAX_LINE_BYTES)
      throw invalidField(WHERE, 'maxBytes', fieldText('bytesAtMost', { most: MAX_LINE_BYTES }))
    if (text === undefined) throw unstorable()
    return { line, ...checked(columns === undefined ? parseJsonBody(bytes, LIMITS) : fromCells(text, columns)) }
  } catch (error) {
    const fault = error instanceof AppError ? error.errors?.[0] : undefined
    if (fault === undefined) throw error
    const field = fault.field.replace(/^(row|body)\.?/, '').slice(0, MAX_FIELD_CHARACTERS)
    return { line, error: { ...fault, field: field.toWellFormed() } }
  }
}

const unstorable = (): AppError => invalidField(WHERE, 'encoding', fieldText('storableRow'))

/** @throws AppError VALIDATION_FAILED */
function checked(row: unknown): Omit<ImportRow, 'line'> {
  // first: faults name fields, and are stored too
  if (!isStorable(row)) throw unstorable()
  compiled ??= TypeCompiler.Compile(importRow)
  if (!compiled.Check(row)) throw schemaFailure(WHERE, compiled.Errors(row))
  const { asset, assetName = asset, ...fields } = row as Sent
  if (asset !== undefined && asset !== assetName)
    throw invalidField(`${WHERE}.asset`, 'combination', fieldText('assetTwice'))
  checkChannels(fields.channels, `${WHERE}.channels`)
  return { ...fields, ...(assetName !== undefined && { assetName }) }
}

/** Whether the database stores all names and texts. */
function isStorable(row: unknown): boolean {
  let isEach = true
  const see = (text: unknown): void => {
    if (typeof text === 'string' && !isStorableText(text)) isEach = false
  }
  JSON.stringify(row, (name, value: unknown) => {
    see(name)
    see(value)
    return value
  })
  return isEach
}

/** @throws AppError VALIDATION_FAILED */
function columnsOf(text: string | undefined): Column[] {
  const cells = text === undefined ? undefined : cellsOf(text, COLUMNS.length + 1)
  const values = COLUMNS.join(', ')
  if (cells === undefined) throw invalidField('body', 'csv', fieldText('oneOf', { values }))
  return cells.map((cell, i) => {
    const column = COLUMNS.find((one) => one.toLowerCase() === cell.trim().toLowerCase())
    if (column === undefined) throw invalidField(`body.${i}`, 'column', fieldText('oneOf', { values }))
    if (cells.findIndex((other) => other.trim().toLowerCase() === column.toLowerCase()) !== i)
      throw invalidField(`body.${i}`, 'once', fieldText('csvColumnTwice', { name: column }))
    return column
  })
}

/** @throws AppError VALIDATION_FAILED */
function fromCells(text: string, columns: readonly Column[]): Record<string, unknown> {
  const cells = cellsOf(text, columns.length)
  if (cells?.length !== columns.length)
    throw invalidField(WHERE, 'cells', fieldText('csvCells', { count: columns.length }))
  const row: Record<string, unknown> = {}
  for (const [i, column] of columns.entries()) {
    const cell = plainCell(cells[i] as string)
    if (cell !== '') row[column] = READ[column]?.(cell) ?? cell
  }
  return row
}

/** Without the apostrophe by which the portal keeps a spreadsheet from running a text as a formula. */
const plainCell = (cell: string): string => cell.trim().replace(/^'(?=[=+\-@])/, '')

/** As in the portal: `roof; north`. */
const tagsIn = (cell: string): string[] => [
  ...new Set(
    cell
      .split(/[,،;]/)
      .map((tag) => tag.trim())
      .filter((tag) => tag !== ''),
  ),
]

/** As in the portal: `temperature:number:°C; door:boolean`. Without a measurement, a channel has numbers. */
const channelsIn = (cell: string): unknown[] =>
  cell
    .split(/[;؛|]/)
    .filter((part) => part.trim() !== '')
    .map((part) => {
      const [name, measurement = '', ...unit] = part.split(':').map((word) => word.trim())
      return {
        name,
        measurement: measurement.toLowerCase() || 'number',
        ...(unit.join(':') !== '' && { unit: unit.join(':') }),
      }
    })

/** Spreadsheets write it in capitals. */
function enabledIn(cell: string): unknown {
  const value = cell.toLowerCase()
  return value === 'true' || (value === 'false' ? false : cell)
}

const READ: Partial<Record<Column, (cell: string) => unknown>> = {
  tags: tagsIn,
  channels: channelsIn,
  enabled: enabledIn,
}
