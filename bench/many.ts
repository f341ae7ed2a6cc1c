/**
 * POST /ingest/readings with 5,000 readings a call, compared with the calls of single sensors with 500, or line protocol
 * with 5,000 lines compared with it: the same sensors and readings, fresh processes, alternating order.
 * `bun run bench many [rounds] [seconds] [lines]`
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuSeconds, processesIn, startServer, stopServer } from '../test/support/processes.ts'
import { type Fleet, fleetKeyOf, generate, LIMITS, provision, untilLoaded } from './support/fleet.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const SECONDS = Number(process.argv[3] ?? 10)
type Way = {
  to: 'sensors' | 'readings' | 'lines'
  /** Readings of a sensor that follow each other in a call. */
  run: number
}
const SINGLE: Way = { to: 'sensors', run: 500 }
const RUNS = [500, 5]
const PAIRS: [Way, Way][] = RUNS.map((run) =>
  process.argv[4] === 'lines'
    ? [
        { to: 'lines', run },
        { to: 'readings', run },
      ]
    : [{ to: 'readings', run }, SINGLE],
)
const WAYS = [...new Set(PAIRS.flat())]
const SENSORS = 1_600
const CONNECTIONS = 16

const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const seedDir = join(work, 'seed')
let logs = 0
const newLog = (): string => join(work, `server-${logs++}.log`)

/** Readings a second, and the server's CPU time for a reading in microseconds. */
type Rate = { perSecond: number; cpu: number }

async function measure(fleet: Fleet, { to, run }: Way): Promise<Rate> {
  const dataDir = join(work, 'data')
  rmSync(dataDir, { recursive: true, force: true })
  cpSync(seedDir, dataDir, { recursive: true })
  const server = await startServer(['src/main.ts'], { ...LIMITS, DATA_DIR: dataDir }, newLog())
  const pids = (): number[] => [server.pid, ...processesIn(dataDir)]
  const cpu = (): number => pids().reduce((sum, pid) => sum + cpuSeconds(pid), 0)
  let before = 0
  const result = await generate(
    {
      port: server.port,
      sensors: fleet,
      connections: CONNECTIONS,
      readingsPerCall: to === 'sensors' ? 500 : 5_000,
      repeats: 0,
      warmUpSeconds: 4,
      seconds: SECONDS,
      callsPerSecond: 0,
      firstAtMs: Math.floor(Date.now() / 1000) * 1000 - 60 * 86_400_000,
      seed: 42,
      intervalMs: 100,
      envelope: to === 'sensors',
      ...(to !== 'sensors' && { many: { key: await fleetKeyOf(server, dataDir), run } }),
      ...(to === 'lines' && { linePath: '/api/v2/write' }),
    },
    () => {
      before = cpu()
    },
  )
  if (result.unexpected.length > 0) throw new Error(`unexpected answer: ${result.unexpected[0]}`)
  const used = cpu() - before
  await untilLoaded(server)
  await stopServer(server)
  return { perSecond: result.accepted / result.seconds, cpu: (used * 1e6) / result.accepted }
}

const median = (numbers: number[]): number => numbers.toSorted((a, b) => a - b)[numbers.length >> 1] as number

try {
  const fleet = await provision(seedDir, SENSORS, newLog())
  const rates = new Map(WAYS.map((way) => [way, [] as Rate[]]))
  for (let round = 0; round < ROUNDS; round++)
    for (const way of round % 2 === 0 ? WAYS : WAYS.toReversed()) rates.get(way)?.push(await measure(fleet, way))
  const of = (way: Way, pick: (rate: Rate) => number): number => median((rates.get(way) ?? []).map(pick))
  console.log(`${ROUNDS} rounds of ${SECONDS} s, load ${loadavg()[0]?.toFixed(2)}\n`)
  console.log('| way | compared with | readings of a sensor in a row | readings/s | ratio | CPU of a reading, ratio |')
  console.log('| --- | --- | --- | --- | --- | --- |')
  for (const [way, other] of PAIRS) {
    const ratio = (pick: (rate: Rate) => number): string => (of(way, pick) / of(other, pick)).toFixed(2)
    const rate = Math.round(of(way, (r) => r.perSecond)).toLocaleString('en')
    console.log(
      `| ${way.to} | ${other.to} | ${way.run} | ${rate} | ${ratio((r) => r.perSecond)} | ${ratio((r) => r.cpu)} |`,
    )
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
