/** The embedded ClickHouse is killed while the server runs: readings are accepted, and nothing is lost or stored twice. */
import { afterAll, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { processesIn, ROOT, untilUnused } from '../support/processes.ts'
import { killRandom, type Random, whole } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import {
  createInstance,
  type Envelope,
  type Instance,
  type MadeSensor,
  type Organization,
  outcomeOf,
} from '../support/server/instance.ts'
import { segmentsIn } from '../support/stores/segments.ts'
import { until } from '../support/until.ts'

const KILLS = Number(process.env.CLICKHOUSE_KILLS ?? rounds(2, 6))
const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const ENV = {
  SENSOR_CALLS_PER_MINUTE: '1000000',
  // small segments, so that kills also hit sealing, loading and deleting
  LOG_SEGMENT_MB: '1',
  LOAD_INTERVAL_MS: '50',
}
const START_MS = Math.floor(Date.now() / 1000) * 1000 - 3 * 86_400_000

/** The process that chDB runs in: its working folder is the data folder. */
function chdbIn(instance: Instance): number {
  const [pid, ...others] = processesIn(join(instance.dir, 'clickhouse'))
  if (pid === undefined || others.length > 0) throw new Error(`${others.length} processes too many`)
  return pid
}

const isReady = async (instance: Instance): Promise<boolean> =>
  (await fetch(`${instance.url()}/health/ready`)).status === 200

const reading = (ms: number) => ({ at: new Date(ms).toISOString(), values: { a: ms % 1000 } })

type Client = { sensor: MadeSensor; nextMs: number; accepted: number; answers: Map<number, number> }

/** Sends new readings of one sensor until it is stopped, and counts the answers by status. */
async function ingest(instance: Instance, client: Client, random: Random, running: () => boolean): Promise<void> {
  while (running()) {
    const count = 1 + whole(random, 100)
    const readings = Array.from({ length: count }, (_, i) => reading(client.nextMs + i * 10))
    const response = await instance.send(client.sensor, { readings })
    client.answers.set(response.status, (client.answers.get(response.status) ?? 0) + 1)
    const { accepted } = await outcomeOf(response)
    client.accepted += accepted.length
    client.nextMs += count * 10
    await Bun.sleep(random() * rounds(150, 30))
  }
}

async function storedOf(instance: Instance, organization: Organization, sensor: MadeSensor): Promise<number[]> {
  const times: number[] = []
  for (let cursor = ''; ; ) {
    const { data } = await instance.query<{
      items: { at: string; values: { a: number } }[]
      nextCursor: string | null
    }>(organization, `/sensors/${sensor.id}/readings?limit=1000${cursor}`)
    for (const { at, values } of data.items) {
      const ms = Date.parse(at)
      if (values.a !== ms % 1000) throw new Error(`the reading of ${at} changed`)
      times.push(ms)
    }
    if (data.nextCursor === null) return times.sort((a, b) => a - b)
    cursor = `&cursor=${data.nextCursor}`
  }
}

// the tests build on each other: each uses the server in the state that the previous one left
const instance = await createInstance(ENV)
afterAll(instance.remove)

test('merges have a lower priority than everything else, and no thread interrupts the server', async () => {
  const threads = (): { name: string; nice: number; policy: number }[] => {
    const tasks = `/proc/${chdbIn(instance)}/task`
    return readdirSync(tasks).map((thread) => {
      const stat = readFileSync(join(tasks, thread, 'stat'), 'latin1')
      const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
      // the 19th and 41st fields of proc_pid_stat(5); the name is the second
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      return { name, nice: Number(fields[16]), policy: Number(fields[38]) }
    })
  }
  const isMerge = ({ name }: { name: string }): boolean => name === 'MergeMutate'
  const base = (): number => threads().find(({ name }) => name === 'ThreadPool')?.nice ?? 0
  await until(async () => {
    const merges = threads().filter(isMerge)
    return merges.length > 0 && merges.every(({ nice }) => nice > base())
  }, 'merges with a lower priority')
  const SCHED_BATCH = 3
  expect([...new Set(threads().map(({ policy }) => policy))]).toEqual([SCHED_BATCH])
}, 60_000)

test(`${KILLS} kills of ClickHouse under load cost only queries and look-ups`, async () => {
  const random = killRandom('clickhouse-process')
  const organization = await instance.organization('scale')
  const clients: Client[] = []
  for (let i = 0; i < 6; i++) {
    const sensor = await instance.sensor(organization.id, CHANNELS)
    // from here on the server knows the sensor's last reading
    await outcomeOf(await instance.send(sensor, { readings: [reading(START_MS - 10)] }))
    clients.push({ sensor, nextMs: START_MS, accepted: 1, answers: new Map() })
  }
  const cold: MadeSensor[] = []
  for (let i = 0; i < KILLS; i++) cold.push(await instance.sensor(organization.id, CHANNELS))
  let running = true
  const work = clients.map((client, i) => ingest(instance, client, random(i), () => running))

  const when = random('kills')
  const unavailable = { queries: 0, coldSensors: 0, readiness: 0 }
  for (const sensor of cold) {
    await Bun.sleep(when() * 500)
    const pid = chdbIn(instance)
    process.kill(pid, 'SIGKILL')
    await until(() => !existsSync(`/proc/${pid}`), 'the kill')
    const [query, send, ready] = await Promise.all([
      fetch(`${instance.url()}/enterprise/v1/assets/sensors/${clients[0]?.sensor.id}/readings`, {
        headers: { 'x-api-key': organization.publicKey, 'x-api-secret': organization.secretKey },
      }),
      instance.send(sensor, { readings: [reading(START_MS)] }),
      fetch(`${instance.url()}/health/ready`),
    ])
    if (query.status !== 200) {
      unavailable.queries++
      expect(query.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await query.json()).toMatchObject({ statusCode: 503, code: 'STORE_UNAVAILABLE' })
    }
    if (send.status !== 200) {
      unavailable.coldSensors++
      expect(send.headers.get('retry-after')).toMatch(/^\d+$/)
      expect(await send.json()).toMatchObject({ statusCode: 503, code: 'INGEST_UNAVAILABLE' })
    }
    if (ready.status !== 200) {
      unavailable.readiness++
      const { data } = (await ready.json()) as Envelope<{ parts: Record<string, { status: string }> }>
      expect(data.parts.clickhouse?.status).toBe('failing')
    }
    await until(() => isReady(instance), 'recovery')
    const again = await outcomeOf(await instance.send(sensor, { readings: [reading(START_MS)] }))
    // the failed call left nothing behind; a successful one was stored
    expect(again.accepted.length + again.duplicates.length).toBe(1)
    expect(again.accepted.length).toBe(send.status === 200 ? 0 : 1)
  }
  running = false
  await Promise.all(work)
  for (const [name, count] of Object.entries(unavailable))
    expect({ name, isSeen: count > 0 }).toEqual({ name, isSeen: true })
  for (const { answers } of clients) expect([...answers.keys()]).toEqual([200])

  await until(() => segmentsIn(join(instance.dir, 'log')).length === 0, 'loading')
  let total = cold.length
  for (const { sensor, nextMs, accepted } of clients) {
    const stored = await storedOf(instance, organization, sensor)
    expect(stored).toEqual(Array.from({ length: accepted }, (_, i) => START_MS - 10 + i * 10))
    expect(nextMs).toBe(START_MS - 10 + accepted * 10)
    total += accepted
  }
  expect(total).toBeGreaterThan(KILLS * 500)
  const kills = instance.log().match(/"process":"clickhouse".*ended unexpectedly: SIGKILL/g)
  expect(kills).toHaveLength(KILLS)
  expect(await instance.kill('SIGTERM')).toBe(0)
  const counting = Bun.spawn([process.execPath, join(ROOT, 'bench/support/count.ts'), instance.dir], { cwd: ROOT })
  expect(JSON.parse(await new Response(counting.stdout).text())).toMatchObject({ rows: total })
  await instance.restart()
}, 300_000)

test('ClickHouse ends with the server, however the server ends', async () => {
  const first = chdbIn(instance)
  await instance.kill('SIGKILL')
  // immediately, while the process of the killed server may still hold the folder
  await instance.restart()
  expect(chdbIn(instance)).not.toBe(first)
  await until(() => isReady(instance), 'the start')
  expect(await instance.kill('SIGTERM')).toBe(0)
  expect(processesIn(join(instance.dir, 'clickhouse'))).toEqual([])
  await instance.restart()
  await instance.kill('SIGKILL')
  await untilUnused(instance.dir)
}, 120_000)

test('a service manager that signals every process does not end ClickHouse before the server', async () => {
  await instance.kill('SIGKILL')
  await instance.restart({ LOAD_INTERVAL_MS: '60000', LOG_SEGMENT_MB: '16' })
  const organization = await instance.organization('scale')
  const sensor = await instance.sensor(organization.id, CHANNELS)
  await outcomeOf(await instance.send(sensor, { readings: [reading(START_MS)] }))
  expect(segmentsIn(join(instance.dir, 'log'))).toHaveLength(1)
  const stopped = instance.kill('SIGTERM')
  process.kill(chdbIn(instance), 'SIGTERM')
  expect(await stopped).toBe(0)
  expect(segmentsIn(join(instance.dir, 'log'))).toEqual([])
}, 120_000)
