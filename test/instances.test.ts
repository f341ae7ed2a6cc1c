/**
 * Several instances on one PostgreSQL, one Redis (both real) and one ClickHouse (a bridge over chDB): any sensor may
 * reach any of them at any time.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  createInstance,
  type Envelope,
  type Instance,
  type MadeSensor,
  type Organization,
  type Outcome,
  outcomeOf,
} from './support/instance.ts'
import { freePort, type PostgresServer, startPostgres } from './support/postgres.ts'
import { childrenOf, ROOT, type Server, startServer, stopServer } from './support/processes.ts'
import { killRandom, type Random, whole } from './support/random.ts'
import { type RedisServer, startRedis } from './support/redis.ts'
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
const home = mkdtempSync(join(tmpdir(), 'groundwave-instances-'))
const randomFor = killRandom('instances.test.ts')
let postgres: PostgresServer
let redis: RedisServer
let bridge: Server
let bridgePort = 0
let bridges = 0
let env: Record<string, string> = {}
let instances: Instance[] = []
let organization: Organization

async function startBridge(): Promise<void> {
  const args = ['test/support/clickhouse-bridge.ts', home, String(bridgePort), 'gw:secret']
  bridge = await startServer(args, {}, join(home, `bridge-${bridges++}.log`))
}

beforeAll(async () => {
  bridgePort = await freePort()
  ;[postgres, redis] = await Promise.all([startPostgres(), startRedis(), startBridge()])
  env = {
    POSTGRES_URL: postgres.url,
    REDIS_URL: redis.url,
    CLICKHOUSE_URL: `http://gw:secret@127.0.0.1:${bridgePort}/default`,
    SENSOR_CALLS_PER_MINUTE: '100000',
    LOOKUP_TIMEOUT_MS: '5000',
  }
  instances = [await createInstance(env), await createInstance(env)]
  organization = await one().organization('scale')
}, 120_000)
afterAll(async () => {
  for (const instance of instances) await instance.remove()
  await stopServer(bridge, 'SIGKILL')
  await postgres?.remove()
  await redis?.remove()
  rmSync(home, { recursive: true, force: true })
})

const one = (): Instance => instances[0] as Instance
const other = (): Instance => instances[1] as Instance
const choice = randomFor('instance')
const any = (random: Random = choice): Instance => instances[whole(random, instances.length)] as Instance
const newSensor = (): Promise<MadeSensor> => one().sensor(organization.id, CHANNELS)
/** `count` readings a second apart, ending `secondsAgo` ago. */
function batch(count: number, secondsAgo = 60) {
  const endMs = Date.now() - secondsAgo * 1000
  return {
    readings: Array.from({ length: count }, (_, i) => ({
      at: new Date(endMs - (count - i) * 1000).toISOString(),
      values: { a: i },
    })),
  }
}
async function timesOf(sensor: MadeSensor): Promise<string[]> {
  const times: string[] = []
  for (let cursor = ''; ; ) {
    const { data } = await any().query<{ items: { at: string }[]; nextCursor: string | null }>(
      organization,
      `/sensors/${sensor.id}/readings?limit=1000${cursor}`,
    )
    times.push(...data.items.map(({ at }) => at))
    if (data.nextCursor === null) return times
    cursor = `&cursor=${data.nextCursor}`
  }
}

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
  await Bun.sleep(1000)
  expect(await timesOf(sensor)).toHaveLength(15 * 50)
}, 60_000)

test('a change made through one instance acts on the next call to the other', async () => {
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
  await Bun.sleep(2500)
  const last = await one().send(fleet[0] as MadeSensor, batch(500, 100))
  const rest = last.status === 200 ? (await outcomeOf(last)).accepted.length : 0
  expect(accepted + rest).toBe(1000)
  expect(accepted).toBeGreaterThan(900)
  expect(new Set([...codes, ...outcomes.flatMap(({ refused }) => refused.map(({ reason }) => reason))])).toEqual(
    new Set(['SENSOR_READINGS_DAILY_LIMIT']),
  )
  for (const instance of instances)
    expect(((await (await instance.send(fleet[1] as MadeSensor, batch(1, 1))).json()) as Envelope).code).toBe(
      'SENSOR_READINGS_DAILY_LIMIT',
    )
}, 30_000)

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
  await redis.command('FLUSHALL')
  await allDuplicates()
  await fresh()
  // flushed at once, before ClickHouse has the logged readings
  await redis.kill()
  await redis.start()
  await allDuplicates()
  // a snapshot without the newest readings
  await redis.command('SAVE')
  await fresh()
  await redis.kill()
  await redis.start()
  await allDuplicates()
  await fresh()
  // single sets that have expired
  const keys = (await redis.command('KEYS', `gw:{s${sensor.number}}:*`)) as string[]
  for (const key of keys.filter((name) => /:\d+$/.test(name) && !name.includes('calls')))
    await redis.command('DEL', key)
  await allDuplicates()
  await Bun.sleep(1000)
  expect((await timesOf(sensor)).length).toBe(sent.length * 40)
}, 60_000)

