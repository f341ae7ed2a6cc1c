/** SenML packs: the examples of RFC 8428, and its rules. Expected times and values are from its resolved examples. */
import { expect, test } from 'bun:test'
import { AppError } from '../../../src/errors.ts'
import { type Measurement, sensorProfile } from '../../../src/ingest/batch.ts'
import { outcomeOfBody, takenFrom } from '../../support/ingest/body-outcome.ts'

const TYPE = 'application/senml+json'
/** After the examples, of which the last is of 31 October 2011. */
const NOW = Date.parse('2011-11-01T00:00:00Z')
/** The first example with a time is of 8 June 2010. */
const RETENTION_DAYS = 600

const sensorWith = (...channels: [name: string, unit?: string, measurement?: Measurement][]) =>
  sensorProfile(
    7,
    9,
    RETENTION_DAYS,
    channels.map(([name, unit = '', measurement = 'number'], i) => ({ number: i + 1, name, measurement, unit })),
  )
function outcome(
  pack: unknown,
  profile = sensorWith(['temperature', '°C'], ['humidity', '%'], ['open', '', 'boolean']),
) {
  const text = typeof pack === 'string' ? pack : JSON.stringify(pack)
  const { batch, source } = outcomeOfBody(TYPE, text, profile, NOW)
  return {
    taken: takenFrom(batch, profile),
    refused: batch.refused,
    sent: Array.from({ length: batch.count }, (_, i) => source?.sent(i)),
  }
}
function failureOf(pack: unknown): unknown {
  try {
    outcome(pack)
  } catch (error) {
    if (error instanceof AppError) return { code: error.code, rule: error.errors?.[0]?.rule }
    throw error
  }
  return undefined
}
const at = (seconds: number): string => new Date(seconds * 1000).toISOString()

test('RFC 8428, 5.1.1: a single datapoint, roughly now', () => {
  const pack = '[{"n":"urn:dev:ow:10e2073a01080063","u":"Cel","v":23.1}]'
  const name = 'urn:dev:ow:10e2073a01080063'
  expect(outcome(pack, sensorWith([name, '°C'])).taken).toEqual([
    { at: new Date(NOW).toISOString(), values: { [name]: 23.1 } },
  ])
})

test('RFC 8428, 5.1.2: voltage and current now, and current of the last five seconds', () => {
  const sensor = sensorWith(['voltage', 'V'], ['current', 'A'])
  const now = `[
    {"bn":"urn:dev:ow:10e2073a01080063:","n":"voltage","u":"V","v":120.1},
    {"n":"current","u":"A","v":1.2}
  ]`
  expect(outcome(now, sensor)).toMatchObject({
    taken: [{ at: new Date(NOW).toISOString(), values: { voltage: 120.1, current: 1.2 } }],
    refused: [],
  })
  const seconds = `[
    {"bn":"urn:dev:ow:10e2073a0108006:","bt":1.276020076001e+09,
     "bu":"A","bver":5,"n":"voltage","u":"V","v":120.1},
    {"n":"current","t":-5,"v":1.2},
    {"n":"current","t":-4,"v":1.3},
    {"n":"current","t":-3,"v":1.4},
    {"n":"current","t":-2,"v":1.5},
    {"n":"current","t":-1,"v":1.6},
    {"n":"current","v":1.7}
  ]`
  expect(outcome(seconds, sensor)).toMatchObject({
    taken: [
      { at: '2010-06-08T18:01:16.001Z', values: { voltage: 120.1, current: 1.7 } },
      { at: '2010-06-08T18:01:11.001Z', values: { current: 1.2 } },
      { at: '2010-06-08T18:01:12.001Z', values: { current: 1.3 } },
      { at: '2010-06-08T18:01:13.001Z', values: { current: 1.4 } },
      { at: '2010-06-08T18:01:14.001Z', values: { current: 1.5 } },
      { at: '2010-06-08T18:01:15.001Z', values: { current: 1.6 } },
    ],
    refused: [],
  })
})

