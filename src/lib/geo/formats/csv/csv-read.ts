/** Reads CSV with coordinate columns, or with a column of WKT geometries, into a layer. */
import Papa from 'papaparse'
import { inPlace } from '../../../../field-texts/bilingual.ts'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { type Warning, warning } from '../../../../warnings/warning.ts'
import { InputError } from '../../../input-error.ts'
import { decimalOf, guessedColumnType, isBlank } from '../../../number-text.ts'
import { viewOf, type Wkb } from '../../geometry/wkb.ts'
import { distinctColumns, type Feature, type Field, type FieldType } from '../../layers/layer.ts'

export const LONGITUDE_NAMES = ['longitude', 'lon', 'lng', 'long', 'x', 'easting']
export const LATITUDE_NAMES = ['latitude', 'lat', 'y', 'northing']
const WKT_NAMES = ['wkt', 'geometry', 'geom', 'the_geom']

export type CsvTable = {
  /** Cells as in the file. */
  header: string[]
  /** Trimmed, and different from each other. */
  columns: string[]
  /** Each has as many cells as the header. */
  rows: string[][]
  delimiter: string
  warnings: Warning[]
}

const GUESSED_ROWS = 10

/**
 * Parses rows of text; the first row holds the column names. A short row ends with empty cells, a row that is too long
 * is an error: its cells may belong to other columns.
 * @throws InputError
 */
export function readTable(text: string, maxRows: number): CsvTable {
  const content = text.replace(/^\uFEFF/, '')
  // empty lines would mislead the detection of the delimiter
  const { meta } = Papa.parse<string[]>(content, { preview: GUESSED_ROWS, skipEmptyLines: 'greedy' })
  const { data, errors } = Papa.parse<string[]>(content, { delimiter: meta.delimiter, newline: meta.linebreak as '\n' })
  const fault = errors.find(({ code }) => code !== 'UndetectableDelimiter')
  if (fault !== undefined)
    throw new InputError('csv', fieldText('csvLine', { line: (fault.row ?? 0) + 1, reason: fault.message }))
  const start = data.findIndex((row) => !row.every(isBlank))
  const header = data[start]
  if (header === undefined) throw new InputError('csv', fieldText('empty'))
  // an empty line is not a row, unless rows have only one cell
  const isRow = (row: string[], i: number): boolean =>
    row.length > 1 || row[0] !== '' || (header.length === 1 && i < data.length - start - 2)
  const rows = data.slice(start + 1).filter(isRow)
  if (rows.length > maxRows)
    throw new InputError('maxFeatures', fieldText('rowCount', { count: rows.length, most: maxRows }))
  let shortRows = 0
  let firstShort = 0
  rows.forEach((row, i) => {
    while (row.length > header.length && isBlank(row.at(-1))) row.pop()
    if (row.length > header.length)
      throw new InputError(
        'cells',
        inPlace({ row: i + 1 }, fieldText('csvCellCount', { most: header.length, count: row.length })),
      )
    if (row.length === header.length) return
    if (++shortRows === 1) firstShort = i + 1
    while (row.length < header.length) row.push('')
  })
  const warnings = shortRows === 0 ? [] : [warning('rowsWithFewerCells', { n: shortRows, row: firstShort })]
  const columns = distinctColumns(
    header.map((name, i) => name.trim() || `column_${i + 1}`),
    warnings,
  )
  return { header, columns, rows, delimiter: meta.delimiter, warnings }
}

/** Finds the coordinate columns by name. @throws InputError with the names that are recognised */
export function coordinateColumns({ header }: CsvTable): { x: number; y: number } {
  const names = header.map((name) => name.trim().toLowerCase())
  const find = (known: string[]): number => {
    for (const name of known) {
      const at = names.indexOf(name)
      if (at >= 0 && names.lastIndexOf(name) > at)
        throw new InputError('coordinateColumns', fieldText('oneColumnNamed', { name }))
      if (at >= 0) return at
    }
    return -1
  }
  const [x, y] = [find(LONGITUDE_NAMES), find(LATITUDE_NAMES)]
  if (x < 0 || y < 0)
    throw new InputError(
      'coordinateColumns',
      fieldText('coordinateColumns', {
        longitudes: LONGITUDE_NAMES.join(', '),
        latitudes: LATITUDE_NAMES.join(', '),
        columns: header.slice(0, 20).join(', '),
      }),
    )
  return { x, y }
}