test('with Redis down, calls get 503 with Retry-After and store nothing; ingestion resumes when Redis is back', async () => {
  const sensor = await newSensor()
  await outcomeOf(await one().send(sensor, batch(5, 500)))
  await redis.kill()
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
  await Bun.sleep(700)
  expect(await timesOf(sensor)).toHaveLength(5)
  await redis.start()
  await Bun.sleep(500)
  expect((await outcomeOf(await one().send(sensor, body))).accepted).toHaveLength(5)
}, 30_000)

test('calls per minute of a sensor are counted across both instances', async () => {
  if (Date.now() % 60_000 > 45_000) await Bun.sleep(60_000 - (Date.now() % 60_000))
  const limited = [
    await createInstance({ ...env, SENSOR_CALLS_PER_MINUTE: '20' }),
    await createInstance({ ...env, SENSOR_CALLS_PER_MINUTE: '20' }),
  ]
  const sensor = await newSensor()
  const statuses: number[] = []
  for (let i = 0; i < 24; i++)
    statuses.push((await (limited[i % 2] as Instance).send(sensor, i % 3 === 0 ? 'x' : batch(1, i))).status)
  expect(statuses.filter((status) => status === 429)).toHaveLength(4)
  expect(statuses.slice(20)).toEqual([429, 429, 429, 429])
  for (const instance of limited) await instance.remove()
}, 100_000)

test('INSTANCES=2 serves one port with two processes, replaces one that dies, and stops both', async () => {
  const port = await freePort()
  const dir = join(home, 'supervised')
  const child = Bun.spawn([process.execPath, 'src/main.ts'], {
    cwd: ROOT,
    env: { ...process.env, ...env, UV_THREADPOOL_SIZE: '16', DATA_DIR: dir, PORT: String(port), INSTANCES: '2' },
    stdout: 'pipe',
    stderr: 'pipe',
  })
  let said = ''
  const reading = (async () => {
    for await (const chunk of child.stdout) said += new TextDecoder().decode(chunk)
  })()
  const listening = (): number => said.split('listening on').length - 1
  for (const deadline = Date.now() + 15_000; listening() < 2 && Date.now() < deadline; ) await Bun.sleep(50)
  expect(listening()).toBe(2)
  const children = childrenOf(child.pid)
  expect(children).toHaveLength(2)
  process.kill(children[0] as number, 'SIGKILL')
  for (const deadline = Date.now() + 15_000; listening() < 3 && Date.now() < deadline; ) await Bun.sleep(50)
  expect(listening()).toBe(3)
  const ready = async (): Promise<number> => (await fetch(`http://127.0.0.1:${port}/health/ready`)).status
  for (const deadline = Date.now() + 15_000; (await ready()) !== 200 && Date.now() < deadline; ) await Bun.sleep(50)
  expect(await ready()).toBe(200)
  child.kill('SIGTERM')
  expect(await child.exited).toBe(0)
  await reading
}, 60_000)

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
    const child = Bun.spawn([process.execPath, 'src/main.ts'], {
      cwd: ROOT,
      env: {
        ...process.env,
        ...env,
        DATA_DIR: join(home, `unfit-${crypto.randomUUID()}`),
        PORT: '0',
        REDIS_URL: own?.url ?? value,
      },
      stderr: 'pipe',
      stdout: 'ignore',
    })
    expect(await child.exited).toBe(1)
    expect(await new Response(child.stderr).text()).toStartWith(word)
    await own?.remove()
  },
  30_000,
)

