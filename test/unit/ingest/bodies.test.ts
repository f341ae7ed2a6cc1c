/** Bodies of readings by content type: lines of JSON, CSV, and the comparison of all formats. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { AppError } from '../../../src/errors.ts'
import { sensorProfile } from '../../../src/ingest/batch.ts'
import type { DayCounts } from '../../../src/ingest/day-counts.ts'
import { formatTimestamp, MS_PER_DAY } from '../../../src/ingest/timestamp.ts'
import { reserveDay } from '../../../src/ingest/validate.ts'
import { mutated, runs } from '../../support/fuzz.ts'
import { outcomeOfBody, snapshot, takenFrom } from '../../support/ingest/body-outcome.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const [JSON_TYPE, NDJSON, CSV, SENML] = [
  'application/json',
  'application/x-ndjson',
  'text/csv',
  'application/senml+json',
]
const profile = sensorProfile(7, 9, 90, [
  { number: 1, name: 'temperature', measurement: 'number', unit: '°C' },
  { number: 2, name: 'count', measurement: 'whole' },
  { number: 5, name: 'open', measurement: 'boolean' },
  { number: 6, name: 'رطوبة, "x"', measurement: 'number' },
])
const AT = '2026-11-20T11:00:00Z'
const LATER = '2026-11-20T11:30:00.000Z'

const outcome = (type: string, body: string | Uint8Array) => outcomeOfBody(type, body, profile, NOW)
const refusedIn = (type: string, body: string | Uint8Array) => outcome(type, body).batch.refused
const taken = (type: string, body: string) => takenFrom(outcome(type, body).batch, profile)
function failureOf(type: string, body: string | Uint8Array, of = profile) {
  try {
    outcomeOfBody(type, body, of, NOW)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  throw new Error('the body was taken')
}

test('a CSV cell of 30,000 digits that is no number is refused at once', () => {
  const { user } = process.cpuUsage()
  const body = `at,temperature\n${AT},${'9'.repeat(30_000)}x\n${LATER},1.`
  expect(refusedIn(CSV, body)).toEqual([{ at: AT, reason: 'SENSOR_READING_BAD_VALUE' }])
  expect(process.cpuUsage({ user, system: 0 }).user / 1e6).toBeLessThan(1)
})

test('each line of NDJSON is a reading; a broken line is refused alone, with its number', () => {
  const body = [
    `\ufeff{"at":"${AT}","values":{"temperature":1.5,"open":true}}\r`,
    '',
    `{"at":"${AT}","values":{"temperature":2}`,
    '"',
    '   ',
    `{"at":"${LATER}","location":[12.5,41.9]}`,
    '5',
  ].join('\n')
  expect(taken(NDJSON, body)).toEqual([
    { at: '2026-11-20T11:00:00.000Z', values: { temperature: 1.5, open: 1 } },
    { at: LATER, values: {}, location: [12.5, 41.9] },
  ])
  expect(refusedIn(NDJSON, body)).toEqual([
    { at: null, reason: 'SENSOR_READING_UNREADABLE', line: 3 },
    { at: null, reason: 'SENSOR_READING_UNREADABLE', line: 4 },
    { at: null, reason: 'SENSOR_READING_AT_INVALID' },
  ])
})

test('a line of NDJSON that is not UTF-8 is refused alone', () => {
  const line = new TextEncoder().encode(`{"at":"${AT}","values":{"temperature":1}}\n`)
  const broken = Buffer.concat([line, Uint8Array.of(123, 34, 0xc3, 0x28, 34, 58, 49, 125, 10), line])
  expect(refusedIn(NDJSON, broken)).toEqual([
    { at: null, reason: 'SENSOR_READING_UNREADABLE', line: 2 },
    { at: AT, reason: 'SENSOR_READING_DUPLICATE_IN_BATCH' },
  ])
})

test('a line of NDJSON that ends within a text does not hide lists from the limits', () => {
  const lists = `"\n${'['.repeat(20_001)}`
  expect(failureOf(NDJSON, lists).errors).toMatchObject([
    { field: 'body', rule: expect.stringMatching(/nesting|items/) },
  ])
  expect(failureOf(NDJSON, `"\\${lists.slice(1)}`).errors).toHaveLength(1)
})

test('a row of CSV is a reading, whose empty cells are missing values', () => {
  const body = [
    'open,at,"رطوبة, ""x""",count,lat,temperature,lon',
    `true,${AT},1.25,,41.9,,12.5`,
    '',
    `false,${LATER},,-7,,"21.5",`,
    '',
  ].join('\r\n')
  expect(outcome(CSV, body).batch.refused).toEqual([])
  expect(taken(CSV, body)).toEqual([
    { at: '2026-11-20T11:00:00.000Z', values: { open: 1, 'رطوبة, "x"': 1.25 }, location: [12.5, 41.9] },
    { at: LATER, values: { open: 0, count: -7, temperature: 21.5 } },
  ])
})

test.each<[string, string, string]>([
  ['too few cells', AT, 'SENSOR_READING_UNREADABLE'],
  ['too many cells', `${AT},1,2,3,4,5`, 'SENSOR_READING_UNREADABLE'],
  ['a quote that is not closed', `${AT},"1,2,3,4`, 'SENSOR_READING_UNREADABLE'],
  ['a quote within a cell', `${AT},1"2",,,`, 'SENSOR_READING_UNREADABLE'],
  ['text after a quote', `${AT},"1"2,,,`, 'SENSOR_READING_UNREADABLE'],
  ['no time', ',1,,,', 'SENSOR_READING_AT_INVALID'],
  ['a time without an offset', '2026-11-20T11:00:00,1,,,', 'SENSOR_READING_AT_INVALID'],
  ['a time that is too old', '2020-01-01T00:00:00Z,1,,,', 'SENSOR_READING_TOO_OLD'],
  ['a decimal comma', `${AT},"1,5",,,`, 'SENSOR_READING_BAD_VALUE'],
  ['a hexadecimal number', `${AT},0x10,,,`, 'SENSOR_READING_BAD_VALUE'],
  ['infinity', `${AT},Infinity,,,`, 'SENSOR_READING_BAD_VALUE'],
  ['a number above all doubles', `${AT},1e400,,,`, 'SENSOR_READING_BAD_VALUE'],
  ['a fraction for a whole number', `${AT},,1.5,,`, 'SENSOR_READING_BAD_VALUE'],
  ['yes for a number', `${AT},true,,,`, 'SENSOR_READING_BAD_VALUE'],
  ['no value', `${AT},,,,`, 'SENSOR_READING_BAD_VALUE'],
  ['half of a location', `${AT},1,,12.5,`, 'SENSOR_READING_LOCATION'],
  ['a latitude past 90', `${AT},1,,12.5,90.1`, 'SENSOR_READING_LOCATION'],
])('a row of CSV with %s is refused alone', (_, row, reason) => {
  const good = `${LATER},1,2,12.5,41.9`
  const { batch } = outcome(CSV, `at,temperature,count,longitude,latitude\n\n${row}\n${good}\n`)
  const line = reason === 'SENSOR_READING_UNREADABLE' ? { line: 3 } : {}
  expect(batch.refused).toMatchObject([{ reason, ...line }])
  expect(takenFrom(batch, profile)).toEqual([
    { at: LATER, values: { temperature: 1, count: 2 }, location: [12.5, 41.9] },
  ])
})

test('numbers of CSV may be written as loggers write them', () => {
  const cells: [string, number][] = [
    ['+1.5', 1.5],
    ['.5', 0.5],
    ['7.', 7],
    ['007', 7],
    ['-1E-2', -0.01],
    [' 3 ', 3],
    ['1e-400', 0],
  ]
  for (const [cell, number] of cells)
    expect(taken(CSV, `at,temperature\n${AT},${cell}`)[0]?.values).toEqual({ temperature: number })
})

test('a channel counts before a column of the location', () => {
  const of = sensorProfile(7, 9, 90, [{ number: 1, name: 'lat', measurement: 'number' }])
  const body = `at,lat,longitude,latitude\n${AT},1,12.5,41.9`
  expect(takenFrom(outcomeOfBody(CSV, body, of, NOW).batch, of)).toEqual([
    { at: '2026-11-20T11:00:00.000Z', values: { lat: 1 }, location: [12.5, 41.9] },
  ])
  expect(failureOf(CSV, `at,lat,longitude\n${AT},1,12.5`, of).errors).toMatchObject([{ rule: 'coordinateColumns' }])
})

test('a channel may have the name of a member of every object', () => {
  const of = sensorProfile(7, 9, 90, [{ number: 3, name: '__proto__', measurement: 'number' }])
  expect(outcomeOfBody(CSV, `at,__proto__\n${AT},4`, of, NOW).batch).toMatchObject({ count: 1, refused: [] })
})

test.each<[string, string, string, string]>([
  ['nothing', CSV, '', 'column'],
  ['no column at', CSV, 'time,temperature\n', 'column'],
  ['an unknown column', CSV, `at,pressure\n${AT},1`, 'column'],
  ['a column twice', CSV, `at,count,count\n${AT},1,1`, 'once'],
  ['a column of the location twice', CSV, `at,lon,longitude,lat\n${AT},1,1,1`, 'once'],
  ['half of a location', CSV, `at,lon\n${AT},1`, 'coordinateColumns'],
  ['a broken header', CSV, `at,"count\n${AT},1`, 'csv'],
  ['a header of a million columns', CSV, `at${',x'.repeat(500_000)}\n`, 'csv'],
  ['no rows', CSV, 'at,temperature\r\n\r\n', 'length'],
  ['501 rows', CSV, `at,temperature\n${`${AT},1\n`.repeat(501)}`, 'length'],
  ['nothing', NDJSON, ' \n\n', 'length'],
  ['501 lines', NDJSON, '{}\n'.repeat(501), 'length'],
  ['a million empty lines', NDJSON, '\n'.repeat(1_000_000), 'length'],
  ['no JSON', SENML, '[', 'json'],
  ['no list', SENML, '{"n":"temperature","v":1}', 'type'],
  ['no records', SENML, '[]', 'length'],
])('%s is refused as a whole, as %s', (_, type, body, rule) => {
  expect(failureOf(type, body)).toMatchObject({ code: 'SENSOR_READINGS_BATCH_INVALID', errors: [{ rule }] })
})

test('the refused part of a body is known as it was sent', () => {
  const csv = outcome(CSV, `at,temperature\n${AT}\nnoon,1\n${LATER},2`)
  expect([0, 1, 2].map((i) => csv.source?.sent(i))).toEqual([
    AT,
    { at: 'noon', temperature: '1' },
    { at: LATER, temperature: '2' },
  ])
  expect(outcome(NDJSON, '{"at":1\n').source?.sent(0)).toBe('{"at":1')
})

test('readings beyond the day are refused with their time as sent, or as resolved', () => {
  const counts = { reserve: () => 1 } as unknown as DayCounts
  const beyond = (type: string, body: string) => {
    const { batch, source } = outcome(type, body)
    const call = { profile, readingsPerDay: 1, body: new Uint8Array(), source, nowMs: NOW }
    expect(reserveDay(counts, call, batch)).toBe(1)
    return batch.refused
  }
  const time = '2026-11-20T12:00:00+01:00'
  const reason = 'SENSOR_READINGS_DAILY_LIMIT'
  expect(beyond(CSV, `at,count\n${LATER},1\n${time},2`)).toEqual([{ at: time, reason }])
  expect(beyond(NDJSON, `{"at":"${LATER}","values":{"count":1}}\n{"at":"${time}","values":{"count":1}}`)).toEqual([
    { at: time, reason },
  ])
  expect(beyond(SENML, `[{"n":"count","v":1},{"n":"count","t":${Date.parse(AT) / 1000},"v":1}]`)).toEqual([
    { at: '2026-11-20T11:00:00.000Z', reason },
  ])
})

// the same random readings in all formats
type Sent = { atMs: number; values: Record<string, number | boolean>; location?: [number, number] }
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.integer({ min: -1000, max: 1000 }),
  fc.constantFrom(-0, 0.1, 5e-324, 1.7976931348623157e308, 123456789012345680),
)
const valuesOf = (whole: fc.Arbitrary<number>) =>
  fc.record({ temperature: number, count: whole, open: fc.boolean(), 'رطوبة, "x"': number }, { requiredKeys: [] })
const locations = (most: number) =>
  fc.tuple(fc.double({ min: -most, max: most, noNaN: true }), fc.double({ min: -most / 2, max: most / 2, noNaN: true }))
const readingsOf = (whole: fc.Arbitrary<number>, most: number) =>
  fc.uniqueArray(
    fc.record(
      {
        // some are too old, some in the future
        atMs: fc.integer({ min: NOW - 100 * MS_PER_DAY, max: NOW + MS_PER_DAY }),
        values: valuesOf(whole),
        location: locations(most),
      },
      { requiredKeys: ['atMs', 'values'] },
    ),
    { minLength: 1, maxLength: 12, selector: ({ atMs }) => atMs },
  ) as fc.Arbitrary<Sent[]>

const asObject = ({ atMs, values, location }: Sent) => ({
  at: formatTimestamp(atMs),
  values,
  ...(location && { location }),
})
const asJson = (readings: Sent[]): string => JSON.stringify({ readings: readings.map(asObject) })
const asLines = (readings: Sent[]): string => readings.map((one) => JSON.stringify(asObject(one))).join('\n')
function asCsv(readings: Sent[]): string {
  const names = profile.channels.map(({ name }) => name)
  const header = ['at', 'lon', 'lat', ...names.map((name) => `"${name.replaceAll('"', '""')}"`)]
  const cell = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value))
  const rows = readings.map(({ atMs, values, location = [] }) =>
    [formatTimestamp(atMs), cell(location[0]), cell(location[1]), ...names.map((name) => cell(values[name]))].join(','),
  )
  return `${header.join(',')}\r\n${rows.join('\r\n')}\r\n`
}
type Written = { hasBase: boolean; bn: string; baseMs: number }
/** Records of a base time that stays absolute, with names split after a part of them. */
function asSenml(readings: Sent[], { hasBase, bn, baseMs }: Written): string {
  const seconds = (atMs: number): number => (hasBase ? (atMs - baseMs) / 1000 : atMs / 1000)
  const base = hasBase ? [{ bn, bt: baseMs / 1000, bver: 10 }] : [{ bn }]
  const records = readings.flatMap(({ atMs, values, location }) => [
    ...Object.entries(values).map(([n, value]) => ({
      n,
      t: seconds(atMs),
      ...(typeof value === 'boolean' ? { vb: value } : { v: value }),
      ...(n === 'temperature' && { u: 'Cel' }),
    })),
    ...(location?.map((v, i) => ({ u: ['lon', 'lat'][i], t: seconds(atMs), v })) ?? []),
  ])
  return JSON.stringify([...base, ...records])
}
const written = fc.record({
  hasBase: fc.boolean(),
  bn: fc.constantFrom('urn:dev:mac:0024befffe804ff1_', 'x'),
  baseMs: fc.integer({ min: NOW - 100 * MS_PER_DAY, max: NOW }),
})