test('RFC 8428, 5.1.3: humidity with positions, and a battery with the same name', () => {
  const name = 'urn:dev:ow:10e2073a01080063'
  const pack = `[
    {"bn":"urn:dev:ow:10e2073a01080063","bt":1.320067464e+09,
     "bu":"%RH","v":20},
    {"u":"lon","v":24.30621},
    {"u":"lat","v":60.07965},
    {"t":60,"v":20.3},
    {"u":"lon","t":60,"v":24.30622},
    {"u":"lat","t":60,"v":60.07965},
    {"t":120,"v":20.7},
    {"u":"lon","t":120,"v":24.30623},
    {"u":"lat","t":120,"v":60.07966},
    {"u":"%EL","t":150,"v":98},
    {"t":180,"v":21.2},
    {"u":"lon","t":180,"v":24.30628},
    {"u":"lat","t":180,"v":60.07967}
  ]`
  const { taken, refused } = outcome(pack, sensorWith([name, '%']))
  expect(taken).toEqual([
    { at: '2011-10-31T13:24:24.000Z', values: { [name]: 20 }, location: [24.30621, 60.07965] },
    { at: at(1_320_067_524), values: { [name]: 20.3 }, location: [24.30622, 60.07965] },
    { at: at(1_320_067_584), values: { [name]: 20.7 }, location: [24.30623, 60.07966] },
    { at: at(1_320_067_644), values: { [name]: 21.2 }, location: [24.30628, 60.07967] },
  ])
  expect(refused).toEqual([{ at: at(1_320_067_614), reason: 'SENSOR_READING_BAD_VALUE', channel: name }])
})

test('RFC 8428, 5.1.5: text and data are refused, their neighbours are not', () => {
  const pack = `[
    {"bn":"urn:dev:ow:10e2073a01080063:","n":"temp","u":"Cel","v":23.1},
    {"n":"label","vs":"Machine Room"},
    {"n":"open","vb":false},
    {"n":"nfc-reader","vd":"aGkgCg"}
  ]`
  const sensor = sensorWith(['temp', '°C'], ['label'], ['open', '', 'boolean'], ['nfc-reader'])
  const { taken, refused } = outcome(pack, sensor)
  expect(taken).toEqual([{ at: new Date(NOW).toISOString(), values: { temp: 23.1, open: 0 } }])
  expect(refused).toMatchObject([
    { reason: 'SENSOR_READING_BAD_VALUE', channel: 'label' },
    { reason: 'SENSOR_READING_BAD_VALUE', channel: 'nfc-reader' },
  ])
})

const T = NOW / 1000 - 60
const AT = at(T)

test('a channel is found by the name, or by the base name and the name', () => {
  const sensor = sensorWith(['a/temp'], ['temp'], ['a/hum'])
  const pack = [
    { bn: 'a/', bt: T, n: 'temp', v: 1 },
    { n: 'hum', v: 2 },
  ]
  expect(outcome(pack, sensor).taken).toEqual([{ at: AT, values: { temp: 1, 'a/hum': 2 } }])
})

test('base fields hold until they are replaced, and a record may have nothing else', () => {
  const pack = [
    { bn: 'x', bt: T, bu: '%RH', bv: 20 },
    { n: 'humidity', v: 0.5 },
    { bv: 21 },
    { n: 'humidity', t: 1, v: 0.5 },
    { n: 'temperature', t: 2, v: 1 },
    { bu: 'Cel', bt: T + 10, n: 'temperature', v: 1 },
  ]
  expect(outcome(pack)).toMatchObject({
    taken: [
      { at: AT, values: { humidity: 20.5 } },
      { at: at(T + 1), values: { humidity: 21.5 } },
      { at: at(T + 10), values: { temperature: 22 } },
    ],
    refused: [{ at: at(T + 2), reason: 'SENSOR_READING_BAD_VALUE', channel: 'temperature' }],
  })
})

