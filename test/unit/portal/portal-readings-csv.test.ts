/** How the portal reads a CSV, compared with another implementation of dates; and charts from series. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import {
  guessMapping,
  isFault,
  type Mapping,
  rowReader,
} from '../../../src/portal/features/sensors/one/upload/csv-readings.ts'
import { guessTimeFormat, timeReader } from '../../../src/portal/features/sensors/one/upload/csv-times.ts'
import { align, chartDataOf, gapsOf, stepMsOf, withReading, withTail } from '../../../src/portal/ui/chart/chart-data.ts'

const channel = (name: string, measurement: 'number' | 'whole' | 'boolean' = 'number') => ({
  name,
  measurement,
  unit: null,
})
const two = (value: number): string => String(value).padStart(2, '0')

test('every moment is read back from each format of time', () => {
  const moments = fc.integer({ min: -2_000_000_000, max: 4_000_000_000 })
  fc.assert(
    fc.property(moments, (seconds) => {
      const date = new Date(seconds * 1000)
      const [y, m, d] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
      const time = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}:${two(date.getUTCSeconds())}`
      expect(timeReader('iso', 'UTC')(`${y}-${two(m)}-${two(d)} ${time}`)).toBe(seconds * 1000)
      expect(timeReader('iso', 'Asia/Tokyo')(date.toISOString())).toBe(seconds * 1000)
      expect(timeReader('dmy', 'UTC')(`${d}.${m}.${y} ${time}`)).toBe(seconds * 1000)
      expect(timeReader('mdy', 'UTC')(`${m}/${d}/${y} ${time}`)).toBe(seconds * 1000)
      expect(timeReader('seconds', 'Asia/Tokyo')(String(seconds))).toBe(seconds * 1000)
      expect(timeReader('milliseconds', 'Asia/Tokyo')(String(seconds * 1000))).toBe(seconds * 1000)
    }),
  )
})

test('times without an offset are local times of the zone, before and after its clocks change', () => {
  const read = timeReader('iso', 'Europe/Berlin')
  // 2026: summer time from 29 March 01:00 UTC to 25 October 01:00 UTC
  expect(read('2026-03-29 01:59:59')).toBe(Date.UTC(2026, 2, 29, 0, 59, 59))
  expect(read('2026-03-29 03:00:00')).toBe(Date.UTC(2026, 2, 29, 1))
  expect(read('2026-07-01 12:00')).toBe(Date.UTC(2026, 6, 1, 10))
  expect(read('2026-10-25 03:00:00')).toBe(Date.UTC(2026, 9, 25, 2))
  expect(read('2026-07-01 12:00+05:30')).toBe(Date.UTC(2026, 6, 1, 6, 30))
  expect(timeReader('iso', 'Asia/Kathmandu')('2026-01-01 00:00')).toBe(Date.UTC(2025, 11, 31, 18, 15))
  expect(timeReader('mdy', 'UTC')('1/31/2026 12:05 AM')).toBe(Date.UTC(2026, 0, 31, 0, 5))
  expect(timeReader('dmy', 'UTC')('٣١/٠١/٢٠٢٦ ١٢:٠٠')).toBe(Date.UTC(2026, 0, 31, 12))
})

test('invalid times are refused', () => {
  for (const text of ['', 'yesterday', '2026-02-30 00:00', '2026-13-01', '2026-01-01 24:00', '31.01.2026'])
    expect(timeReader('iso', 'UTC')(text)).toBeUndefined()
  expect(timeReader('dmy', 'UTC')('01/31/2026')).toBeUndefined()
  expect(timeReader('seconds', 'UTC')('12e3')).toBeUndefined()
})

test('the format of times is guessed from samples', () => {
  expect(guessTimeFormat(['2026-01-31T12:00:00Z'])).toBe('iso')
  expect(guessTimeFormat(['31.01.2026 12:00', '01.02.2026 12:00'])).toBe('dmy')
  expect(guessTimeFormat(['01/02/2026', '01/31/2026'])).toBe('mdy')
  expect(guessTimeFormat(['1767225600', '1767225601.5'])).toBe('seconds')
  expect(guessTimeFormat(['1767225600000'])).toBe('milliseconds')
})

test('columns are guessed from the header, and the time from its values', () => {
  const channels = [channel('temperature'), channel('Count', 'whole')]
  const rows = [['2026-01-31 12:00', '21,5', '3', 'x', '13.4', '52.5']]
  const header = ['measured', 'Temperature (°C)', 'count', 'note', 'lng', 'Latitude']
  const mapping = guessMapping(header, rows, channels, 'UTC')
  expect(mapping).toEqual({
    meanings: ['time', 'channel temperature', 'channel Count', 'ignored', 'longitude', 'latitude'],
    timeFormat: 'iso',
    zone: 'UTC',
    hasDecimalComma: true,
  })
})

test('a row becomes a reading, or an error message', () => {
  const channels = [channel('t'), channel('n', 'whole'), channel('b', 'boolean')]
  const mapping: Mapping = {
    meanings: ['time', 'channel t', 'channel n', 'channel b', 'longitude', 'latitude'],
    timeFormat: 'iso',
    zone: 'UTC',
    hasDecimalComma: false,
  }
  const read = rowReader(mapping, channels)
  const at = '2026-01-31T12:00:00.000Z'
  expect(read(['2026-01-31 12:00', ' 21.5 ', '', 'ON', '13.4', '52.5'])).toEqual({
    at,
    values: { t: 21.5, b: true },
    location: [13.4, 52.5],
  })
  // the name of an object's own property is a channel like any other
  const odd = rowReader({ ...mapping, meanings: ['time', 'channel __proto__'] }, [channel('__proto__')])
  expect(JSON.stringify(odd(['2026-01-31 12:00', '1']))).toContain('"__proto__":1')
  const ruleOf = (cells: string[]) => {
    const row = read(cells)
    return isFault(row) ? row.rule : undefined
  }
  expect(ruleOf(['12', '1', '', '', '', ''])).toBe('wrongTime')
  expect(ruleOf([at, 'n/a', '', '', '', ''])).toBe('wrongNumber')
  expect(ruleOf([at, '1e999', '', '', '', ''])).toBe('wrongNumber')
  expect(ruleOf([at, '', '1.5', '', '', ''])).toBe('wrongWhole')
  expect(ruleOf([at, '', '9007199254740993', '', '', ''])).toBe('wrongWhole')
  expect(ruleOf([at, '', '', 'maybe', '', ''])).toBe('wrongBoolean')
  expect(ruleOf([at, '', '', '', '190', '0'])).toBe('wrongPlace')
  expect(ruleOf([at, '', '', '', '13', ''])).toBe('wrongPlace')
  expect(ruleOf([at, '', '', '', '', ''])).toBe('nothing')
  expect(ruleOf([])).toBe('wrongTime')
  // the cells may belong to other columns; trailing separators do not count as cells
  expect(ruleOf([at, '1', '', '', '', '', 'x'])).toBe('tooManyCells')
  expect(read([at, '1', '', '', '', '', ' ', ''])).toEqual({ at, values: { t: 1 } })
})

test('groups of digits are read as groups only', () => {
  const channels = [channel('t')]
  const numberOf = (text: string, hasDecimalComma: boolean) => {
    const meanings: Mapping['meanings'] = ['time', 'channel t']
    const row = rowReader({ meanings, timeFormat: 'iso', zone: 'UTC', hasDecimalComma }, channels)(['2026-01-31', text])
    return isFault(row) ? row.rule : row.values?.t
  }
  const wrong = 'wrongNumber'
  expect(['1.500,5', '1 500,5', '21,5', '-1.234.567', '12'].map((text) => numberOf(text, true))).toEqual([
    1500.5, 1500.5, 21.5, -1234567, 12,
  ])
  expect(['1.5', '0.045', '1.50,5', '1 2', '1.2345'].map((text) => numberOf(text, true))).toEqual(Array(5).fill(wrong))
  expect(["1'500.5", '1 500', '1.5', '-0.045'].map((text) => numberOf(text, false))).toEqual([
    1500.5, 1500, 1.5, -0.045,
  ])
  expect(['1 2', '21 50', '1,5', '1,500'].map((text) => numberOf(text, false))).toEqual(Array(4).fill(wrong))
})

const answer = (step: string, points: [string, number | string | null][]) => ({
  step,
  series: ['avg', 'min', 'max'].map((agg) => ({ sensorId: 'sen', channel: 'a', name: 'a', agg, points })),
})
const second = (s: number): string => new Date(s * 1000).toISOString()

test('a line breaks where a sensor missed readings, and continues over empty steps', () => {
  const data = chartDataOf(
    answer(
      '10s',
      [0, 10, 30, 40, 100, 110].map((s) => [second(s), s]),
    ),
    0,
    120_000,
  )
  // usually every 10 seconds: 20 seconds between two readings mean a late one, 60 silence
  const { x, columns } = align(data)
  expect(x).toEqual([0, 10_000, 30_000, 40_000, 50_000, 100_000, 110_000])
  expect(columns.get('a')?.avg).toEqual([0, 10, 30, 40, null, 100, 110])
})

test('a gap is defined by the usual interval of the sensor', () => {
  const isGap = (at: number[], stepMs: number, readings: number): boolean => {
    const values = at.map(() => 0)
    return gapsOf({ at, avg: values, min: values, max: values, count: at.map(() => readings) }, stepMs).length > 0
  }
  expect([180, 181].map((distance) => isGap([0, 60, 120, 180, 180 + distance], 5, 1))).toEqual([false, true])
  expect([15, 16].map((distance) => isGap([0, 10, 20, 30, 30 + distance], 10, 10))).toEqual([false, true])
  expect([45, 46].map((distance) => isGap([0, 15, 30, 60, 60 + distance], 15, 1))).toEqual([false, true])
  expect(isGap([], 15, 1)).toBe(false)
})

test('infinite values are not drawn, and steps are read in every unit', () => {
  const data = chartDataOf(
    answer('1m', [
      [second(0), 'Infinity'],
      [second(60), 2],
      [second(120), null],
    ]),
    0,
    1,
  )
  expect(data.channels.get('a')?.at).toEqual([60_000])
  expect(['15s', '5m', '2h', '1d', '1w'].map(stepMsOf)).toEqual([15_000, 300_000, 7_200_000, 86_400_000, 604_800_000])
})

test('new readings extend the last bucket or begin one, and a tail replaces the points that it covers', () => {
  const data = chartDataOf(
    answer('10s', [
      [second(0), 5],
      [second(10), 6],
    ]),
    0,
    20_000,
  )
  const longer = withReading(withReading(data, 12_000, { a: 9 }), 21_000, { a: 4, unknown: 1 })
  expect(longer.channels.get('a')).toEqual({
    at: [0, 10_000, 20_000],
    avg: [5, 6, 4],
    min: [5, 6, 4],
    max: [5, 9, 4],
    count: [1, 1, 1],
  })
  // late readings belong to buckets that the server knows
  expect(withReading(longer, 3_000, { a: 100 }).channels.get('a')).toEqual(longer.channels.get('a'))
  const tail = chartDataOf(
    answer('10s', [
      [second(10), 7],
      [second(20), 8],
    ]),
    10_000,
    30_000,
  )
  expect(withTail(longer, tail).channels.get('a')?.avg).toEqual([5, 7, 8])
})
