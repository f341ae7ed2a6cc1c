/**
 * Compares scale-model.ts with a real server: 10,000 sensors with one reading a second in calls of 60, all embedded.
 * `bun run bench:scale-check [seconds] [readings in a call]`
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, startServer, stopServer } from '../test/support/processes.ts'
import { LIMITS, provisionInBulk } from './fleet.ts'
import type { FleetPlan, FleetResult } from './fleet-client.ts'
import { defaults, latencyOf, serviceS, sizesOf } from './scale-model.ts'
import { load, say } from './tool-harness.ts'
import { usageOf, usedBetween } from './watch.ts'

const SECONDS = Number(process.argv[2] ?? 30)
const SENSORS = 10_000
const p = { ...defaults(), ...(process.argv[3] && { readingsPerCall: Number(process.argv[3]) }) }
const work = mkdtempSync(join(tmpdir(), 'groundwave-scale-'))
const dataDir = join(work, 'data')
try {
  const sensors = await provisionInBulk(dataDir, SENSORS, join(work, 'provision.log'))
  const server = await startServer(['src/main.ts'], { ...LIMITS, DATA_DIR: dataDir }, join(work, 'server.log'))
  const plan: FleetPlan = {
    url: server.url,
    sensors,
    readingsPerCall: p.readingsPerCall,
    intervalMs: 1_000,
    seconds: SECONDS,
  }
  async function run(): Promise<FleetResult> {
    const path = join(work, 'plan.json')
    writeFileSync(path, JSON.stringify(plan))
    const child = Bun.spawn([process.execPath, 'bench/fleet-client.ts', path], { cwd: ROOT })
    return JSON.parse(await new Response(child.stdout).text()) as FleetResult
  }
  // the first calls of sensors also look them up
  await run()
  const before = usageOf(server, dataDir)
  const result = await run()
  const used = usedBetween(before, usageOf(server, dataDir))
  await stopServer(server)
  const { callsPerS, loadIntervalS } = sizesOf(SENSORS, p)
  const predicted = latencyOf(p, callsPerS, callsPerS, 1)
  const clickhouse = (SENSORS * p.clickhouseReadingUs) / 1e6 + p.insertMs / 1e3 / loadIntervalS
  say(`a call takes ${((used.server / used.seconds / callsPerS) * 1e6).toFixed(0)} µs of the server`)
  const line = (name: string, ours: number, measured: number): void =>
    say(`| ${name} | ${ours.toFixed(3)} | ${measured.toFixed(3)} | ${(measured / ours).toFixed(2)} |`)
  say(`${result.calls} calls, ${result.failed.length} failed, load ${load()}\n`)
  say('| figure | predicted | measured | measured / predicted |\n| --- | --- | --- | --- |')
  line('cores of the server', callsPerS * serviceS(p), used.server / used.seconds)
  line('cores of ClickHouse', clickhouse, used.clickhouse / used.seconds)
  line('p50 ms', predicted.p50Ms, result.p50Ms)
  line('p99 ms', predicted.p99Ms, result.p99Ms)
} finally {
  rmSync(work, { recursive: true, force: true })
}
