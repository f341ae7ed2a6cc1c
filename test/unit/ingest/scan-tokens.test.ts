/** The byte scanners of the sensor path against JSON.parse and Date.parse, on valid, malformed and mutated text. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { createBatch, resetBatch, sensorProfile } from '../../../src/ingest/batch.ts'
import { scanBatch, scanOne } from '../../../src/ingest/scan.ts'
import { bytesAt, found, scanNumber, scanTimestamp, skipSpace } from '../../../src/ingest/scan-tokens.ts'
import { MS_PER_DAY, parseTimestamp } from '../../../src/ingest/timestamp.ts'
import { parseReadings, validateReadings } from '../../../src/ingest/validate.ts'
import { FUTURE_TOLERANCE_MS } from '../../../src/stores/future-tolerance.ts'
import { mutated, runs } from '../../support/fuzz.ts'

const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** The result of JSON.parse; undefined when it rejects the text. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const digits = (max: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...'0123456789'), maxLength: max })
/** Everything that looks like a number, most of it valid JSON. */
const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.integer().map(String),
  fc.bigInt({ min: -(10n ** 25n), max: 10n ** 25n }).map(String),
  fc
    .tuple(
      fc.constantFrom('', '-', '+'),
      digits(20),
      fc.constantFrom('', '.'),
      digits(25),
      fc.constantFrom('', 'e', 'E-', 'e+'),
      digits(3),
    )
    .map((parts) => parts.join('')),
)

test('scanNumber agrees with JSON.parse bit for bit, and rejects the rest', () => {
  fc.assert(
    fc.property(numberText, fc.constantFrom('', ',', '}', ' ', ']'), (text, after) => {
      const end = scanNumber(encode(text + after), 0)
      const expected = parsed(text)
      if (typeof expected === 'number' && Number.isFinite(expected)) {
        expect([text, end]).toEqual([text, text.length])
        expect(Object.is(found.number, expected)).toBe(true)
        // a delimiter may follow the number, and scanning stops there
      } else if (end !== -1) expect(parsed(text.slice(0, end))).toBe(found.number)
    }),
    runs(20_000),
  )
})

const two = (max: number): fc.Arbitrary<string> => fc.nat({ max }).map((value) => String(value).padStart(2, '0'))
const timestampText = fc
  .tuple(
    fc.integer({ min: 0, max: 9_999 }).map((year) => String(year).padStart(4, '0')),
    fc.tuple(two(13), two(32), two(24), two(60), two(60)),
    fc.oneof(
      fc.constant(''),
      digits(12).map((fraction) => `.${fraction}`),
    ),
    fc.oneof(
      fc.constant('Z'),
      fc.tuple(fc.constantFrom('+', '-'), two(24), two(60)).map(([sign, h, m]) => `${sign}${h}:${m}`),
    ),
  )
  .map(([year, [month, day, hour, minute, second], fraction, zone]) => {
    return `${year}-${month}-${day}T${hour}:${minute}:${second}${fraction}${zone}`
  })

/** Date.parse accepts 24:00:00, rolls February 30 over, and rounds or truncates long fractions. */
function byDate(text: string): number {
  const [, date = '', hour = '', fraction = ''] = /^(\d{4}-\d\d-\d\d)T(\d\d):\d\d:\d\d(\.\d+)?/.exec(text) ?? []
  if (hour === '24' || text.includes('.Z') || /\.[+-]/.test(text)) return Number.NaN
  const [year = 0, month = 0, day = 0] = date.split('-').map(Number)
  const midnight = new Date(0)
  midnight.setUTCFullYear(year, month - 1, day)
  if (midnight.getUTCMonth() !== month - 1 || midnight.getUTCDate() !== day) return Number.NaN
  const [zoneHour = 0] = /[+-](\d\d):\d\d$/.exec(text)?.slice(1).map(Number) ?? []
  if (zoneHour > 23) return Number.NaN
  return Date.parse(text.replace(fraction, fraction.slice(0, 4)))
}

test('parseTimestamp and scanTimestamp agree with Date.parse on every part, valid or not', () => {
  fc.assert(
    fc.property(timestampText, (text) => {
      const expected = byDate(text)
      expect([text, parseTimestamp(text)]).toEqual([text, expected])
      const end = scanTimestamp(encode(`"${text}"`), 0)
      expect([text, end === -1 ? Number.NaN : found.time]).toEqual([text, expected])
      if (end !== -1) expect(end).toBe(text.length + 2)
    }),
    runs(10_000),
  )
})

