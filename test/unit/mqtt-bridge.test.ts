/** Parts of the bridge to an MQTT broker: topics, messages, configuration, and what it makes of a server's answers. */
import { expect, test } from 'bun:test'
import { readBridgeConfig } from '../../src/config/mqtt-bridge.ts'
import { sensorInTopic } from '../../src/ingest/mqtt/topic.ts'
import { clientIdOf } from '../../src/mqtt-bridge/broker.ts'
import { BrokenMessage, createMessageReader } from '../../src/mqtt-bridge/messages.ts'
import { createDelivery } from '../../src/mqtt-bridge/server.ts'

const bytes = (value: unknown): Uint8Array =>
  new TextEncoder().encode(typeof value === 'string' ? value : JSON.stringify(value))

test('a topic names its sensor where the pattern says, percent-encoded', () => {
  const inMiddle = sensorInTopic('a/{sensor}/b')
  const names = [
    'a/x/b',
    'a/hall%203%2Fx/b',
    'a/°C/b',
    'a//b',
    'a/b',
    'a/x/y/b',
    'b/x/b',
    'a/x/bb',
    'a/%zz/b',
    'a/%ff/b',
  ]
  expect(names.map(inMiddle)).toEqual(['x', 'hall 3/x', '°C', ...Array(7).fill(undefined)])
  expect(sensorInTopic('{sensor}/b')('x/b')).toBe('x')
  expect(sensorInTopic('a/{sensor}')('a/x')).toBe('x')
  expect(sensorInTopic('a/{sensor}')('a/x/y')).toBeUndefined()
})

const objectReader = () => createMessageReader({ topic: 'd/{sensor}', payload: 'object', maxMessageBytes: 1_000 })

/** The reading of a message that arrives at a time. */
function objectOf(message: object, nowMs = 1_800_000_000_000) {
  return JSON.parse(objectReader()('d/x', bytes(message), nowMs)[0] ?? '')
}

test('the time of an object is RFC 3339 with an offset, or seconds or milliseconds since 1970', () => {
  const arrival = '2027-01-15T08:00:00.000Z'
  const times: [object, string, object][] = [
    [{ time: '2026-01-31T12:00:00+02:00', a: 1 }, '2026-01-31T10:00:00.000Z', { a: 1 }],
    [{ timestamp: 1_769_860_800, a: 1 }, '2026-01-31T12:00:00.000Z', { a: 1 }],
    [{ at: 1_769_860_800.25, a: 1 }, '2026-01-31T12:00:00.250Z', { a: 1 }],
    [{ at: 1_769_860_800_123, a: 1 }, '2026-01-31T12:00:00.123Z', { a: 1 }],
    [{ Time: '2026-01-31T12:00:00Z', a: 1 }, '2026-01-31T12:00:00.000Z', { a: 1 }],
    [{ Time: '2026-01-31T12:00:00', a: 1 }, arrival, { a: 1 }],
    // a duration is a value as any other
    [{ time: 12, a: 1 }, arrival, { time: 12, a: 1 }],
    [{ time: null, timestamp: '2026-01-31T12:00:00Z', a: 1 }, '2026-01-31T12:00:00.000Z', { a: 1 }],
    [{ nested: { time: '2026-01-31T12:00:00Z' }, a: 1 }, arrival, { a: 1 }],
  ]
  for (const [message, at, values] of times)
    expect(objectOf(message)).toEqual({ sensor: 'x', at, values, ...(at === arrival && { atArrival: true }) })
})

test('two messages of a sensor without a time never get the same one; other sensors may have it', () => {
  const read = objectReader()
  const atOf = (sensor: string, nowMs: number): number =>
    Date.parse(JSON.parse(read(`d/${sensor}`, bytes({ a: 1 }), nowMs)[0] ?? '').at)
  expect([atOf('x', 1_000), atOf('x', 1_000), atOf('y', 1_000), atOf('x', 1_001), atOf('x', 1_001)]).toEqual([
    1_000, 1_001, 1_000, 1_002, 1_003,
  ])
  expect([atOf('x', 5_000), atOf('y', 5_000)]).toEqual([5_000, 5_000])
})

test('names that JavaScript treats apart, and a place of an object', () => {
  expect(objectOf(JSON.parse('{"__proto__":{"a":1},"constructor":2,"gps":{"lat":41.9,"lon":12.5,"hdop":1}}'))).toEqual({
    sensor: 'x',
    at: '2027-01-15T08:00:00.000Z',
    atArrival: true,
    values: { '__proto__.a': 1, constructor: 2, 'gps.hdop': 1 },
    location: [12.5, 41.9],
  })
})

test('a broken message has a reason', () => {
  const reasonOf = (payload: 'readings' | 'object', topic: string, message: unknown): string => {
    try {
      createMessageReader({ topic: 'd/{sensor}', payload, maxMessageBytes: 1_000 })(topic, bytes(message), 0)
      return 'none'
    } catch (error) {
      if (!(error instanceof BrokenMessage)) throw error
      return error.reason
    }
  }
  for (const payload of ['readings', 'object'] as const) {
    expect(reasonOf(payload, 'd/x', {})).toBe('none')
    expect(reasonOf(payload, 'e/x', {})).toBe('no_sensor')
    expect(reasonOf(payload, `d/${'x'.repeat(401)}`, {})).toBe('no_sensor')
    expect(reasonOf(payload, 'd/x', { a: 'x'.repeat(1_000) })).toBe('too_large')
    for (const message of ['', '5', '[]', 'null', '"x"', '{', '{} {}'])
      expect(reasonOf(payload, 'd/x', message)).toBe('unreadable')
  }
})

