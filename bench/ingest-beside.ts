/**
 * How much other work costs ingestion: the same fleet at full speed, alone, with ten dashboard queries per second, and
 * with a zone rule that checks every reading; fresh processes, alternating order.
 * `bun run bench:ingest-beside [rounds] [seconds]`
 */
import { cpSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { manage, type Server, startServer, stopServer } from '../test/support/processes.ts'
import { type Fleet, generate, LIMITS, provision } from './fleet.ts'
import { load, ms, quantile, say } from './tool-harness.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const SECONDS = Number(process.argv[3] ?? 15)
const SENSORS = 1000
const QUERIES_PER_SECOND = 10
const KINDS = ['alone', 'queries', 'rule'] as const
type Kind = (typeof KINDS)[number]

const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const seedDir = join(work, 'seed')
const dataDir = join(work, 'data')
let logs = 0

/** Dashboard queries in rotation: charts of one sensor, latest values of all, the live map. */
function pathOf(fleet: Fleet, turn: number, fromMs: number): string {
  const sensor = fleet[turn % fleet.length]?.id
  const range = `from=${new Date(fromMs).toISOString()}&to=${new Date(fromMs + 86_400_000).toISOString()}`
  const paths = [
    `/sensors/${sensor}/series?channel=temperature&${range}&step=5m`,
    '/latest',
    `/sensors/${sensor}/series?channel=humidity&${range}&step=1h&agg=min,max`,
    '/live?bbox=-20,-20,20,20',
    `/sensors/${sensor}/latest`,
  ]
  return paths[turn % paths.length] as string
}

async function ask(
  server: Server,
  headers: Record<string, string>,
  fleet: Fleet,
  fromMs: number,
  until: () => boolean,
) {
  const times: number[] = []
  const running = new Set<Promise<void>>()
  for (let turn = 0; !until(); turn++) {
    const startedMs = performance.now()
    const one = fetch(`${server.url}/enterprise/v1/assets${pathOf(fleet, turn, fromMs)}`, { headers })
      .then(async (response) => {
        await response.arrayBuffer()
        if (!response.ok) throw new Error(`${response.status}`)
        times.push(performance.now() - startedMs)
      })
      .finally(() => running.delete(one))
    running.add(one)
    await Bun.sleep(1000 / QUERIES_PER_SECOND)
  }
  await Promise.all(running)
  return times
}

/** A grid of one hundred rectangles. */
const grid = {
  type: 'FeatureCollection',
  features: Array.from({ length: 100 }, (_, i) => {
    const [x, y] = [(i % 10) * 36 - 180, Math.floor(i / 10) * 18 - 90]
    const ring = [
      [x, y],
      [x + 20, y],
      [x + 20, y + 10],
      [x, y + 10],
      [x, y],
    ]
    return { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } }
  }),
}

async function metric(server: Server, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
}

async function run(kind: Kind, fleet: Fleet) {
  rmSync(dataDir, { recursive: true, force: true })
  cpSync(seedDir, dataDir, { recursive: true })
  const server = await startServer(['src/main.ts'], { ...LIMITS, DATA_DIR: dataDir }, join(work, `log-${logs++}`))
  const token = readFileSync(join(dataDir, 'operator.token'), 'utf8').trim()
  const { items } = await manage<{ items: { id: string }[] }>(server.url, token, 'GET', '/enterprises')
  const enterprise = items[0]?.id as string
  const path = `/enterprises/${enterprise}/applications`
  const keys = await manage<{ publicKey: string; secretKey: string }>(server.url, token, 'POST', path, {
    name: 'Bench',
  })
  const headers = { 'x-api-key': keys.publicKey, 'x-api-secret': keys.secretKey, 'content-type': 'application/json' }
  if (kind === 'rule') {
    const layer = await manage<{ id: string }>(server.url, token, 'POST', `/owners/${enterprise}/layers`, {
      ...{ name: 'Grid', geojson: grid },
    })
    const body = JSON.stringify({ when: 'enter', layerId: layer.id, all: true })
    const made = await fetch(`${server.url}/enterprise/v1/assets/rules`, { method: 'POST', headers, body })
    if (!made.ok) throw new Error(await made.text())
  }
  const firstAtMs = Math.floor(Date.now() / 1000) * 1000 - 60 * 86_400_000
  let counting = false
  let done = false
  const queries = { times: [] as number[] }
  let asking: Promise<void> | undefined
  const result = await generate(
    {
      ...{ port: server.port, sensors: fleet, connections: 16, readingsPerCall: 500, repeats: 0 },
      ...{ warmUpSeconds: 6, seconds: SECONDS, callsPerSecond: 0, firstAtMs, seed: 42, envelope: true },
    },
    () => {
      counting = true
      if (kind !== 'queries') return
      asking = ask(server, headers, fleet, firstAtMs, () => done).then((times) => {
        queries.times = times
      })
    },
  )
  done = true
  await asking
  if (!counting || result.unexpected.length > 0) throw new Error(`unexpected: ${result.unexpected[0]}`)
  const drainedMs = performance.now()
  while ((await metric(server, 'log_segments')) > 0) await Bun.sleep(50)
  const drainSeconds = (performance.now() - drainedMs) / 1000
  const events = await metric(server, 'zone_events_total')
  await stopServer(server)
  const rate = result.accepted / result.seconds
  return { rate, p50: result.p50Ms, p99: result.p99Ms, times: queries.times, drainSeconds, events }
}

try {
  say(`load ${load()}; ${SENSORS} sensors, 500 readings per call, ${ROUNDS} rounds of ${SECONDS} s, medians`)
  const fleet = await provision(seedDir, SENSORS, join(work, 'seed.log'))
  const runs: Record<Kind, Awaited<ReturnType<typeof run>>[]> = { alone: [], queries: [], rule: [] }
  for (let round = 0; round < ROUNDS; round++)
    for (const kind of round % 2 === 0 ? KINDS : KINDS.toReversed()) runs[kind].push(await run(kind, fleet))
  const median = (kind: Kind, pick: (of: Awaited<ReturnType<typeof run>>) => number): number =>
    quantile(runs[kind].map(pick), 0.5)
  say('| beside | readings/s | share of alone | p50 ms | p99 ms | drained in s | queries: p50 ms | p95 | zone events |')
  say('|---|--:|--:|--:|--:|--:|--:|--:|--:|')
  for (const kind of KINDS) {
    const times = runs[kind].flatMap((of) => of.times)
    const cells = [
      Math.round(median(kind, (of) => of.rate)).toLocaleString('en'),
      (median(kind, (of) => of.rate) / median('alone', (of) => of.rate)).toFixed(3),
      ms(median(kind, (of) => of.p50)),
      ms(median(kind, (of) => of.p99)),
      median(kind, (of) => of.drainSeconds).toFixed(1),
      ...(times.length === 0 ? ['–', '–'] : [ms(quantile(times, 0.5)), ms(quantile(times, 0.95))]),
      Math.round(median(kind, (of) => of.events)).toLocaleString('en'),
    ]
    say(`| ${kind} | ${cells.join(' | ')} |`)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
