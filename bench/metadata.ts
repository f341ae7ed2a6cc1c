/**
 * What the metadata database costs: starts, memory, creating a fleet, and metadata calls during ingestion, with the
 * delay of the event loop that receives them. A fresh process for each round.
 * `bun run bench:metadata [rounds] [seconds]`
 */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  childrenOf,
  cpuSeconds,
  manage,
  residentMb,
  type Server,
  startServer,
  stopServer,
} from '../test/support/processes.ts'
import { type Fleet, generate, LIMITS } from './fleet.ts'
import { load, ms, quantile, say } from './tool-harness.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const SECONDS = Number(process.argv[3] ?? 60)
const SENSORS = 2_000
const CLIENTS = 8
const METADATA_CALLS_PER_SECOND = 100
/** 10,000 readings a second. */
const READINGS_PER_CALL = 100
const READING_CALLS_PER_SECOND = 100

const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
let logs = 0

type Started = { server: Server; listeningMs: number; readyMs: number }

async function start(dataDir: string): Promise<Started> {
  const startedMs = performance.now()
  const server = await startServer(['src/main.ts'], { ...LIMITS, DATA_DIR: dataDir }, join(work, `log-${logs++}`))
  while (!(await fetch(`${server.url}/health/ready`)).ok) await Bun.sleep(5)
  return { server, listeningMs: server.startedInMs, readyMs: performance.now() - startedMs }
}

const tokenOf = (dataDir: string): string => readFileSync(join(dataDir, 'operator.token'), 'utf8').trim()

/** Memory that belongs to a process, with its share of what several processes map, in MB. */
function proportionalMb(pid: number): number {
  const line = /^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))
  return Number(line?.[1] ?? 0) / 1024
}

function postgresMb(server: Server): number {
  const isPostgres = (pid: number): boolean =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').startsWith('/')
      ? readFileSync(`/proc/${pid}/comm`, 'utf8').trim() === 'postgres'
      : false
  const postmaster = childrenOf(server.pid).find(isPostgres)
  if (postmaster === undefined) return Number.NaN
  return [postmaster, ...childrenOf(postmaster)].reduce((sum, pid) => sum + proportionalMb(pid), 0)
}

type Created = { fleet: Fleet; enterpriseId: string; seconds: number; cpu: number; peakMb: number }

async function createFleet(server: Server, token: string): Promise<Created> {
  const { id } = await manage<{ id: string }>(server.url, token, 'POST', '/enterprises', {
    name: 'Bench',
    tier: 'scale',
  })
  await manage(server.url, token, 'PATCH', `/enterprises/${id}`, { readingsPerDay: 1e15 })
  const channels = ['temperature', 'humidity', 'pressure'].map((name) => ({ name, measurement: 'number' }))
  const fleet: Fleet = []
  let peakMb = 0
  const watching = setInterval(() => {
    peakMb = Math.max(peakMb, residentMb(server.pid))
  }, 50)
  const startedMs = performance.now()
  const cpuBefore = cpuSeconds(server.pid)
  let next = 0
  const client = async (): Promise<void> => {
    for (let i = next++; i < SENSORS; i = next++) {
      const body = { channels, assetName: `Asset ${i}` }
      const path = `/enterprises/${id}/sensors`
      const sensor = await manage<Fleet[number]>(server.url, token, 'POST', path, body)
      fleet.push({ id: sensor.id, key: sensor.key })
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, client))
  const seconds = (performance.now() - startedMs) / 1000
  const cpu = cpuSeconds(server.pid) - cpuBefore
  clearInterval(watching)
  return { fleet, enterpriseId: id, seconds, cpu, peakMb }
}

/** Metadata calls in turns: read a sensor, list, change a sensor, create one. */
async function callMetadata(
  server: Server,
  token: string,
  { fleet, enterpriseId }: Created,
  until: () => boolean,
): Promise<number[]> {
  const times: number[] = []
  const running = new Set<Promise<void>>()
  const startedMs = performance.now()
  for (let turn = 0; !until(); turn++) {
    const sensor = `/sensors/${fleet[(turn * 7919) % fleet.length]?.id}`
    const calls: (() => Promise<unknown>)[] = [
      () => manage(server.url, token, 'GET', sensor),
      () => manage(server.url, token, 'GET', `/enterprises/${enterpriseId}/sensors?limit=20`),
      () => manage(server.url, token, 'PATCH', sensor, { heldReason: `turn ${turn}` }),
      () => manage(server.url, token, 'GET', sensor),
      () => manage(server.url, token, 'POST', `/enterprises/${enterpriseId}/sensors`, { channels: [] }),
    ]
    const sentMs = performance.now()
    const call = (calls[turn % calls.length] as () => Promise<unknown>)()
      .then(() => void times.push(performance.now() - sentMs))
      .finally(() => running.delete(call))
    running.add(call)
    const dueMs = startedMs + ((turn + 1) * 1000) / METADATA_CALLS_PER_SECOND
    await Bun.sleep(Math.max(0, dueMs - performance.now()))
  }
  await Promise.all(running)
  return times
}

