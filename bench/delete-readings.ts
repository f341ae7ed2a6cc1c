/**
 * How long a deletion of a period takes in a large table, and what it does to ingestion meanwhile: calls of one client
 * that sends 100 readings again and again, alone and during the deletions.
 * `bun run bench:delete-readings [readings] [sensors] [rounds]`
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manage, type Server, startServer, stopServer } from '../test/support/processes.ts'
import { generate, LIMITS, provisionInBulk } from './fleet.ts'
import { load, ms, quantile, say } from './tool-harness.ts'

const READINGS = Number(process.argv[2] ?? 10_000_000)
const SENSORS = Number(process.argv[3] ?? 2_000)
const ROUNDS = Number(process.argv[4] ?? 3)
const PER_CALL = 500
const INTERVAL_MS = 60_000
const ALONE_MS = 15_000
const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const dataDir = join(work, 'data')

type Deletion = { id: string; status: string; readings: number | null }

const segments = async (server: Server): Promise<number> =>
  Number(/^log_segments (\S+)/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1] ?? 0)

const probeFromMs = Date.now() - 3_600_000
let probed = 0

/** Latencies of calls one after the other, until `isOver`. Every reading is newer than the last, as those of a sensor. */
async function ingest(server: Server, sensor: { id: string; key: string }, isOver: () => boolean): Promise<number[]> {
  const times: number[] = []
  while (!isOver()) {
    const readings = Array.from({ length: 100 }, (_, i) => ({
      ...{ at: new Date(probeFromMs + probed++).toISOString(), values: { value: i } },
    }))
    const startedMs = performance.now()
    const response = await fetch(`${server.url}/sensors/${sensor.id}/readings`, {
      ...{ method: 'POST', body: JSON.stringify({ readings }) },
      headers: { authorization: `Bearer ${sensor.key}`, 'content-type': 'application/json' },
    })
    if (!response.ok) throw new Error(`readings were answered with ${response.status}`)
    await response.arrayBuffer()
    times.push(performance.now() - startedMs)
  }
  return times
}

const wordsOf = (times: number[]): string =>
  `${times.length} calls, median ${ms(quantile(times, 0.5))} ms, p99 ${ms(quantile(times, 0.99))} ms, longest ${ms(Math.max(...times))} ms`

const fleet = await provisionInBulk(dataDir, SENSORS, join(work, 'seed-log'))
const server = await startServer(['src/main.ts'], { ...LIMITS, DATA_DIR: dataDir }, join(work, 'log'))
try {
  const token = readFileSync(join(dataDir, 'operator.token'), 'utf8').trim()
  const callsPerSensor = Math.ceil(READINGS / SENSORS / PER_CALL)
  const firstAtMs = Math.floor(Date.now() / 60_000) * 60_000 - callsPerSensor * PER_CALL * INTERVAL_MS - 7_200_000
  const plan = { port: server.port, connections: 16, repeats: 0, warmUpSeconds: 0, callsPerSecond: 0, seed: 7 }
  const all = { sensors: fleet, readingsPerCall: PER_CALL, callsPerSensor, seconds: 7_200, envelope: true }
  const { accepted } = await generate({ ...plan, ...all, intervalMs: INTERVAL_MS, firstAtMs }, () => undefined)
  while ((await segments(server)) > 0) await Bun.sleep(200)
  say(
    `${accepted.toLocaleString('en')} readings of ${SENSORS.toLocaleString('en')} sensors, one a minute; load ${load()}`,
  )

  const { items } = await manage<{ items: { id: string }[] }>(server.url, token, 'GET', '/enterprises')
  const probe = await manage<{ id: string; key: string }>(
    ...([server.url, token, 'POST', `/enterprises/${items[0]?.id}/sensors`] as const),
    { name: 'Probe', channels: [{ name: 'value', measurement: 'number' }] },
  )
  const endMs = performance.now() + ALONE_MS
  say(`ingestion alone: ${wordsOf(await ingest(server, probe, () => performance.now() > endMs))}; load ${load()}`)

  for (const [name, hours, query] of [
    ['a day', 24, ''],
    ['a day, to be sent again', 24, '&refill=true'],
    ['everything', 24 * 365, ''],
  ] as const)
    for (let round = 0; round < ROUNDS; round++) {
      const sensor = fleet[Math.floor(Math.random() * fleet.length)]
      if (sensor === undefined) throw new Error('the fleet is empty')
      const from = new Date(firstAtMs + 3_600_000).toISOString()
      const to = new Date(firstAtMs + 3_600_000 + hours * 3_600_000).toISOString()
      const startedMs = performance.now()
      const path = `/sensors/${sensor.id}`
      let deletion = await manage<Deletion>(
        ...([server.url, token, 'DELETE', `${path}/readings?from=${from}&to=${to}${query}`] as const),
      )
      const times = ingest(server, probe, () => deletion.status === 'done')
      while (deletion.status !== 'done') {
        await Bun.sleep(20)
        deletion = await manage<Deletion>(server.url, token, 'GET', `${path}/deletions/${deletion.id}`)
      }
      const tookMs = performance.now() - startedMs
      say(
        `${name}: ${deletion.readings} readings deleted in ${ms(tookMs)} ms; ingestion meanwhile: ${wordsOf(await times)}; load ${load()}`,
      )
    }
} finally {
  await stopServer(server, 'SIGKILL')
  rmSync(work, { recursive: true, force: true })
}
