/**
 * Ingestion over HTTP into the real server process, compared with a bare server that only parses the same bodies: fresh
 * processes, alternating order, the same seeded fleet; embedded, and with PostgreSQL and Redis servers on the same
 * cores. `bun run bench ingest [rounds] [seconds]`.
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  cpuSeconds,
  processesIn,
  ROOT,
  residentMb,
  type Server,
  startServer,
  stopServer,
} from '../test/support/processes.ts'
import { type PostgresServer, startPostgres } from '../test/support/stores/postgres.ts'
import { type RedisServer, startRedis } from '../test/support/stores/redis.ts'
import { type Fleet, generate, LIMITS, provision } from './support/fleet.ts'
import type { LoadPlan, LoadResult } from './support/load-client.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const SECONDS = Number(process.argv[3] ?? 10)
const SENSORS = 1000
const CONNECTIONS = 16
/**
 * Small calls spend most of their time waiting for the shared disk sync, so more of them run in parallel: 64 do not use
 * both cores, 256 do, as the many devices of a fleet would.
 */
const CONNECTIONS_SMALL_CALLS = [64, 256]

const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const seedDir = join(work, 'seed')
let logs = 0
const newLog = (): string => join(work, `server-${logs++}.log`)

type Scenario = {
  name: string
  readingsPerCall: number
  repeats: number
  connections?: number
  callsPerSecond?: number
}
type Run = LoadResult & {
  readingsPerSecond: number
  serverCpu: number
  residentMb: number
  backlogSegments?: number
  drainSeconds?: number
  stored?: Stored
}
type Stored = { rows: number; bytesPerReading: number }

async function metric(server: Server, name: string): Promise<number> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Number(new RegExp(`^${name} (\\S+)`, 'm').exec(text)?.[1] ?? Number.NaN)
}

async function count(dataDir: string): Promise<Stored> {
  const child = Bun.spawn([process.execPath, 'bench/support/count.ts', dataDir], { cwd: ROOT })
  return JSON.parse(await new Response(child.stdout).text()) as Stored
}

type Kind = 'bare' | 'groundwave' | 'servers' | 'sink'

/** PostgreSQL and Redis servers, with their own fleet. */
type Servers = { postgres: PostgresServer; redis: RedisServer; env: Record<string, string>; dir: string; fleet: Fleet }

async function startServers(): Promise<Servers> {
  const [postgres, redis] = await Promise.all([startPostgres(), startRedis()])
  const env = { POSTGRES_URL: postgres.url, REDIS_URL: redis.url }
  const dir = join(work, 'seed-servers')
  return { postgres, redis, env, dir, fleet: await provision(dir, SENSORS, newLog(), env) }
}

async function run(kind: Kind, scenario: Scenario, fleet: Fleet, servers?: Servers): Promise<Run> {
  const dataDir = join(work, 'data')
  rmSync(dataDir, { recursive: true, force: true })
  const ours = kind === 'groundwave' || kind === 'servers'
  if (ours) cpSync(servers?.dir ?? seedDir, dataDir, { recursive: true })
  await servers?.redis.command('FLUSHALL')
  const program = ours ? ['src/main.ts'] : ['bench/support/bare-server.ts', kind]
  const server = await startServer(program, { ...LIMITS, ...servers?.env, DATA_DIR: dataDir }, newLog())
  // the embedded databases run in its data folder
  const sumOf = (figure: (pid: number) => number): number =>
    [server.pid, ...processesIn(dataDir)].reduce((sum, pid) => sum + figure(pid), 0)
  let before = 0
  const plan: LoadPlan = {
    port: server.port,
    sensors: servers?.fleet ?? fleet,
    connections: CONNECTIONS,
    warmUpSeconds: 6,
    seconds: SECONDS,
    callsPerSecond: 0,
    // far enough in the past that no run reaches the future
    firstAtMs: Math.floor(Date.now() / 1000) * 1000 - 60 * 86_400_000,
    seed: 42,
    envelope: ours,
    ...scenario,
  }
  const result = await generate(plan, () => {
    before = sumOf(cpuSeconds)
  })
  const processed = result.accepted + result.duplicates
  const outcome: Run = {
    ...result,
    readingsPerSecond: processed / result.seconds,
    serverCpu: sumOf(cpuSeconds) - before,
    residentMb: sumOf(residentMb),
  }
  if (ours) {
    outcome.backlogSegments = await metric(server, 'log_segments')
    const drainStart = performance.now()
    while ((await metric(server, 'log_segments')) > 0) await Bun.sleep(50)
    outcome.drainSeconds = (performance.now() - drainStart) / 1000
  }
  await stopServer(server)
  if (ours) {
    outcome.stored = await count(dataDir)
    const accepted = result.accepted + result.warmUpAccepted
    if (outcome.stored.rows !== accepted)
      throw new Error(`${accepted} readings were accepted, but ${outcome.stored.rows} are stored`)
  }
  if (result.unexpected.length > 0) throw new Error(`unexpected answer: ${result.unexpected[0]}`)
  return outcome
}

