/**
 * Several instances on one PostgreSQL, one Redis (both real) and one ClickHouse (a bridge over chDB), of which some are
 * killed or down for a while.
 */
import { afterAll, expect, test } from 'bun:test'
import {
  batch,
  type Envelope,
  type Instance,
  type MadeSensor,
  outcomeOf,
  readingTimes,
  untilStored,
} from './support/instance.ts'
import { killRandom, type Random, whole } from './support/random.ts'
import { startReadingFleet } from './support/reading-fleet.ts'
import { rounds } from './support/rounds.ts'
import { removeInstances, startTwoInstances } from './support/two-instances.ts'
import { until } from './support/until.ts'
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
} from './support/zones.ts'

const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const randomFor = killRandom('instances-failures.test.ts')

const { stores, instances, organization } = await startTwoInstances()
afterAll(async () => {
  await removeInstances({ stores, instances })
})

const one = (): Instance => instances[0] as Instance
const choice = randomFor('instance')
const any = (random: Random = choice): Instance => instances[whole(random, instances.length)] as Instance
const newSensor = (): Promise<MadeSensor> => one().sensor(organization.id, CHANNELS)
const timesOf = (sensor: MadeSensor): Promise<string[]> => readingTimes(any, organization, sensor)

test('stored readings stay duplicates when Redis loses keys, is flushed, or restarts from an old snapshot', async () => {
  const sensor = await newSensor()
  const sent: { readings: { at: string; values: { a: number } }[] }[] = []
  let step = 0
  async function fresh(): Promise<void> {
    const body = batch(40, 5000 - 50 * step++)
    expect((await outcomeOf(await any().send(sensor, body))).accepted).toHaveLength(40)
    sent.push(body)
  }
  async function allDuplicates(): Promise<void> {
    for (const body of sent) {
      let response = await any().send(sensor, body)
      for (const deadline = Date.now() + 10_000; response.status === 503 && Date.now() < deadline; ) {
        await Bun.sleep(100)
        response = await any().send(sensor, body)
      }
      expect((await outcomeOf(response)).duplicates).toHaveLength(40)
    }
  }
  await fresh()
  await fresh()
  await stores.redis.command('FLUSHALL')
  await allDuplicates()
  await fresh()
  // flushed at once, before ClickHouse has the logged readings
  await stores.redis.kill()
  await stores.redis.start()
  await allDuplicates()
  // a snapshot without the newest readings
  await stores.redis.command('SAVE')
  await fresh()
  await stores.redis.kill()
  await stores.redis.start()
  await allDuplicates()
  await fresh()
  // single sets that have expired
  const keys = (await stores.redis.command('KEYS', `gw:{s${sensor.number}}:*`)) as string[]
  for (const key of keys.filter((name) => /:\d+$/.test(name) && !name.includes('calls')))
    await stores.redis.command('DEL', key)
  await allDuplicates()
  await untilStored(any, organization, sensor, sent.length * 40)
  // a duplicate would be loaded by then as well
  await Bun.sleep(1000)
  expect((await timesOf(sensor)).length).toBe(sent.length * 40)
}, 120_000)

test('readings in the log of an instance that ended with Redis are not accepted again by another one', async () => {
  const sensor = await newSensor()
  const body = batch(40, 500)
  const [first, second] = instances as [Instance, Instance]
  // without a first call, the next one would ask ClickHouse
  await outcomeOf(await first.send(sensor, batch(40, 5_000)))
  await stores.killClickHouse()
  expect((await outcomeOf(await first.send(sensor, body))).accepted).toHaveLength(40)
  await Promise.all([first.kill('SIGKILL'), stores.redis.kill()])
  stores.redis.forgetData()
  await Promise.all([stores.redis.start(), stores.startClickHouse()])
  // longer than instances need to load what they have logged
  for (const untilMs = Date.now() + 6_000; Date.now() < untilMs; await Bun.sleep(100)) {
    const response = await second.send(sensor, body)
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
  }
  await first.restart()
  await until(async () => {
    const again = await second.send(sensor, body)
    if (again.status === 503) return false
    expect((await outcomeOf(again)).duplicates).toHaveLength(40)
    return true
  }, 'the return of the first instance')
  expect(await timesOf(sensor)).toHaveLength(80)
}, 180_000)

