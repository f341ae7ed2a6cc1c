import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { AppError } from '../../../src/errors.ts'
import { type Batch, createBatch, OUTCOME, resetBatch, sensorProfile } from '../../../src/ingest/batch.ts'
import { scanBatch } from '../../../src/ingest/scan.ts'
import { MS_PER_DAY } from '../../../src/ingest/timestamp.ts'
import { parseReadings, validateBody, validateReadings } from '../../../src/ingest/validate.ts'
import { FUTURE_TOLERANCE_MS } from '../../../src/stores/future-tolerance.ts'
import { runs } from '../../support/fuzz.ts'
import { snapshot } from '../../support/ingest/body-outcome.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const profile = sensorProfile(7, 9, 90, [
  { number: 1, name: 'temperature', measurement: 'number' },
  { number: 2, name: 'count', measurement: 'whole' },
  { number: 5, name: 'open', measurement: 'boolean' },
  { number: 6, name: 'رطوبة "x"', measurement: 'number' },
])
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

function validated(body: unknown): Batch {
  const batch = createBatch()
  validateBody(typeof body === 'string' ? encode(body) : encode(JSON.stringify(body)), profile, batch, NOW)
  return batch
}
const reasons = (readings: unknown[]): (string | undefined)[] =>
  validated({ readings }).refused.map(({ reason }) => reason)
const AT = '2026-11-20T11:00:00Z'

test.each<[string, unknown, string]>([
  ['no time', { values: { temperature: 1 } }, 'SENSOR_READING_AT_INVALID'],
  ['a number as time', { at: NOW, values: { temperature: 1 } }, 'SENSOR_READING_AT_INVALID'],
  ['no offset', { at: '2026-11-20T11:00:00', values: { temperature: 1 } }, 'SENSOR_READING_AT_INVALID'],
  ['not an object', 5, 'SENSOR_READING_AT_INVALID'],
  ['null', null, 'SENSOR_READING_AT_INVALID'],
  ['a list', [AT], 'SENSOR_READING_AT_INVALID'],
  ['ahead', { at: '2026-11-20T12:10:00.001Z', values: { temperature: 1 } }, 'SENSOR_READING_IN_FUTURE'],
  ['too old', { at: '2026-08-22T11:59:59.999Z', values: { temperature: 1 } }, 'SENSOR_READING_TOO_OLD'],
  ['an unknown channel', { at: AT, values: { temperature: 'x', nope: 1 } }, 'SENSOR_READING_UNKNOWN_CHANNEL'],
  ['__proto__', JSON.parse(`{"at":"${AT}","values":{"__proto__":1}}`), 'SENSOR_READING_UNKNOWN_CHANNEL'],
  ['constructor', { at: AT, values: { constructor: 1 } }, 'SENSOR_READING_UNKNOWN_CHANNEL'],
  ['text for a number', { at: AT, values: { temperature: '1' } }, 'SENSOR_READING_BAD_VALUE'],
  ['null for a number', { at: AT, values: { temperature: null } }, 'SENSOR_READING_BAD_VALUE'],
  ['a fraction for a whole number', { at: AT, values: { count: 1.5 } }, 'SENSOR_READING_BAD_VALUE'],
  ['2^53 for a whole number', { at: AT, values: { count: 2 ** 53 } }, 'SENSOR_READING_BAD_VALUE'],
  ['1 for yes', { at: AT, values: { open: 1 } }, 'SENSOR_READING_BAD_VALUE'],
  ['true for a number', { at: AT, values: { temperature: true } }, 'SENSOR_READING_BAD_VALUE'],
  ['values that are a list', { at: AT, values: [1] }, 'SENSOR_READING_BAD_VALUE'],
  ['values that are null', { at: AT, values: null, location: [1, 2] }, 'SENSOR_READING_BAD_VALUE'],
  ['nothing said', { at: AT }, 'SENSOR_READING_BAD_VALUE'],
  ['nothing said in values', { at: AT, values: {} }, 'SENSOR_READING_BAD_VALUE'],
  ['a bad value before a bad location', { at: AT, values: { count: 0.1 }, location: 1 }, 'SENSOR_READING_BAD_VALUE'],
  ['a longitude past 180', { at: AT, location: [180.0001, 0] }, 'SENSOR_READING_LOCATION'],
  ['a latitude past 90', { at: AT, location: [0, -90.0001] }, 'SENSOR_READING_LOCATION'],
  ['one number as location', { at: AT, location: [1] }, 'SENSOR_READING_LOCATION'],
  ['three numbers as location', { at: AT, location: [1, 2, 3] }, 'SENSOR_READING_LOCATION'],
  ['texts as location', { at: AT, location: ['1', '2'] }, 'SENSOR_READING_LOCATION'],
  ['null as location', { at: AT, values: { count: 1 }, location: null }, 'SENSOR_READING_LOCATION'],
])('refuses a reading with %s and keeps its neighbours', (_, reading, reason) => {
  const good = { at: '2026-11-20T11:30:00Z', values: { temperature: 1 } }
  const batch = validated({ readings: [good, reading, { ...good, at: '2026-11-20T11:31:00Z' }] })
  expect(batch.refused.map((refusal) => refusal.reason as string)).toEqual([reason])
  expect([...batch.outcomes.subarray(0, 3)]).toEqual([OUTCOME.NEW, OUTCOME.REFUSED, OUTCOME.NEW])
})

