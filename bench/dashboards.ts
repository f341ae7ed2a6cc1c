/**
 * A dashboard of 12 panels over a large fleet, by the requests of the portal's page: directly after a start, and again.
 * Each round starts the server, with other sensors in the panels. `bun run bench dashboards [sensors] [rounds]`
 * Limit: 1.5 s directly after a start with 100,000 sensors.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { DashboardDocument } from '../src/analytics/dashboards/dashboard-document.ts'
import { openEmbeddedClickHouse } from '../src/stores/clickhouse/embedded.ts'
import { type Server, startServer, stopServer } from '../test/support/processes.ts'
import { keysOf, LIMITS, longestDelayMs, provisionInBulk } from './support/fleet.ts'
import { cpuMs, untilRolled } from './support/rolled.ts'
import { load, ms, quantile, say } from './support/tool-harness.ts'

const SENSORS = Number(process.argv[2] ?? 100_000)
const ROUNDS = Number(process.argv[3] ?? 5)
const DAY_MS = 86_400_000
/** Of each sensor, in the day. */
const READINGS = 12
/** Of a tag. */
const GROUP = 100
const ASSETS = '/enterprise/v1/assets'
const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const dataDir = join(work, 'data')
let starts = 0

async function start(): Promise<Server> {
  const env = { ...LIMITS, DATA_DIR: dataDir, ASSETS_CALLS_PER_MINUTE: '1000000' }
  const server = await startServer(['src/main.ts'], env, join(work, `log-${starts++}`))
  while (!(await fetch(`${server.url}/health/ready`)).ok) await Bun.sleep(5)
  return server
}

/** A day of readings of every sensor, written straight to ClickHouse: through the API they would take minutes. */
async function fill(): Promise<void> {
  const clickhouse = await openEmbeddedClickHouse(join(dataDir, 'clickhouse'))
  const firstMs = Date.now() - DAY_MS
  // a column of numbers from 0 to 1 that depends on the sensor, the reading and the name
  const random = (name: string): string => `cityHash64(sensor, n, '${name}') / 18446744073709551615`
  await clickhouse.write(
    `INSERT INTO readings SELECT 1, sensor, fromUnixTimestamp64Milli(toInt64(${firstMs} + n * ${DAY_MS / READINGS} + 1000 * ${random('at')}), 'UTC') AS at,
       [1, 2, 3], [15 + 10 * ${random('temperature')}, 40 + 30 * ${random('humidity')}, 1000 + 30 * ${random('pressure')}],
       340 * ${random('longitude')} - 170, 160 * ${random('latitude')} - 80, at, 3650
     FROM (SELECT toUInt32(number % ${SENSORS} + 1) AS sensor, intDiv(number, ${SENSORS}) AS n FROM numbers(${SENSORS * READINGS}))`,
  )
  await clickhouse.close()
  say(
    `${(READINGS * SENSORS).toLocaleString('en')} readings of ${SENSORS.toLocaleString('en')} sensors; load ${load()}`,
  )
}

type Panel = DashboardDocument['panels'][number]

/** 4 charts and 4 numbers of 100 sensors each, the worst sensors of all, a table of 100, states and a map of all. */
function documentOf(seed: number): DashboardDocument {
  const groups = Math.floor(SENSORS / GROUP)
  const sensors = (n: number) => ({ tag: `group ${(seed * 7919 + n * 104_729) % groups}` })
  const channel = (n: number): string => ['temperature', 'humidity', 'pressure'][n % 3] as string
  const four = [0, 1, 2, 3]
  const panels: Omit<Panel, 'x' | 'y' | 'w' | 'h'>[] = [
    { id: 'states', type: 'states' },
    { id: 'worst', type: 'table', channels: ['temperature', 'humidity', 'pressure'], sort: 'worst' },
    ...four.map((n) => ({
      id: `number-${n}`,
      type: 'number' as const,
      channels: [channel(n)],
      agg: 'avg' as const,
      sensors: sensors(n),
    })),
    ...four.map((n) => ({
      id: `chart-${n}`,
      type: 'chart' as const,
      channels: [channel(n)],
      sensors: sensors(n + 4),
      ...(n < 2 && { over: 'sensors' as const }),
    })),
    { id: 'highest', type: 'table', channels: ['temperature'], sort: 'highest', sensors: sensors(8) },
    { id: 'map', type: 'map' },
  ]
  return {
    version: 1,
    range: '24h',
    panels: panels.map((panel, i) => ({ ...panel, x: (i % 3) * 4, y: Math.floor(i / 3) * 4, w: 4, h: 4 })),
  }
}