test('with Redis down, calls get 503 with Retry-After and store nothing; ingestion resumes when Redis is back', async () => {
  const sensor = await newSensor()
  await outcomeOf(await one().send(sensor, batch(5, 500)))
  await stores.redis.kill()
  const body = batch(5, 400)
  const startedMs = performance.now()
  const response = await one().send(sensor, body)
  expect(performance.now() - startedMs).toBeLessThan(5000)
  expect(response.status).toBe(503)
  expect(response.headers.get('retry-after')).toBe('5')
  const ready = (await (await fetch(`${one().url()}/health/ready`)).json()) as Envelope<{
    parts: Record<string, { status: string }>
  }>
  expect(ready.data.parts.redis?.status).toBe('failing')
  const processes = await fetch(`${instances[0]?.url()}/enterprise/v1/gis/processes`, {
    headers: { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey },
  })
  expect({ status: processes.status, retryAfter: processes.headers.get('retry-after') }).toEqual({
    status: 503,
    retryAfter: expect.stringMatching(/^\d+$/),
  })
  await untilStored(one, organization, sensor, 5)
  expect(await timesOf(sensor)).toHaveLength(5)
  await stores.redis.start()
  await until(async () => {
    const again = await one().send(sensor, body)
    if (again.status === 503) return false
    expect((await outcomeOf(again)).accepted).toHaveLength(5)
    return true
  }, 'the return of Redis')
}, 120_000)

test('zone rules: positions received while ClickHouse and PostgreSQL are down are checked when both are back', async () => {
  const boxes = [{ id: 'A', west: 0, south: 0, east: 10, north: 10 }]
  const { id: layerId } = await one().manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, {
    ...{ name: 'Zones', geojson: collectionOf(boxes) },
  })
  const sensor = await newSensor()
  const body = (when: When) => ({ when, layerId, sensorIds: [sensor.id] })
  const rules = await Promise.all(
    WHENS.map(async (when) => (await call<{ id: string }>(one(), organization, 'POST', '/rules', body(when))).data.id),
  )
  const startMs = Date.now() - 3_600_000
  const way = Array.from({ length: 60 }, (_, i) => ({ ms: startMs + i * 1000, x: i % 7 < 3 ? 5 : 15, y: 5 }))
  await outcomeOf(await sendPositions(one(), sensor, way.slice(0, 10)))
  await untilChecked(one())
  await stores.killClickHouse()
  for (let i = 10; i < 40; i += 10) await outcomeOf(await sendPositions(one(), sensor, way.slice(i, i + 10)))
  await Bun.sleep(600)
  await stores.postgres.stop()
  await stores.startClickHouse()
  await Bun.sleep(1_500)
  await outcomeOf(await sendPositions(one(), sensor, way.slice(40)))
  await stores.postgres.start()
  await untilChecked(one())
  for (const [i, when] of WHENS.entries()) {
    const seen = (await eventsOf(one(), organization, rules[i] as string)).map(eventKey)
    expect(seen).toEqual(expectedEvents(when, boxes, way))
  }
}, 120_000)

const ROUNDS = rounds(4, 20)
test(`${ROUNDS} kills of instances, and of Redis, ClickHouse and PostgreSQL between them, under load lose and duplicate nothing`, async () => {
  const sensors = await Promise.all(Array.from({ length: 10 }, newSensor))
  const fleet = startReadingFleet(sensors, organization, any, (index) => randomFor(index))
  const random = randomFor('kills')
  for (let round = 0; round < ROUNDS; round++) {
    await Bun.sleep(300 + random() * 900)
    const victim = any(random)
    await victim.kill('SIGKILL')
    if (round % 2 === 0) {
      await stores.redis.kill()
      if (round % 4 === 0) stores.redis.forgetData()
      await stores.redis.start(['--appendonly', 'yes'])
    } else {
      await stores.killClickHouse()
      await Bun.sleep(random() * 300)
      await stores.startClickHouse()
    }
    if (round % 4 === 3) {
      await stores.postgres.stop()
      await stores.postgres.start()
    }
    await victim.restart()
  }
  await Bun.sleep(500)
  const { sent, stored, lost, unexpected, acceptedTwice, slowestMs } = await fleet.stop()
  expect({ lost, unexpected, acceptedTwice }).toEqual({ lost: 0, unexpected: 0, acceptedTwice: 0 })
  expect(stored).toBe(sent)
  expect(stored).toBeGreaterThan(ROUNDS * 250)
  expect(slowestMs).toBeLessThan(60_000)
}, 300_000)
