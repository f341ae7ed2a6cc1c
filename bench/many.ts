/**
 * POST /ingest/readings with 5,000 readings a call, compared with the calls of single sensors with 500: the same sensors
 * and readings, fresh processes, alternating order. Runs of 500 and of 5 readings of a sensor.
 * `bun run bench many [rounds] [seconds]`
 */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuSeconds, processesIn, startServer, stopServer } from '../test/support/processes.ts'
import { type Fleet, fleetKeyOf, generate, LIMITS, provision, untilLoaded } from './support/fleet.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const SECONDS = Number(process.argv[3] ?? 10)
const SENSORS = 1_600
const CONNECTIONS = 16

const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const seedDir = join(work, 'seed')
let logs = 0
const newLog = (): string => join(work, `server-${logs++}.log`)

/** Readings a second, and the server's CPU time for a reading in microseconds. */
type Rate = { perSecond: number; cpu: number }

/** @param run readings of a sensor that follow each other in a call of many; undefined for calls of single sensors */
async function measure(fleet: Fleet, run: number | undefined): Promise<Rate> {
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
      readingsPerCall: run === undefined ? 500 : 5_000,
      repeats: 0,
      warmUpSeconds: 4,
      seconds: SECONDS,
      callsPerSecond: 0,
      firstAtMs: Math.floor(Date.now() / 1000) * 1000 - 60 * 86_400_000,
      seed: 42,
      intervalMs: 100,
      envelope: run === undefined,
      ...(run !== undefined && { many: { key: await fleetKeyOf(server, dataDir), run } }),
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
  const runs = [undefined, 500, 5]
  const rates = new Map(runs.map((run) => [run, [] as Rate[]]))
  for (let round = 0; round < ROUNDS; round++)
    for (const run of round % 2 === 0 ? runs : runs.toReversed()) rates.get(run)?.push(await measure(fleet, run))
  const of = (run: number | undefined, pick: (rate: Rate) => number): number => median((rates.get(run) ?? []).map(pick))
  console.log(`${ROUNDS} rounds of ${SECONDS} s, load ${loadavg()[0]?.toFixed(2)}\n`)
  console.log('| readings of a sensor in a row | rate / calls of single sensors | CPU of a reading / the same |')
  console.log('| --- | --- | --- |')
  for (const run of [500, 5]) {
    const ratio = (pick: (rate: Rate) => number): string => (of(run, pick) / of(undefined, pick)).toFixed(2)
    console.log(`| ${run} | ${ratio((rate) => rate.perSecond)} | ${ratio((rate) => rate.cpu)} |`)
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
