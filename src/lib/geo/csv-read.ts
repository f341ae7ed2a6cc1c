/** Reads CSV with coordinate columns, or with a column of WKT geometries, into a layer. */
import Papa from 'papaparse'
import { InputError } from '../input-error.ts'
import type { Feature, Field, FieldType } from './layer.ts'
import { viewOf, type Wkb } from './wkb.ts'

export const LONGITUDE_NAMES = ['longitude', 'lon', 'lng', 'long', 'x', 'easting']
export const LATITUDE_NAMES = ['latitude', 'lat', 'y', 'northing']
const WKT_NAMES = ['wkt', 'geometry', 'geom', 'the_geom']

export type CsvTable = { columns: string[]; rows: string[][]; delimiter: string }

/** Parses rows of text; the first row holds the column names. @throws InputError */
export function readTable(text: string, maxRows: number): CsvTable {
  const { data, errors, meta } = Papa.parse<string[]>(text.replace(/^\uFEFF/, ''), { skipEmptyLines: 'greedy' })
  const fault = errors.find(({ code }) => code !== 'UndetectableDelimiter')
  if (fault !== undefined) throw new InputError('csv', `line ${(fault.row ?? 0) + 1}: ${fault.message}`)
  const [columns, ...rows] = data
  if (columns === undefined) throw new InputError('csv', 'is empty')
  if (rows.length > maxRows) throw new InputError('maxFeatures', `has ${rows.length} rows; the maximum is ${maxRows}`)
  return { columns: columns.map((name) => name.trim()), rows, delimiter: meta.delimiter }
}

/** Finds the coordinate columns by name. @throws InputError with the names that are recognised */
export function coordinateColumns(columns: readonly string[]): { x: number; y: number } {
  const find = (names: string[]): number => {
    for (const name of names) {
      const at = columns.findIndex((column) => column.toLowerCase() === name)
      if (at >= 0) return at
    }
    return -1
  }
  const [x, y] = [find(LONGITUDE_NAMES), find(LATITUDE_NAMES)]
  if (x < 0 || y < 0)
    throw new InputError(
      'coordinateColumns',
      `must have a column named ${LONGITUDE_NAMES.join(', ')} and one named ${LATITUDE_NAMES.join(', ')}; its columns are ${columns.slice(0, 20).join(', ')}`,
    )
  return { x, y }
}

/** Parses a decimal number; undefined when the text is not one. */
export function decimal(text: string | undefined): number | undefined {
  const value = Number(text?.trim() || Number.NaN)
  return Number.isFinite(value) ? value : undefined
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

/** @param fromWkt parses one WKT geometry. @throws InputError */
export function readCsv(
  text: string,
  maxFeatures: number,
  fromWkt: (wkt: string) => Wkb,
): { fields: Field[]; features: Feature[] } {
  const { columns, rows } = readTable(text, maxFeatures)
  const wkt = columns.findIndex((name) => WKT_NAMES.includes(name.toLowerCase()))
  const xy = wkt >= 0 ? undefined : coordinateColumns(columns)
  const propertyColumns = columns.map((_, i) => i).filter((i) => i !== wkt && i !== xy?.x && i !== xy?.y)
  const types = propertyColumns.map((i) => columnType(rows, i))
  const fields = propertyColumns.map((i, k) => ({ name: columns[i] as string, type: types[k] as FieldType }))
  const features = rows.map((row, i): Feature => {
    const values = propertyColumns.map((column, k) => cellValue(row[column], types[k] as FieldType))
    if (xy === undefined) {
      const content = row[wkt]?.trim()
      if (!content) return { values, geometry: null }
      try {
        return { values, geometry: fromWkt(content) }
      } catch (cause) {
        if (cause instanceof InputError) throw new InputError(cause.rule, `row ${i + 1}: ${cause.message}`)
        throw new InputError('wkt', `row ${i + 1}: "${content.slice(0, 40)}" is not a valid WKT geometry`, cause)
      }
    }
    const [x, y] = [decimal(row[xy.x]), decimal(row[xy.y])]
    if (x === undefined && y === undefined && !row[xy.x]?.trim() && !row[xy.y]?.trim())
      return { values, geometry: null }
    if (x === undefined || y === undefined)
      throw new InputError('number', `row ${i + 1}: "${row[xy.x]}, ${row[xy.y]}" must be two numbers`)
    if (Math.abs(x) > 180 || Math.abs(y) > 90)
      throw new InputError(
        'degrees',
        `row ${i + 1}: longitude must be from -180 to 180 and latitude from -90 to 90, not ${x}, ${y}`,
      )
    return { values, geometry: pointWkb(x, y) }
  })
  return { fields, features }
}

function columnType(rows: string[][], column: number): FieldType {
  let type: FieldType | undefined
  for (const row of rows) {
    const text = row[column]?.trim()
    if (!text) continue
    // a number with leading zeros is a code, such as a municipality's, and stays text
    if (/^-?(0|[1-9]\d{0,8})$/.test(text)) type ??= 'integer'
    else if (/^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/.test(text)) type = 'real'
    else return 'string'
  }
  return type ?? 'string'
}

function cellValue(text: string | undefined, type: FieldType): unknown {
  if (text === undefined || text === '') return null
  return type === 'string' ? text : Number(text)
}
