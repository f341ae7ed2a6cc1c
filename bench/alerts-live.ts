/**
 * Alerts of a server under load, over HTTP: 1,000 rules of all kinds, 100,000 sensors each watched by ten of them, 10,000
 * readings per second in calls of six. CPU of all processes without rules, then with them; the time from a call, or from
 * the moment of silence, to the stored alert; then ingestion at full speed with and without rules, and how long the alerts
 * need to catch up. Limits: 2 s at p99, 0.2 core more, 0.9 of the ingestion, 60 s. Arguments: seconds of each part (600),
 * sensors (100,000), and `steady` for the first two alone, or `ratio` for the ingestion alone: three times with and three
 * times without rules, in turn, with the CPU of each process.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuSeconds, familyOf, manage, ROOT, type Server, startServer, stopServer } from '../test/support/processes.ts'
import { type Fleet, generate, LIMITS, provisionInBulk } from './support/fleet.ts'
import type { FleetPlan, FleetResult } from './support/fleet-client.ts'
import { load, ms, quantile, say } from './support/tool-harness.ts'
import { metricsOf } from './support/watch.ts'

const [SECONDS, SENSORS] = [Number(process.argv[2] ?? 600), Number(process.argv[3] ?? 100_000)]
const INTERVAL_MS = SENSORS / 10
const READINGS_PER_CALL = 6
const PERIOD_MS = INTERVAL_MS * READINGS_PER_CALL
/** Each sensor has one of the tags, each tag has ten rules. */
const TAGS = 100
const SILENCE_SECONDS = Math.ceil((2 * PERIOD_MS) / 1000)
const DAY_MS = 86_400_000
const MODE = process.argv[4]
/** Whether rules are there, in each part at full speed. */
const PARTS = MODE === 'steady' ? [] : MODE === 'ratio' ? [false, true, true, false, false, true] : [false, true]
/** Sensors of a run at full speed, each run with its own, because their readings are long past. */
const FULL_SPEED_SENSORS = 2_000

const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const dataDir = join(work, 'data')
const log = join(work, 'server.log')

const RISEN = [
  { channel: 'pressure', op: '>=', value: 1_011 },
  { channel: 'pressure', op: '<', value: 1_011.5 },
]

/**
 * The pressure reaches its limit for a quarter of a minute in an hour and a quarter, the others do not. At full speed its
 * readings are 1,000 to 1,030, and without a second limit 800 alerts a second would begin or end.
 */
const rulesOf = (tag: number, layerId: string) => [
  { kind: 'threshold', conditions: RISEN },
  { kind: 'threshold', conditions: [{ channel: 'temperature', op: '>', value: 40 }], forSeconds: 300 },
  { kind: 'threshold', conditions: [{ channel: 'humidity', op: '<', value: 45, clearValue: 50 }], forSeconds: 3_600 },
  {
    kind: 'threshold',
    match: 'any',
    conditions: [
      { channel: 'temperature', op: '<', value: 0 },
      { channel: 'pressure', op: '<', value: 900 },
    ],
  },
  {
    kind: 'threshold',
    conditions: [{ channel: 'temperature', op: '>', value: 22 }],
    within: { layerId, when: 'inside' },
    forSeconds: 86_400,
  },
  { kind: 'change', channel: 'pressure', withinSeconds: 600, by: 50, direction: 'both' },
  { kind: 'change', channel: 'temperature', withinSeconds: 60, by: 30, direction: 'up' },
  tag === 0 ? { kind: 'silence', forSeconds: SILENCE_SECONDS } : { kind: 'silence', forSeconds: 86_400 },
  { kind: 'zone', layerId, when: 'dwell', dwellSeconds: 86_400, bufferM: 100 },
  { kind: 'zone', layerId, when: 'leave', minReadings: 2, bufferM: 50 },
]

/** A grid of squares over the places of the fleet (support/fleet-client.ts). */
const zones = {
  type: 'FeatureCollection',
  features: Array.from({ length: 1_000 }, (_, i) => {
    const [x, y] = [-170 + (i % 50) * 6.8, -80 + Math.floor(i / 50) * 8]
    const ring = [
      [x, y],
      [x + 2, y],
      [x + 2, y + 2],
      [x, y + 2],
      [x, y],
    ]
    return { type: 'Feature', properties: {}, geometry: { type: 'Polygon', coordinates: [ring] } }
  }),
}

type Headers = Record<string, string>

async function setUp(server: Server): Promise<{ headers: Headers; layerId: string }> {
  const token = readFileSync(join(dataDir, 'operator.token'), 'utf8').trim()
  const { items } = await manage<{ items: { id: string }[] }>(server.url, token, 'GET', '/enterprises')
  const id = items[0]?.id
  const keys = await manage<{ publicKey: string; secretKey: string }>(
    server.url,
    token,
    'POST',
    `/enterprises/${id}/applications`,
    { name: 'Bench', tools: 'all' },
  )
  const layer = await manage<{ id: string }>(server.url, token, 'POST', `/owners/${id}/layers`, {
    name: 'Zones',
    geojson: zones,
  })
  return { headers: { 'x-api-key': keys.publicKey, 'x-api-secret': keys.secretKey }, layerId: layer.id }
}