test('a wrong variable is named with its rule and an example, and secrets are not repeated', () => {
  const right = {
    MQTT_URL: 'mqtt://plant:p%40ss@[::1]',
    MQTT_FLEET_KEY: 'svcfl_abc',
    GROUNDWAVE_URL: 'https://readings.example.org/base/',
  }
  expect(readBridgeConfig(right)).toMatchObject({
    broker: { hasTls: false, host: '::1', port: 1883, user: 'plant', password: 'p@ss' },
    topic: 'sensors/{sensor}/readings',
    payload: 'readings',
    serverUrl: 'https://readings.example.org/base',
  })
  expect(readBridgeConfig({ ...right, MQTT_URL: 'mqtts://h' }).broker).toMatchObject({ hasTls: true, port: 8883 })
  const failures: [string, string, string][] = [
    ['MQTT_URL', '', 'MQTT_URL is required, such as MQTT_URL='],
    ['MQTT_URL', 'http://secret@h', 'MQTT_URL must be a URL that starts with mqtt:// or mqtts://'],
    ['MQTT_URL', 'mqtt://u:secret@h/path', 'neither a path nor a query'],
    ['MQTT_URL', 'mqtt://u:secret%zz@h', 'must be percent-encoded, such as MQTT_URL='],
    ['MQTT_FLEET_KEY', '', 'MQTT_FLEET_KEY is required'],
    ['MQTT_FLEET_KEY', 'svcsn_secret', 'must be a fleet key, such as MQTT_FLEET_KEY=svcfl_'],
    ['GROUNDWAVE_URL', '', 'GROUNDWAVE_URL is required, such as GROUNDWAVE_URL=https://'],
    ['GROUNDWAVE_URL', 'example.org', 'GROUNDWAVE_URL must be a URL'],
    ['MQTT_PAYLOAD', 'json', 'MQTT_PAYLOAD="json" must be one of readings, object'],
    ...['a', 'a/{sensor}/{sensor}', 'a/x{sensor}', 'a/+/{sensor}', '{sensor}/#', '$share/g/{sensor}'].map(
      (topic): [string, string, string] => ['MQTT_TOPIC', topic, `MQTT_TOPIC="${topic}" must have {sensor}`],
    ),
  ]
  for (const [name, value, text] of failures) {
    const read = () => readBridgeConfig({ ...right, [name]: value })
    expect(read).toThrow(text)
    expect(read).not.toThrow('secret')
  }
})

test('the client id stays the same, and is as short as every broker allows', () => {
  expect(clientIdOf('a/{sensor}')).toBe(clientIdOf('a/{sensor}'))
  expect(clientIdOf('a/{sensor}')).not.toBe(clientIdOf('b/{sensor}'))
  expect(clientIdOf('a/{sensor}')).toMatch(/^[\w-]{1,23}$/)
})

/** Answers of a server, one for each call; the last one for all further ones. */
async function deliverTo(answers: ((body: string) => Response)[], messages: string[][]) {
  const bodies: string[] = []
  const noted: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const body = await request.text()
      bodies.push(body)
      return (answers[Math.min(bodies.length, answers.length) - 1] as (body: string) => Response)(body)
    },
  })
  const stop = new AbortController()
  const deliver = createDelivery({
    serverUrl: server.url.origin,
    fleetKey: 'svcfl_x',
    onDelivered: ({ accepted }) => noted.push(`delivered ${accepted}`),
    onRetry: (why, afterMs) => {
      noted.push(`${why}, again after ${afterMs}`)
      if (noted.length === 3) stop.abort()
    },
    onUnreadable: (readings, why) => noted.push(`${readings}: ${why}`),
  })
  const isDone = await deliver(messages, stop.signal)
  await server.stop(true)
  return { isDone, bodies, noted }
}

const taken = (body: string): Response =>
  Response.json({
    ok: true,
    code: 'SENSOR_READINGS_RESULT',
    data: { accepted: (JSON.parse(body) as { readings: [] }).readings, duplicates: [], refused: [] },
  })
const failed = (status: number, code: string) => (): Response =>
  Response.json({ ok: false, code }, { status, headers: { 'retry-after': '1' } })

test('the same batch is sent again until the server itself has taken it', async () => {
  const { isDone, bodies, noted } = await deliverTo(
    [failed(429, 'RATE_LIMITED'), () => new Response('<html>login</html>'), taken],
    [['1', '2'], ['3'], ['1']],
  )
  expect(isDone).toBe(true)
  expect(bodies).toEqual(Array(3).fill('{"readings":[1,2,3]}'))
  expect(noted).toEqual([
    '429 RATE_LIMITED, again after 1000',
    '200 <html>login</html>, again after 1000',
    'delivered 3',
  ])
})

test('a message that the server cannot read is found, and the others are delivered', async () => {
  const unlessThree = (body: string): Response =>
    body.includes('3') ? failed(400, 'SENSOR_READINGS_BATCH_INVALID')() : taken(body)
  const { isDone, noted } = await deliverTo([unlessThree], [['1'], ['2'], ['3'], ['4'], ['5']])
  expect(isDone).toBe(true)
  expect(noted).toEqual(['delivered 2', '3: 400 SENSOR_READINGS_BATCH_INVALID', 'delivered 2'])
})

test('a proxy that refuses a message does not make it lost', async () => {
  const { isDone, noted } = await deliverTo([() => new Response('too large', { status: 413 })], [['1'], ['2']])
  expect(isDone).toBe(false)
  expect(noted[0]).toBe('413 too large, again after 1000')
})
