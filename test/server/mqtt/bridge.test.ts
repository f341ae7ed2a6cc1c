/** The bridge from a real broker (Mosquitto) to a real server. */
import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connectAsync, type MqttClient } from 'mqtt'
import { type Bridge, startBridge } from '../../support/mqtt/bridge.ts'
import { type Broker, startBroker } from '../../support/mqtt/broker.ts'
import { startTakingOver } from '../../support/mqtt/taking-over.ts'
import { createInstance, type MadeSensor, type Organization } from '../../support/server/instance.ts'
import { makeFleetKey } from '../../support/server/many-readings.ts'
import { makeCertificates } from '../../support/stores/certificates.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { eventually, until } from '../../support/until.ts'

const instance = await createInstance({ PORT: String(await freePort()) })
const broker = await startBroker()
let organization: Organization
let key: { id: string; key: string }
let client: MqttClient
let bridge: Bridge | undefined

const publisherAt = ({ port }: Broker): Promise<MqttClient> =>
  connectAsync({ host: '127.0.0.1', port, protocolVersion: 5 })

beforeAll(async () => {
  organization = await instance.organization()
  key = await makeFleetKey(instance, organization.id, { unknownChannels: 'ignore' })
  client = await publisherAt(broker)
}, 120_000)
afterEach(async () => {
  await bridge?.remove()
  bridge = undefined
})
afterAll(async () => {
  await client?.endAsync(true)
  await broker.remove()
  await instance.remove()
})

/** Each test has a topic, and so a session, for itself. */
let topics = 0
function topicFor(end = 'readings'): { pattern: string; of: (sensor: string) => string } {
  const base = `plant${topics++}`
  return {
    pattern: `${base}/{sensor}/${end}`,
    of: (sensor) => `${base}/${encodeURIComponent(sensor)}/${end}`,
  }
}

const environment = (pattern: string, more: Record<string, string> = {}): Record<string, string> => ({
  MQTT_URL: `mqtt://127.0.0.1:${broker.port}`,
  MQTT_TOPIC: pattern,
  MQTT_FLEET_KEY: key.key,
  GROUNDWAVE_URL: instance.url(),
  ...more,
})

async function start(pattern: string, more: Record<string, string> = {}): Promise<Bridge> {
  bridge = await startBridge(environment(pattern, more))
  return bridge
}

type Names = Record<string, 'number' | 'whole' | 'boolean'>
const sensorWith = (names: Names, externalId?: string): Promise<MadeSensor> =>
  instance.manage('POST', `/enterprises/${organization.id}/sensors`, {
    assetName: 'Asset',
    channels: Object.entries(names).map(([name, measurement]) => ({ name, measurement })),
    ...(externalId !== undefined && { externalId }),
  })

type Item = { at: string; values: Record<string, unknown>; location?: [number, number] }

async function storedOf({ id }: { id: string }): Promise<Item[]> {
  const { data } = await instance.query<{ items: Item[] }>(organization, `/sensors/${id}/readings?limit=1000`)
  return data.items.toSorted((a, b) => a.at.localeCompare(b.at))
}
async function refusalsOf({ id }: { id: string }): Promise<string[]> {
  const { data } = await instance.query<{ items: { reason: string }[] }>(organization, `/sensors/${id}/refusals`)
  return data.items.map(({ reason }) => reason).toSorted()
}
const valuesOf = async (sensor: { id: string }): Promise<unknown[]> =>
  (await storedOf(sensor)).map(({ values }) => values.a)
const expectValues = (sensor: { id: string }, values: readonly unknown[]): Promise<void> =>
  eventually(async () => expect(await valuesOf(sensor)).toEqual([...values]))

let nextMs = Date.now() - 3_600_000
/** Ascending times, each once. */
function reading(a: unknown) {
  nextMs += 1_000
  return { at: new Date(nextMs).toISOString(), values: { a } }
}

/** Resolves when the broker has the message. */
const publish = (topic: string, message: unknown, qos: 0 | 1 = 1): Promise<unknown> =>
  client.publishAsync(
    topic,
    typeof message === 'string' || message instanceof Buffer ? message : JSON.stringify(message),
    { qos },
  )