const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number
const whole = (n: number): string => Math.round(n).toLocaleString('en')

function describe(name: string, runs: Run[]): string {
  const of = (pick: (run: Run) => number): number => median(runs.map(pick))
  const ms = (pick: (run: Run) => number): string => of(pick).toFixed(1)
  const stored = runs[0]?.stored === undefined ? '–' : of((r) => r.stored?.bytesPerReading ?? 0).toFixed(1)
  const backlog =
    runs[0]?.drainSeconds === undefined
      ? '–'
      : `${of((r) => r.backlogSegments ?? 0)} / ${of((r) => r.drainSeconds ?? 0).toFixed(2)} s`
  return `| ${name} | ${whole(of((r) => r.readingsPerSecond))} | ${ms((r) => r.p50Ms)} / ${ms((r) => r.p95Ms)} / ${ms((r) => r.p99Ms)} | ${of((r) => r.serverCpu).toFixed(1)} + ${of((r) => r.cpuSeconds).toFixed(1)} | ${of((r) => r.residentMb).toFixed(0)} | ${stored} | ${backlog} |`
}

let servers: Servers | undefined
try {
  console.log(`${cpus().length} × ${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(2)}, Bun ${Bun.version}`)
  console.log(
    `${SENSORS} sensors, ${CONNECTIONS} connections (${CONNECTIONS_SMALL_CALLS.join(' and ')} for small calls), ${ROUNDS} rounds of ${SECONDS} s, medians\n`,
  )
  const fleet = await provision(seedDir, SENSORS, newLog())
  servers = await startServers()
  console.log(
    '| run | readings/s | p50 / p95 / p99 ms | CPU s server with databases + generator | RSS MB with databases | bytes/reading on disk | segments left / drained in |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  const scenarios: Scenario[] = [
    { name: '500 per call', readingsPerCall: 500, repeats: 0 },
    ...CONNECTIONS_SMALL_CALLS.map((connections) => ({
      name: `10 per call, ${connections} connections`,
      readingsPerCall: 10,
      repeats: 0,
      connections,
    })),
    { name: '500 per call, 10 % repeated', readingsPerCall: 500, repeats: 0.1 },
  ]
  let full = 0
  for (const scenario of scenarios) {
    const runs: Record<'bare' | 'groundwave' | 'servers', Run[]> = { bare: [], groundwave: [], servers: [] }
    const kinds: (keyof typeof runs)[] = full === 0 ? ['bare', 'groundwave', 'servers'] : ['bare', 'groundwave']
    for (let round = 0; round < ROUNDS; round++) {
      for (const kind of round % 2 === 0 ? kinds : kinds.toReversed())
        runs[kind].push(await run(kind, scenario, fleet, kind === 'servers' ? servers : undefined))
    }
    const rate = (of: Run[]): number => median(of.map((r) => r.readingsPerSecond))
    const ratio = (of: Run[]): string => `ratio ${(rate(of) / rate(runs.bare)).toFixed(3)}`
    if (full === 0) full = rate(runs.groundwave)
    console.log(describe(`bare server, ${scenario.name}`, runs.bare))
    console.log(describe(`Groundwave, ${scenario.name}, ${ratio(runs.groundwave)}`, runs.groundwave))
    if (runs.servers.length > 0)
      console.log(
        describe(`Groundwave with Redis and PostgreSQL, ${scenario.name}, ${ratio(runs.servers)}`, runs.servers),
      )
  }
  const half = { name: 'half', readingsPerCall: 500, repeats: 0, callsPerSecond: full / 2 / 500 }
  const halfRuns: Run[] = []
  for (let round = 0; round < ROUNDS; round++) halfRuns.push(await run('groundwave', half, fleet))
  console.log(describe('Groundwave, 500 per call at half the load', halfRuns))
  console.log(
    describe('load generator alone (server reads, does not parse)', [
      await run('sink', scenarios[0] as Scenario, fleet),
    ]),
  )
} finally {
  await servers?.redis.remove()
  await servers?.postgres.remove()
  rmSync(work, { recursive: true, force: true })
}
