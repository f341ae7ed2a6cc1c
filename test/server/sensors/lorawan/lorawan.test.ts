/** Webhooks of The Things Stack and ChirpStack on a real server, with bodies of their documentation. */
import { describe, expect, test } from 'bun:test'
import { STATUS } from '../../../support/lorawan/chirpstack.ts'
import { JOIN_ACCEPT } from '../../../support/lorawan/things-stack.ts'
import {
  chirpstackUplink,
  device,
  type FleetKey,
  fleetKey,
  newDevEui,
  post,
  thingsStackUplink,
} from '../../../support/lorawan/webhooks.ts'
import { seeded, testSeed, whole } from '../../../support/random.ts'
import { type Channel, fromNow, type MadeSensor, readingTimes } from '../../../support/server/instance.ts'
import { sharedInstance } from '../../../support/server/shared-instance.ts'
import { eventually, until } from '../../../support/until.ts'

const instance = await sharedInstance()
const organization = await instance.organization()
const TTN = '/ingest/ttn'
const UP = '/ingest/chirpstack?event=up'
const CHANNELS: Channel[] = [
  { name: 'temperature', measurement: 'number' },
  { name: 'soil.wet', measurement: 'boolean' },
]
const { key, id: keyId } = await fleetKey(instance, organization.id)
const newDevice = (devEui: string): Promise<MadeSensor> => device(instance, organization.id, devEui, CHANNELS)
const eventOf = async (sensor: MadeSensor) =>
  (await instance.manage<{ lastEvent: unknown }>('GET', `/sensors/${sensor.id}`)).lastEvent
const refusalsOf = async (fleetKeyId: string) =>
  (
    await instance.manage<{ items: { reason: string; name: string | null; count: number }[] }>(
      'GET',
      `/fleet-keys/${fleetKeyId}/refusals`,
    )
  ).items

/** Positions can be read a moment before or after values: ClickHouse keeps each in a table. */
async function latestOf(sensor: MadeSensor, at: string, { hasLocation = false } = {}) {
  type Latest = { at: string; values: Record<string, { value: unknown }>; location: number[] | null }
  let latest: Latest | undefined
  await until(async () => {
    latest = (await instance.query<Latest>(organization, `/sensors/${sensor.id}/latest`)).data
    return latest.at === at && Object.keys(latest.values).length > 0 && (!hasLocation || latest.location !== null)
  }, 'the reading can be read')
  const values = Object.entries(latest?.values ?? {}).map(([name, { value }]) => [name, value])
  return { location: latest?.location, values: Object.fromEntries(values) as object }
}

describe('an uplink', () => {
  test('of The Things Stack is stored at its time, and other values are listed', async () => {
    const devEui = newDevEui()
    const sensor = await newDevice(devEui)
    const at = fromNow(-5_000)
    const decoded_payload = { temperature: 0, soil: { wet: false, ph: 7 }, text: '3.384 V', list: [1], nothing: null }
    const { status, body } = await post(instance, TTN, key, thingsStackUplink(devEui, at, { decoded_payload }))
    expect(status).toBe(200)
    expect(body).toMatchObject({
      code: 'SENSOR_READINGS_RESULT',
      data: {
        accepted: [at],
        duplicates: [],
        refused: [{ at, reason: 'SENSOR_READING_UNKNOWN_CHANNEL', channel: 'soil.ph' }],
      },
    })
    const latest = await latestOf(sensor, at, { hasLocation: true })
    expect(latest.values).toEqual({ temperature: 0, 'soil.wet': false })
    // the gateway's, since the payload has none
    expect(latest.location).toEqual([23.72678801175413, 37.97155556731436])
  })

  test('of ChirpStack is stored, with the DevEUI in any case of letters', async () => {
    const devEui = newDevEui()
    const sensor = await newDevice(devEui)
    const at = fromNow(-4_000)
    const event = chirpstackUplink(devEui.toLowerCase(), at.replace('Z', '023242+00:00'), {
      object: { temperature: -1.5, soil: { wet: true } },
    })
    const { status, body } = await post(instance, UP, key, event)
    expect({ status, data: body?.data }).toEqual({ status: 200, data: { accepted: [at], duplicates: [], refused: [] } })
    expect((await latestOf(sensor, at)).values).toEqual({ temperature: -1.5, 'soil.wet': true })
  })

  test('is answered with 200 also when it is refused', async () => {
    const devEui = newDevEui()
    const sensor = await newDevice(devEui)
    const send = async (at: string, temperature: unknown) =>
      post(instance, TTN, key, thingsStackUplink(devEui, at, { decoded_payload: { temperature } }))
    const future = fromNow(3_600_000)
    const now = fromNow(0)
    for (const [at, value, reason] of [
      [future, 1, 'SENSOR_READING_IN_FUTURE'],
      [now, true, 'SENSOR_READING_BAD_VALUE'],
      ['soon', 1, 'SENSOR_READING_AT_INVALID'],
    ] as const) {
      const { status, body } = await send(at, value)
      expect({ status, refused: body?.data.refused }).toEqual({ status: 200, refused: [{ at, reason }] })
    }
    // a copy that was not stored is no copy
    expect((await send(fromNow(-1_000), 1)).body?.data.accepted).toHaveLength(1)
    await instance.manage('PATCH', `/sensors/${sensor.id}`, { enabled: false })
    const { status, body } = await send(now, 1)
    expect({ status, refused: body?.data.refused }).toEqual({
      status: 200,
      refused: [{ at: now, reason: 'SENSOR_DISABLED' }],
    })
  })
})