/** The last line of the log that a bridge writes when it stops. */
async function stopped(): Promise<Record<string, unknown>> {
  expect(await bridge?.stop()).toBe(0)
  const line = bridge
    ?.log()
    .split('\n')
    .findLast((one) => one.includes('the bridge has stopped'))
  return JSON.parse(line ?? '')
}

test('readings and lists of readings are stored, by id and by an external id that is encoded in the topic', async () => {
  const one = await sensorWith({ a: 'number' }, 'hall 3/boiler+#1 °C')
  const topic = topicFor()
  await start(topic.pattern)
  await publish(topic.of(one.id), reading(1))
  await publish(topic.of('hall 3/boiler+#1 °C'), { readings: [reading(2), reading(3)] })
  // the topic says whose reading it is
  await publish(topic.of(one.id), { sensor: 'other', ...reading(4) }, 0)
  const many = Array.from({ length: 500 }, (_, i) => reading(5 + i))
  await publish(topic.of(one.id), { readings: many })
  await expectValues(
    one,
    Array.from({ length: 504 }, (_, i) => 1 + i),
  )
})

test('a retained message is taken when it is published, and not again', async () => {
  const one = await sensorWith({ a: 'number' })
  const topic = topicFor()
  await client.publishAsync(topic.of(one.id), JSON.stringify(reading(1)), { qos: 1, retain: true })
  await start(topic.pattern)
  await client.publishAsync(topic.of(one.id), JSON.stringify(reading(2)), { qos: 1, retain: true })
  await expectValues(one, [2])
  await stopped()
  await bridge?.start()
  await publish(topic.of(one.id), reading(3))
  await expectValues(one, [2, 3])
  expect((await stopped()).messages).toBe(1)
})

test('broken messages and refused readings are acknowledged, counted and logged, and block nothing', async () => {
  const one = await sensorWith({ a: 'number' })
  const topic = topicFor()
  await start(topic.pattern, { SENSOR_BODY_BYTES: '100000' })
  const broken = [
    '',
    'no JSON',
    '[]',
    '5',
    '{"readings":[]}',
    JSON.stringify({ readings: Array.from({ length: 501 }, (_, i) => reading(i)) }),
    `${JSON.stringify(reading(1))},`,
    `{"at":"x","values":${'['.repeat(19_000)}`,
    Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]),
  ]
  for (const message of broken) await publish(topic.of(one.id), message)
  await publish(topic.of(one.id), 'x'.repeat(100_001))
  await publish(topic.pattern.replace('{sensor}', '%zz'), reading(1))
  const refused = [{ at: 5 }, { at: 'x' }, { ...reading(1), values: { a: 'text' } }, { readings: [1] }]
  for (const message of refused) await publish(topic.of(one.id), message)
  await publish(topic.of('nobody'), reading(1))
  // lists within lists that the server may read, and refuses by themselves
  await publish(
    topic.of(one.id),
    `{"at":"2026-01-01T00:00:00Z","values":{"a":${'['.repeat(9_000)}${']'.repeat(9_000)}}}`,
  )
  await publish(topic.of(one.id), reading(7))
  await expectValues(one, [7])
  const { reasons, messages, accepted } = await stopped()
  expect({ reasons, messages, accepted }).toEqual({
    messages: 18,
    accepted: 1,
    reasons: {
      unreadable: 9,
      too_large: 1,
      no_sensor: 1,
      SENSOR_READING_AT_INVALID: 3,
      SENSOR_READING_BAD_VALUE: 2,
      SENSOR_UNKNOWN: 1,
    },
  })
  // all were acknowledged: nothing comes again
  await bridge?.start()
  await publish(topic.of(one.id), reading(8))
  await expectValues(one, [7, 8])
  expect((await stopped()).messages).toBe(1)
})

test('what is published while the bridge is away is stored when it is back', async () => {
  const one = await sensorWith({ a: 'number' })
  const topic = topicFor()
  await start(topic.pattern)
  await publish(topic.of(one.id), reading(0))
  await expectValues(one, [0])
  await bridge?.stop()
  for (let i = 1; i <= 20; i++) await publish(topic.of(one.id), reading(i))
  await bridge?.start()
  await expectValues(
    one,
    Array.from({ length: 21 }, (_, i) => i),
  )
})

