/**
 * One long run in which the embedded server is killed with SIGKILL under load, and readings that were lost, doubled or
 * changed are counted: `bun run bench kills [kills = 1000] [folder = data/kills] [seed]`. The server keeps its data
 * from one kill to the next. After each round of kills the readings of the round are compared with the readings sent,
 * and the state is written, so the same command continues a run that was interrupted; kills of an unfinished round do
 * not count. At the start and at the end, the readings of all rounds are counted again. Exits with 1 if anything is
 * wrong.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { withParentDeathSignal } from '../src/stores/supervised-process.ts'
import { rowsIn } from '../test/support/backups.ts'
import { familyOf, ROOT } from '../test/support/processes.ts'
import { type Random, seeded, whole } from '../test/support/random.ts'
import { createInstance, type Instance, type MadeSensor } from '../test/support/server/instance.ts'
import { CHANNELS, type KillCount, startKillClients } from '../test/support/server/kill-clients.ts'
import { load, say } from './support/tool-harness.ts'

const ENV = {
  SENSOR_CALLS_PER_MINUTE: '1000000',
  // small segments, so that kills also hit sealing, loading and deleting; little memory, so that claims are evicted
  LOG_SEGMENT_MB: '1',
  LOAD_INTERVAL_MS: '50',
  CLAIMS_MEMORY_MB: '1',
}
const KILLS_PER_ROUND = 20
const SENSORS = 8
const PAUSE_MS = 100
const FAULTS = ['lost', 'neverSent', 'doubled', 'changed'] as const

type State = {
  seed: number
  rounds: number
  kills: { server: number; family: number; start: number }
  calls: number
  seconds: number
  faults: Record<(typeof FAULTS)[number], number>
  /** Of each sensor, how many readings are stored, and the sum of their second values. */
  sensors: { sensor: number; stored: number; sum: number }[]
}

const wanted = Number(process.argv[2] ?? 1000)
const home = resolve(ROOT, process.argv[3] ?? 'data/kills')
const stateFile = join(home, 'state.json')
mkdirSync(home, { recursive: true })
const state: State = existsSync(stateFile)
  ? (JSON.parse(readFileSync(stateFile, 'utf8')) as State)
  : {
      seed: Number(process.argv[4] ?? whole(Math.random, 2 ** 31)),
      rounds: 0,
      calls: 0,
      seconds: 0,
      sensors: [],
      kills: { server: 0, family: 0, start: 0 },
      faults: { lost: 0, neverSent: 0, doubled: 0, changed: 0 },
    }
const killsOf = ({ server, family, start }: State['kills']): number => server + family + start

/** Whole or not at all: this program may be killed too. */
function writeState(): void {
  writeFileSync(`${stateFile}.new`, JSON.stringify(state))
  renameSync(`${stateFile}.new`, stateFile)
}

/** Counts the readings of all rounds in the folder of a stopped server; later kills must not have changed them. */
function checkAll(): void {
  const rows = rowsIn<{ sensor: number; stored: number; sum: number }>(
    join(home, 'data'),
    'SELECT sensor, count() AS stored, sum(values[2]) AS sum FROM readings FINAL GROUP BY sensor',
  )
  const found = new Map(rows.map((row) => [row.sensor, row]))
  const wrong = state.sensors.filter(({ sensor, stored, sum }) => {
    const row = found.get(sensor)
    return row?.stored !== stored || row.sum !== sum
  })
  if (wrong.length > 0)
    throw new Error(
      `readings of earlier rounds changed: ${JSON.stringify(wrong.map((row) => [row, found.get(row.sensor)]))}`,
    )
  const total = state.sensors.reduce((sum, { stored }) => sum + stored, 0)
  say(`all ${total.toLocaleString('en')} readings of ${state.rounds} rounds are stored once`)
}

