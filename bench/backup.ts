/**
 * Backup and restore of a system with many readings, both killed at random moments: time, size, and how much a backup
 * slows ingestion down: `bun run bench backup [million readings = 3] [folder = data/bench-backup] [kills = 3] [seed =
 * 1]`. Each finished step is written to state.json in the folder, so the same command continues a run that was
 * interrupted; another folder begins another run. 100 million readings need 30 GB of disk at most. Exits with 1 if the
 * restored readings differ from the system's.
 */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { rowsIn, startCommand } from '../test/support/backups.ts'
import { ROOT, type Server, startServer, stopServer } from '../test/support/processes.ts'
import { outputOf } from '../test/support/program.ts'
import { seeded } from '../test/support/random.ts'
import { type Fleet, generate, LIMITS, provisionInBulk } from './support/fleet.ts'
import { load, say } from './support/tool-harness.ts'

const MILLIONS = Number(process.argv[2] ?? 3)
const home = resolve(ROOT, process.argv[3] ?? 'data/bench-backup')
const KILLS = Number(process.argv[4] ?? 3)
const random = seeded(Number(process.argv[5] ?? 1))
const SENSORS = 2_000
const PER_CALL = 500
/** Calls of each sensor that one run of the generator sends: a million readings each. */
const CALLS = 2
const DAY_MS = 86_400_000
const BESIDE_SECONDS = 20
/** Of a run of the generator beside a backup, which may end at any time. */
const PART_SECONDS = 4
/** More calls of each sensor than a server answers in that time. */
const PART_CALLS = 8

type State = {
  fleet: Fleet
  firstAtMs: number
  /** Times are not sent again after an interruption, so that a repeated answer is never counted. */
  nextCall: number
  readings: number
  /** Readings a second in the last parts of the fill. */
  alone: number
  /** Duration of the first backup; kills of later ones are within this time. */
  backupS: number
  /** Measurements by step. */
  done: Record<string, string>
}
type Content = { readings: string; hash: string }

const stateFile = join(home, 'state.json')
const dataDir = join(home, 'data')
const archive = (name: string): string => join(home, `archive-${name}`)
let logs = 0
mkdirSync(home, { recursive: true })

async function firstState(): Promise<State> {
  rmSync(dataDir, { recursive: true, force: true })
  rmSync(join(home, 'provision.log'), { force: true })
  const fleet = await provisionInBulk(dataDir, SENSORS, join(home, 'provision.log'))
  const firstAtMs = Math.floor(Date.now() / DAY_MS) * DAY_MS - 5 * DAY_MS
  return { fleet, firstAtMs, nextCall: 0, readings: 0, alone: 0, backupS: 0, done: {} }
}
const state = existsSync(stateFile) ? (JSON.parse(readFileSync(stateFile, 'utf8')) as State) : await firstState()
function writeState(): void {
  writeFileSync(`${stateFile}.new`, JSON.stringify(state))
  renameSync(`${stateFile}.new`, stateFile)
}
writeState()

/** Measures a step once, and prints the result. */
async function step(name: string, work: () => Promise<string>): Promise<void> {
  if (state.done[name] === undefined) {
    const measured = `${await work()}; load ${load()}`
    state.done[name] = measured
    writeState()
  }
  say(`${name}: ${state.done[name]}`)
}

const sizeMb = (dir: string): number =>
  existsSync(dir) ? Number(outputOf('du', ['-sk', dir]).toString().split('\t')[0]) / 1024 : 0
const secondsSince = (startedMs: number): number => (performance.now() - startedMs) / 1000
const inWords = (n: number): string => Math.round(n).toLocaleString('en')

async function withServer(work: (server: Server) => Promise<string>): Promise<string> {
  const log = join(home, `server-${logs++}.log`)
  // a log of an earlier invocation names its port
  rmSync(log, { force: true })
  const server = await startServer(['src/main.ts'], { ...LIMITS, DATA_DIR: dataDir }, log)
  try {
    return await work(server)
  } finally {
    await stopServer(server)
  }
}

/** Sends for some seconds, or until each sensor has sent its calls. @returns readings a second */
async function send(server: Server, seconds: number, calls: number): Promise<number> {
  const intervalMs = 1_000
  const firstAtMs = state.firstAtMs + state.nextCall * PER_CALL * intervalMs
  state.nextCall += calls
  writeState()
  const sent = await generate(
    {
      port: server.port,
      sensors: state.fleet,
      connections: 16,
      readingsPerCall: PER_CALL,
      repeats: 0,
      warmUpSeconds: 0,
      seconds,
      callsPerSecond: 0,
      firstAtMs,
      intervalMs,
      callsPerSensor: calls,
      seed: 1 + state.nextCall,
      envelope: true,
    },
    () => undefined,
  )
  if (sent.unexpected.length > 0) throw new Error(`unexpected answer: ${sent.unexpected[0]}`)
  state.readings += sent.accepted
  writeState()
  return sent.accepted / sent.seconds
}

async function untilLoaded(server: Server): Promise<void> {
  for (;;) {
    const text = await (await fetch(`${server.url}/metrics`)).text()
    if (Number(/^log_segments (\S+)/m.exec(text)?.[1] ?? 0) === 0) return
    await Bun.sleep(200)
  }
}