test('1e999 is valid JSON but not a valid value', () => {
  expect(validated(`{"readings":[{"at":"${AT}","values":{"temperature":1e999}}]}`).refused[0]?.reason).toBe(
    'SENSOR_READING_BAD_VALUE',
  )
})

test('the limits themselves are valid', () => {
  const readings = [
    { at: new Date(NOW + FUTURE_TOLERANCE_MS).toISOString(), values: { count: 2 ** 53 - 1 } },
    { at: new Date(NOW - 90 * MS_PER_DAY).toISOString(), values: { count: -(2 ** 53) + 1 } },
    { at: AT, location: [-180, 90] },
    { at: '2026-11-20T11:00:00.001Z', values: {}, location: [180, -90] },
  ]
  expect(reasons(readings)).toEqual([])
})

test('of two readings with the same time the first is accepted; a rejected reading does not block a valid one', () => {
  const twice = [
    { at: AT, values: { temperature: 1 } },
    { at: '2026-11-20T12:00:00+01:00', values: { temperature: 2 } },
  ]
  expect(reasons(twice)).toEqual(['SENSOR_READING_DUPLICATE_IN_BATCH'])
  expect(reasons([{ at: AT, values: { temperature: 'x' } }, twice[0]])).toEqual(['SENSOR_READING_BAD_VALUE'])
})

test('a refusal contains the time as sent, and the unknown channel', () => {
  const { refused } = validated({ readings: [{ at: 12 }, { at: { a: 1 } }, { at: 'x' }, { at: AT, values: { é: 1 } }] })
  expect(refused).toEqual([
    { at: 12, reason: 'SENSOR_READING_AT_INVALID' },
    { at: null, reason: 'SENSOR_READING_AT_INVALID' },
    { at: 'x', reason: 'SENSOR_READING_AT_INVALID' },
    { at: AT, reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'é' },
  ])
})

test.each<[string, string | Uint8Array]>([
  ['nothing', ''],
  ['no JSON', '{"readings":['],
  ['a list', `[{"at":"${AT}"}]`],
  ['text', '"readings"'],
  ['null', 'null'],
  ['no readings', '{}'],
  ['an empty list', '{"readings":[]}'],
  ['readings that are an object', '{"readings":{}}'],
  ['501 readings', JSON.stringify({ readings: Array(501).fill({}) })],
  ['bytes that are not UTF-8', Uint8Array.of(123, 34, 0xc3, 0x28, 34, 125)],
  ['a byte-order mark', '\ufeff{"readings":[]}'],
  ['ten thousand nested lists', `{"readings":${'['.repeat(10_000)}`],
  ['NaN', `{"readings":[{"at":"${AT}","values":{"temperature":NaN}}]}`],
])('refuses %s as a batch', (_, body) => {
  const batch = createBatch()
  const act = (): void => validateBody(typeof body === 'string' ? encode(body) : body, profile, batch, NOW)
  expect(act).toThrow(AppError)
  expect(act).toThrow(expect.objectContaining({ code: 'SENSOR_READINGS_BATCH_INVALID' }))
})

test('only a reading with ten thousand nested lists is rejected', () => {
  const nested = '['.repeat(10_000) + ']'.repeat(10_000)
  const body = `{"readings":[{"at":"${AT}","values":{"temperature":${nested}}},{"at":"2026-11-20T11:00:01Z","values":{"temperature":1}}]}`
  expect(validated(body).refused.map(({ reason }) => reason as string)).toEqual(['SENSOR_READING_BAD_VALUE'])
})

