/**
 * Several instances on one PostgreSQL, one Redis (both real), one ClickHouse (a bridge over chDB) and one bucket, of which
 * some are killed or down for a while.
 */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { killRandom, type Random, whole } from '../support/random.ts'
import { isLong, rounds } from '../support/rounds.ts'
import {
  batch,
  type Envelope,
  type Instance,
  type MadeSensor,
  outcomeOf,
  readingTimes,
  untilStored,
} from '../support/server/instance.ts'
import { startReadingFleet } from '../support/server/reading-fleet.ts'
import { faultsOf, startToolFleet } from '../support/server/tool-fleet.ts'
import { removeInstances, startTwoInstances } from '../support/server/two-instances.ts'
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
} from '../support/server/zones.ts'
import { startBucket } from '../support/stores/bucket.ts'
import { eventually, until } from '../support/until.ts'
import { callTool } from '../support/workers/tools.ts'

const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const randomFor = killRandom('instances-failures.test.ts')

const bucketDir = mkdtempSync(join(tmpdir(), 'groundwave-bucket-'))
const bucket = await startBucket(bucketDir)
const { stores, instances, organization } = await startTwoInstances({
  S3_URL: bucket.url,
  FILES_PER_HOUR: '1000000',
  CALLS_PER_MINUTE: '1000000',
})
afterAll(async () => {
  await removeInstances({ stores, instances })
  bucket.kill()
  rmSync(bucketDir, { recursive: true, force: true })
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
  // without a first call, the next one would query ClickHouse
  await outcomeOf(await first.send(sensor, batch(40, 5_000)))
  await stores.killClickHouse()
  expect((await outcomeOf(await first.send(sensor, body))).accepted).toHaveLength(40)
  await Promise.all([first.kill('SIGKILL'), stores.redis.kill()])
  stores.redis.forgetData()
  await Promise.all([stores.redis.start(), stores.startClickHouse()])
  // longer than instances need to load their logs
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
    name: 'Zones',
    geojson: collectionOf(boxes),
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

const database = (): Bun.SQL => new Bun.SQL(stores.postgres.url, { max: 2 })

test('a job that another instance has taken is not charged to the attempt that ends late', async () => {
  const own = await one().organization()
  const input = { file: 'districts.geojson', target_format: 'geojson', cell_size_m: 400 }
  const started = await callTool(one(), own, '/grid', input, true, { prefer: 'respond-async' })
  const { jobID } = ((await started.json()) as Envelope<{ jobID: string }>).data
  const [watching, other] = [database(), database()]
  const isTrue = async (query: Promise<unknown[]>): Promise<boolean> => (await query).length > 0
  await until(() => isTrue(watching`SELECT FROM jobs WHERE id = ${jobID} AND run_id IS NOT NULL`), 'the first attempt')
  // the instance that takes the job has not committed when the first attempt ends
  await other.begin(async (tx) => {
    await tx`UPDATE jobs SET attempts = attempts + 1, instance_id = 'other', leased_until = now() + interval '1 hour'
      WHERE id = ${jobID}`
    await until(
      () =>
        isTrue(watching`SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%result_text%'
          UNION ALL SELECT FROM runs WHERE job_id = ${jobID} AND status <> 'running'`),
      'the end of the first attempt',
    )
  })
  await eventually(async () => {
    const runs = await watching`SELECT status, credits FROM runs WHERE job_id = ${jobID}`
    expect([...runs]).toEqual([{ status: 'failed', credits: 0 }])
  })
  const [job] = await watching`SELECT status, attempts FROM jobs WHERE id = ${jobID}`
  expect(job).toEqual({ status: 'running', attempts: 2 })
  const [period] = await watching`SELECT used FROM credit_periods WHERE enterprise_id = ${own.id}`
  expect(Number(period.used)).toBe(0)
  await watching`UPDATE jobs SET leased_until = now() WHERE id = ${jobID}`
  await until(() => isTrue(watching`SELECT FROM jobs WHERE id = ${jobID} AND status = 'successful'`), 'the job')
  await Promise.all([watching.close(), other.close()])
}, 120_000)

const KILLS = rounds(3, 20)
const BATCHES = rounds(1, 10)

/** Kills an instance, or every fourth time PostgreSQL, and starts it again. */
async function killAny(random: Random, count: number): Promise<void> {
  if (count % 4 === 2) {
    await stores.postgres.stop('SIGKILL')
    await Bun.sleep(random() * 300)
    await stores.postgres.start()
  } else {
    const victim = any(random)
    await victim.kill('SIGKILL')
    await Bun.sleep(random() * 300)
    await untilStarted(victim)
  }
}

/** As a supervisor does, since a machine under load may be too slow for the connections of a start. */
const untilStarted = (instance: Instance): Promise<void> =>
  until(
    () =>
      instance.restart().then(
        () => true,
        () => false,
      ),
    'the start of an instance',
  )

test.each(Array.from({ length: BATCHES }, (_, i) => i + 1))(
  `${KILLS} kills of instances and PostgreSQL under load of tools and jobs: each call has its effect once (%d of ${BATCHES})`,
  async (batchNumber) => {
    const own = await one().organization('scale')
    const fleet = startToolFleet(own, any, (client) => randomFor(`tools ${batchNumber} ${client}`))
    const random = randomFor(`tool kills ${batchNumber}`)
    for (let kill = 0; kill < KILLS; kill++) {
      const before = fleet.answered()
      await until(() => fleet.answered() > before + 5, 'answers')
      await Bun.sleep(random() * 500)
      await killAny(random, kill)
    }
    const answered = await fleet.stop()
    const connection = database()
    // jobs of lost connections would be taken again in half a minute
    await connection`UPDATE jobs SET leased_until = now() WHERE status = 'running'`
    await eventually(async () => expect(await faultsOf(connection, bucket, own, answered)).toEqual({}))
    expect(answered.jobs.length).toBeGreaterThan(KILLS)
    await connection.close()
  },
  600_000,
)

/** Lease of an instance, in seconds (sql/postgres/0036-instance-leases.sql). */
const LEASE_S = 60

test.skipIf(!isLong)(
  'everything held by an instance that never comes back is released within two leases',
  async () => {
    const own = await one().organization('scale')
    const connection = database()
    const long = { file: 'districts.geojson', target_format: 'geojson', cell_size_m: 180 }
    const started = await callTool(one(), own, '/grid', long, true, { prefer: 'respond-async' })
    const { jobID } = ((await started.json()) as Envelope<{ jobID: string }>).data
    type Held = { instance: string; runs: string }
    const held = async (): Promise<Held[]> =>
      await connection`SELECT instance_id AS instance, count(*) AS runs FROM runs
        WHERE owner_id = ${own.id} AND status = 'running' GROUP BY 1`
    await until(async () => (await held()).length === 1, 'the run of the job')
    const [{ instance: lostId }] = (await held()) as [Held]
    const isLost = ({ dir }: Instance): boolean => readFileSync(join(dir, 'instance.id'), 'utf8').trim() === lostId
    const [lost, other] = instances.toSorted((a, b) => Number(isLost(b)) - Number(isLost(a))) as [Instance, Instance]
    const call = (at: Instance): Promise<Envelope | undefined> =>
      callTool(at, own, '/grid', long, true, { 'idempotency-key': 'of the lost one' })
        .then(async (response) => (await response.json()) as Envelope)
        .catch(() => undefined)
    const left = call(lost)
    await until(async () => Number((await held())[0]?.runs) === 2, 'the run of the call')
    await lost.kill('SIGKILL')
    const lostMs = Date.now()
    expect(await left).toBeUndefined()
    expect((await call(other))?.code).toBe('IDEMPOTENCY_KEY_IN_USE')
    await until(async () => (await call(other))?.ok === true, 'the repeated call', 2 * LEASE_S * 1_000)
    const answered = { runs: 1, jobs: [jobID] }
    await eventually(async () => expect(await faultsOf(connection, bucket, own, answered)).toEqual({}))
    expect(Date.now() - lostMs).toBeLessThan(2 * LEASE_S * 1_000)
    expect([...(await connection`SELECT FROM instance_leases WHERE instance_id = ${lostId}`)]).toEqual([])
    await connection.close()
    await untilStarted(lost)
  },
  300_000,
)
