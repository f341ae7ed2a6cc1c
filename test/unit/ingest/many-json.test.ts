import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { MAX_READINGS_OF_MANY } from '../../../src/errors.ts'
import { type Batch, createBatch, resetBatch, type SensorProfile, sensorProfile } from '../../../src/ingest/batch.ts'
import { giveReadings, sentReading } from '../../../src/ingest/many-json.ts'
import { type ManyScan, scanMany } from '../../../src/ingest/scan-many.ts'
import { MS_PER_DAY } from '../../../src/ingest/timestamp.ts'
import { validateReadings } from '../../../src/ingest/validate.ts'
import { FUTURE_TOLERANCE_MS } from '../../../src/stores/future-tolerance.ts'
import { runs } from '../../support/fuzz.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')
const [OLDEST, NEWEST] = [NOW - 90 * MS_PER_DAY, NOW + FUTURE_TOLERANCE_MS]
const AT = '2026-11-20T11:00:00Z'
const profileOf = (sensor: number): SensorProfile =>
  sensorProfile(7, sensor, 90, [
    { number: 1, name: 'temperature', measurement: 'number' },
    { number: 2, name: 'count', measurement: 'whole' },
    { number: 5, name: 'open', measurement: 'boolean' },
    { number: 6, name: 'رطوبة', measurement: 'number' },
  ])
/** Sensor 1 has an external id too. */
const SENSORS: Record<string, SensorProfile> = {
  s1: profileOf(1),
  'جهاز "1"': profileOf(1),
  s2: profileOf(2),
  '😀': profileOf(3),
}
SENSORS['جهاز "1"'] = SENSORS.s1 as SensorProfile
const encode = (text: string): Uint8Array => new TextEncoder().encode(text)

/** A reading with many names. */
const longReading = (names: number, name: string): string =>
  `{"sensor":"s1","at":"2026-01-01T00:00:00Z","values":{${Array.from({ length: names }, (_, i) => `"${name}${'y'.repeat(10)}${i}":1`).join(',')}}}`

function scanned(body: string | Uint8Array): ManyScan {
  const { scan, step } = scanMany(typeof body === 'string' ? encode(body) : body)
  while (step());
  return scan
}

/** The outcomes of one sensor's readings, read in parts of `size`. */
function outcomesOf(scan: ManyScan, size: number, ignoresUnknown = false) {
  const targetOf = (name: number) => {
    const profile = SENSORS[scan.sensors[name] as string]
    return profile && { profile, readingsPerDay: 1 }
  }
  const { sensors, others, notes } = giveReadings(scan, targetOf, ignoresUnknown)
  const bySensor = sensors.map(({ profile, numbers, source }) => {
    const parts = []
    for (let first = 0; first < numbers.length; first += size) {
      const end = Math.min(numbers.length, first + size)
      const part = source(first, end)
      const batch = createBatch()
      resetBatch(batch, NOW)
      part.fill(profile, batch, OLDEST, NEWEST)
      for (let i = 0; i < end - first; i++)
        expect(part.sent(i)).toEqual(sentReading(scan, numbers[first + i] as number))
      parts.push(snapshot(batch))
    }
    return { sensor: profile.sensor, numbers, ...joined(parts) }
  })
  return { bySensor: bySensor.toSorted((a, b) => a.sensor - b.sensor), others, notes }
}

const snapshot = (batch: Batch) => ({
  outcomes: [...batch.outcomes.subarray(0, batch.count)],
  times: [...batch.times.subarray(0, batch.count)],
  rows: Buffer.from(batch.rows.subarray(0, batch.rowEnds[batch.count] as number)).toString('hex'),
  refused: batch.refused,
})
type Snapshot = ReturnType<typeof snapshot>
const joined = (parts: Snapshot[]): Snapshot => ({
  outcomes: parts.flatMap(({ outcomes }) => outcomes),
  times: parts.flatMap(({ times }) => times),
  rows: parts.map(({ rows }) => rows).join(''),
  refused: parts.flatMap(({ refused }) => refused),
})