test('readings have the same outcome as JSON, as NDJSON and as CSV', () => {
  // values of a wrong kind and locations out of range are refused in the same way
  const whole = fc.oneof({ weight: 9, arbitrary: fc.maxSafeInteger() }, { weight: 1, arbitrary: fc.constant(0.5) })
  fc.assert(
    fc.property(readingsOf(whole, 190), (readings) => {
      const expected = snapshot(outcome(JSON_TYPE, asJson(readings)).batch)
      expect(snapshot(outcome(NDJSON, asLines(readings)).batch)).toEqual(expected)
      expect(snapshot(outcome(CSV, asCsv(readings)).batch)).toEqual(expected)
    }),
    runs(10_000),
  )
})

test('readings have the same outcome as JSON and as SenML', () => {
  fc.assert(
    fc.property(readingsOf(fc.maxSafeInteger(), 180), written, (readings, how) => {
      const filled = readings.filter(({ values, location }) => Object.keys(values).length > 0 || location !== undefined)
      fc.pre(filled.length > 0)
      const expected = snapshot(outcome(JSON_TYPE, asJson(filled)).batch)
      expect(snapshot(outcome(SENML, asSenml(filled, how)).batch)).toEqual(expected)
    }),
    runs(10_000),
  )
})

test('damaged bodies are taken or refused, and the outcomes of their readings are complete', () => {
  const readings: Sent[] = Array.from({ length: 5 }, (_, i) => ({
    atMs: NOW - i * 1000,
    values: { temperature: i / 3, count: i, open: true },
    location: [i, -i],
  }))
  const how: Written = { hasBase: true, bn: 'x', baseMs: NOW }
  const bodies: [string, string][] = [
    [NDJSON, asLines(readings)],
    [CSV, asCsv(readings)],
    [SENML, asSenml(readings, how)],
  ]
  let refused = 0
  for (const [type, body] of bodies)
    fc.assert(
      fc.property(mutated(new TextEncoder().encode(body)), (damaged) => {
        try {
          const { batch, source } = outcome(type, damaged)
          expect(batch.count).toBe(takenFrom(batch, profile).length + batch.refused.length)
          for (let i = 0; i < batch.count; i++) expect(source?.sent(i)).toBeDefined()
          refused += batch.refused.length
        } catch (error) {
          if (!(error instanceof AppError) || error.code !== 'SENSOR_READINGS_BATCH_INVALID') throw error
        }
      }),
      runs(10_000),
    )
  expect(refused).toBeGreaterThan(100)
})
