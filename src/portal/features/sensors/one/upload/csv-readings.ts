/** Rows of a CSV as readings: the meaning of each column, and the faults of a row. */
import type { ChartChannel } from '../../../../ui/chart/chart-data.ts'
import { extraCells } from '../../../../ui/table/csv-rows.ts'
import { guessTimeFormat, plainDigits, type TimeFormat, timeReader } from './csv-times.ts'

/** The meaning of a column: one of the fixed ones, or `channel` with its name. */
export type Meaning = 'time' | 'longitude' | 'latitude' | 'ignored' | `channel ${string}`

export type Mapping = {
  /** In the order of the columns. */
  meanings: Meaning[]
  timeFormat: TimeFormat
  /** The time zone of times without an offset. */
  zone: string
  hasDecimalComma: boolean
}

export type Reading = { at: string; values?: Record<string, number | boolean>; location?: [number, number] }

/** Why a row cannot be sent. */
export type RowFault = {
  rule: 'tooManyCells' | 'wrongTime' | 'wrongNumber' | 'wrongWhole' | 'wrongBoolean' | 'wrongPlace' | 'nothing'
  text: string
  channel: string
}

const TIME = /^(at|ts|time|times|timestamp|date|datetime|date[ _-]?time|recorded[ _-]?at|zeit|datum|الوقت|التاريخ)$/
const LONGITUDE = /^(lon|lng|long|longitude|خط الطول)$/
const LATITUDE = /^(lat|latitude|خط العرض)$/
/** "temperature (°C)", "temperature [°C]", "temperature / °C" */
const UNIT = /\s*(\([^)]*\)|\[[^\]]*\]|\/\s*\S+)$/
/** Minimum share of readable samples. */
const ENOUGH = 0.5

const plain = (text: string): string => text.trim().toLowerCase()

/** @param rows the first rows below the header */
export function guessMapping(
  header: readonly string[],
  rows: readonly (readonly string[])[],
  channels: readonly ChartChannel[],
  zone: string,
): Mapping {
  const used = new Set<Meaning>()
  const take = (meaning: Meaning): Meaning => {
    if (used.has(meaning)) return 'ignored'
    if (meaning !== 'ignored') used.add(meaning)
    return meaning
  }
  const meanings = header.map((name): Meaning => {
    const [full, short] = [plain(name), plain(name.replace(UNIT, ''))]
    const channel =
      channels.find((one) => plain(one.name) === full) ?? channels.find((one) => plain(one.name) === short)
    if (channel !== undefined) return take(`channel ${channel.name}`)
    if (TIME.test(short)) return take('time')
    if (LONGITUDE.test(short)) return take('longitude')
    if (LATITUDE.test(short)) return take('latitude')
    return 'ignored'
  })
  const samplesOf = (column: number): string[] => rows.map((row) => row[column] ?? '')
  if (!used.has('time')) {
    const at = header.findIndex((_, column) => {
      const samples = samplesOf(column)
      const read = timeReader(guessTimeFormat(samples), zone)
      return (
        meanings[column] === 'ignored' && samples.filter((text) => isDate(read(text))).length > samples.length * ENOUGH
      )
    })
    if (at >= 0) meanings[at] = 'time'
  }
  const time = meanings.indexOf('time')
  const values = meanings.flatMap((meaning, column) => (meaning.startsWith('channel ') ? samplesOf(column) : []))
  return {
    meanings,
    timeFormat: guessTimeFormat(time < 0 ? [] : samplesOf(time)),
    zone,
    hasDecimalComma: values.some((text) => /^-?\d+,\d+$/.test(text.trim())),
  }
}

/** Numbers of a measurement parse as times too, but in 1970. */
const YEAR_2000_MS = 946_684_800_000
const isDate = (ms: number | undefined): boolean => ms !== undefined && ms > YEAR_2000_MS && ms < 4 * YEAR_2000_MS

