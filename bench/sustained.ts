/**
 * Ingestion at full speed for minutes, with everything on: rate, lag, waiting segments, memory and CPU second by
 * second; then a paced run at half of the sustained rate for its latency; then how long the rest takes to load. The bare
 * server that only parses the same bodies runs before and after.
 * `bun run bench sustained [minutes] [servers]`; with `servers`, claims are in a Redis and metadata in a PostgreSQL server
 * on the same cores, whose CPU and memory are not part of the figures.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Server, startServer, stopServer } from '../test/support/processes.ts'
import { startPostgres } from '../test/support/stores/postgres.ts'
import { startRedis } from '../test/support/stores/redis.ts'
import { type Fleet, generate, LIMITS, provision, provisionInBulk } from './support/fleet.ts'
import type { LoadPlan } from './support/load-client.ts'
import { load, ms, quantile, say } from './support/tool-harness.ts'
import { metricsOf, perUnit, type Usage, usageOf, usedBetween } from './support/watch.ts'

const MINUTES = Number(process.argv[2] ?? 10)
const WITH_SERVERS = process.argv[3] === 'servers'
const SENSORS = 2_000
const READINGS_PER_CALL = 500
const CONNECTIONS = 16
const HALF_SECONDS = Math.min(60, MINUTES * 30)
const BARE_SECONDS = Math.min(20, MINUTES * 15)
const DAY_MS = 86_400_000

const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const dataDir = join(work, 'data')
let logs = 0
const newLog = (): string => join(work, `server-${logs++}.log`)

const planFor = (server: Server, fleet: Fleet, envelope: boolean): LoadPlan => ({
  port: server.port,
  sensors: fleet,
  connections: CONNECTIONS,
  readingsPerCall: READINGS_PER_CALL,
  repeats: 0,
  warmUpSeconds: 0,
  seconds: BARE_SECONDS,
  callsPerSecond: 0,
  seed: 42,
  envelope,
  firstAtMs: Math.floor(Date.now() / 1000) * 1000 - 60 * DAY_MS,
})

async function bareRate(fleet: Fleet): Promise<number> {
  const server = await startServer(['bench/support/bare-server.ts'], LIMITS, newLog())
  const result = await generate({ ...planFor(server, fleet, false), warmUpSeconds: 2 }, () => undefined)
  await stopServer(server)
  return result.accepted / result.seconds
}

type Second = { accepted: number; waiting: number; lagS: number; usage: Usage }

async function watch(server: Server, until: () => boolean): Promise<Second[]> {
  const seconds: Second[] = []
  const startedMs = performance.now()
  for (let n = 1; !until(); n++) {
    await Bun.sleep(Math.max(0, startedMs + n * 1000 - performance.now()))
    const [accepted, waiting, lagS] = (await metricsOf(server, [
      'readings_total',
      'log_segments',
      'log_lag_seconds',
    ])) as [number, number, number]
    seconds.push({ accepted, waiting, lagS, usage: usageOf(server, dataDir) })
  }
  return seconds
}

const whole = (n: number): string => Math.round(n).toLocaleString('en')
const rateOf = (seconds: readonly Second[]): number => {
  const [first, last] = [seconds[0] as Second, seconds.at(-1) as Second]
  return ((last.accepted - first.accepted) / (last.usage.atMs - first.usage.atMs)) * 1000
}

function describe(seconds: readonly Second[]): void {
  const every = Math.max(1, Math.round(seconds.length / 20))
  say('\n| second | readings/s | segments waiting | lag s | memory MB | CPU s per million readings |')
  say('| ---: | ---: | ---: | ---: | ---: | --- |')
  for (let end = every; end < seconds.length; end += every) {
    const part = seconds.slice(end - every, end + 1)
    const [first, last] = [part[0] as Second, part.at(-1) as Second]
    const used = perUnit(usedBetween(first.usage, last.usage), (last.accepted - first.accepted) / 1e6)
    const most = (of: (second: Second) => number): number => Math.max(...part.map(of))
    say(
      `| ${end} | ${whole(rateOf(part))} | ${most((s) => s.waiting)} | ${most((s) => s.lagS).toFixed(1)} | ${whole(last.usage.memoryMb)} | ${used} |`,
    )
  }
}

const servers = WITH_SERVERS ? await Promise.all([startPostgres(), startRedis()]) : []
const [postgres, redis] = servers
const urls = { ...(postgres && { POSTGRES_URL: postgres.url }), ...(redis && { REDIS_URL: redis.url }) }
try {
  say(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load()}, ${MINUTES} minutes, ${SENSORS} sensors${WITH_SERVERS ? ', with Redis and PostgreSQL' : ''}`,
  )
  const fleet = await (WITH_SERVERS
    ? provision(dataDir, SENSORS, newLog(), urls)
    : provisionInBulk(dataDir, SENSORS, newLog()))
  const before = await bareRate(fleet)
  const server = await startServer(['src/main.ts'], { ...LIMITS, ...urls, DATA_DIR: dataDir }, newLog())
  const plan = planFor(server, fleet, true)
  let done = false
  const watching = watch(server, () => done)
  const full = await generate({ ...plan, seconds: MINUTES * 60 }, () => undefined)
  done = true
  const seconds = await watching
  if (full.unexpected.length > 0) throw new Error(`unexpected answer: ${full.unexpected[0]}`)
  describe(seconds)

  const sustained = rateOf(seconds)
  const half = await generate(
    {
      ...plan,
      seconds: HALF_SECONDS,
      warmUpSeconds: 5,
      callsPerSecond: sustained / 2 / READINGS_PER_CALL,
      firstAtMs: plan.firstAtMs + 30 * DAY_MS,
    },
    () => undefined,
  )
  const drainedMs = performance.now()
  while ((await metricsOf(server, ['log_segments']))[0] !== 0) await Bun.sleep(50)
  const drainS = (performance.now() - drainedMs) / 1000
  const idleFrom = usageOf(server, dataDir)
  await Bun.sleep(Math.min(60_000, MINUTES * 10_000))
  const idle = usedBetween(idleFrom, usageOf(server, dataDir))
  await stopServer(server)
  const bare = (before + (await bareRate(fleet))) / 2

  const minute = Math.min(60, Math.floor(seconds.length / 3))
  const [first, last] = [seconds.slice(0, minute + 1), seconds.slice(-minute - 1)]
  const all = usedBetween((seconds[0] as Second).usage, (seconds.at(-1) as Second).usage)
  say(`\nload ${load()}`)
  say(`bare server ${whole(bare)} readings/s; sustained ${whole(sustained)}, ratio ${(sustained / bare).toFixed(3)}`)
  say(
    `first ${minute} s ${whole(rateOf(first))}, last ${whole(rateOf(last))}: ${(rateOf(last) / rateOf(first)).toFixed(2)}`,
  )
  const lags = seconds.map(({ lagS }) => lagS)
  say(`lag: median ${quantile(lags, 0.5).toFixed(1)} s, most ${Math.max(...lags).toFixed(1)} s`)
  const most = (of: (usage: Usage) => number): string => whole(Math.max(...seconds.map(({ usage }) => of(usage))))
  say(
    `memory: most ${most((u) => u.memoryMb)} MB; as the sum of all processes, shared pages several times, ${most((u) => u.residentMb)} MB`,
  )
  say(
    `CPU s per million readings: ${perUnit(all, full.accepted / 1e6)}; generator ${((full.cpuSeconds / full.accepted) * 1e6).toFixed(3)}`,
  )
  say(
    `p99 ${ms(full.p99Ms)} ms; at half of the rate p50 ${ms(half.p50Ms)}, p99 ${ms(half.p99Ms)}; rest loaded in ${drainS.toFixed(1)} s`,
  )
  say(`cores with no traffic, ${Math.round(idle.seconds)} s after that: ${perUnit(idle, idle.seconds)}`)
} finally {
  for (const server of servers) await server.remove()
  rmSync(work, { recursive: true, force: true })
}