/** The same with JSON.parse. */
function expectedOf(readings: unknown[]) {
  const others: number[] = []
  const numbersOf = new Map<number, number[]>()
  for (const [number, reading] of readings.entries()) {
    const name = (reading as { sensor?: unknown } | null)?.sensor
    const profile = typeof name === 'string' && !Array.isArray(reading) ? SENSORS[name] : undefined
    if (profile === undefined) others.push(number)
    else numbersOf.set(profile.sensor, [...(numbersOf.get(profile.sensor) ?? []), number])
  }
  const bySensor = [...numbersOf].map(([sensor, numbers]) => {
    const batch = createBatch()
    resetBatch(batch, NOW)
    validateReadings(
      numbers.map((number) => readings[number]),
      profileOf(sensor),
      batch,
      OLDEST,
      NEWEST,
    )
    return { sensor, numbers, ...snapshot(batch) }
  })
  return { bySensor: bySensor.toSorted((a, b) => a.sensor - b.sensor), others: others.toSorted((a, b) => a - b) }
}

const spaces = fc.constantFrom('', '', '', ' ', '\n', '\t ', '\r\n')
const odd = fc.constantFrom('null', '"x"', '[]', '{}', '1', 'true', '"\\u0000"', '[1,{"a":"]"}]')
const number = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => JSON.stringify(n)),
  fc.constantFrom('0', '-0', '12.50', '1e3', '1e400', '123456789012345678', '7'),
)
const value = fc.oneof(
  { weight: 12, arbitrary: number },
  { weight: 4, arbitrary: fc.constantFrom('true', 'false') },
  { weight: 1, arbitrary: odd },
)
const values = fc
  .array(
    fc.oneof(
      { weight: 8, arbitrary: fc.tuple(fc.constantFrom('"temperature"', '"رطوبة"', '"count"'), number) },
      { weight: 3, arbitrary: fc.tuple(fc.constant('"open"'), fc.constantFrom('true', 'false')) },
      {
        weight: 1,
        arbitrary: fc.tuple(fc.constantFrom('"open"', '"count"', '"nope"', '"\\u0063ount"', '"__proto__"'), value),
      },
    ),
    { maxLength: 4 },
  )
  .chain((members) =>
    spaces.map((s) => `{${members.map(([name, one]) => `${s}${name}${s}:${s}${one}`).join(',')}${s}}`),
  )
const time = fc.oneof(
  { weight: 9, arbitrary: fc.integer({ min: 0, max: 40 }).map((s) => `"${new Date(NOW - s * 1000).toISOString()}"`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(`"${AT}"`, '"2026-11-20t11:00:00+01:00"', '"2027-01-01T00:00:00Z"', '"x"', '5'),
  },
)
const sensor = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('"s1"', '"s2"', '"جهاز \\"1\\""', '"😀"', '"\\u0073\\u0032"') },
  { weight: 1, arbitrary: fc.oneof(fc.constant('"unknown"'), odd) },
)
const reading = fc
  .tuple(
    fc.option(
      sensor.map((one) => `"sensor":${one}`),
      { freq: 20 },
    ),
    fc.option(
      time.map((one) => `"at":${one}`),
      { freq: 20 },
    ),
    fc.option(
      values.map((one) => `"values":${one}`),
      { freq: 12 },
    ),
    fc.option(
      fc
        .oneof({ weight: 5, arbitrary: fc.constantFrom('[13.4, 52.5]', '[-180,90]') }, { weight: 1, arbitrary: odd })
        .map((one) => `"location": ${one}`),
      { freq: 2 },
    ),
    fc.option(
      odd.map((one) => `"more":${one}`),
      { freq: 1, nil: null },
    ),
    spaces,
    fc.shuffledSubarray([0, 1, 2, 3, 4], { minLength: 5 }),
    fc.integer({ min: 0, max: 30 }),
  )
  .map(([s, a, v, l, more, space, order, fault]) => {
    const parts = [s, a, v, l, fault < 3 ? more : null]
    const members = order.map((i) => parts[i]).filter((part) => part !== null)
    return `{${space}${members.join(`${space},${space}`)}${space}}`
  })