test('times below 2^28 seconds are relative to now, others absolute', () => {
  const relative = [
    { n: 'temperature', t: -5.5, v: 1 },
    { n: 'temperature', t: 2 ** 28 - 1, v: 2 },
  ]
  expect(outcome(relative)).toMatchObject({
    taken: [{ at: at(NOW / 1000 - 5.5) }],
    refused: [{ at: at(NOW / 1000 + 2 ** 28 - 1), reason: 'SENSOR_READING_IN_FUTURE' }],
  })
  expect(outcome([{ n: 'temperature', t: 2 ** 28, v: 1 }]).refused).toEqual([
    { at: '1978-07-04T21:24:16.000Z', reason: 'SENSOR_READING_TOO_OLD' },
  ])
})

test('every millisecond and microsecond of a second is kept, the rest is cut off', () => {
  for (let i = 0; i < 1000; i++) {
    const text = String(i).padStart(3, '0')
    const [{ at: whole } = { at: '' }] = outcome(`[{"n":"temperature","t":${T}.${text},"v":1}]`).taken
    const [{ at: part } = { at: '' }] = outcome(`[{"n":"temperature","bt":${T},"t":0.${text}999,"v":1}]`).taken
    expect([whole, part].map((one) => one.slice(-4, -1))).toEqual([text, text])
  }
})

test.each<[string, object, object]>([
  ['an unknown name', { n: 'pressure', v: 1 }, { reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'pressure' }],
  ['no name', { v: 1 }, { reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'x' }],
  ['a number as name', { n: 5, v: 1 }, { reason: 'SENSOR_READING_UNKNOWN_CHANNEL' }],
  ['another unit', { n: 'temperature', u: 'K', v: 1 }, { reason: 'SENSOR_READING_BAD_VALUE', channel: 'temperature' }],
  ['no value', { n: 'temperature' }, { reason: 'SENSOR_READING_BAD_VALUE', channel: 'temperature' }],
  ['two values', { n: 'temperature', v: 1, vb: true }, { reason: 'SENSOR_READING_BAD_VALUE', channel: 'temperature' }],
  ['a sum', { n: 'temperature', s: 1 }, { reason: 'SENSOR_READING_BAD_VALUE', channel: 'temperature' }],
  [
    'a value and a sum',
    { n: 'temperature', v: 1, s: 1 },
    { reason: 'SENSOR_READING_BAD_VALUE', channel: 'temperature' },
  ],
  ['text as value', { n: 'temperature', v: '1' }, { reason: 'SENSOR_READING_BAD_VALUE', channel: 'temperature' }],
  ['a number for yes', { n: 'open', v: 1 }, { reason: 'SENSOR_READING_BAD_VALUE', channel: 'open' }],
  ['a channel twice', { n: 'humidity', v: 1 }, { reason: 'SENSOR_READING_DUPLICATE_IN_BATCH', channel: 'humidity' }],
  ['a longitude alone', { u: 'lon', v: 12.5 }, { reason: 'SENSOR_READING_LOCATION' }],
  ['a latitude without a number', { u: 'lat', v: '1' }, { reason: 'SENSOR_READING_LOCATION' }],
  ['text as time', { n: 'temperature', t: 'noon', v: 1 }, { at: 'noon', reason: 'SENSOR_READING_AT_INVALID' }],
  ['null as time', { n: 'temperature', t: null, v: 1 }, { at: null, reason: 'SENSOR_READING_AT_INVALID' }],
  [
    'the year 10000',
    { n: 'temperature', t: 253_402_300_800, v: 1 },
    { at: 253_402_300_800, reason: 'SENSOR_READING_AT_INVALID' },
  ],
  ['nothing', {}, { reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'x' }],
])('a record with %s leaves the others of its time', (_, record, refusal) => {
  const pack = [
    { bn: 'x', n: 'humidity', t: T, v: 40 },
    { t: T, ...record },
  ]
  const { taken, refused, sent } = outcome(pack)
  expect(taken).toEqual([{ at: AT, values: { humidity: 40 } }])
  expect(refused).toEqual([{ at: AT, ...refusal } as (typeof refused)[number]])
  expect(sent).toContainEqual(pack[1])
})