describe('copies of a frame', () => {
  test('by several gateways are stored once, also across a kill of the server', async () => {
    const devEui = newDevEui()
    const sensor = await newDevice(devEui)
    const firstMs = Date.now() - 9_000
    const copy = (afterMs: number) =>
      post(
        instance,
        TTN,
        key,
        thingsStackUplink(devEui, new Date(firstMs + afterMs).toISOString(), { decoded_payload: { temperature: 1 } }),
      )
    const answers = await Promise.all([0, 3, 1, 250, -2, 7, 7].map(copy))
    expect(answers.map(({ status }) => status)).toEqual(Array(7).fill(200))
    const accepted = answers.flatMap(({ body }) => body?.data.accepted ?? [])
    expect(accepted).toHaveLength(1)
    expect(answers.flatMap(({ body }) => body?.data.duplicates ?? [])).toEqual(Array(6).fill(accepted[0]))
    await instance.kill('SIGKILL')
    await instance.restart()
    expect((await copy(40)).body?.data).toMatchObject({ accepted: [], duplicates: accepted })
    await latestOf(sensor, accepted[0] as string)
    expect(await readingTimes(() => instance, organization, sensor)).toEqual(accepted)
  }, 60_000)

  test('are those with the same counter and session; an absent fCnt is 0', async () => {
    const devEui = newDevEui()
    await newDevice(devEui)
    const atMs = Date.now() - 8_000
    const outcomeOf = async (afterMs: number, changes: object): Promise<string> => {
      const at = new Date(atMs + afterMs).toISOString()
      const event = chirpstackUplink(devEui, at, { object: { temperature: 1 }, ...changes })
      const data = (await post(instance, UP, key, event)).body?.data
      return `${data?.accepted.length} ${data?.duplicates.length}`
    }
    expect(await outcomeOf(0, {})).toBe('1 0')
    expect(await outcomeOf(5, { fCnt: 0 })).toBe('0 1')
    expect(await outcomeOf(6, { fCnt: 1 })).toBe('1 0')
    expect(await outcomeOf(7, { devAddr: '00189441' })).toBe('1 0')
    // the device has started again, and counts from 0
    expect(await outcomeOf(-90_000, {})).toBe('1 0')
  })
})

