/**
 * Readings by MQTT, QoS 1, one a message: the real server compared with aedes and an empty handler at 1,000 connections,
 * the most messages of 100 connections, and their latency at half of that and of the 15,000 messages/s that they must
 * reach; then the memory of 15,000 idle connections.
 * Fresh processes in turn, the same seeded messages. `bun run bench mqtt [rounds] [seconds]`.
 */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuSeconds, ROOT, residentMb, startServer, stopServer } from '../test/support/processes.ts'
import { freePort } from '../test/support/stores/postgres.ts'
import { type Fleet, LIMITS, longestDelayMs, provision, untilLoaded } from './support/fleet.ts'
import type { MqttPlan, MqttResult } from './support/mqtt-client.ts'

const ROUNDS = Number(process.argv[2] ?? 3)
const SECONDS = Number(process.argv[3] ?? 10)
const SENSORS = 1_000
const IDLE = 15_000
const MOST_IN_FLIGHT = 10_000
/** Messages per second of 100 connections. */
const FEW_MUST = 15_000

const work = mkdtempSync(join(tmpdir(), 'groundwave-bench-'))
const seedDir = join(work, 'seed')
let logs = 0
const newLog = (): string => join(work, `server-${logs++}.log`)

type Kind = 'aedes' | 'groundwave'
type Run = MqttResult & { perSecond: number; serverCpu: number; delayMs: number }
type Scenario = { connections: number; messagesPerSecond?: number }

async function generate(plan: MqttPlan, onCounting: () => Promise<void>): Promise<MqttResult> {
  const path = join(work, 'plan.json')
  writeFileSync(path, JSON.stringify(plan))
  const child = Bun.spawn([process.execPath, 'bench/support/mqtt-client.ts', path], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let output = ''
  const decoder = new TextDecoder()
  for await (const chunk of child.stdout) {
    const isCounting = output.startsWith('counting\n')
    output += decoder.decode(chunk)
    if (!isCounting && output.startsWith('counting\n')) await onCounting()
  }
  if ((await child.exited) !== 0) throw new Error('the load generator failed')
  return JSON.parse(output.slice('counting\n'.length)) as MqttResult
}

async function start(kind: Kind, port: number) {
  const env = {
    ...LIMITS,
    MQTT_PORT: String(port),
    MQTT_MESSAGES_PER_MINUTE: '1000000000',
    MQTT_CONNECTIONS_PER_ADDRESS: '1000000',
    DATA_DIR: join(work, 'data'),
  }
  rmSync(env.DATA_DIR, { recursive: true, force: true })
  if (kind === 'groundwave') cpSync(seedDir, env.DATA_DIR, { recursive: true })
  return startServer([kind === 'aedes' ? 'bench/support/bare-aedes.ts' : 'src/main.ts'], env, newLog())
}

async function run(kind: Kind, fleet: Fleet, { connections, messagesPerSecond = 0 }: Scenario): Promise<Run> {
  const port = await freePort()
  const server = await start(kind, port)
  const plan: MqttPlan = {
    port,
    senders: fleet.slice(0, connections),
    inFlight: Math.min(50, MOST_IN_FLIGHT / connections),
    warmUpSeconds: 5,
    seconds: SECONDS,
    messagesPerSecond,
    firstAtMs: Math.floor(Date.now() / 1_000) * 1_000 - 60 * 86_400_000,
    seed: 42,
  }
  let cpuBefore = 0
  const result = await generate(plan, async () => {
    if (kind === 'groundwave') await longestDelayMs(server)
    cpuBefore = cpuSeconds(server.pid)
  })
  const serverCpu = cpuSeconds(server.pid) - cpuBefore
  let delayMs = 0
  if (kind === 'groundwave') {
    delayMs = await longestDelayMs(server)
    await untilLoaded(server)
  }
  await stopServer(server)
  if (kind === 'groundwave') {
    const counting = Bun.spawn([process.execPath, 'bench/support/count.ts', join(work, 'data')], { cwd: ROOT })
    const { rows } = JSON.parse(await new Response(counting.stdout).text()) as { rows: number }
    if (rows !== result.allMessages)
      throw new Error(`${result.allMessages} messages were acknowledged, but ${rows} readings are stored`)
  }
  return { ...result, perSecond: result.messages / result.seconds, serverCpu, delayMs }
}

async function idle(kind: Kind, fleet: Fleet): Promise<string> {
  const port = await freePort()
  const server = await start(kind, port)
  const before = residentMb(server.pid)
  let after = 0
  const senders = Array.from({ length: IDLE }, (_, i) => fleet[i % fleet.length] as Fleet[number])
  const plan = {
    port,
    senders,
    inFlight: 0,
    warmUpSeconds: 15,
    seconds: 1,
    messagesPerSecond: 0,
    firstAtMs: 0,
    seed: 42,
  }
  await generate(plan, async () => {
    after = residentMb(server.pid)
  })
  await stopServer(server)
  const kib = ((after - before) * 1_024) / IDLE
  return `| ${kind}, ${IDLE} idle connections | ${before.toFixed(0)} MB before, ${after.toFixed(0)} MB after | ${kib.toFixed(1)} KiB each | 50,000: ${((kib * 50_000) / 1_048_576).toFixed(2)} GiB more |`
}

const median = (numbers: number[]): number =>
  numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] as number