async function api<T>(server: Server, headers: Headers, method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${server.url}/enterprise/v1/assets${path}`, {
    method,
    headers: { ...headers, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  const answer = (await response.json()) as { data: T }
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${JSON.stringify(answer).slice(0, 300)}`)
  return answer.data
}

/** @returns ids of the rules that fire: about pressure, and about silence */
async function createRules(server: Server, headers: Headers, layerId: string): Promise<[string[], string[]]> {
  const fired: [string[], string[]] = [[], []]
  for (let tag = 0; tag < TAGS; tag++)
    for (const [i, rule] of rulesOf(tag, layerId).entries()) {
      const body = { name: `${rule.kind} ${tag}`, tags: [`group ${tag}`], ...rule }
      const { id } = await api<{ id: string }>(server, headers, 'POST', '/rules', body)
      if (i === 0) fired[0].push(id)
      if (rule.kind === 'silence' && tag === 0) fired[1].push(id)
    }
  return fired
}

type Alert = { sensorId: string; firedAt: string; detectedAt: string }

async function alertsOf(server: Server, headers: Headers, rules: readonly string[]): Promise<Alert[]> {
  const found: Alert[] = []
  for (const rule of rules)
    for (let cursor: string | null = ''; cursor !== null; ) {
      const query: string = `rule=${rule}&limit=1000${cursor && `&cursor=${encodeURIComponent(cursor)}`}`
      const page: { items: Alert[]; nextCursor: string | null } = await api(server, headers, 'GET', `/alerts?${query}`)
      for (const alert of page.items) found.push(alert)
      cursor = page.nextCursor
    }
  return found
}

/** When the call with a reading was due: its newest reading is one interval older, and its sensor has a place in the period. */
function dueOf({ sensorId, firedAt }: Alert): number {
  const offsetMs = ((Number.parseInt(sensorId.slice(-8), 16) - 1) / SENSORS) * PERIOD_MS
  const readMs = Date.parse(firedAt) + INTERVAL_MS
  return Math.ceil((readMs - offsetMs - 2) / PERIOD_MS) * PERIOD_MS + offsetMs
}

function describe(name: string, delays: readonly number[]): void {
  const [p50, p99] = [quantile(delays, 0.5), quantile(delays, 0.99)]
  say(`${name}: ${delays.length} alerts, stored after ${ms(p50)} ms (p50), ${ms(p99)} ms (p99)`)
}

const cpuOf = (server: Server): number => familyOf(server.pid).reduce((sum, pid) => sum + cpuSeconds(pid), 0)

/** The fleet in real time. @returns cores of all processes of the server */
async function steady(name: string, server: Server, fleet: Fleet, seconds = SECONDS): Promise<number> {
  const path = join(work, 'plan.json')
  const plan: FleetPlan = {
    url: server.url,
    sensors: fleet,
    readingsPerCall: READINGS_PER_CALL,
    intervalMs: INTERVAL_MS,
    seconds,
  }
  writeFileSync(path, JSON.stringify(plan))
  const [before, startedMs] = [cpuOf(server), performance.now()]
  const child = Bun.spawn([process.execPath, 'bench/support/fleet-client.ts', path], { cwd: ROOT })
  const result = JSON.parse(await new Response(child.stdout).text()) as FleetResult
  const cores = (cpuOf(server) - before) / ((performance.now() - startedMs) / 1000)
  if (result.failed.length > 0) say(`refused: ${result.failed[0]}`)
  say(
    `${name}: ${result.accepted} readings, ${cores.toFixed(3)} cores, p99 of calls ${ms(result.p99Ms)} ms, load ${load()}`,
  )
  return cores
}