/** Starts the server and kills it at a random moment before it listens, or soon after. */
async function killStart(random: Random, startMs: number): Promise<void> {
  const command = withParentDeathSignal([process.execPath, 'src/main.ts'], 'SIGKILL') as string[]
  const log = Bun.file(join(home, 'log-start'))
  const child = Bun.spawn(command, {
    cwd: ROOT,
    stdout: log,
    stderr: log,
    env: { UV_THREADPOOL_SIZE: '16', ...process.env, ...ENV, DATA_DIR: join(home, 'data'), PORT: '0' },
  })
  await Bun.sleep(random() * startMs)
  if (child.exitCode !== null) throw new Error(`the server ended with ${child.exitCode}: ${await log.text()}`)
  child.kill('SIGKILL')
  await child.exited
}

async function killAll(instance: Instance): Promise<void> {
  for (const pid of familyOf(instance.pid()))
    try {
      process.kill(pid, 'SIGKILL')
    } catch {
      // ended with the server
    }
  await instance.kill('SIGKILL')
}

async function round(instance: Instance): Promise<void> {
  const name = `${state.seed} ${state.rounds}`
  const randomOf = (loop: string | number): Random => seeded(Bun.hash.crc32(`${name} ${loop}`))
  const random = randomOf('kills')
  const organization = await instance.organization('scale')
  const sensors: MadeSensor[] = []
  for (let i = 0; i < SENSORS; i++) sensors.push(await instance.sensor(organization.id, CHANNELS))
  const clients = startKillClients({ instance, organization, sensors, randomOf, pauseMs: PAUSE_MS })
  const beganMs = performance.now()
  const kills = { server: 0, family: 0, start: 0 }
  let startMs = 2_000
  while (killsOf(kills) < KILLS_PER_ROUND) {
    await Bun.sleep(50 + random() * 900)
    const choice = random()
    if (choice < 0.2) {
      await killAll(instance)
      kills.family++
    } else {
      await instance.kill('SIGKILL')
      kills.server++
    }
    if (choice > 0.8 && killsOf(kills) < KILLS_PER_ROUND) {
      await killStart(random, startMs)
      kills.start++
    }
    const startedMs = performance.now()
    await instance.restart()
    startMs = performance.now() - startedMs
  }
  const counts = await clients.stop()
  state.rounds++
  state.calls += clients.answers()
  state.seconds += (performance.now() - beganMs) / 1000
  for (const kind of ['server', 'family', 'start'] as const) state.kills[kind] += kills[kind]
  for (const count of counts) {
    for (const fault of FAULTS) state.faults[fault] += count[fault].length
    state.sensors.push({ sensor: count.sensor, stored: count.stored, sum: count.sum })
  }
  writeState()
  const faulty = counts.filter((count: KillCount) => FAULTS.some((fault) => count[fault].length > 0))
  for (const { sensor, ...count } of faulty)
    say(
      `sensor ${sensor}: ${FAULTS.map((fault) => `${fault} ${JSON.stringify(count[fault].slice(0, 20))}`).join(', ')}`,
    )
  const stored = counts.reduce((sum, count) => sum + count.stored, 0)
  say(
    `${killsOf(state.kills)} of ${wanted} kills; round ${state.rounds}: ${stored.toLocaleString('en')} readings, ${faulty.length} of ${counts.length} sensors wrong, ${((performance.now() - beganMs) / 1000).toFixed(0)} s; load ${load()}`,
  )
}

writeState()
say(`seed ${state.seed}, ${killsOf(state.kills)} kills before, in ${home}`)
if (state.sensors.length > 0) checkAll()
if (killsOf(state.kills) < wanted) {
  // a log of an earlier invocation names its port
  for (const name of readdirSync(home)) if (name.startsWith('log-')) rmSync(join(home, name))
  const instance = await createInstance(ENV, home)
  while (killsOf(state.kills) < wanted) await round(instance)
  await instance.kill('SIGTERM')
  checkAll()
}
say(
  `${JSON.stringify(state.kills)} kills in ${state.seconds.toFixed(0)} s, ${state.calls.toLocaleString('en')} calls: ${JSON.stringify(state.faults)}`,
)
process.exit(FAULTS.some((fault) => state.faults[fault] > 0) ? 1 : 0)
