/**
 * Backup and restore of a system with many readings: time, size, and how much a backup slows ingestion down.
 *
 *   bun run bench:backup [million readings = 3] [seconds of ingestion = 10]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { rowsIn, succeed } from '../test/support/backups.ts'
import { createInstance, type MadeSensor } from '../test/support/instance.ts'
import { untilUnused } from '../test/support/processes.ts'
import { outputOf } from '../test/support/program.ts'
import { seeded } from '../test/support/random.ts'

const MILLIONS = Number(process.argv[2] ?? 3)
const SECONDS = Number(process.argv[3] ?? 10)
const SENSORS = 100
const CLIENTS = 8
const CALL = 500

const say = (text: string): void => void process.stdout.write(`${text}\n`)
const home = mkdtempSync(join(tmpdir(), 'groundwave-bench-backup-'))
const instance = await createInstance({ SENSOR_CALLS_PER_MINUTE: '1000000' })
const sizeMb = (dir: string): number => Number(outputOf('du', ['-sk', dir]).toString().split('\t')[0]) / 1024

async function timed(what: string, words: string[], env: Record<string, string>): Promise<number> {
  const startedMs = performance.now()
  await succeed(words, env)
  const seconds = (performance.now() - startedMs) / 1000
  say(`${what}: ${seconds.toFixed(1)} s, archive ${sizeMb(words[1] as string).toFixed(0)} MB`)
  return seconds
}

try {
  const organization = await instance.organization('scale')
  await instance.manage('PATCH', `/enterprises/${organization.id}`, { readingsPerDay: 1e15 })
  const sensors: MadeSensor[] = []
  for (let i = 0; i < SENSORS; i++)
    sensors.push(await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }]))
  const random = seeded(1)
  const next = sensors.map(() => Date.now() - 30 * 86_400_000)
  const levels = sensors.map(() => 20)

  /** Sends until `isOver`; @returns readings that were accepted */
  async function send(isOver: (accepted: number) => boolean): Promise<number> {
    let accepted = 0
    await Promise.all(
      Array.from({ length: CLIENTS }, async (_, client) => {
        for (let i = client; !isOver(accepted); i = (i + CLIENTS) % SENSORS) {
          const readings = Array.from({ length: CALL }, () => {
            next[i] = (next[i] as number) + 50 + Math.floor(random() * 10)
            levels[i] = (levels[i] as number) + random() - 0.5
            return {
              at: new Date(next[i] as number).toISOString(),
              values: { a: Math.round((levels[i] as number) * 10) / 10 },
            }
          })
          const response = await instance.send(sensors[i] as MadeSensor, { readings })
          if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`)
          await response.arrayBuffer()
          accepted += CALL
        }
      }),
    )
    return accepted
  }
  const perSecond = async (while_: () => boolean): Promise<number> => {
    const startedMs = performance.now()
    return ((await send(() => !while_())) * 1000) / (performance.now() - startedMs)
  }
  const forSeconds = (seconds: number): (() => boolean) => {
    const endMs = performance.now() + seconds * 1000
    return () => performance.now() < endMs
  }

  const fillMs = performance.now()
  await send((accepted) => accepted >= MILLIONS * 1e6)
  say(
    `${MILLIONS} million readings sent in ${((performance.now() - fillMs) / 1000).toFixed(0)} s; load ${outputOf('cat', ['/proc/loadavg']).toString().trim()}`,
  )
  const env = { DATA_DIR: instance.dir }
  await timed('first backup', ['backup', join(home, 'archive')], env)
  await timed('second backup, of the same readings', ['backup', join(home, 'archive')], env)

  const alone = await perSecond(forSeconds(SECONDS))
  let isRunning = true
  const backup = timed(
    'backup beside ingestion, into an empty folder',
    ['backup', join(home, 'archive-beside')],
    env,
  ).finally(() => {
    isRunning = false
  })
  const beside = await perSecond(() => isRunning)
  await backup
  const after = await perSecond(forSeconds(SECONDS))
  say(
    `accepted readings a second: ${Math.round(alone)} before, ${Math.round(beside)} beside the backup, ${Math.round(after)} after (${(beside / ((alone + after) / 2)).toFixed(2)})`,
  )
  await timed('verify', ['verify', join(home, 'archive')], env)
  await timed('restore', ['restore', join(home, 'archive')], { DATA_DIR: join(home, 'restored') })
  const [row] = rowsIn<{ readings: number }>(join(home, 'restored'), 'SELECT count() AS readings FROM readings FINAL')
  say(
    `restored ${row?.readings} readings; DATA_DIR/clickhouse ${sizeMb(join(home, 'restored/clickhouse')).toFixed(0)} MB`,
  )
} finally {
  await instance.remove()
  await untilUnused(home)
  rmSync(home, { recursive: true, force: true })
}
process.exit(0)