const bodies = fc
  .tuple(
    fc.array(fc.oneof({ weight: 12, arbitrary: reading }, { weight: 1, arbitrary: odd }), {
      minLength: 1,
      maxLength: 12,
    }),
    spaces,
    fc.integer({ min: 0, max: 40 }),
  )
  .map(([readings, space, fault]) => {
    const body = `${space}{${space}"readings"${space}:[${space}${readings.join(`${space},${space}`)}${space}]${space}}${space}`
    return (
      [
        body,
        `${body}x`,
        body.slice(0, -1),
        body.replace('{', '{"a":[1,"}"],'),
        body.replace(']', ''),
        body.replace(',', ',,'),
      ][fault] ?? body
    )
  })

test('readings of many sensors get the outcomes that JSON.parse and the validation of one sensor give', () => {
  let usual = 0
  let broken = 0
  const cases = runs(20_000)
  fc.assert(
    fc.property(bodies, fc.integer({ min: 1, max: 12 }), (text, size) => {
      let readings: unknown[] | undefined
      try {
        readings = (JSON.parse(text) as { readings: unknown[] }).readings
      } catch {
        broken++
        expect(() => scanned(text)).toThrow(expect.objectContaining({ code: 'SENSOR_READINGS_BATCH_INVALID' }))
        return
      }
      const scan = scanned(text)
      expect(Array.from({ length: scan.count }, (_, i) => sentReading(scan, i))).toEqual(readings)
      const { bySensor, others } = outcomesOf(scan, size)
      expect({ bySensor, others: others.toSorted((a, b) => a - b) }).toEqual(expectedOf(readings))
      usual += scan.count - scan.parsed.size
    }),
    cases,
  )
  // otherwise the comparison would have too few cases
  expect(usual).toBeGreaterThan(cases.numRuns)
  expect(broken).toBeGreaterThan(cases.numRuns / 50)
})

const reading1 = `{"sensor":"s1","at":"${AT}","values":{"count":1}}`
test.each<[string, string | Uint8Array]>([
  ['nothing', ''],
  ['spaces', '  '],
  ['text', '"readings"'],
  ['a list', `[${reading1}]`],
  ['no readings', '{}'],
  ['an empty list', '{"readings":[]}'],
  ['readings that are an object', '{"readings":{}}'],
  ['readings that are there twice', `{"readings":[${reading1}],"readings":[${reading1}]}`],
  ['5,001 readings', JSON.stringify({ readings: Array(5_001).fill({}) })],
  ['a list that does not end', `{"readings":[${reading1}`],
  ['a text that does not end', '{"readings":["'],
  ['a broken member', '{"a":{]},"readings":[1]}'],
  ['a name without quotes', '{readings:[1]}'],
  ['bytes that are not UTF-8', Uint8Array.of(123, 34, 0xc3, 0x28, 34, 125)],
  ['a reading of more than 1 MB', `{"readings":[{"a":"${'x'.repeat(2 ** 20)}"}]}`],
  ['a reading of 6,000 names', `{"readings":[${longReading(6_000, 'x')}]}`],
  ['a reading with a number of more than 1 MB', `{"readings":[{"sensor":"s1","values":{"a":${'1'.repeat(2 ** 20)}}}]}`],
  ['many lists', `{"readings":[${Array(2_000).fill(`[${'[],'.repeat(60)}[]]`)}]}`],
])('refuses %s as a call', (_, body) => {
  expect(() => scanned(body)).toThrow(expect.objectContaining({ code: 'SENSOR_READINGS_BATCH_INVALID' }))
})

test('a long reading is read as any other, and long readings are given in small parts', () => {
  const body = `{"readings":[${Array(20).fill(longReading(4_000, 'temperature')).join(',')}]}`
  const scan = scanned(body)
  expect(sentReading(scan, 19)).toEqual(JSON.parse(longReading(4_000, 'temperature')))
  const { sensors } = giveReadings(scan, () => ({ profile: SENSORS.s1 as SensorProfile, readingsPerDay: 1 }), true)
  const [{ partEnd, numbers } = { numbers: [] }] = sensors
  expect(numbers).toHaveLength(20)
  const parts = [partEnd?.(0), partEnd?.(18)] as [number, number]
  // the part ends with the reading that fills it
  const bytes = longReading(4_000, 'temperature').length
  expect(parts).toEqual([Math.ceil((256 * 1024) / bytes), 20])
})

