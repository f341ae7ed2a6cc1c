/**
 * Queries of the portal about a large fleet: lists with states, the live map, a chart of a million readings; and the
 * longest time that they block the server's thread. `bun run bench fleet-queries [sensors] [rounds]`
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startServer, stopServer } from '../test/support/processes.ts'
import { type Fleet, generate, keysOf, LIMITS, longestDelayMs, provisionInBulk, untilLoaded } from './support/fleet.ts'
import { cpuMs, untilRolled } from './support/rolled.ts'
import { load, ms, quantile, say } from './support/tool-harness.ts'

const SENSORS = Number(process.argv[2] ?? 10_000)
const ROUNDS = Number(process.argv[3] ?? 20)
const DAY_MS = 86_400_000
const CHART_READINGS = 1_000_000
const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const dataDir = join(work, 'data')
let starts = 0

const start = (): Promise<Server> => {
  const env = { ...LIMITS, DATA_DIR: dataDir, ASSETS_CALLS_PER_MINUTE: '1000000' }
  return startServer(['src/main.ts'], env, join(work, `log-${starts++}`))
}

/** A day of readings of every sensor in three calls, and more of the first one. */
async function fill(server: Server, fleet: Fleet): Promise<void> {
  const nowMs = Math.floor(Date.now() / 1000) * 1000
  const plan = { port: server.port, connections: 16, repeats: 0, warmUpSeconds: 0, callsPerSecond: 0, seed: 7 }
  const readingsPerCall = SENSORS > 20_000 ? 4 : 160
  const intervalMs = DAY_MS / 3 / readingsPerCall
  const all = { sensors: fleet, readingsPerCall, callsPerSensor: 3, seconds: 3600, envelope: true, intervalMs }
  const { accepted } = await generate({ ...plan, ...all, firstAtMs: nowMs - DAY_MS }, () => undefined)
  const chart = { sensors: fleet.slice(0, 1), readingsPerCall: 500, callsPerSensor: CHART_READINGS / 500 }
  const rest = { seconds: 3600, envelope: true, intervalMs: 1000, firstAtMs: nowMs - DAY_MS - CHART_READINGS * 1000 }
  const more = await generate({ ...plan, ...chart, ...rest, connections: 1 }, () => undefined)
  await untilLoaded(server)
  say(
    `${accepted.toLocaleString('en')} readings of ${SENSORS.toLocaleString('en')} sensors, ${more.accepted.toLocaleString('en')} more of one; load ${load()}`,
  )
}

async function measure(server: Server, headers: Record<string, string>, name: string, path: string, rounds = ROUNDS) {
  const times: number[] = []
  let bytes = 0
  let first = 0
  await longestDelayMs(server)
  let startCpuMs = 0
  for (let round = 0; round <= rounds; round++) {
    const startedMs = performance.now()
    const response = await fetch(`${server.url}/enterprise/v1/assets${path}`, {
      headers,
      decompress: false,
    } as RequestInit)
    bytes = (await response.arrayBuffer()).byteLength
    if (!response.ok) throw new Error(`${path}: ${response.status}`)
    if (round === 0) {
      first = performance.now() - startedMs
      startCpuMs = cpuMs(server.pid)
    } else times.push(performance.now() - startedMs)
  }
  const cpu = (cpuMs(server.pid) - startCpuMs) / rounds
  const delay = await longestDelayMs(server)
  const cells = [
    ms(first),
    ms(quantile(times, 0)),
    ms(quantile(times, 0.5)),
    ms(quantile(times, 0.95)),
    Math.round(bytes / 1000).toLocaleString('en'),
    ms(cpu),
    ms(delay),
  ]
  say(`| ${name} | ${cells.join(' | ')} |`)
}

try {
  const fleet = await provisionInBulk(dataDir, SENSORS, join(work, 'seed.log'))
  let server = await start()
  await fill(server, fleet)
  if (!(await untilRolled(server.pid))) say('The server was still busy after three minutes.')
  await stopServer(server)
  server = await start()
  const headers = await keysOf(server, dataDir)
  say('| query | first ms | least ms | p50 ms | p95 ms | kB | processor ms | longest delay of the loop ms |')
  say('|---|--:|--:|--:|--:|--:|--:|--:|')
  const everything = 'include=state,latest,sparkline,refused'
  await measure(server, headers, '100 rows with everything, by state', `/sensors?sort=state&limit=100&${everything}`)
  await measure(
    server,
    headers,
    'the same by name, from the middle',
    `/sensors?sort=name&offset=${SENSORS / 2}&limit=100&${everything}`,
  )
  await measure(
    server,
    headers,
    'late and silent only',
    `/sensors?state=late,silent&sort=lastAt&limit=100&${everything}`,
  )
  await measure(server, headers, 'found by text', `/sensors?q=sensor 77&sort=name&limit=100&${everything}`)
  await measure(server, headers, 'by value, highest first', `/sensors?sort=-temperature&limit=100&${everything}`)
  await measure(
    server,
    headers,
    'two conditions on values, by a third',
    `/sensors?where=temperature>20 and humidity<60&sort=pressure&limit=100&${everything}&channel=temperature,humidity`,
  )
  await measure(
    server,
    headers,
    'the same from the middle',
    `/sensors?where=temperature>20 and humidity<60&sort=pressure&offset=${SENSORS / 4}&limit=100&${everything}`,
  )
  await measure(server, headers, 'counts', '/sensors/states')
  await measure(server, headers, 'live positions as GeoJSON', '/live')
  await measure(server, headers, 'live positions as columns', '/live?format=columns')
  const compressed = { ...headers, 'accept-encoding': 'gzip' }
  await measure(server, compressed, 'the same compressed', '/live?format=columns')
  const from = new Date(Date.now() - DAY_MS - CHART_READINGS * 1000).toISOString()
  const chart = `/sensors/${fleet[0]?.id}/series?channel=temperature&agg=min,max,avg&gaps=null&from=${from}`
  await measure(server, headers, 'chart of a million readings, 1,000 buckets', `${chart}&step=auto&points=1000`)
  const to = new Date(Date.now() - DAY_MS).toISOString()
  await measure(server, headers, 'the same in steps of 10 minutes', `${chart}&to=${to}&step=10m`)
  await stopServer(server)
} finally {
  rmSync(work, { recursive: true, force: true })
}