function describe(name: string, runs: Run[]): string {
  const of = (pick: (run: Run) => number): number => median(runs.map(pick))
  const ms = (pick: (run: Run) => number): string => of(pick).toFixed(1)
  return `| ${name} | ${Math.round(of((r) => r.perSecond)).toLocaleString('en')} | ${ms((r) => r.p50Ms)} / ${ms((r) => r.p99Ms)} / ${ms((r) => r.maxMs)} | ${ms((r) => r.serverCpu)} + ${ms((r) => r.cpuSeconds)} | ${ms((r) => r.delayMs)} |`
}

try {
  console.log(`${cpus().length} × ${cpus()[0]?.model.trim()}, load ${loadavg()[0]?.toFixed(2)}, Bun ${Bun.version}`)
  const fleet = await provision(seedDir, SENSORS, newLog())
  console.log(`${ROUNDS} rounds of ${SECONDS} s, medians\n`)
  console.log(
    '| run | messages/s | p50 / p99 / max ms | CPU s server + generator | longest delay of the event loop, ms |',
  )
  console.log('| --- | --- | --- | --- | --- |')
  const runs: Record<Kind, Run[]> = { aedes: [], groundwave: [] }
  const few: Run[] = []
  for (let round = 0; round < ROUNDS; round++) {
    const kinds: Kind[] = round % 2 === 0 ? ['aedes', 'groundwave'] : ['groundwave', 'aedes']
    for (const kind of kinds) runs[kind].push(await run(kind, fleet, { connections: 1_000 }))
    few.push(await run('groundwave', fleet, { connections: 100 }))
  }
  const rate = (of: Run[]): number => median(of.map(({ perSecond }) => perSecond))
  console.log(describe('bare aedes, 1,000 connections', runs.aedes))
  const ratio = (rate(runs.groundwave) / rate(runs.aedes)).toFixed(2)
  console.log(describe(`Groundwave, 1,000 connections, ratio ${ratio}`, runs.groundwave))
  console.log(describe('Groundwave, 100 connections', few))
  for (const messagesPerSecond of [rate(few) / 2, FEW_MUST / 2]) {
    const half: Run[] = []
    for (let round = 0; round < ROUNDS; round++)
      half.push(await run('groundwave', fleet, { connections: 100, messagesPerSecond }))
    console.log(describe(`Groundwave, 100 connections, ${Math.round(messagesPerSecond)} messages/s`, half))
  }
  console.log(await idle('aedes', fleet))
  console.log(await idle('groundwave', fleet))
} finally {
  rmSync(work, { recursive: true, force: true })
}
