/**
 * Every way in which readings arrive, for senders that outlive kills: each sends the same readings again, unchanged, until
 * the answer says that they are stored.
 */
import { expect } from 'bun:test'
import type { MqttClient } from 'mqtt'
import { createBatcher } from '../../../src/stores/batcher.ts'
import { chirpstackUplink, device, newDevEui, thingsStackUplink } from '../lorawan/webhooks.ts'
import { type Account, connectMqtt, isAcknowledged } from '../mqtt/client.ts'
import { type Instance, type MadeSensor, type Organization, type Outcome, outcomeOf } from '../server/instance.ts'
import { CHANNELS, type Reading, untilAnswered } from '../server/kill-clients.ts'
import { type FleetKey, makeFleetKey, manyOutcomeOf, sendMany } from '../server/many-readings.ts'

export type Way = {
  name: string
  sensors: MadeSensor[]
  /** The most readings of a sensor that are sent together. */
  most: number
  ask(sensor: MadeSensor, readings: Reading[]): Promise<Outcome>
}

/** A server and the port of its MQTT listener. */
export type Target = { instance: Instance; mqttPort: number }

/** How long a gateway collects readings of its sensors. */
const COLLECT_MS = 20
/** How long a sender by MQTT waits before it connects again. */
const RECONNECT_MS = 50

