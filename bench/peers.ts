/**
 * Groundwave compared with InfluxDB and VictoriaMetrics (Debian: `apt-get install influxdb victoria-metrics`) in one
 * run: the same readings from the same generator, fresh processes, alternating order. The peers receive line protocol
 * in calls of 5,000 lines, as InfluxDB's documentation recommends; Groundwave receives calls of 500 readings.
 * Afterwards each must report the number of readings sent. `bun run bench peers [rounds] [seconds] [names]`, with a
 * regular expression on the names of the peers.
 *
 * Durability differs: InfluxDB syncs its write-ahead log before it answers, as Groundwave does; VictoriaMetrics answers
 * from memory. Neither validates readings or rejects duplicates.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
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
import { freePort } from '../test/support/stores/postgres.ts'
import { type Fleet, generate, LIMITS, provision } from './support/fleet.ts'
import type { LoadPlan, LoadResult } from './support/load-client.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const SECONDS = Number(process.argv[3] ?? 10)
const names = new RegExp(process.argv[4] ?? '', 'i')
const SENSORS = 1000
const CONNECTIONS = 16
const LINES_PER_CALL = 5000

const work = mkdtempSync(join(tmpdir(), 'groundwave-peers-'))
const seedDir = join(work, 'seed')
const data = join(work, 'data')
let logs = 0

type Running = { port: number; pid: number; count(): Promise<number>; stop(): Promise<void> }
type Contender = { name: string; plan: Partial<LoadPlan>; start(): Promise<Running> }

async function untilAnswers(url: string): Promise<void> {
  for (const deadline = Date.now() + 30_000; ; await Bun.sleep(50)) {
    try {
      if ((await fetch(url)).status < 500) return
    } catch (error) {
      if (Date.now() > deadline) throw error
    }
  }
}

async function stopProcess(child: ChildProcess): Promise<void> {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.kill('SIGTERM')
  await ended
}

async function startInflux(): Promise<Running> {
  const [port, rpcPort] = [await freePort(), await freePort()]
  const config = join(data, 'influxdb.conf')
  writeFileSync(
    config,
    `reporting-disabled = true
bind-address = "127.0.0.1:${rpcPort}"
[meta]
  dir = "${data}/meta"
[data]
  dir = "${data}/data"
  wal-dir = "${data}/wal"
  index-version = "tsi1"
[http]
  bind-address = "127.0.0.1:${port}"
  log-enabled = false
[logging]
  level = "error"
`,
  )
  const child = spawn('influxd', ['-config', config], { stdio: 'ignore' })
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/ping`)
  await fetch(`${url}/query?q=${encodeURIComponent('CREATE DATABASE bench')}`, { method: 'POST' })
  return {
    port,
    pid: child.pid as number,
    async count() {
      const query = encodeURIComponent('SELECT count(temperature) FROM readings')
      type Answer = { results: { series?: { values: [string, number][] }[] }[] }
      const answer = (await (await fetch(`${url}/query?db=bench&q=${query}`)).json()) as Answer
      return answer.results[0]?.series?.[0]?.values[0]?.[1] ?? 0
    },
    stop: () => stopProcess(child),
  }
}

async function startVictoria(): Promise<Running> {
  const port = await freePort()
  const child = spawn(
    'victoria-metrics',
    [
      `-storageDataPath=${data}`,
      '-retentionPeriod=1y',
      '-http.connTimeout=2h',
      `-httpListenAddr=127.0.0.1:${port}`,
      '-loggerLevel=ERROR',
    ],
    { stdio: 'ignore' },
  )
  const url = `http://127.0.0.1:${port}`
  await untilAnswers(`${url}/health`)
  return {
    port,
    pid: child.pid as number,
    async count() {
      // recent data is searchable only after a flush
      await fetch(`${url}/internal/force_flush`)
      const query = encodeURIComponent('sum(count_over_time(readings_temperature[100d]))')
      type Answer = { data: { result: { value: [number, string] }[] } }
      const answer = (await (await fetch(`${url}/api/v1/query?nocache=1&query=${query}`)).json()) as Answer
      return Number(answer.data.result[0]?.value[1] ?? 0)
    },
    stop: () => stopProcess(child),
  }
}

async function startGroundwave(): Promise<Running> {
  rmSync(data, { recursive: true })
  cpSync(seedDir, data, { recursive: true })
  const server: Server = await startServer(['src/main.ts'], { ...LIMITS, DATA_DIR: data }, join(work, `log-${logs++}`))
  return {
    port: server.port,
    pid: server.pid,
    async count() {
      await stopServer(server)
      const child = Bun.spawn([process.execPath, 'bench/support/count.ts', data], { cwd: ROOT })
      return ((await new Response(child.stdout).json()) as { rows: number }).rows
    },
    async stop() {
      await stopServer(server)
    },
  }
}

const line = (linePath: string): Partial<LoadPlan> => ({ linePath, readingsPerCall: LINES_PER_CALL, envelope: false })
const groundwave: Contender = {
  name: 'Groundwave, embedded',
  plan: { readingsPerCall: 500, envelope: true },
  start: startGroundwave,
}
const peers: Contender[] = [
  { name: 'InfluxDB', plan: line('/write?db=bench'), start: startInflux },
  { name: 'VictoriaMetrics', plan: line('/write'), start: startVictoria },
]
const contenders = [groundwave, ...peers.filter(({ name }) => names.test(name))]

function bytesOnDisk(): number {
  const { stdout } = spawnSync('du', ['-sb', data], { encoding: 'utf8' })
  return Number(stdout.split('\t')[0])
}

type Run = LoadResult & {
  readingsPerSecond: number
  serverCpu: number
  residentMb: number
  stored: number
  bytesPerReading: number
}

async function run(contender: Contender, fleet: Fleet): Promise<Run> {
  rmSync(data, { recursive: true, force: true })
  mkdirSync(data, { recursive: true })
  const server = await contender.start()
  // Groundwave's embedded databases run in its data folder
  const sumOf = (figure: (pid: number) => number): number =>
    [...new Set([server.pid, ...processesIn(data)])].reduce((sum, pid) => sum + figure(pid), 0)
  let before = 0
  const plan: LoadPlan = {
    port: server.port,
    sensors: fleet,
    connections: CONNECTIONS,
    readingsPerCall: 500,
    repeats: 0,
    warmUpSeconds: 3,
    seconds: SECONDS,
    callsPerSecond: 0,
    firstAtMs: Math.floor(Date.now() / 1000) * 1000 - 60 * 86_400_000,
    seed: 42,
    envelope: false,
    ...contender.plan,
  }
  const result = await generate(plan, () => {
    before = sumOf(cpuSeconds)
  })
  const measured = { serverCpu: sumOf(cpuSeconds) - before, residentMb: sumOf(residentMb) }
  const stored = await server.count()
  await server.stop()
  const bytesPerReading = bytesOnDisk() / stored
  if (result.unexpected.length > 0) throw new Error(`${contender.name}: ${result.unexpected[0]}`)
  const sent = result.accepted + result.warmUpAccepted
  if (stored !== sent) throw new Error(`${contender.name} accepted ${sent} readings but has ${stored}`)
  return { ...result, ...measured, stored, bytesPerReading, readingsPerSecond: result.accepted / result.seconds }
}

for (const program of ['influxd', 'victoria-metrics'].filter((program) => names.test(program)))
  if (spawnSync('which', [program]).status !== 0)
    throw new Error(`${program} is not installed; on Debian: apt-get install influxdb victoria-metrics`)

try {
  const version = (name: string): string =>
    /\d+\.\d+\.\d+/.exec(spawnSync('dpkg-query', ['-W', name], { encoding: 'utf8' }).stdout)?.[0] ?? '(unknown)'
  const load = loadavg()[0]?.toFixed(2)
  console.log(
    `${cpus().length} × ${cpus()[0]?.model.trim()}, load ${load}, Bun ${Bun.version}, InfluxDB ${version('influxdb')}, VictoriaMetrics ${version('victoria-metrics')}`,
  )
  console.log(
    `${SENSORS} sensors, ${CONNECTIONS} connections, 3 values and a location each, ${ROUNDS} rounds of ${SECONDS} s, medians\n`,
  )
  const fleet = await provision(seedDir, SENSORS, join(work, 'seed.log'))
  const runs = new Map<Contender, Run[]>(contenders.map((contender) => [contender, []]))
  for (let round = 0; round < ROUNDS; round++)
    for (const contender of round % 2 === 0 ? contenders : contenders.toReversed())
      runs.get(contender)?.push(await run(contender, fleet))
  const median = (contender: Contender, of: (run: Run) => number): number =>
    (runs.get(contender) as Run[]).map(of).sort((a, b) => a - b)[Math.floor(ROUNDS / 2)] as number
  const ours = median(groundwave, (r) => r.readingsPerSecond)
  console.log(
    '| | readings/s | Groundwave ÷ this | p50 / p99 ms of a call | server CPU s for a million | RSS MB | bytes on disk a reading |',
  )
  console.log('| --- | --- | --- | --- | --- | --- | --- |')
  for (const contender of contenders) {
    const rate = median(contender, (r) => r.readingsPerSecond)
    console.log(
      `| ${contender.name} | ${Math.round(rate).toLocaleString('en')} | ${(ours / rate).toFixed(2)} | ${median(contender, (r) => r.p50Ms).toFixed(1)} / ${median(contender, (r) => r.p99Ms).toFixed(1)} | ${median(contender, (r) => (r.serverCpu * 1e6) / r.accepted).toFixed(2)} | ${median(contender, (r) => r.residentMb).toFixed(0)} | ${median(contender, (r) => r.bytesPerReading).toFixed(1)} |`,
    )
  }
} finally {
  rmSync(work, { recursive: true, force: true })
}