// Compares the scanner and the parser on bodies that are mostly valid and written in unusual ways.
const spaces = fc.constantFrom('', '', '', ' ', '\n', '\t ', '\r\n')
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
  fc.integer({ min: -1000, max: 1000 }).map(String),
  fc.tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: 0, max: 999_999 })).map(([a, b]) => `${a}.${b}`),
  fc.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
  fc.constantFrom('-0', '0.1', '1e3', '1E-5', '123456789012345678', '0.30000000000000004', '9007199254740993', '1e400'),
)
const oddNumber = fc.constantFrom('01', '1.', '.5', '+1', '-', '1e', 'NaN', '"1"', 'null', 'true')
const member = fc.oneof(
  { weight: 12, arbitrary: fc.tuple(fc.constantFrom('"temperature"', '"رطوبة \\"x\\""'), number) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('"count"'), fc.integer().map(String)) },
  { weight: 6, arbitrary: fc.tuple(fc.constant('"open"'), fc.constantFrom('true', 'false')) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom('"temperature"', '"count"', '"open"', '"nope"', '"\\u0063ount"'),
      fc.oneof(number, oddNumber),
    ),
  },
)
const values = fc.tuple(fc.array(member, { minLength: 0, maxLength: 4 }), spaces).map(([members, space]) => {
  return `{${members.map(([name, value]) => `${space}${name}${space}:${space}${value}`).join(`${space},`)}${space}}`
})
const location = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(fc.double({ min: -180, max: 180, noNaN: true }), fc.double({ min: -90, max: 90, noNaN: true }))
      .map(([a, b]) => `[${a.toFixed(6)}, ${b}]`),
  },
  { weight: 1, arbitrary: fc.constantFrom('[181,0]', '[0]', '[0,0,0]', 'null', '{}', '[1,2') },
)
const time = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.integer({ min: NOW - 80 * MS_PER_DAY, max: NOW }).map((ms) => `"${new Date(ms).toISOString()}"`),
  },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 23 }), fc.constantFrom('+05:30', '-11:45', 'Z', '', 'z', '+5:00'))
      .map(([h, o]) => `"2026-11-01T${String(h).padStart(2, '0')}:00:00.1234567${o}"`),
  },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '"2026-02-30T00:00:00Z"',
      '"2027-01-01T00:00:00Z"',
      '1795000000000',
      '"\\u0032026-11-01T00:00:00Z"',
    ),
  },
)
const reading = fc
  .tuple(
    time,
    fc.option(values, { freq: 8 }),
    fc.option(location, { freq: 3 }),
    spaces,
    fc.shuffledSubarray([0, 1, 2], { minLength: 3 }),
    fc.integer({ min: 0, max: 60 }),
  )
  .map(([at, v, l, space, order, odd]) => {
    const parts = [
      `"at"${space}:${space}${at}`,
      v === null ? '' : `"values":${space}${v}`,
      l === null ? '' : `"location"${space}:${l}`,
    ]
    const members = order.map((i) => parts[i]).filter((part) => part !== '')
    if (odd === 0) members.push('"extra":[1,{"a":null}]')
    if (odd === 1) members.push(`"at":${at}`)
    return `{${space}${members.join(`${space},${space}`)}${space}}`
  })
const bodies = fc
  .tuple(fc.array(reading, { minLength: 1, maxLength: 6 }), spaces, fc.integer({ min: 0, max: 30 }), fc.boolean())
  .map(([readings, space, odd, sorted]) => {
    const list = sorted
      ? readings.toSorted((a, b) =>
          (/"at"\s*:\s*"([^"]*)/.exec(a)?.[1] ?? '').localeCompare(/"at"\s*:\s*"([^"]*)/.exec(b)?.[1] ?? ''),
        )
      : readings
    const body = `${space}{${space}"readings"${space}:[${list.join(`${space},${space}`)}${space}]${space}}${space}`
    return odd === 0 ? `${body}x` : odd === 1 ? body.slice(0, -1) : odd === 2 ? body.replace('{', '{"a":1,') : body
  })

test('scanning the bytes and validating the parsed body give identical results', () => {
  const scanned = createBatch()
  const parsed = createBatch()
  let scans = 0
  const cases = runs(40_000)
  fc.assert(
    fc.property(bodies, (text) => {
      const bytes = encode(text)
      const [oldest, newest] = [NOW - 90 * MS_PER_DAY, NOW + FUTURE_TOLERANCE_MS]
      resetBatch(scanned, NOW)
      if (!scanBatch(bytes, profile, scanned, oldest, newest)) return
      scans++
      resetBatch(parsed, NOW)
      validateReadings(parseReadings(bytes), profile, parsed, oldest, newest)
      expect(snapshot(scanned)).toEqual(snapshot(parsed))
    }),
    cases,
  )
  // otherwise the comparison would have too few cases
  expect(scans).toBeGreaterThan(cases.numRuns / 20)
})

test('of the channels that a call leaves out, the first 5,000 are listed, and all readings are taken', () => {
  const names = Object.fromEntries(Array.from({ length: 200 }, (_, i) => [`x${i}`, 1]))
  const readings = Array.from({ length: 100 }, (_, i) => ({
    at: new Date(NOW - i).toISOString(),
    values: { temperature: i, ...names },
  }))
  const batch = createBatch()
  validateBody(encode(JSON.stringify({ readings })), profile, batch, NOW, true)
  expect([...batch.outcomes.subarray(0, 100)].every((outcome) => outcome === OUTCOME.NEW)).toBe(true)
  expect(batch.refused).toHaveLength(5_000)
  expect(batch.refused.at(-1)).toMatchObject({ at: readings[24]?.at, channel: 'x199' })
})