describe('other messages', () => {
  test('are answered with 204 and kept as the last event of the sensor', async () => {
    const devEui = newDevEui()
    const sensor = await newDevice(devEui)
    expect(await eventOf(sensor)).toBeNull()
    const join = { ...JOIN_ACCEPT, end_device_ids: { dev_eui: devEui.toLowerCase() } }
    expect(await post(instance, TTN, key, join)).toEqual({ status: 204, body: undefined })
    expect(await eventOf(sensor)).toEqual({ kind: 'join', at: '2020-02-17T07:49:09.935Z' })
    for (const kind of ['ack', 'txack', 'log', 'location', 'integration', 'join', 'status']) {
      const event = { ...STATUS, deviceInfo: { devEui } }
      expect(await post(instance, `/ingest/chirpstack?event=${kind}`, key, event)).toEqual({
        status: 204,
        body: undefined,
      })
      expect(await eventOf(sensor)).toEqual({ kind, at: '2022-07-18T09:35:06.927Z' })
    }
    const sensors = await instance.manage<{ items: { id: string; lastEvent: unknown }[] }>(
      'GET',
      `/enterprises/${organization.id}/sensors?q=${sensor.id}`,
    )
    expect(sensors.items.map(({ lastEvent }) => lastEvent)).toEqual([
      { kind: 'status', at: '2022-07-18T09:35:06.927Z' },
    ])
  })
})

describe('an unknown device', () => {
  test('is answered with 204 and listed', async () => {
    const devEui = newDevEui()
    expect(await post(instance, TTN, key, thingsStackUplink(devEui, fromNow(0)))).toEqual({
      status: 204,
      body: undefined,
    })
    expect((await refusalsOf(keyId)).filter(({ name }) => name === devEui)).toMatchObject([
      { reason: 'SENSOR_UNKNOWN', count: 1 },
    ])
  })

  test('is made by its first uplink, not by its join', async () => {
    const made = await fleetKey(instance, organization.id, { autoCreate: 'on' })
    const devEui = newDevEui()
    const join = { ...STATUS, deviceInfo: { devEui } }
    expect((await post(instance, '/ingest/chirpstack?event=join', made.key, join)).status).toBe(204)
    const at = fromNow(-2_000)
    const event = chirpstackUplink(devEui, at, { object: { battery: 3.1, door: { open: true } } })
    expect((await post(instance, UP, made.key, event)).body?.data).toEqual({
      accepted: [at],
      duplicates: [],
      refused: [],
    })
  })

  test('waits for approval with what it sent', async () => {
    const pending = await fleetKey(instance, organization.id, { autoCreate: 'pending' })
    const devEui = newDevEui()
    const message = thingsStackUplink(devEui, fromNow(0))
    expect((await post(instance, TTN, pending.key, message)).status).toBe(204)
    const { items } = await instance.manage<{ items: { externalId: string; sent: object }[] }>(
      'GET',
      `/enterprises/${organization.id}/pending-sensors`,
    )
    // the gateway's place, since the device sent none
    expect(items.find(({ externalId }) => externalId === devEui)?.sent).toMatchObject({
      values: { temperature: 1, luminosity: 0.64 },
      location: [23.72678801175413, 37.97155556731436],
    })
  })

  test('that sends its place is made without channels for it', async () => {
    const made = await fleetKey(instance, organization.id, { autoCreate: 'on' })
    const devEui = newDevEui()
    const at = fromNow(-2_000)
    const event = chirpstackUplink(devEui, at, { object: { gps: { latitude: 52.5, longitude: 13.4 }, battery: 3.1 } })
    expect((await post(instance, UP, made.key, event)).body?.data).toMatchObject({ accepted: [at], refused: [] })
    type Made = { externalId: string; id: string; channels: { name: string }[] }
    const { items } = await instance.manage<{ items: Made[] }>(
      'GET',
      `/enterprises/${organization.id}/sensors?externalId=${devEui}`,
    )
    expect(items.map(({ channels }) => channels.map(({ name }) => name))).toEqual([['battery']])
    await eventually(async () => {
      const { data } = await instance.query<{ items: object[] }>(organization, `/sensors/${items[0]?.id}/readings`)
      expect(data.items).toEqual([{ at, values: { battery: 3.1 }, location: [13.4, 52.5] }])
    })
  })
})