/** CPU seconds of the processes of the server, by their names. */
function cpuByName(server: Server): Map<string, number> {
  const used = new Map<string, number>()
  for (const pid of familyOf(server.pid)) {
    const name = nameOf(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
    used.set(name, (used.get(name) ?? 0) + cpuSeconds(pid))
  }
  return used
}

const nameOf = (command: string): string =>
  ['src/main.ts', 'clickhouse', 'postgres', 'engine/worker.ts'].find((part) => command.includes(part)) ?? 'others'

/** Ingestion at full speed. @returns readings per second, and the seconds after it until all alerts are stored */
async function fullSpeed(server: Server, fleet: Fleet): Promise<[rate: number, behindS: number]> {
  let before = cpuByName(server)
  const result = await generate(
    {
      port: server.port,
      sensors: fleet,
      connections: 16,
      readingsPerCall: 500,
      repeats: 0,
      warmUpSeconds: 5,
      seconds: SECONDS,
      callsPerSecond: 0,
      firstAtMs: Math.floor(Date.now() / 1000) * 1000 - 60 * DAY_MS,
      seed: 42,
      envelope: true,
    },
    () => {
      before = cpuByName(server)
    },
  )
  // other work on the machine changes the rate, but not what a reading takes
  const perReading = (seconds: number): string => ((1e6 * seconds) / result.accepted).toFixed(2)
  const parts = [...cpuByName(server)].map(([name, seconds]): [string, number] => [
    name,
    seconds - (before.get(name) ?? 0),
  ])
  const total = result.cpuSeconds + parts.reduce((sum, [, seconds]) => sum + seconds, 0)
  const used = parts.map(([name, seconds]) => `${name} ${perReading(seconds)}`).join(', ')
  say(
    `  ${Math.round(result.accepted / result.seconds)} readings/s; µs of CPU per reading ${perReading(total)} (generator ${perReading(result.cpuSeconds)}, ${used}); load ${load()}`,
  )
  if (result.unexpected.length > 0) throw new Error(`unexpected answer: ${result.unexpected[0]}`)
  const endedMs = performance.now()
  while ((await metricsOf(server, ['log_segments', 'alert_segments'])).some((left) => left > 0)) await Bun.sleep(100)
  return [result.accepted / result.seconds, (performance.now() - endedMs) / 1000]
}

async function ofSteadyFleet(server: Server, fleet: Fleet, headers: Headers, layerId: string): Promise<void> {
  await steady('a new fleet, its first calls', server, fleet, Math.min(SECONDS, (2 * PERIOD_MS) / 1000))
  const bare = await steady('without rules', server, fleet)
  const rules = await createRules(server, headers, layerId)
  const watched = await steady('with rules', server, fleet)
  say(`rules: ${(watched - bare).toFixed(3)} cores more (limit 0.2)`)
  await Bun.sleep((SILENCE_SECONDS + 10) * 1000)
  const thresholds = await alertsOf(server, headers, rules[0])
  describe(
    'thresholds (limit 2 s)',
    thresholds.map((alert) => Date.parse(alert.detectedAt) - dueOf(alert)),
  )
  const silences = await alertsOf(server, headers, rules[1])
  describe(
    'silences (limit 2 s)',
    // by the server's clock a silence begins with the call, whose newest reading is one interval older
    silences.map(({ firedAt, detectedAt }) => Date.parse(detectedAt) - Date.parse(firedAt) - INTERVAL_MS),
  )
}

async function deleteRules(server: Server, headers: Headers): Promise<void> {
  for (;;) {
    const { items } = await api<{ items: { id: string }[] }>(server, headers, 'GET', '/rules?limit=1000')
    if (items.length === 0) return
    for (const { id } of items) await api(server, headers, 'DELETE', `/rules/${id}`)
  }
}

try {
  say(`${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load()}, ${SENSORS} sensors, ${SECONDS} s each`)
  const all = await provisionInBulk(
    dataDir,
    SENSORS + PARTS.length * FULL_SPEED_SENSORS,
    join(work, 'seed.log'),
    `ARRAY['group ' || n % ${TAGS}]`,
  )
  const fleet = all.slice(0, SENSORS)
  const server = await startServer(['src/main.ts'], { ...LIMITS, DATA_DIR: dataDir }, log)
  const { headers, layerId } = await setUp(server)
  const rates = { bare: [] as number[], watched: [] as number[], behindS: [] as number[] }
  let hasRules = false
  if (MODE === 'steady') await ofSteadyFleet(server, fleet, headers, layerId)
  for (const [i, wantsRules] of PARTS.entries()) {
    if (wantsRules && !hasRules) {
      if (MODE === 'ratio') await createRules(server, headers, layerId)
      else await ofSteadyFleet(server, fleet, headers, layerId)
    }
    if (!wantsRules && hasRules) await deleteRules(server, headers)
    hasRules = wantsRules
    const first = SENSORS + i * FULL_SPEED_SENSORS
    say(`at full speed ${wantsRules ? 'with' : 'without'} rules`)
    const [rate, behindS] = await fullSpeed(server, all.slice(first, first + FULL_SPEED_SENSORS))
    rates[wantsRules ? 'watched' : 'bare'].push(rate)
    if (wantsRules) rates.behindS.push(behindS)
  }
  const [bare, watched] = [quantile(rates.bare, 0.5), quantile(rates.watched, 0.5)]
  if (MODE !== 'steady')
    say(
      `at full speed ${Math.round(bare)} readings/s without rules, ${Math.round(watched)} with: ${(watched / bare).toFixed(3)} (limit 0.9); caught up in ${Math.max(...rates.behindS).toFixed(1)} s (limit 60)`,
    )
  await stopServer(server)
} finally {
  rmSync(work, { recursive: true, force: true })
}