test('scanTimestamp accepts no mutated text that parseTimestamp rejects, and reads the same time', () => {
  const texts = ['2026-11-20T11:00:00Z', '2024-02-29T23:59:59.123456+05:30', '0000-01-01T00:00:00.9-23:59'].map(
    (text) => encode(`"${text}"`),
  )
  fc.assert(
    fc.property(mutated(...texts), (bytes) => {
      const end = scanTimestamp(bytes, 0)
      if (end === -1) return
      const text = bytes.toString('latin1', 1, end - 1)
      expect([text, found.time]).toEqual([text, parseTimestamp(text)])
    }),
    runs(20_000),
  )
})

test('spaces and words end at the end of the text', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t', 'x', '\u00a0') }),
      fc.nat({ max: 5 }),
      (text, start) => {
        const bytes = encode(text)
        const end = skipSpace(bytes, start)
        const rest = Buffer.from(bytes.subarray(start)).toString('latin1')
        expect(end - start).toBe(/^[ \n\r\t]*/.exec(rest)?.[0].length ?? 0)
        expect(bytesAt(bytes, start, encode('xx'))).toBe(rest.startsWith('xx'))
      },
    ),
    runs(2_000),
  )
})

const NOW = Date.parse('2026-11-20T12:00:00Z')
const profile = sensorProfile(7, 9, 90, [
  { number: 1, name: 'temperature', measurement: 'number' },
  { number: 2, name: 'count', measurement: 'whole' },
  { number: 3, name: 'open', measurement: 'boolean' },
])

type Scan = typeof scanBatch

/** Mutates bodies, and compares the ones that `scan` accepts with the parser, which gets them as `bodyOf` makes them. */
function compareWithParser(bodies: string[], scan: Scan, bodyOf: (bytes: Uint8Array) => Uint8Array): void {
  const cases = runs(60_000)
  const [oldest, newest] = [NOW - 90 * MS_PER_DAY, NOW + FUTURE_TOLERANCE_MS]
  const [scanned, validated] = [createBatch(), createBatch()]
  let accepted = 0
  fc.assert(
    fc.property(mutated(...bodies.map(encode)), (bytes) => {
      resetBatch(scanned, NOW)
      if (!scan(bytes, profile, scanned, oldest, newest)) return
      accepted++
      resetBatch(validated, NOW)
      validateReadings(parseReadings(bodyOf(bytes)), profile, validated, oldest, newest)
      const rowsOf = (batch: typeof validated) => batch.rows.subarray(0, batch.rowEnds[batch.count] as number)
      expect(scanned.count).toBe(validated.count)
      expect(validated.refused).toEqual([])
      expect(Buffer.from(rowsOf(scanned))).toEqual(Buffer.from(rowsOf(validated)))
    }),
    cases,
  )
  // otherwise there would be too few cases
  expect(accepted).toBeGreaterThan(cases.numRuns / 1_200)
}

test('a mutated batch that scanBatch accepts is one that the parser accepts with the same rows', () => {
  const bodies = [
    '{"readings":[{"at":"2026-11-20T11:00:00Z","values":{"temperature":1.5,"count":-3,"open":true}}]}',
    '{"readings":[{"at":"2026-11-20T10:00:00.250+02:00","location":[13.4,52.5]},{"location":[-1e1,0],"values":{"count":12},"at":"2026-11-20T11:00:00Z"}]}',
    ' { "readings" : [ { "values" : { "open" : false } , "at" : "2026-11-01T00:00:00Z" } ] } ',
  ]
  compareWithParser(bodies, scanBatch, (bytes) => bytes)
})

test('a mutated message that scanOne accepts is a reading that the parser accepts with the same row', () => {
  const messages = [
    '{"at":"2026-11-20T11:00:00Z","values":{"temperature":1.5,"count":-3,"open":true}}',
    ' { "location" : [-1e1,0] , "values":{"count":12},"at":"2026-11-20T10:00:00.250+02:00"}\n',
    '{"readings":[{"at":"2026-11-20T11:00:00Z","values":{"count":1}}]}',
  ]
  compareWithParser(messages, scanOne, (bytes) => encode(`{"readings":[${new TextDecoder().decode(bytes)}]}`))
})