describe('what is refused', () => {
  test('has a reason: protobuf, another key, a wrong event, no message', async () => {
    const devEui = newDevEui()
    const event = chirpstackUplink(devEui, fromNow(0))
    const failureOf = async (path: string, message: unknown, headers: Record<string, string> = {}) => {
      const { status, body } = await post(instance, path, key, message, headers)
      return `${status} ${body?.code} ${body?.errors?.[0]?.field}`
    }
    const protobuf = { 'content-type': 'application/octet-stream' }
    expect(await failureOf(UP, new Uint8Array([10, 36, 51, 97]), protobuf)).toBe(
      '415 MEDIA_TYPE_UNSUPPORTED Content-Type',
    )
    const { body } = await post(instance, UP, key, new Uint8Array([10, 36]), protobuf)
    expect(body?.errors?.[0]?.message).toContain('application/json')
    expect(await failureOf('/ingest/chirpstack', event)).toBe('422 VALIDATION_FAILED query.event')
    expect(await failureOf('/ingest/chirpstack?event=down', event)).toBe('422 VALIDATION_FAILED query.event')
    expect(await failureOf(TTN, event)).toBe('422 VALIDATION_FAILED body')
    expect(await failureOf(TTN, '{')).toBe('400 BAD_REQUEST body')
    expect(await failureOf(TTN, `{"a":"${'x'.repeat(256 * 1024)}"}`)).toBe('413 BODY_TOO_LARGE body')
    for (const authorization of ['', 'Bearer svcfl_x', `Bearer ${(await newDevice(newDevEui())).key}`])
      expect(await failureOf(UP, event, { authorization })).toStartWith('401 SENSOR_KEY_INVALID')
    expect((await refusalsOf(keyId)).map(({ reason }) => reason)).toContain('MEDIA_TYPE_UNSUPPORTED')
  })

  test('damaged messages of a device never fail the server', async () => {
    const devEui = newDevEui()
    await newDevice(devEui)
    const random = seeded(testSeed)
    const keys: FleetKey[] = []
    for (let i = 0; i < 1_500; i++) {
      if (i % 500 === 0) keys.push(await fleetKey(instance, organization.id))
      const isThingsStack = whole(random, 2) === 0
      const at = fromNow(-whole(random, 60_000))
      const payload = { temperature: whole(random, 50), soil: { wet: true, deep: { deeper: { 1: 2 } } } }
      const message = isThingsStack
        ? thingsStackUplink(devEui, at, { decoded_payload: payload, f_cnt: i })
        : chirpstackUplink(devEui, at, { object: payload, fCnt: i })
      const bytes = Buffer.from(JSON.stringify(message))
      const edits = 1 + whole(random, 4)
      for (let edit = 0; edit < edits; edit++) bytes[whole(random, bytes.length)] = whole(random, 256)
      const { status } = await post(instance, isThingsStack ? TTN : UP, (keys.at(-1) as FleetKey).key, bytes)
      expect({ seed: testSeed, i, status: [200, 204, 400, 422].includes(status) ? 'fine' : status }).toEqual({
        seed: testSeed,
        i,
        status: 'fine',
      })
    }
  }, 120_000)

  test('messages with hostile texts, depths and numbers of members never fail the server', async () => {
    const devEui = newDevEui()
    await newDevice(devEui)
    const nested = (depth: number): string => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`
    const names = (count: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: count }, (_, i) => [`n${i}`, i])))
    const message = (payload: string, session = 's', at = fromNow(-1_000)): string =>
      `{"deviceInfo":{"devEui":"${devEui}"},"time":"${at}","devAddr":"${session}","object":${payload}}`
    for (const [body, status] of [
      [message(nested(50)), 200],
      [message(nested(100)), 400],
      [message(nested(40_000)), 400],
      [message(names(4_900)), 200],
      [message(names(9_000)), 400],
      [message(`{"${'long'.repeat(40_000)}":{"b":1}}`), 200],
      [message('{"temperature":1e999}'), 200],
      [message('{"temperature":1,"__proto__":{"x":1}}', '\\u0000'), 200],
      [message('{"temperature":1}', '\\ud800'), 200],
      [message('{"temperature":1}', 'x'.repeat(100_000)), 200],
      [message('{"temperature":1}', 's', '9999-12-31T23:59:59-23:59'), 200],
      [message('{"temperature":1}', 's', '0000-01-01T00:00:00Z'), 200],
      ['[]', 422],
      ['null', 422],
      ['', 400],
      [message('{"temperature":1}').replace(devEui, '\\u0000'), 422],
      [message('{"temperature":1}').replace(devEui, '\\ud800'), 204],
    ] as const)
      expect([body.slice(0, 120), (await post(instance, UP, key, body)).status]).toEqual([body.slice(0, 120), status])
  })
})