type Ask = <T>(path: string, body?: object) => Promise<T>
const asking =
  (server: Server, headers: Record<string, string>): Ask =>
  async <T>(path: string, body?: object) => {
    const response = await fetch(`${server.url}${ASSETS}${path}`, {
      headers: {
        ...headers,
        'accept-encoding': 'gzip',
        ...(body && { 'content-type': 'application/json', 'idempotency-key': crypto.randomUUID() }),
      },
      ...(body && { method: 'POST', body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
    return ((await response.json()) as { data: T }).data
  }

/** What the page loads: the dashboard and the tags of its filter, then all panels at once, as on a tall screen. */
async function open(ask: Ask, id: string): Promise<number> {
  const startedMs = performance.now()
  const tags = ask('/tags?limit=30')
  const { document } = await ask<{ document: DashboardDocument }>(`/dashboards/${id}`)
  const toMs = Date.now()
  const range = { from: new Date(toMs - DAY_MS).toISOString(), to: new Date(toMs).toISOString() }
  const loaded = document.panels.map(async (panel) => {
    const data = await ask<{ sensors: number }>('/panels', { panel, points: 320, variables: {}, ...range })
    const expected = panel.sensors === undefined ? SENSORS : GROUP
    if (data.sensors !== expected) throw new Error(`${panel.id} has ${data.sensors} sensors instead of ${expected}`)
  })
  await Promise.all([tags, ...loaded])
  return performance.now() - startedMs
}

const summary = (values: readonly number[]): string =>
  `median ${ms(quantile(values, 0.5))}, ${ms(quantile(values, 0))} to ${ms(quantile(values, 1))} ms`

try {
  const tags = `ARRAY['group ' || ((n - 1) / ${GROUP})]`
  await provisionInBulk(dataDir, SENSORS, join(work, 'seed.log'), tags)
  await fill()
  let server = await start()
  if (!(await untilRolled(server.pid))) say('The server was still busy after three minutes.')
  const headers = await keysOf(server, dataDir)
  const [cold, warm, delays, processor]: [number[], number[], number[], number[]] = [[], [], [], []]
  for (let seed = 1; seed <= ROUNDS; seed++) {
    const body = { name: `Bench ${seed}`, document: documentOf(seed) }
    const { id } = await asking(server, headers)<{ id: string }>('/dashboards', body)
    await stopServer(server)
    server = await start()
    const ask = asking(server, headers)
    await longestDelayMs(server)
    const startCpuMs = cpuMs(server.pid)
    cold.push(await open(ask, id))
    processor.push(cpuMs(server.pid) - startCpuMs)
    delays.push(await longestDelayMs(server))
    warm.push(await open(ask, id))
    say(
      `${seed}: ${ms(cold.at(-1) as number)} cold, ${ms(warm.at(-1) as number)} warm; processor ${ms(processor.at(-1) as number)} cold; load ${load()}`,
    )
  }
  await stopServer(server)
  say(
    `directly after a start: ${summary(cold)}; processor ${summary(processor)}; longest delay of the loop ${summary(delays)}`,
  )
  say(`again: ${summary(warm)}`)
} finally {
  rmSync(work, { recursive: true, force: true })
}
