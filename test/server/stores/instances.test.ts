/**
 * Several instances on one PostgreSQL, one Redis (both real) and one ClickHouse (a bridge over chDB): any sensor may
 * reach any of them at any time.
 */

import { afterAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import type { MqttClient } from 'mqtt'
import { connectMqtt, isAcknowledged } from '../../support/mqtt/client.ts'
import { childrenOf, ROOT, refusedStart } from '../../support/processes.ts'
import { killRandom, type Random, whole } from '../../support/random.ts'
import {
  batch,
  type Envelope,
  type Instance,
  type MadeSensor,
  type Outcome,
  outcomeOf,
  readingTimes,
  untilStored,
} from '../../support/server/instance.ts'
import { removeInstances, startTwoInstances } from '../../support/server/two-instances.ts'
import {
  call,
  collectionOf,
  eventKey,
  eventsOf,
  expectedEvents,
  sendPositions,
  untilChecked,
  WHENS,
  type When,
} from '../../support/server/zones.ts'
import { freePort } from '../../support/stores/postgres.ts'
import { type RedisServer, startRedis } from '../../support/stores/redis.ts'
import { until } from '../../support/until.ts'

const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const randomFor = killRandom('instances.test.ts')

const { stores, env, instances, organization } = await startTwoInstances()
afterAll(async () => {
  await removeInstances({ stores, instances })
})

const one = (): Instance => instances[0] as Instance
const other = (): Instance => instances[1] as Instance
const choice = randomFor('instance')
const any = (random: Random = choice): Instance => instances[whole(random, instances.length)] as Instance
const newSensor = (): Promise<MadeSensor> => one().sensor(organization.id, CHANNELS)
const timesOf = (sensor: MadeSensor): Promise<string[]> => readingTimes(any, organization, sensor)

test('a batch sent to both instances at once is accepted once', async () => {
  const sensor = await newSensor()
  for (let round = 0; round < 15; round++) {
    const body = batch(50, 4000 - round * 60)
    const outcomes = await Promise.all(
      Array.from({ length: 6 }, async (_, i) => outcomeOf(await (instances[i % 2] as Instance).send(sensor, body))),
    )
    expect(outcomes.flatMap(({ accepted }) => accepted).sort()).toEqual(body.readings.map(({ at }) => at))
    expect(outcomes.flatMap(({ duplicates }) => duplicates)).toHaveLength(5 * 50)
  }
  await untilStored(any, organization, sensor, 15 * 50)
  // a duplicate would be loaded by then as well
  await Bun.sleep(1000)
  expect(await timesOf(sensor)).toHaveLength(15 * 50)
}, 120_000)

test('a change made through one instance takes effect on the next call to the other', async () => {
  const sensor = await newSensor()
  const answer = async () => ((await (await other().send(sensor, batch(1))).json()) as Envelope).code
  for (let i = 0; i < 5; i++) {
    expect(await answer()).toBe('SENSOR_READINGS_RESULT')
    await one().manage('PATCH', `/sensors/${sensor.id}`, { enabled: false })
    expect(await answer()).toBe('SENSOR_DISABLED')
    await one().manage('PATCH', `/enterprises/${organization.id}`, { assetsHeld: true })
    await one().manage('PATCH', `/sensors/${sensor.id}`, { enabled: true })
    expect(await answer()).toBe('ASSETS_HELD')
    await one().manage('PATCH', `/enterprises/${organization.id}`, { assetsHeld: false })
  }
  await one().manage('DELETE', `/sensors/${sensor.id}/keys/${sensor.keys[0]?.id}`)
  expect(await answer()).toBe('SENSOR_KEY_INVALID')
})

test('the daily limit of readings is exact across both instances', async () => {
  const owner = await one().organization('scale')
  await one().manage('PATCH', `/enterprises/${owner.id}`, { readingsPerDay: 1000 })
  const fleet = await Promise.all(Array.from({ length: 8 }, () => one().sensor(owner.id, CHANNELS)))
  const outcomes: Outcome[] = []
  const codes: string[] = []
  await Promise.all(
    fleet.map(async (sensor, i) => {
      for (let call = 0; call < 10; call++) {
        const response = await (instances[(i + call) % 2] as Instance).send(sensor, batch(37, 3000 - call * 60))
        const envelope = (await response.json()) as Envelope<Outcome>
        if (response.status === 200) outcomes.push(envelope.data)
        else codes.push(envelope.code)
      }
    }),
  )
  const accepted = outcomes.reduce((sum, outcome) => sum + outcome.accepted.length, 0)
  // readings that one instance reserved but did not use become available again soon
  let rest = 0
  await until(async () => {
    const last = await one().send(fleet[0] as MadeSensor, batch(500, 100))
    if (last.status === 200) rest += (await outcomeOf(last)).accepted.length
    return accepted + rest >= 1000
  }, 'the reserved readings')
  expect(accepted + rest).toBe(1000)
  expect(accepted).toBeGreaterThan(900)
  expect(new Set([...codes, ...outcomes.flatMap(({ refused }) => refused.map(({ reason }) => reason))])).toEqual(
    new Set(['SENSOR_READINGS_DAILY_LIMIT']),
  )
  for (const instance of instances)
    expect(((await (await instance.send(fleet[1] as MadeSensor, batch(1, 1))).json()) as Envelope).code).toBe(
      'SENSOR_READINGS_DAILY_LIMIT',
    )
}, 120_000)

test('INSTANCES=2 serves one port, and that of MQTT, with two processes, replaces one that dies, and stops both', async () => {
  const [port, mqttPort] = [await freePort(), await freePort()]
  const dir = join(stores.home, 'supervised')
  const sensors = await Promise.all(Array.from({ length: 16 }, newSensor))
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd: ROOT,
    env: {
      ...process.env,
      ...env,
      UV_THREADPOOL_SIZE: '16',
      DATA_DIR: dir,
      PORT: String(port),
      MQTT_PORT: String(mqttPort),
      INSTANCES: '2',
    },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  const reading = (async () => {
    for await (const chunk of child.stdout) said += new TextDecoder().decode(chunk)
  })()
  const listening = (): number => said.split('listening on').length - 1
  for (const deadline = Date.now() + 60_000; listening() < 2 && Date.now() < deadline; ) await Bun.sleep(50)
  expect(listening()).toBe(2)
  const children = childrenOf(child.pid)
  expect(children).toHaveLength(2)
  const clients = await Promise.all(sensors.map((sensor) => connectMqtt(mqttPort, sensor)))
  const isTaken = (client: MqttClient, secondsAgo: number): Promise<boolean> =>
    isAcknowledged(client, 'readings', batch(1, secondsAgo))
  expect(await Promise.all(clients.map((client) => isTaken(client, 2)))).not.toContain(false)
  process.kill(children[0] as number, 'SIGKILL')
  for (const deadline = Date.now() + 60_000; listening() < 3 && Date.now() < deadline; ) await Bun.sleep(50)
  expect(listening()).toBe(3)
  const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status
  for (const deadline = Date.now() + 60_000; (await ready()) !== 200 && Date.now() < deadline; ) await Bun.sleep(50)
  expect(await ready()).toBe(200)
  // the kernel gives each process some of the connections
  const left = clients.filter(({ connected }) => connected)
  expect(left.length).toBeGreaterThan(0)
  expect(left.length).toBeLessThan(clients.length)
  expect(await Promise.all(left.map((client) => isTaken(client, 1)))).not.toContain(false)
  const again = await Promise.all(sensors.map((sensor) => connectMqtt(mqttPort, sensor)))
  expect(await Promise.all(again.map((client) => isTaken(client, 0)))).not.toContain(false)
  await Promise.all([...left, ...again].map((client) => client.endAsync()))
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  await reading
}, 120_000)

test.each([
  ['redis://127.0.0.1:1', 'REDIS_URL: '],
  ['http://127.0.0.1', 'REDIS_URL must be a URL that starts with redis:// or rediss://'],
  ['evicting', 'REDIS_URL: maxmemory-policy is allkeys-lru'],
])(
  'REDIS_URL=%s stops the start with a clear message',
  async (value, word) => {
    let own: RedisServer | undefined
    if (value === 'evicting') {
      own = await startRedis()
      await own.command('CONFIG', 'SET', 'maxmemory-policy', 'allkeys-lru')
    }
    const dir = join(stores.home, `unfit-${crypto.randomUUID()}`)
    expect(await refusedStart({ ...env, DATA_DIR: dir, REDIS_URL: own?.url ?? value })).toStartWith(word)
    await own?.remove()
  },
  120_000,
)

test('zone rules: positions sent to both instances at once produce each crossing exactly once', async () => {
  const boxes = [{ id: 'A', west: 0, south: 0, east: 10, north: 10 }]
  const { id: layerId } = await one().manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, {
    name: 'Zones',
    geojson: collectionOf(boxes),
  })
  const rules = {} as Record<When, string>
  for (const when of WHENS)
    rules[when] = (
      await call<{ id: string }>(one(), organization, 'POST', '/rules', { when, layerId, sensorIds: 'all' })
    ).data.id
  const sensor = await newSensor()
  const startMs = Date.now() - 3_600_000
  const random = randomFor('way')
  const way = Array.from({ length: 240 }, (_, i) => ({ ms: startMs + i * 1000, x: random() < 0.5 ? 5 : 15, y: 5 }))
  // alternating between the instances, faster than either can check
  for (let i = 0; i < way.length; i += 3)
    await outcomeOf(await sendPositions(instances[i % 2] as Instance, sensor, way.slice(i, i + 3)))
  for (const instance of instances) await untilChecked(instance)
  for (const when of WHENS) {
    const seen = (await eventsOf(any(), organization, rules[when])).map(eventKey)
    const expected = expectedEvents(when, boxes, way)
    expect(new Set(seen).size).toBe(seen.length)
    expect(expected.filter((event) => !seen.includes(event))).toEqual([])
  }
  // a rule created through one instance applies to the next reading at the other
  const next = await call<{ id: string }>(other(), organization, 'POST', '/rules', {
    when: 'enter',
    layerId,
    all: true,
  })
  const now = Date.now()
  const step = [
    { ms: now - 1, x: 15, y: 5 },
    { ms: now, x: 5, y: 5 },
  ]
  await outcomeOf(await sendPositions(one(), sensor, step))
  await untilChecked(one())
  expect(await eventsOf(other(), organization, next.data.id)).toHaveLength(1)
}, 120_000)