test('a base sum makes every value a sum', () => {
  expect(outcome([{ bs: 1, bt: T, n: 'humidity', v: 40 }])).toMatchObject({
    taken: [],
    refused: [{ reason: 'SENSOR_READING_BAD_VALUE', channel: 'humidity' }],
  })
})

test('both records of a position beyond the poles are refused, and a position is a reading by itself', () => {
  const pack = [
    { bt: T, u: 'lon', v: 12.5 },
    { u: 'lat', v: 90.5 },
    { u: 'lon', t: 1, v: 12.5 },
    { u: 'lat', t: 1, v: 41.9 },
    { u: 'lat', t: 1, v: 42 },
  ]
  expect(outcome(pack)).toMatchObject({
    taken: [{ at: at(T + 1), values: {}, location: [12.5, 41.9] }],
    refused: [
      { at: at(T + 1), reason: 'SENSOR_READING_DUPLICATE_IN_BATCH' },
      { at: AT, reason: 'SENSOR_READING_LOCATION' },
      { at: AT, reason: 'SENSOR_READING_LOCATION' },
    ],
  })
})

test('a time that is refused is refused once, with all its records', () => {
  const pack = [
    { bt: T + 3600, n: 'humidity', v: 40 },
    { n: 'temperature', v: 20 },
  ]
  expect(outcome(pack)).toMatchObject({
    taken: [],
    refused: [{ at: at(T + 3600), reason: 'SENSOR_READING_IN_FUTURE' }],
    sent: [pack],
  })
})

test('a pack has 500 times at most, each with any number of records', () => {
  const pack = Array.from({ length: 500 }, (_, i) => [
    { n: 'humidity', t: T - i, v: i },
    { n: 'pressure', t: T - i, v: i },
    { n: 'temperature', t: T - i, v: i },
  ]).flat()
  const { taken, refused } = outcome(pack)
  expect([taken.length, refused.length]).toEqual([500, 500])
  expect(taken.at(-1)).toEqual({ at: at(T - 499), values: { humidity: 499, temperature: 499 } })
  expect(failureOf([...pack, { n: 'humidity', t: T + 1, v: 1 }])).toMatchObject({ rule: 'length' })
})

test.each<[string, unknown, string]>([
  [
    'two base names',
    [
      { bn: 'a', n: 'humidity', v: 1 },
      { bn: 'b', n: 'humidity', t: 1, v: 1 },
    ],
    'once',
  ],
  ['a base name that is a number', [{ bn: 1, n: 'humidity', v: 1 }], 'type'],
  ['a base time that is text', [{ bt: '1', n: 'humidity', v: 1 }], 'type'],
  ['a base value that is null', [{ bv: null, n: 'humidity', v: 1 }], 'type'],
  ['a newer version', [{ bver: 11, n: 'humidity', v: 1 }], 'enum'],
  ['a label that must be understood', [{ n: 'humidity', v: 1, unit_: 'K' }], 'enum'],
])('a pack with %s is refused as a whole', (_, pack, rule) => {
  expect(failureOf(pack)).toEqual({ code: 'SENSOR_READINGS_BATCH_INVALID', rule })
})

test('labels that need not be understood are ignored, as are the same base name again and secondary units', () => {
  const pack = [
    { bn: 'a', bver: 26, n: 'humidity', t: T, v: 1, ut: 5, foo: {} },
    { bn: 'a', n: 'temperature', t: T, v: 2 },
  ]
  expect(outcome(pack)).toMatchObject({ taken: [{ at: AT, values: { humidity: 1, temperature: 2 } }], refused: [] })
})