test('a message is not acknowledged while the server is down, and is stored after a kill of the bridge', async () => {
  const one = await sensorWith({ a: 'number' })
  const topic = topicFor()
  await start(topic.pattern)
  await instance.kill('SIGTERM')
  const isNoted = bridge?.untilLogged('did not take readings')
  for (let i = 0; i < 50; i++) await publish(topic.of(one.id), reading(i))
  await isNoted
  await bridge?.stop('SIGKILL')
  await bridge?.start()
  await instance.restart()
  await expectValues(
    one,
    Array.from({ length: 50 }, (_, i) => i),
  )
})

test('a revoked key keeps every message at the broker, and says why', async () => {
  const one = await sensorWith({ a: 'number' })
  const topic = topicFor()
  const old = await makeFleetKey(instance, organization.id)
  await start(topic.pattern, { MQTT_FLEET_KEY: old.key })
  await publish(topic.of(one.id), reading(0))
  await expectValues(one, [0])
  await instance.manage('DELETE', `/fleet-keys/${old.id}`)
  const isNoted = bridge?.untilLogged('401 SENSOR_KEY_INVALID')
  await publish(topic.of(one.id), reading(1))
  await publish(topic.of(one.id), reading(2))
  await isNoted
  await bridge?.remove()
  await start(topic.pattern)
  await expectValues(one, [0, 1, 2])
})

test('zigbee2mqtt: numbers and true or false, with the time of arrival, each message once', async () => {
  const names: Names = { battery: 'number', temperature: 'number', occupancy: 'boolean', linkquality: 'whole' }
  const one = await sensorWith({ ...names, 'color.x': 'number' }, '0x00158d0001ab')
  await start('zigbee2mqtt/{sensor}', { MQTT_PAYLOAD: 'object' })
  const beforeMs = Date.now()
  const messages = [
    { battery: 97, humidity: 48.5, linkquality: 105, temperature: 21.06, voltage: 2995, state: null },
    { occupancy: true, linkquality: 106, illuminance_lux: 27, last_seen: '2026-01-31T12:00:00+02:00' },
    { state: 'ON', brightness: 200, color: { x: 0.31, y: 0.33, hue: 28 }, color_mode: 'xy', linkquality: 107 },
  ]
  // together, so that they arrive in the same millisecond
  await Promise.all(messages.map((message) => publish('zigbee2mqtt/0x00158d0001ab', message)))
  await eventually(async () =>
    expect((await storedOf(one)).map(({ values }) => values)).toEqual([
      { battery: 97, linkquality: 105, temperature: 21.06 },
      { occupancy: true, linkquality: 106 },
      { 'color.x': 0.31, linkquality: 107 },
    ]),
  )
  for (const { at } of await storedOf(one)) {
    expect(Date.parse(at)).toBeGreaterThanOrEqual(beforeMs)
    expect(Date.parse(at)).toBeLessThan(Date.now() + 100)
  }
  await eventually(async () =>
    expect(await refusalsOf(one)).toEqual(['SENSOR_READING_NO_TIME', 'SENSOR_READING_UNKNOWN_CHANNEL']),
  )
})

test('Tasmota: nested names, and the time of the message where it has an offset', async () => {
  const one = await sensorWith({
    'AM2301.Temperature': 'number',
    'AM2301.Humidity': 'number',
    'ENERGY.Power': 'number',
  })
  const topic = topicFor('SENSOR')
  await start(topic.pattern, { MQTT_PAYLOAD: 'object' })
  const day = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10)
  await publish(topic.of(one.id), {
    Time: `${day}T10:00:00+02:00`,
    AM2301: { Temperature: 24.6, Humidity: 58.2 },
    TempUnit: 'C',
  })
  await publish(topic.of(one.id), {
    Time: `${day}T08:00:05Z`,
    ENERGY: { TotalStartTime: '2018-11-14T18:10:14', Total: 0.047, Power: 4, ApparentPower: 9, Factor: 0.44 },
  })
  // Tasmota without SetOption52: the time of a clock somewhere
  await publish(topic.of(one.id), { Time: `${day}T10:00:10`, AM2301: { Temperature: 24.7 } })
  await eventually(async () => {
    const stored = await storedOf(one)
    expect(stored.map(({ values }) => values)).toEqual([
      { 'AM2301.Temperature': 24.6, 'AM2301.Humidity': 58.2 },
      { 'ENERGY.Power': 4 },
      { 'AM2301.Temperature': 24.7 },
    ])
    expect(stored.slice(0, 2).map(({ at }) => at)).toEqual([`${day}T08:00:00.000Z`, `${day}T08:00:05.000Z`])
    expect(Date.now() - Date.parse(stored[2]?.at ?? '')).toBeLessThan(60_000)
  })
})