const TRUE = new Set(['true', 't', '1', 'on', 'yes', 'y', 'نعم'])
const FALSE = new Set(['false', 'f', '0', 'off', 'no', 'n', 'لا'])

/** Digits in groups of three; 1 2 and 0.045 have none. */
const GROUPED_BEFORE_POINT = /^[+-]?[1-9]\d{0,2}(?:[\s\u00a0\u202f']\d{3})+(?!\d)/
const GROUPED_BEFORE_COMMA = /^[+-]?[1-9]\d{0,2}(?:[\s\u00a0\u202f'.]\d{3})+(?!\d)/

/** @returns a function that makes a reading of a row, or returns the row's fault */
export function rowReader(
  mapping: Mapping,
  channels: readonly ChartChannel[],
): (row: readonly string[]) => Reading | RowFault {
  const readTime = timeReader(mapping.timeFormat, mapping.zone)
  const columns = mapping.meanings.flatMap((meaning, column) => {
    const channel = channels.find(({ name }) => meaning === `channel ${name}`)
    return channel === undefined ? [] : [{ column, channel }]
  })
  const time = mapping.meanings.indexOf('time')
  const longitude = mapping.meanings.indexOf('longitude')
  const latitude = mapping.meanings.indexOf('latitude')
  const grouped = mapping.hasDecimalComma ? GROUPED_BEFORE_COMMA : GROUPED_BEFORE_POINT
  const numberOf = (text: string): number => {
    const digits = plainDigits(text)
      .trim()
      .replace(grouped, (groups) => groups.replace(/[^\d+-]/g, ''))
    // a point that is not a group separator is not a decimal point either
    const decimal = mapping.hasDecimalComma ? digits.replace('.', 'x').replace(',', '.') : digits
    return /^[+-]?(\d+(?:\.\d*)?|\.\d+)(e[+-]?\d+)?$/i.test(decimal) ? Number(decimal) : Number.NaN
  }
  return (row) => {
    const extra = extraCells(row, mapping.meanings.length)
    if (extra !== undefined) return { rule: 'tooManyCells', text: extra, channel: '' }
    const timeText = row[time] ?? ''
    const ms = readTime(timeText)
    if (ms === undefined || !(Math.abs(ms) < 8.64e15)) return { rule: 'wrongTime', text: timeText, channel: '' }
    const reading: Reading = { at: new Date(ms).toISOString() }
    for (const { column, channel } of columns) {
      const text = (row[column] ?? '').trim()
      // an empty cell means that nothing was measured
      if (text === '') continue
      const value = cellValue(text, channel, numberOf)
      if (typeof value === 'string') return { rule: value, text, channel: channel.name }
      // without a prototype: a channel may have the name of an inherited member
      reading.values ??= Object.create(null) as Record<string, number | boolean>
      reading.values[channel.name] = value
    }
    const [x, y] = [(row[longitude] ?? '').trim(), (row[latitude] ?? '').trim()]
    if (x !== '' || y !== '') {
      const place: [number, number] = [numberOf(x), numberOf(y)]
      if (!(Math.abs(place[0]) <= 180 && Math.abs(place[1]) <= 90))
        return { rule: 'wrongPlace', text: `${x}, ${y}`, channel: '' }
      reading.location = place
    }
    if (reading.values === undefined && reading.location === undefined)
      return { rule: 'nothing', text: '', channel: '' }
    return reading
  }
}

function cellValue(
  text: string,
  { measurement }: ChartChannel,
  numberOf: (text: string) => number,
): number | boolean | RowFault['rule'] {
  if (measurement === 'boolean') {
    const word = text.toLowerCase()
    return TRUE.has(word) ? true : FALSE.has(word) ? false : 'wrongBoolean'
  }
  const value = numberOf(text)
  if (!Number.isFinite(value)) return 'wrongNumber'
  return measurement === 'whole' && !Number.isSafeInteger(value) ? 'wrongWhole' : value
}

export const isFault = (row: Reading | RowFault): row is RowFault => 'rule' in row