async function fill(server: Server): Promise<string> {
  const startedMs = performance.now()
  const before = state.readings
  const rates: number[] = []
  while (state.readings < MILLIONS * 1e6) {
    const calls = Math.min(CALLS, Math.ceil((MILLIONS * 1e6 - state.readings) / SENSORS / PER_CALL))
    rates.push(await send(server, 7_200, calls))
    say(`  ${(state.readings / 1e6).toFixed(0)} of ${MILLIONS} million, ${inWords(rates.at(-1) ?? 0)} a second`)
  }
  const last = rates.slice(-5)
  state.alone = last.reduce((sum, rate) => sum + rate, 0) / last.length
  await untilLoaded(server)
  const seconds = secondsSince(startedMs)
  return `${inWords(state.readings - before)} readings sent and loaded in ${seconds.toFixed(0)} s, at the end ${inWords(state.alone)} a second; DATA_DIR/clickhouse ${sizeMb(join(dataDir, 'clickhouse')).toFixed(0)} MB`
}

/** Runs a command to its end, and prints how large a folder is meanwhile. @returns seconds */
async function run(words: string[], env: Record<string, string>, grows: string): Promise<number> {
  const startedMs = performance.now()
  const command = startCommand(words, env)
  const timer = setInterval(
    () => say(`  ${words[0]}: ${secondsSince(startedMs).toFixed(0)} s, ${sizeMb(grows).toFixed(0)} MB`),
    10_000,
  )
  const { status, output } = await command.ended
  clearInterval(timer)
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${output}`)
  return secondsSince(startedMs)
}

/** Kills a command some times, each at a random moment of its first `withinS` seconds, and then lets it end. */
async function runUnderKills(words: string[], env: Record<string, string>, grows: string, withinS: number) {
  const startedMs = performance.now()
  const moments: string[] = []
  for (let kill = 0; kill < KILLS; kill++) {
    const runMs = performance.now()
    const command = startCommand(words, env)
    const afterS = random() * withinS
    const first = await Promise.race([command.ended, Bun.sleep(afterS * 1000)])
    const runS = secondsSince(runMs)
    command.kill()
    const { status, output } = await command.ended
    if (first !== undefined && status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${output}`)
    moments.push(first === undefined ? `${afterS.toFixed(1)} s` : 'after its end')
    say(`  ${words[0]} killed ${moments.at(-1)}, ${sizeMb(grows).toFixed(0)} MB`)
    // a restore that has ended would refuse a system that is not empty
    if (first !== undefined && words[0] === 'restore') return { moments, lastS: runS, allS: secondsSince(startedMs) }
  }
  const lastS = await run(words, env, grows)
  return { moments, lastS, allS: secondsSince(startedMs) }
}

async function backUpBeside(server: Server): Promise<string> {
  rmSync(archive('beside'), { recursive: true, force: true })
  let isRunning = true
  const backup = run(['backup', archive('beside')], { DATA_DIR: dataDir }, archive('beside')).finally(() => {
    isRunning = false
  })
  // awaited below
  backup.catch(() => undefined)
  const startedMs = performance.now()
  const rates: number[] = []
  do rates.push(await send(server, PART_SECONDS, PART_CALLS))
  while (isRunning && secondsSince(startedMs) < BESIDE_SECONDS)
  state.backupS = await backup
  const beside = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  return `${state.backupS.toFixed(1)} s, ${sizeMb(archive('beside')).toFixed(0)} MB; ${inWords(beside)} readings a second in its first ${secondsSince(startedMs) > BESIDE_SECONDS ? BESIDE_SECONDS : rates.length * PART_SECONDS} s, ${inWords(state.alone)} before (${(beside / state.alone).toFixed(2)})`
}

async function backUpUnderKills(server: Server): Promise<string> {
  await untilLoaded(server)
  const words = ['backup', archive('killed')]
  const { moments, lastS, allS } = await runUnderKills(words, { DATA_DIR: dataDir }, archive('killed'), state.backupS)
  return `${allS.toFixed(1)} s with kills (${moments.join(', ')}), the last run ${lastS.toFixed(1)} s, ${sizeMb(archive('killed')).toFixed(0)} MB`
}

/** The hash is a sum over the rows, so it does not depend on their order or parts. */
const contentOf = (dir: string): Content =>
  rowsIn<Content>(
    dir,
    'SELECT toString(count()) AS readings, toString(sum(cityHash64(*))) AS hash FROM readings FINAL',
  )[0] as Content

async function restoreUnderKills(): Promise<string> {
  const to = join(home, 'restored')
  rmSync(to, { recursive: true, force: true })
  const words = ['restore', archive('killed')]
  const { moments, lastS, allS } = await runUnderKills(words, { DATA_DIR: to }, to, state.backupS)
  const [there, source] = [contentOf(to), contentOf(dataDir)]
  if (there.readings !== source.readings || there.hash !== source.hash)
    throw new Error(`restored ${JSON.stringify(there)} of ${JSON.stringify(source)}`)
  return `${allS.toFixed(1)} s with kills (${moments.join(', ')}), the last run ${lastS.toFixed(1)} s; ${inWords(Number(there.readings))} readings as in the system, DATA_DIR/clickhouse ${sizeMb(join(to, 'clickhouse')).toFixed(0)} MB`
}

const startedMs = performance.now()
await step('fill', () => withServer(fill))
await step('backup beside ingestion at full speed', () => withServer(backUpBeside))
await step('backup into an empty folder', () => withServer(backUpUnderKills))
await step('another backup of the same readings', () =>
  withServer(async () => `${(await run(['backup', archive('killed')], { DATA_DIR: dataDir }, home)).toFixed(1)} s`),
)
await step('verify', async () => `${(await run(['verify', archive('killed')], {}, archive('killed'))).toFixed(1)} s`)
await step('restore', restoreUnderKills)
say(
  `${secondsSince(startedMs).toFixed(0)} s, ${(sizeMb(home) / 1024).toFixed(1)} GB of disk in ${home}, which may be deleted`,
)
process.exit(0)