test('zone rules: positions sent to both instances at once produce each crossing exactly once', async () => {
  const boxes = [{ id: 'A', west: 0, south: 0, east: 10, north: 10 }]
  const { id: layerId } = await one().manage<{ id: string }>('POST', `/owners/${organization.id}/layers`, {
    ...{ name: 'Zones', geojson: collectionOf(boxes) },
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
    if (when === 'inside' || when === 'outside') expect(seen).toEqual(expected)
    else expect(expected.filter((event) => !seen.includes(event))).toEqual([])
  }
  // a rule created through one instance applies to the next reading at the other
  const next = await call<{ id: string }>(other(), organization, 'POST', '/rules', {
    when: 'inside',
    layerId,
    all: true,
  })
  await outcomeOf(await sendPositions(one(), sensor, [{ ms: Date.now(), x: 5, y: 5 }]))
  await untilChecked(one())
  expect(await eventsOf(other(), organization, next.data.id)).toHaveLength(1)
}, 60_000)

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
  await stopServer(bridge, 'SIGKILL')
  for (let i = 10; i < 40; i += 10) await outcomeOf(await sendPositions(one(), sensor, way.slice(i, i + 10)))
  await Bun.sleep(600)
  await postgres.stop()
  await startBridge()
  await Bun.sleep(1_500)
  await outcomeOf(await sendPositions(one(), sensor, way.slice(40)))
  await postgres.start()
  await untilChecked(one())
  for (const [i, when] of WHENS.entries()) {
    const seen = (await eventsOf(one(), organization, rules[i] as string)).map(eventKey)
    expect(seen).toEqual(expectedEvents(when, boxes, way))
  }
}, 60_000)

const ROUNDS = 20
test(`${ROUNDS} kills of instances, and of Redis, ClickHouse and PostgreSQL between them, under load lose and duplicate nothing`, async () => {
  const fleet = await Promise.all(Array.from({ length: 10 }, newSensor))
  let running = true
  let slowestMs = 0
  const startMs = Math.floor(Date.now() / 1000) * 1000 - 86_400_000
  const clients = fleet.map(async (sensor, index) => {
    const random = randomFor(index)
    const sent = new Set<string>()
    const accepted = new Map<string, number>()
    for (let i = 0; running; i++) {
      // sometimes the previous batch again, with a few new readings
      const from = i > 0 && random() < 0.2 ? i * 60 - 60 : i * 60
      const readings = Array.from({ length: 60 }, (_, k) => ({
        at: new Date(startMs + (from + k) * 1000).toISOString(),
        values: { a: from + k },
      }))
      for (const { at } of readings) sent.add(at)
      for (let answered = false; !answered; ) {
        const calledMs = performance.now()
        try {
          const response = await any(random).send(sensor, { readings })
          const envelope = (await response.json()) as Envelope<Outcome>
          if (response.status === 200) {
            answered = true
            for (const at of envelope.data.accepted) accepted.set(at, (accepted.get(at) ?? 0) + 1)
          } else if (response.status !== 503) throw new RangeError(envelope.code)
        } catch (error) {
          if (error instanceof RangeError) throw error
        }
        slowestMs = Math.max(slowestMs, performance.now() - calledMs)
        if (!answered) await Bun.sleep(30)
      }
      await Bun.sleep(10)
    }
    return { sensor, sent, accepted }
  })
  const random = randomFor('kills')
  for (let round = 0; round < ROUNDS; round++) {
    await Bun.sleep(300 + random() * 900)
    const victim = any(random)
    await victim.kill('SIGKILL')
    if (round % 2 === 0) {
      await redis.kill()
      if (round % 4 === 0) redis.forgetData()
      await redis.start(['--appendonly', 'yes'])
    } else {
      await stopServer(bridge, 'SIGKILL')
      await Bun.sleep(random() * 300)
      await startBridge()
    }
    if (round % 4 === 3) {
      await postgres.stop()
      await postgres.start()
    }
    await victim.restart()
  }
  await Bun.sleep(3000)
  running = false
  const results = await Promise.all(clients)
  await Bun.sleep(2500)
  let total = 0
  for (const { sensor, sent, accepted } of results) {
    const there = await timesOf(sensor)
    total += there.length
    expect([...accepted.values()].filter((times) => times !== 1)).toEqual([])
    expect(there).toHaveLength(sent.size)
    expect(new Set(there)).toEqual(sent)
  }
  expect(total).toBeGreaterThan(5_000)
  expect(slowestMs).toBeLessThan(10_000)
}, 300_000)