test('reads a byte order mark, other members, and an escaped name of the list', () => {
  for (const body of [
    `\ufeff{"readings":[${reading1}]}`,
    `{"a":{"readings":[1]},"readings":[${reading1}],"b":"}"}`,
    `{"\\u0072eadings":[${reading1}]}`,
  ]) {
    const { count, sensors } = scanned(body)
    expect([count, sensors]).toEqual([1, ['s1']])
  }
})

test('the most readings are read, however many values they have', () => {
  const values = Object.fromEntries(Array.from({ length: 60 }, (_, i) => [`c${i}`, i]))
  const readings = Array.from({ length: MAX_READINGS_OF_MANY }, (_, i) => ({ sensor: `d${i}`, at: AT, values }))
  const scan = scanned(JSON.stringify({ readings }))
  expect([scan.count, scan.sensors.length, scan.parsed.size]).toEqual([MAX_READINGS_OF_MANY, MAX_READINGS_OF_MANY, 0])
  const first = 60 * (MAX_READINGS_OF_MANY - 1)
  expect([...scan.numbers.subarray(first, first + 60)]).toEqual(Object.values(values))
  expect(scan.valueEnds[MAX_READINGS_OF_MANY - 1]).toBe(first + 60)
})

test('unknown channels are left out and listed if the key ignores them, unless nothing is left', () => {
  const readings = [
    { sensor: 's1', at: '2026-11-20T11:00:00Z', values: { nope: 1, count: 2, other: 3 } },
    { sensor: 's1', at: '2026-11-20T11:00:01Z', values: { nope: 1 } },
    { sensor: 's1', at: '2026-11-20T11:00:02Z', values: { nope: 1, count: 0.5 } },
    { sensor: 's2', at: '2026-11-20T11:00:03Z', values: { nope: 1 }, location: [1, 2] },
    { sensor: 's2', at: '2026-11-20T11:00:04Z', values: { count: 1 } },
  ]
  const { bySensor, notes } = outcomesOf(scanned(JSON.stringify({ readings })), 2, true)
  expect(bySensor.map(({ refused }) => refused.map(({ reason, channel }) => [reason, channel]))).toEqual([
    [
      ['SENSOR_READING_UNKNOWN_CHANNEL', 'nope'],
      ['SENSOR_READING_UNKNOWN_CHANNEL', 'nope'],
      ['SENSOR_READING_UNKNOWN_CHANNEL', 'other'],
      ['SENSOR_READING_BAD_VALUE', undefined],
    ],
    [['SENSOR_READING_UNKNOWN_CHANNEL', 'nope']],
  ])
  expect(notes.map(({ number, refusal }) => [number, refusal.channel])).toEqual([
    [0, 'nope'],
    [0, 'other'],
    [3, 'nope'],
  ])
})

test('a time of arrival is listed once for each sensor, for a reading that is accepted', () => {
  const readings = [
    { sensor: 's1', at: '2026-11-20T11:00:00Z', values: { count: 0.5 }, atArrival: true },
    { sensor: 's1', at: '2026-11-20T11:00:01Z', values: { count: 1 }, atArrival: true },
    { sensor: 's1', at: '2026-11-20T11:00:02Z', values: { count: 2 }, atArrival: true },
    { sensor: 's2', at: '2026-11-20T11:00:03Z', values: { count: 1 }, atArrival: false },
    { sensor: 's2', at: '2026-11-20T11:00:04Z', values: { count: 2 }, atArrival: 'true' },
  ]
  const { bySensor, notes } = outcomesOf(scanned(JSON.stringify({ readings })), 2)
  expect(bySensor.map(({ refused }) => refused.map(({ reason }) => reason))).toEqual([
    ['SENSOR_READING_BAD_VALUE', 'SENSOR_READING_NO_TIME'],
    [],
  ])
  expect(notes).toEqual([{ number: 1, refusal: { at: '2026-11-20T11:00:01Z', reason: 'SENSOR_READING_NO_TIME' } }])
})