test('Shelly: status notifications of the second generation, and a place', async () => {
  const one = await sensorWith(
    { 'params.temperature:0.tC': 'number', 'params.switch:0.output': 'boolean', 'params.switch:0.apower': 'number' },
    'shellyplus1pm-a8032abe54dc',
  )
  await start('{sensor}/events/rpc', { MQTT_PAYLOAD: 'object' })
  await publish('shellyplus1pm-a8032abe54dc/events/rpc', {
    src: 'shellyplus1pm-a8032abe54dc',
    dst: 'shellyplus1pm-a8032abe54dc/events',
    method: 'NotifyStatus',
    params: {
      ts: 1631266595.44,
      'switch:0': { id: 0, output: true, apower: 8.9, aenergy: { by_minute: [0, 0, 0], total: 11.679 } },
      'temperature:0': { id: 0, tC: 37.25, tF: 99.05 },
    },
    latitude: 41.89,
    longitude: 12.49,
  })
  await eventually(async () =>
    expect(await storedOf(one)).toMatchObject([
      {
        values: { 'params.temperature:0.tC': 37.25, 'params.switch:0.output': true, 'params.switch:0.apower': 8.9 },
        location: [12.49, 41.89],
      },
    ]),
  )
})

test('a broker with TLS and an account whose password needs encoding', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'groundwave-bridge-tls-'))
  const certificates = makeCertificates(dir)
  const account = { user: 'plant', password: 'p@ss/wörd:%' }
  const secured = await startBroker({ tls: certificates.good, account })
  const at = `localhost:${secured.port}`
  const url = `mqtts://${account.user}:${encodeURIComponent(account.password)}@${at}`
  try {
    const one = await sensorWith({ a: 'number' })
    const topic = topicFor()
    await start(topic.pattern, { MQTT_URL: url, NODE_EXTRA_CA_CERTS: certificates.ca })
    const publisher = await connectAsync(`mqtts://${at}`, {
      ca: await Bun.file(certificates.ca).text(),
      username: account.user,
      password: account.password,
    })
    await publisher.publishAsync(topic.of(one.id), JSON.stringify(reading(1)), { qos: 1 })
    await expectValues(one, [1])
    await publisher.endAsync()
    expect(bridge?.log()).not.toContain(encodeURIComponent(account.password))

    // without the authority, and with a wrong password
    for (const [more, why] of [
      [{ MQTT_URL: url }, 'certificate'],
      [{ MQTT_URL: `mqtts://plant:wrong@${at}`, NODE_EXTRA_CA_CERTS: certificates.ca }, 'Not authorized'],
    ] as const) {
      const child = Bun.spawn([process.execPath, 'src/mqtt-bridge.ts'], {
        env: { ...process.env, ...environment(topic.pattern, more) },
        stdout: 'pipe',
      })
      let output = ''
      const decoder = new TextDecoder()
      for await (const part of child.stdout) {
        output += decoder.decode(part)
        if (output.includes('no connection to the broker')) child.kill('SIGTERM')
      }
      expect([output, await child.exited]).toEqual([expect.stringContaining(why), 0])
    }
  } finally {
    await secured.remove()
    rmSync(dir, { recursive: true })
  }
})

test('a bridge whose client id another client takes says so, and does not take it back at once', async () => {
  const other = await startTakingOver()
  await start(topicFor().pattern, { MQTT_URL: `mqtt://127.0.0.1:${other.port}` })
  await until(() => bridge?.log().includes('a broker has one bridge for each MQTT_TOPIC') === true, 'the reason')
  expect(bridge?.log()).toContain('"afterMs":60000')
  expect(other.connections()).toBe(1)
  other.close()
})

test('the bridge connects again after the broker was away', async () => {
  const one = await sensorWith({ a: 'number' })
  const topic = topicFor()
  await start(topic.pattern)
  const isBack = bridge?.untilLogged('"hadSession":true')
  await broker.stop()
  await broker.start()
  await isBack
  await until(() => client.connected, 'the publisher')
  await publish(topic.of(one.id), reading(1))
  await expectValues(one, [1])
})