export function pointWkb(x: number, y: number): Wkb {
  const wkb = new Uint8Array(21)
  const view = viewOf(wkb)
  wkb[0] = 1
  view.setUint32(1, 1, true)
  view.setFloat64(5, x, true)
  view.setFloat64(13, y, true)
  return wkb
}

/**
 * @param fromWkt parses one WKT geometry
 * @param declared column types from a file beside the CSV, if any
 * @throws InputError
 */
export function readCsv(
  text: string,
  maxFeatures: number,
  fromWkt: (wkt: string) => Wkb,
  declared: readonly (FieldType | undefined)[] = [],
): { fields: Field[]; features: Feature[]; warnings: Warning[] } {
  const table = readTable(text, maxFeatures)
  const { columns, rows, warnings } = table
  const wkt = columns.findIndex((name) => WKT_NAMES.includes(name.toLowerCase()))
  const xy = wkt >= 0 ? undefined : coordinateColumns(table)
  const propertyColumns = columns.map((_, i) => i).filter((i) => i !== wkt && i !== xy?.x && i !== xy?.y)
  const types = propertyColumns.map((i) => columnType(rows, i, declared[i]))
  const fields = propertyColumns.map((i, k) => ({ name: columns[i] as string, type: types[k] as FieldType }))
  const features = rows.map((row, i): Feature => {
    const values = propertyColumns.map((column, k) => cellValue(row[column] as string, types[k] as FieldType))
    return { values, geometry: xy === undefined ? wktAt(row[wkt] as string, i, fromWkt) : pointAt(row, xy, i) }
  })
  return { fields, features, warnings }
}

function wktAt(cell: string, index: number, fromWkt: (wkt: string) => Wkb): Wkb | null {
  if (isBlank(cell)) return null
  const content = cell.trim()
  const place = { row: index + 1 }
  try {
    return fromWkt(content)
  } catch (cause) {
    if (cause instanceof InputError) throw new InputError(cause.rule, inPlace(place, cause.text))
    throw new InputError('wkt', inPlace(place, fieldText('wktInvalid', { text: content.slice(0, 40) })), cause)
  }
}

/** The position of a row; undefined when both cells are empty. @throws InputError */
export function positionAt(row: readonly string[], { x, y }: { x: number; y: number }, index: number) {
  if (isBlank(row[x]) && isBlank(row[y])) return undefined
  const [east, north] = [decimalOf(row[x]), decimalOf(row[y])]
  if (east === undefined || north === undefined)
    throw new InputError(
      'number',
      inPlace({ row: index + 1 }, fieldText('twoNumbers', { x: row[x] ?? '', y: row[y] ?? '' })),
    )
  return { east, north }
}

function pointAt(row: readonly string[], xy: { x: number; y: number }, index: number): Wkb | null {
  const position = positionAt(row, xy, index)
  if (position === undefined) return null
  const { east, north } = position
  if (Math.abs(east) > 180 || Math.abs(north) > 90)
    throw new InputError(
      'degrees',
      inPlace({ row: index + 1 }, fieldText('degrees', { longitude: east, latitude: north })),
    )
  return pointWkb(east, north)
}

const cellsOf = function* (rows: readonly string[][], column: number): Generator<string> {
  for (const row of rows) yield row[column] as string
}

/** A declared type is used if every cell has it. */
function columnType(rows: readonly string[][], column: number, declared: FieldType | undefined): FieldType {
  if (declared === undefined || declared === 'integer' || declared === 'integer64' || declared === 'real') {
    const guessed = guessedColumnType(cellsOf(rows, column)) ?? declared ?? 'string'
    return guessed === 'integer' ? (declared ?? guessed) : guessed
  }
  return declared
}

function cellValue(text: string, type: FieldType): unknown {
  if (type === 'integer' || type === 'integer64' || type === 'real') return isBlank(text) ? null : Number(text)
  return text === '' ? null : text
}

const CSVT_TYPES: Record<string, FieldType> = {
  integer: 'integer',
  integer64: 'integer64',
  long: 'integer64',
  real: 'real',
  coordx: 'real',
  coordy: 'real',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
  string: 'string',
}

/** The column types in a .csvt file beside a CSV, in the order of the columns. */
export function csvtTypes(text: string): (FieldType | undefined)[] {
  const [cells = []] = Papa.parse<string[]>(text.trim(), { delimiter: ',' }).data
  return cells.map((cell) => CSVT_TYPES[cell.trim().toLowerCase().replace(/\(.*$/, '')] ?? 'string')
}
