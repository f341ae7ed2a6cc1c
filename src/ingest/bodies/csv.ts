/**
 * text/csv (RFC 4180) with a header row: `at`, `longitude` and `latitude` (or `lon`, `lat`), and a column for each
 * channel. An empty cell is a value that is missing.
 *
 * No cell of a reading may contain a line break, so a quote that is not closed spoils one row only. A library would take
 * the rows below for a part of its cell.
 */
import { MAX_READINGS } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { SensorProfile } from '../batch.ts'
import { batchInvalid, type ReadingsSource, Unreadable } from '../validate.ts'
import { type Line, linesOf, readingsSource, requireCount } from './lines.ts'

const AT = 'at'
/** The number is the place in `location`. */
const SIDES: ReadonlyMap<string, number> = new Map([
  ['longitude', 0],
  ['lon', 0],
  ['latitude', 1],
  ['lat', 1],
])
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
const decoder = new TextDecoder()

/** `at`, the name of a channel, or the place in `location`. */
type Column = string | number

export const csvSource = (body: Uint8Array): ReadingsSource =>
  readingsSource((profile) => {
    const { lines, count } = linesOf(body, MAX_READINGS + 1)
    const [header, ...rows] = lines
    const columns = header === undefined ? [] : columnsOf(header, profile)
    if (!columns.includes(AT)) throw batchInvalid('body', 'column', fieldText('csvColumnMissing', { name: AT }))
    if (columns.includes(0) !== columns.includes(1))
      throw batchInvalid('body', 'coordinateColumns', fieldText('csvLocationColumns'))
    requireCount(count - 1)
    return rows.map((row) => readingOf(row, columns))
  })

/** A channel of the sensor counts before the location. */
function columnsOf(header: Line, profile: SensorProfile): Column[] {
  const cells = cellsOf(textOf(header), profile.channels.length + 1 + SIDES.size)
  if (cells === undefined) throw batchInvalid('body', 'csv', fieldText('csvHeader'))
  const columns: Column[] = []
  for (const cell of cells) {
    const name = cell.trim()
    const shown = name.slice(0, 60)
    const column = name === AT || profile.byName.has(name) ? name : SIDES.get(name)
    if (column === undefined) throw batchInvalid('body', 'column', fieldText('csvColumnUnknown', { name: shown }))
    if (columns.includes(column)) throw batchInvalid('body', 'once', fieldText('csvColumnTwice', { name: shown }))
    columns.push(column)
  }
  return columns
}

function readingOf(line: Line, columns: readonly Column[]): unknown {
  const text = textOf(line)
  const cells = cellsOf(text, columns.length)
  if (cells?.length !== columns.length) return new Unreadable(line.number, text)
  // without a prototype, so that a channel may have any name
  const values = Object.create(null) as Record<string, unknown>
  const reading: { at?: string; values: unknown; location?: unknown[] } = { values }
  for (let i = 0; i < cells.length; i++) {
    const cell = (cells[i] as string).trim()
    const column = columns[i] as Column
    if (cell === '') continue
    if (column === AT) reading.at = cell
    else if (typeof column === 'string') values[column] = parsed(cell)
    else {
      reading.location ??= [undefined, undefined]
      reading.location[column] = parsed(cell)
    }
  }
  return reading
}

function parsed(cell: string): unknown {
  if (cell === 'true') return true
  if (cell === 'false') return false
  return NUMBER.test(cell) ? Number(cell) : cell
}

const textOf = ({ bytes }: Line): string => decoder.decode(bytes).replace(/\r$/, '')

/** @returns undefined if the quotes are wrong, or if there are more cells than `most` */
function cellsOf(line: string, most: number): string[] | undefined {
  if (!line.includes('"')) {
    const cells = line.split(',', most + 1)
    return cells.length > most ? undefined : cells
  }
  const cells: string[] = []
  for (let p = 0; cells.length < most; p++) {
    let cell = ''
    if (line[p] === '"') {
      for (;;) {
        const end = line.indexOf('"', p + 1)
        if (end < 0) return undefined
        cell += line.slice(p + 1, end)
        p = end + 1
        if (line[p] !== '"') break
        cell += '"'
      }
    } else {
      const end = line.indexOf(',', p)
      cell = line.slice(p, end < 0 ? line.length : end)
      if (cell.includes('"')) return undefined
      p += cell.length
    }
    cells.push(cell)
    if (p === line.length) return cells
    if (line[p] !== ',') return undefined
  }
  return undefined
}