/** @param any a server that is asked next */
export async function everyWay(any: () => Target, { id: enterpriseId }: Organization): Promise<Way[]> {
  const { instance } = any()
  const key = await makeFleetKey(instance, enterpriseId)
  const sensorsOf = (count: number): Promise<MadeSensor[]> =>
    Promise.all(Array.from({ length: count }, () => instance.sensor(enterpriseId, CHANNELS)))
  const post = (path: string, body: string): Promise<Response> =>
    untilAnswered(() =>
      fetch(any().instance.url() + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key.key}`, 'content-type': 'application/json' },
        body,
      }),
    )
  const bodies = await Promise.all(
    Object.entries(BODIES).map(async ([type, write]): Promise<Way> => {
      async function ask(sensor: MadeSensor, readings: Reading[]): Promise<Outcome> {
        const body = write(readings)
        return outcomeOf(await untilAnswered(() => any().instance.send(sensor, body, { 'content-type': type })))
      }
      return { name: type, sensors: await sensorsOf(2), most: 500, ask }
    }),
  )
  return [
    ...bodies,
    { name: '/ingest/readings', sensors: await sensorsOf(4), most: 500, ask: askTogether(any, key) },
    { name: 'line protocol', sensors: await sensorsOf(4), most: 250, ask: askLines(post) },
    await lorawanWay('/ingest/ttn', instance, enterpriseId, post, (devEui, { at, values, location }, frame) =>
      thingsStackUplink(devEui, at, { f_cnt: frame, decoded_payload: { ...values, ...placeOf(location) } }),
    ),
    await lorawanWay('/ingest/chirpstack?event=up', instance, enterpriseId, post, (devEui, reading, frame) =>
      chirpstackUplink(devEui, reading.at, {
        fCnt: frame,
        object: { ...reading.values, ...placeOf(reading.location) },
      }),
    ),
    { name: 'MQTT, sensors', sensors: await sensorsOf(3), most: 100, ask: askMqttSensor(any) },
    { name: 'MQTT, gateway', sensors: await sensorsOf(4), most: 400, ask: askMqttGateway(any, key) },
  ]
}

const placeOf = ([longitude, latitude]: [number, number]) => ({ longitude, latitude })
const stored = (readings: readonly Reading[]): Outcome => ({
  accepted: [],
  duplicates: readings.map(({ at }) => at),
  refused: [],
})

const BODIES: Record<string, (readings: Reading[]) => string> = {
  'application/json': (readings) => JSON.stringify({ readings }),
  'application/x-ndjson': (readings) => readings.map((reading) => JSON.stringify(reading)).join('\n'),
  'text/csv': (readings) =>
    [
      'at,longitude,latitude,a,b',
      ...readings.map(({ at, location, values: { a, b } }) => [at, ...location, a, b].join(',')),
    ].join('\r\n'),
  'application/senml+json': (readings) =>
    JSON.stringify(
      readings.flatMap(({ at, location: [lon, lat], values: { a, b } }) => {
        const t = Date.parse(at) / 1000
        return [
          { n: 'a', t, v: a },
          { n: 'b', t, v: b },
          { n: 'longitude', u: 'lon', t, v: lon },
          { n: 'latitude', u: 'lat', t, v: lat },
        ]
      }),
    ),
}

type Asked = { sensor: MadeSensor; readings: Reading[] }

/** Items of all sensors in turn, as a gateway collects them. */
function inTurn<T>(asked: readonly Asked[], item: (sensor: MadeSensor, reading: Reading) => T): T[] {
  const longest = Math.max(...asked.map(({ readings }) => readings.length))
  return Array.from({ length: longest }, (_, i) =>
    asked.flatMap(({ sensor, readings }) => (readings[i] === undefined ? [] : [item(sensor, readings[i])])),
  ).flat()
}

function askTogether(any: () => Target, key: FleetKey): Way['ask'] {
  const send = createBatcher<Asked, Map<Asked, Outcome>>(COLLECT_MS, async (asked) => {
    const readings = inTurn(asked, ({ id }, reading) => ({ sensor: id, ...reading }))
    const { accepted, duplicates, refused } = await manyOutcomeOf(
      await untilAnswered(() => sendMany(any().instance, key, readings)),
    )
    expect(refused).toEqual([])
    const timesOf = (list: { sensor: string; at: string }[], id: string): string[] =>
      list.filter(({ sensor }) => sensor === id).map(({ at }) => at)
    return new Map(
      asked.map((one) => {
        const { id } = one.sensor
        return [one, { accepted: timesOf(accepted, id), duplicates: timesOf(duplicates, id), refused: [] }]
      }),
    )
  })
  return async (sensor, readings) => {
    const asked = { sensor, readings }
    return (await send(asked)).get(asked) as Outcome
  }
}

/** A gateway of two plug-ins that share milliseconds, which writes by both versions in turn. */
function askLines(post: (path: string, body: string) => Promise<Response>): Way['ask'] {
  let calls = 0
  const send = createBatcher<Asked, number>(COLLECT_MS, async (asked) => {
    const lines = inTurn(asked, ({ id }, { at, location: [lon, lat], values: { a, b } }) => {
      const ms = Date.parse(at)
      return `place,sensor=${id} a=${a},lon=${lon},lat=${lat} ${ms}\ncount,sensor=${id} b=${b}i ${ms}`
    })
    const path = calls++ % 2 === 0 ? '/api/v2/write?precision=ms' : '/write?precision=ms'
    return (await post(path, lines.join('\n'))).status
  })
  return async (sensor, readings) => {
    expect(await send({ sensor, readings })).toBe(204)
    return stored(readings)
  }
}

/** A network server that sends two copies of each frame together, and sometimes a third one with a later time. */
async function lorawanWay(
  path: string,
  instance: Instance,
  enterpriseId: string,
  post: (path: string, body: string) => Promise<Response>,
  message: (devEui: string, reading: Reading, frame: number) => object,
): Promise<Way> {
  const devices = new Map<MadeSensor, string>()
  for (let i = 0; i < 2; i++) {
    const devEui = newDevEui()
    devices.set(await device(instance, enterpriseId, devEui, CHANNELS), devEui)
  }
  const firstFrameMs = Date.now() - 6 * 86_400_000
  async function send(sensor: MadeSensor, reading: Reading): Promise<Outcome> {
    const frame = Math.floor((Date.parse(reading.at) - firstFrameMs) / 10)
    const copy = async (laterMs: number): Promise<Outcome> => {
      const at = new Date(Date.parse(reading.at) + laterMs).toISOString()
      const sent = message(devices.get(sensor) as string, { ...reading, at }, frame)
      const outcome = await outcomeOf(await post(path, JSON.stringify(sent)))
      expect([...outcome.accepted, ...outcome.duplicates]).toEqual([reading.at])
      return outcome
    }
    const [one, other] = (await Promise.all([copy(0), copy(0)])) as [Outcome, Outcome]
    // after a kill, both may be duplicates of a call without an answer
    expect(one.accepted.length + other.accepted.length).toBeLessThan(2)
    if (frame % 4 === 0) expect((await copy(3)).duplicates).toEqual([reading.at])
    return one.accepted.length > 0 ? one : other
  }
  return {
    name: path,
    sensors: [...devices.keys()],
    most: 5,
    async ask(sensor, readings) {
      const outcomes: Outcome[] = []
      for (const reading of readings) outcomes.push(await send(sensor, reading))
      const timesOf = (kind: 'accepted' | 'duplicates'): string[] => outcomes.flatMap((outcome) => outcome[kind])
      return { accepted: timesOf('accepted'), duplicates: timesOf('duplicates'), refused: [] }
    },
  }
}

/** Publishes over one connection, and over a next one what was not acknowledged. */
function publisher(any: () => Target, account: Account): (topic: string, messages: object[]) => Promise<void> {
  let open: Promise<MqttClient> | undefined
  async function connected(): Promise<MqttClient> {
    for (;;)
      try {
        return await connectMqtt(any().mqttPort, account)
      } catch {
        // the server or Redis was killed
        await Bun.sleep(RECONNECT_MS)
      }
  }
  return async (topic, messages) => {
    for (let unsent = messages; ; await Bun.sleep(RECONNECT_MS)) {
      open ??= connected()
      const connection = open
      const client = await connection
      const taken = await Promise.all(unsent.map((message) => isAcknowledged(client, topic, message)))
      unsent = unsent.filter((_, i) => !taken[i])
      if (unsent.length === 0) return
      client.end(true)
      if (open === connection) open = undefined
    }
  }
}

/** A sensor that sends one reading in a message. */
function askMqttSensor(any: () => Target): Way['ask'] {
  const publishers = new Map<MadeSensor, ReturnType<typeof publisher>>()
  return async (sensor, readings) => {
    const publish = publishers.get(sensor) ?? publisher(any, sensor)
    publishers.set(sensor, publish)
    await publish('readings', readings)
    return stored(readings)
  }
}

/** A gateway that sends up to fifty readings of a sensor in a message. */
function askMqttGateway(any: () => Target, { key }: FleetKey): Way['ask'] {
  const publish = publisher(any, { id: 'gateway', key })
  return async (sensor, readings) => {
    const parts = Array.from({ length: Math.ceil(readings.length / 50) }, (_, i) => ({
      readings: readings.slice(i * 50, i * 50 + 50),
    }))
    await publish(`sensors/${sensor.id}/readings`, parts)
    return stored(readings)
  }
}
