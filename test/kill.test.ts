/**
 * Durability: every reading answered as accepted is stored exactly once, whenever the process dies. A real server is
 * killed with SIGKILL at random moments under load, many times in a row, while clients follow the API and send the same
 * batch again until they get an answer.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { join } from 'node:path'
import {
  createInstance,
  type Envelope,
  type Instance,
  type MadeSensor,
  type Organization,
  type Outcome,
} from './support/instance.ts'
import { ROOT } from './support/processes.ts'
import { killRandom, whole } from './support/random.ts'
import { until } from './support/until.ts'

const KILLS = 20
const randomFor = killRandom('kill.test.ts')
const SENSORS = 24
const CHANNELS = [
  { name: 'a', measurement: 'number' as const },
  { name: 'b', measurement: 'whole' as const },
]

let instance: Instance
let organization: Organization
const sensors: MadeSensor[] = []

beforeAll(async () => {
  instance = await createInstance({
    SENSOR_CALLS_PER_MINUTE: '1000000',
    // small segments, so that kills also hit sealing, loading and deleting; little memory, so that claims are evicted
    LOG_SEGMENT_MB: '1',
    LOAD_INTERVAL_MS: '50',
    CLAIMS_MEMORY_MB: '1',
  })
  organization = await instance.organization('scale')
  for (let i = 0; i < SENSORS; i++) sensors.push(await instance.sensor(organization.id, CHANNELS))
}, 120_000)
afterAll(() => instance.remove())

/** Values follow from sensor and time, so a mixed-up reading is noticed. */
const valueAt = (sensor: number, ms: number): number => ((ms / 10) * 31 + sensor * 17) % 1000
const reading = (sensor: number, ms: number) => ({
  at: new Date(ms).toISOString(),
  values: { a: valueAt(sensor, ms) / 8, b: valueAt(sensor, ms) },
  location: [(ms % 360_000) / 1000 - 180, sensor],
})

type Client = { index: number; sent: Set<number>; accepted: Map<number, number>; answers: number }

async function untilAnswered(sensor: MadeSensor, readings: object[]): Promise<Outcome> {
  for (;;) {
    try {
      const response = await instance.send(sensor, { readings })
      const envelope = (await response.json()) as Envelope<Outcome>
      if (response.status === 200) return envelope.data
      if (response.status !== 503) throw new RangeError(`${response.status} ${envelope.code}`)
    } catch (error) {
      if (error instanceof RangeError) throw error
    }
    await Bun.sleep(10)
  }
}

async function runClient(client: Client, startMs: number, running: () => boolean): Promise<void> {
  const sensor = sensors[client.index] as MadeSensor
  const random = randomFor(client.index)
  let next = startMs
  while (running()) {
    const count = 1 + whole(random, 500)
    // mostly new times; sometimes the last hour again, including times never sent before
    const from = random() < 0.1 ? Math.max(startMs, next - 3_600_000) : next
    const times = Array.from({ length: count }, (_, i) => from + i * 10 * (1 + whole(random, 3)))
    const readings = [...new Set(times)].sort((a, b) => a - b).map((ms) => reading(client.index, ms))
    for (const { at } of readings) client.sent.add(Date.parse(at))
    const outcome = await untilAnswered(sensor, readings)
    client.answers++
    expect(outcome.refused).toEqual([])
    expect(outcome.accepted.length + outcome.duplicates.length).toBe(readings.length)
    for (const at of outcome.accepted) {
      const ms = Date.parse(at)
      client.accepted.set(ms, (client.accepted.get(ms) ?? 0) + 1)
    }
    next = Math.max(next, Date.parse((readings.at(-1) as { at: string }).at) + 10)
    await Bun.sleep(random() * 20)
  }
}

async function storedOf(
  index: number,
): Promise<Map<number, { values: { a: number; b: number }; location: [number, number] }>> {
  const stored = new Map()
  for (let cursor = ''; ; ) {
    const path = `/sensors/${(sensors[index] as MadeSensor).id}/readings?limit=1000${cursor}`
    const { data } = await instance.query<{
      items: { at: string; values: object; location: number[] }[]
      nextCursor: string | null
    }>(organization, path)
    for (const { at, values, location } of data.items) {
      if (stored.has(Date.parse(at))) throw new Error(`${at} is returned twice`)
      stored.set(Date.parse(at), { values, location })
    }
    if (data.nextCursor === null) return stored
    cursor = `&cursor=${data.nextCursor}`
  }
}

test(`${KILLS} kills under load lose and duplicate nothing`, async () => {
  const startMs = Math.floor(Date.now() / 1000) * 1000 - 5 * 86_400_000
  const clients: Client[] = sensors.map((_, index) => ({ index, sent: new Set(), accepted: new Map(), answers: 0 }))
  let running = true
  const work = clients.map((client) => runClient(client, startMs, () => running))
  let answersBefore = 0
  const random = randomFor('kills')
  for (let kill = 0; kill < KILLS; kill++) {
    await Bun.sleep(50 + random() * 900)
    await instance.kill('SIGKILL')
    await instance.restart()
    const answers = clients.reduce((sum, client) => sum + client.answers, 0)
    expect(answers).toBeGreaterThanOrEqual(answersBefore)
    answersBefore = answers
  }
  running = false
  await Promise.all(work)
  let total = 0
  for (const client of clients) {
    await until(async () => (await storedOf(client.index)).size >= client.sent.size, 'loading the readings')
    const stored = await storedOf(client.index)
    total += stored.size
    expect([...client.accepted.values()].filter((times) => times !== 1)).toEqual([])
    const lost = [...client.sent].filter((ms) => !stored.has(ms))
    const neverSent = [...stored.keys()].filter((ms) => !client.sent.has(ms))
    expect({ sensor: client.index, lost, neverSent }).toEqual({ sensor: client.index, lost: [], neverSent: [] })
    for (const [ms, { values, location }] of stored) {
      const sent = reading(client.index, ms)
      if (values.a !== sent.values.a || values.b !== sent.values.b || location[0] !== sent.location[0])
        throw new Error(`the reading of ${sent.at} came back changed`)
    }
  }
  expect(total).toBeGreaterThan(10_000)

  await instance.kill('SIGTERM')
  const counting = Bun.spawn([process.execPath, join(ROOT, 'bench/count.ts'), instance.dir], { cwd: ROOT })
  const { rows } = JSON.parse(await new Response(counting.stdout).text()) as { rows: number }
  expect(rows).toBe(total)
}, 300_000)
