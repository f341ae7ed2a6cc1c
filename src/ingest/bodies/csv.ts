/**
 * text/csv (RFC 4180) with a header row: `at`, `longitude` and `latitude` (or `lon`, `lat`), and a column for each
 * channel. An empty cell is a value that is missing.
 *
 * No cell of a reading may contain a line break, so a quote that is not closed spoils one row only. A library would take
 * the rows below for a part of its cell.
 */
import { MAX_READINGS } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { appendRefusal, type Batch, type Channel, type SensorProfile } from '../batch.ts'
import { parseTimestamp } from '../timestamp.ts'
import { addReading, asNumber, batchInvalid, type ReadingsSource, type Refused, timeReasonOf } from '../validate.ts'
import { type Line, linesOf, requireCount } from './lines.ts'

const AT = 'at'
/** The number is the place in `location`. */
const SIDES: ReadonlyMap<string, number> = new Map([
  ['longitude', 0],
  ['lon', 0],
  ['latitude', 1],
  ['lat', 1],
])
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/
const decoder = new TextDecoder()

/** The time, a channel, or the place in `location`. */
type Column = typeof AT | Channel | number

export function csvSource(body: Uint8Array): ReadingsSource {
  let names: string[] = []
  let rows: Line[] = []
  return {
    fill(profile, batch, oldestMs, newestMs) {
      const { lines, count } = linesOf(body, MAX_READINGS + 1)
      names = namesOf(lines[0], profile)
      const columns = columnsOf(names, profile)
      requireCount(count - 1)
      rows = lines.slice(1)
      const timesInBatch = new Set<number>()
      for (const row of rows) {
        const refused = addRow(row, columns, { profile, batch, oldestMs, newestMs, timesInBatch })
        if (refused !== undefined) appendRefusal(batch, refused)
      }
    },
    sent(index) {
      const text = textOf(rows[index] as Line)
      const cells = cellsOf(text, names.length)
      return cells?.length === names.length ? Object.fromEntries(names.map((name, i) => [name, cells[i]])) : text
    },
  }
}

function namesOf(header: Line | undefined, profile: SensorProfile): string[] {
  const cells = header === undefined ? [] : cellsOf(textOf(header), profile.channels.length + 1 + SIDES.size)
  if (cells === undefined) throw batchInvalid('body', 'csv', fieldText('csvHeader'))
  return cells.map((cell) => cell.trim())
}

/** A channel of the sensor counts before the location. */
function columnsOf(names: readonly string[], profile: SensorProfile): Column[] {
  const columns: Column[] = []
  for (const name of names) {
    const shown = name.slice(0, 60)
    const column = name === AT ? AT : (profile.byName.get(name) ?? SIDES.get(name))
    if (column === undefined) throw batchInvalid('body', 'column', fieldText('csvColumnUnknown', { name: shown }))
    if (columns.includes(column)) throw batchInvalid('body', 'once', fieldText('csvColumnTwice', { name: shown }))
    columns.push(column)
  }
  if (!columns.includes(AT)) throw batchInvalid('body', 'column', fieldText('csvColumnMissing', { name: AT }))
  if (columns.includes(0) !== columns.includes(1))
    throw batchInvalid('body', 'coordinateColumns', fieldText('csvLocationColumns'))
  return columns
}

type Filling = {
  profile: SensorProfile
  batch: Batch
  oldestMs: number
  newestMs: number
  timesInBatch: Set<number>
}

function addRow(row: Line, columns: readonly Column[], filling: Filling): Refused | undefined {
  const { profile, batch, oldestMs, newestMs, timesInBatch } = filling
  const cells = cellsOf(textOf(row), columns.length)
  if (cells?.length !== columns.length) return { at: null, reason: 'SENSOR_READING_UNREADABLE', line: row.number }
  const at = (cells[columns.indexOf(AT)] as string).trim()
  const atMs = parseTimestamp(at)
  const timeReason = timeReasonOf(atMs, oldestMs, newestMs)
  if (timeReason !== undefined) return { at: at === '' ? null : at, reason: timeReason }
  let valueCount = 0
  let location: unknown[] | undefined
  for (let i = 0; i < cells.length; i++) {
    const cell = (cells[i] as string).trim()
    const column = columns[i] as Column
    if (cell === '' || column === AT) continue
    const value = parsed(cell)
    if (typeof column === 'number') {
      location ??= [undefined, undefined]
      location[column] = value
      continue
    }
    const number = asNumber(value, column.measurement)
    if (number === undefined) return { at, reason: 'SENSOR_READING_BAD_VALUE' }
    batch.channelNumbers[valueCount] = column.number
    batch.values[valueCount] = number
    valueCount++
  }
  return addReading(batch, profile, { at, atMs, location }, valueCount, timesInBatch)
}

function parsed(cell: string): unknown {
  if (cell === 'true') return true
  if (cell === 'false') return false
  return NUMBER.test(cell) ? Number(cell) : cell
}

const textOf = ({ bytes }: Line): string => decoder.decode(bytes).replace(/\r$/, '')

const QUOTE = 34

/** @returns undefined if the quotes are wrong, or if there are more cells than `most` */
export function cellsOf(line: string, most: number): string[] | undefined {
  if (!line.includes('"')) {
    const cells = line.split(',', most + 1)
    return cells.length > most ? undefined : cells
  }
  const cells: string[] = []
  for (let p = 0; cells.length < most; p++) {
    let cell: string
    if (line.charCodeAt(p) === QUOTE) {
      const start = p + 1
      let hasQuotes = false
      for (p = start; line.charCodeAt(p) !== QUOTE || line.charCodeAt(p + 1) === QUOTE; p++) {
        if (p >= line.length) return undefined
        if (line.charCodeAt(p) !== QUOTE) continue
        hasQuotes = true
        p++
      }
      cell = line.slice(start, p)
      if (hasQuotes) cell = cell.replaceAll('""', '"')
      p++
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