async function eventLoopDelay(server: Server): Promise<Record<string, number>> {
  const text = await (await fetch(`${server.url}/metrics`)).text()
  return Object.fromEntries(
    [...text.matchAll(/^event_loop_delay_seconds\{quantile="([\d.]+)"\} (\S+)$/gm)].map(([, q, s]) => [
      q,
      Number(s) * 1000,
    ]),
  )
}

async function runRound(round: number) {
  const dataDir = join(work, `data-${round}`)
  const first = await start(dataDir)
  await Bun.sleep(2_000)
  const firstMb = residentMb(first.server.pid)
  const token = tokenOf(dataDir)
  const created = await createFleet(first.server, token)
  const databaseMb = postgresMb(first.server)
  await stopServer(first.server)

  const later = await start(dataDir)
  await Bun.sleep(2_000)
  const laterMb = residentMb(later.server.pid)
  await eventLoopDelay(later.server)
  let counting: Promise<number[]> | undefined
  let done = false
  const cpuBefore = cpuSeconds(later.server.pid)
  const result = await generate(
    {
      ...{
        port: later.server.port,
        sensors: created.fleet.slice(0, 1_000),
        connections: 16,
        repeats: 0,
        warmUpSeconds: 0,
      },
      ...{ readingsPerCall: READINGS_PER_CALL, callsPerSecond: READING_CALLS_PER_SECOND, seconds: SECONDS, seed: 42 },
      ...{ firstAtMs: Math.floor(Date.now() / 1000) * 1000 - 60 * 86_400_000, envelope: true },
    },
    () => {
      counting = callMetadata(later.server, token, created, () => done)
    },
  )
  done = true
  const times = (await counting) ?? []
  const delay = await eventLoopDelay(later.server)
  const cpu = (cpuSeconds(later.server.pid) - cpuBefore) / SECONDS
  if (result.unexpected.length > 0) throw new Error(`unexpected: ${result.unexpected[0]}`)
  await stopServer(later.server)
  rmSync(dataDir, { recursive: true, force: true })
  return { first, firstMb, created, databaseMb, later, laterMb, result, times, delay, cpu }
}

try {
  say(`load ${load()}; ${ROUNDS} rounds of ${SECONDS} s, medians`)
  const rounds: Awaited<ReturnType<typeof runRound>>[] = []
  for (let round = 0; round < ROUNDS; round++) rounds.push(await runRound(round))
  const median = (pick: (of: (typeof rounds)[number]) => number): number => quantile(rounds.map(pick), 0.5)
  const row = (name: string, ...cells: string[]): void => say(`| ${name} | ${cells.join(' | ')} |`)
  row('start', 'listens after ms', 'ready after ms', 'server MB')
  say('|---|--:|--:|--:|')
  row(
    'first, empty folder',
    ms(median((of) => of.first.listeningMs)),
    ms(median((of) => of.first.readyMs)),
    ms(median((of) => of.firstMb)),
  )
  row(
    'later',
    ms(median((of) => of.later.listeningMs)),
    ms(median((of) => of.later.readyMs)),
    ms(median((of) => of.laterMb)),
  )
  say(
    `${SENSORS} sensors created by ${CLIENTS} clients: ${median((of) => of.created.seconds).toFixed(2)} s, ${median((of) => of.created.cpu).toFixed(2)} s of the server's CPU, server at most ${ms(median((of) => of.created.peakMb))} MB, PostgreSQL ${ms(median((of) => of.databaseMb))} MB`,
  )
  say(
    `${METADATA_CALLS_PER_SECOND} metadata calls/s beside ${READING_CALLS_PER_SECOND * READINGS_PER_CALL} readings/s: server ${median((of) => of.cpu).toFixed(2)} cores`,
  )
  row('', 'p50 ms', 'p99 ms', 'p99.9 ms', 'max ms')
  say('|---|--:|--:|--:|--:|')
  const of = (times: number[]) => [0.5, 0.99, 0.999, 1].map((q) => ms(quantile(times, q)))
  row('metadata calls', ...of(rounds.flatMap(({ times }) => times)))
  row(
    'readings calls',
    ms(median(({ result }) => result.p50Ms)),
    ms(median(({ result }) => result.p99Ms)),
    '–',
    ms(median(({ result }) => result.maxMs)),
  )
  row(
    'event-loop delay',
    ...['0.5', '0.99', '0.999', '1'].map((q) => ms(median(({ delay }) => delay[q] ?? Number.NaN))),
  )
} finally {
  rmSync(work, { recursive: true, force: true })
}
