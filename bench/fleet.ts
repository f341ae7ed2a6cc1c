/**
 * The everyday cost of a fleet: 10,000 sensors at 1 Hz in calls of 60 readings, or 100,000 sensors with one reading a
 * minute. Cores and latency with an empty hour, with no traffic after 30 million readings in the current hour, with
 * that full hour, in the first seconds after a restart, and with a year of history for some sensors. `bun run bench
 * fleet [seconds for each] [second|minute]`
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, type Server, startServer, stopServer } from '../test/support/processes.ts'
import { generate, LIMITS, provisionInBulk } from './support/fleet.ts'
import type { FleetPlan, FleetResult } from './support/fleet-client.ts'
import { load, ms, say } from './support/tool-harness.ts'
import { metricsOf, perUnit, usageOf, usedBetween } from './support/watch.ts'

const SECONDS = Number(process.argv[2] ?? 60)
const KINDS = {
  second: { sensors: 10_000, readingsPerCall: 60, intervalMs: 1_000, perSensor: 3_000 },
  minute: { sensors: 100_000, readingsPerCall: 1, intervalMs: 60_000, perSensor: 300 },
}
const { sensors, readingsPerCall, intervalMs, perSensor } = KINDS[(process.argv[3] ?? 'second') as keyof typeof KINDS]
const HISTORY_SENSORS = 20
const HISTORY_PER_SENSOR = 365 * 1_440
const HOUR_MS = 3_600_000
const PER_CALL = Math.min(500, perSensor)

const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const dataDir = join(work, 'data')
let logs = 0
const start = (): Promise<Server> =>
  startServer(['src/main.ts'], { ...LIMITS, DATA_DIR: dataDir }, join(work, `server-${logs++}.log`))

async function fleetFor(plan: FleetPlan): Promise<FleetResult> {
  const path = join(work, 'plan.json')
  writeFileSync(path, JSON.stringify(plan))
  const child = Bun.spawn([process.execPath, 'bench/support/fleet-client.ts', path], { cwd: ROOT })
  return JSON.parse(await new Response(child.stdout).text()) as FleetResult
}

async function measure(name: string, server: Server, fleet: FleetPlan['sensors']): Promise<void> {
  const before = usageOf(server, dataDir)
  const result = await fleetFor({ url: server.url, sensors: fleet, readingsPerCall, intervalMs, seconds: SECONDS })
  const after = usageOf(server, dataDir)
  const used = usedBetween(before, after)
  if (result.failed.length > 0) say(`refused: ${result.failed[0]}`)
  say(
    `| ${name} | ${perUnit(used, used.seconds)} | ${ms(result.p50Ms)} / ${ms(result.p99Ms)} / ${ms(result.maxMs)} | ${Math.round(after.memoryMb)} | ${load()} |`,
  )
}

/** Sends readings as fast as they are answered. */
async function fill(server: Server, fleet: FleetPlan['sensors'], firstAtMs: number, every: number, count: number) {
  const result = await generate(
    {
      port: server.port,
      sensors: fleet,
      connections: 10,
      readingsPerCall: PER_CALL,
      repeats: 0,
      warmUpSeconds: 0,
      seconds: 3_600,
      callsPerSecond: 0,
      seed: 42,
      envelope: true,
      firstAtMs,
      intervalMs: every,
      callsPerSensor: count / PER_CALL,
    },
    () => undefined,
  )
  if (result.unexpected.length > 0) throw new Error(`unexpected answer: ${result.unexpected[0]}`)
  while ((await metricsOf(server, ['log_segments']))[0] !== 0) await Bun.sleep(100)
  return result
}

async function idle(name: string, server: Server): Promise<void> {
  const before = usageOf(server, dataDir)
  await Bun.sleep(Math.min(30, SECONDS) * 1000)
  const used = usedBetween(before, usageOf(server, dataDir))
  say(`| ${name} | ${perUnit(used, used.seconds)} | – | ${Math.round(usageOf(server, dataDir).memoryMb)} | ${load()} |`)
}

try {
  say(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, ${sensors} sensors, ${readingsPerCall} readings a call, ${SECONDS} s each\n`,
  )
  const fleet = await provisionInBulk(dataDir, sensors, join(work, 'provision.log'))
  let server = await start()
  say('| fleet | cores | p50 / p99 / most ms | memory MB | load |\n| --- | --- | --- | ---: | --- |')
  await measure('a new fleet, its first calls', server, fleet)
  await measure('empty hour', server, fleet)
  const hourMs = Math.floor(Date.now() / HOUR_MS) * HOUR_MS
  // in the part of the current hour that is over, between the fleet's own readings
  const everyMs = Math.max(1, Math.floor((Date.now() - hourMs) / (perSensor + 1)))
  const filled = await fill(server, fleet, hourMs + 1, everyMs, perSensor)
  say(
    `| filling with ${filled.accepted + filled.warmUpAccepted} readings in ${filled.seconds.toFixed(0)} s | | | | ${load()} |`,
  )
  await idle('no traffic, at once', server)
  await Bun.sleep(Math.max(0, 60 - Math.min(30, SECONDS)) * 1000)
  await idle('no traffic, one minute later', server)
  await measure('full hour', server, fleet)
  await stopServer(server)
  server = await start()
  await measure('after a restart', server, fleet)
  if (process.argv.includes('history')) {
    await fill(server, fleet.slice(0, HISTORY_SENSORS), hourMs - 365 * 24 * HOUR_MS, 60_000, HISTORY_PER_SENSOR)
    await stopServer(server)
    server = await start()
    await measure(`after a restart with a year of history for ${HISTORY_SENSORS} sensors`, server, fleet)
  }
  await stopServer(server)
} finally {
  rmSync(work, { recursive: true, force: true })
}
