/** Backups of real systems, restored elsewhere and compared row by row; kills, damage, and systems that are not empty. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { objectsOf } from '../../src/backup/manifest.ts'
import {
  derivedIn,
  fail,
  filesIn,
  manifestIn,
  metadataIn,
  READINGS,
  rollUp,
  rowsIn,
  sendTo,
  startCommand,
  startOn,
  succeed,
  tablesIn,
} from '../support/backups.ts'
import { stopServer, untilUnused } from '../support/processes.ts'
import { killRandom, whole } from '../support/random.ts'
import { rounds } from '../support/rounds.ts'
import { createInstance, type MadeSensor } from '../support/server/instance.ts'
import { ownedThings } from '../support/server/owned-things.ts'
import { segmentsIn } from '../support/stores/segments.ts'
import { until } from '../support/until.ts'

const randomFor = killRandom('backup.test.ts')
const SENSORS = 4
const CHANNELS = [{ name: 'a', measurement: 'number' as const }]
const DAY_MS = 86_400_000
const START_MS = Math.floor(Date.now() / DAY_MS) * DAY_MS - 5 * DAY_MS
const ENV = {
  SENSOR_CALLS_PER_MINUTE: '1000000',
  // small segments, so that a backup sees segments being sealed, loaded and deleted
  LOG_SEGMENT_MB: '1',
  LOAD_INTERVAL_MS: '50',
}

/** Duration of the backup in `whole`. */
let backupMs: number
const sensors: MadeSensor[] = []

const valueAt = (sensor: number, ms: number): number => ((ms / 1000) * 31 + sensor * 17) % 1000
const reading = (sensor: number, ms: number) => ({
  at: new Date(ms).toISOString(),
  values: { a: valueAt(sensor, ms) },
  ...(ms % 3000 === 0 && { location: [(ms / 1000) % 180, sensor] }),
})
const readingsFrom = (sensor: number, ms: number, count: number) =>
  Array.from({ length: count }, (_, i) => reading(sensor, ms + i * 1000))
const archive = (name: string): string => join(home, name)

const home = mkdtempSync(join(tmpdir(), 'groundwave-backup-'))
const source = await createInstance(ENV)
const organization = await source.organization('scale')
beforeAll(async () => {
  for (let i = 0; i < SENSORS; i++) sensors.push(await source.sensor(organization.id, CHANNELS, `Asset ${i}`))
  for (const [i, sensor] of sensors.entries())
    for (let n = 0; n < 4; n++) await sendTo(source.url(), sensor, readingsFrom(i, START_MS + n * 500_000, 500))
  const make = ownedThings(source)
  await make.file(organization.id)
  await make.layer(organization.id)
  await make.person()
  await source.kill('SIGTERM')
  rollUp(source.dir)
  await source.restart()
  const startedMs = performance.now()
  await succeed(['backup', archive('whole')], { DATA_DIR: source.dir })
  backupMs = performance.now() - startedMs
}, 600_000)
afterAll(async () => {
  await source.remove()
  await untilUnused(home)
  rmSync(home, { recursive: true, force: true })
})

test('a restored system has every row and every file', async () => {
  await source.kill('SIGTERM')
  const restored = archive('round/data')
  await succeed(['backup', archive('round/first')], { DATA_DIR: source.dir })
  await succeed(['verify', archive('round/first')], { DATA_DIR: source.dir })
  await succeed(['restore', archive('round/first')], { DATA_DIR: restored })
  const tables = tablesIn(source.dir)
  expect(tablesIn(restored)).toEqual(tables)
  for (const table of ['readings', 'rollup_hour', 'rollup_day', 'latest_values', 'latest_positions', 'sensors'])
    expect({ table, rows: tables[table]?.length }).not.toEqual({ table, rows: 0 })
  await succeed(['backup', archive('round/second')], { DATA_DIR: restored })
  expect(await metadataIn(archive('round/second'))).toEqual(await metadataIn(archive('round/first')))
  expect(manifestIn(archive('round/second')).postgres.sequences).toEqual(
    manifestIn(archive('round/first')).postgres.sequences,
  )
  expect(Object.keys(filesIn(join(source.dir, 'files')))).toHaveLength(1)
  expect(filesIn(join(restored, 'files'))).toEqual(filesIn(join(source.dir, 'files')))
  for (const name of ['operator.token', 'portal.secret'])
    expect(readFileSync(join(restored, name), 'utf8')).toBe(readFileSync(join(source.dir, name), 'utf8'))
  await source.restart()
}, 600_000)

test('a backup under load has every reading that was answered before it, each once', async () => {
  const accepted = sensors.map(() => new Set<number>())
  let isRunning = true
  const clients = sensors.map(async (sensor, i) => {
    const random = randomFor(i)
    for (let ms = START_MS + DAY_MS; isRunning; ) {
      const times = Array.from({ length: 1 + whole(random, 50) }, () => (ms += 250))
      const { accepted: count } = await sendTo(
        source.url(),
        sensor,
        times.map((ms) => reading(i, ms)),
      )
      if (count !== times.length) throw new Error(`${count} of ${times.length} new readings were accepted`)
      for (const time of times) (accepted[i] as Set<number>).add(time)
      await Bun.sleep(random() * 100)
    }
  })
  await until(() => accepted.every(({ size }) => size > 200), 'a first load')
  const before = accepted.map((times) => new Set(times))
  await succeed(['backup', archive('load')], { DATA_DIR: source.dir })
  const objects = filesIn(join(archive('load'), 'clickhouse/readings'))
  // the second backup copies only new data, and leaves a complete archive too
  const between = accepted.map((times) => new Set(times))
  await succeed(['backup', archive('load')], { DATA_DIR: source.dir })
  isRunning = false
  await Promise.all(clients)
  expect(Object.keys(objects).length).toBeGreaterThan(0)
  expect(before.every((times, i) => times.size < (between[i] as Set<number>).size)).toBe(true)
  expect(await succeed(['verify', archive('load')], { DATA_DIR: source.dir })).toContain('is complete')

  const restored = archive('load-data')
  const env = { ...ENV, DATA_DIR: restored }
  await succeed(['restore', archive('load')], env)
  const first = await startOn(env, home)
  await until(() => segmentsIn(join(restored, 'log')).length === 0, 'loading the log')
  await stopServer(first)
  const stored = rowsIn<{ sensor: number; ms: number; value: number; copies: number }>(
    restored,
    `SELECT sensor, toUnixTimestamp64Milli(at) AS ms, values[1] AS value, count() AS copies
     FROM readings FINAL GROUP BY sensor, at, values ORDER BY sensor, at`,
  )
  expect(stored.filter(({ copies }) => copies !== 1)).toEqual([])
  for (const [i, { number }] of sensors.entries()) {
    const own = stored.filter(({ sensor, ms }) => sensor === number && ms >= START_MS + DAY_MS)
    const times = new Set(own.map(({ ms }) => ms))
    expect([...(between[i] as Set<number>)].filter((ms) => !times.has(ms))).toEqual([])
    expect(own.filter(({ ms }) => !(accepted[i] as Set<number>).has(ms))).toEqual([])
    expect(own.filter(({ ms, value }) => value !== valueAt(i, ms))).toEqual([])
  }
  const { wrongHours, newest, newestOfReadings } = derivedIn(restored)
  expect(wrongHours).toEqual([])
  expect(newest).toEqual(newestOfReadings)

  // stored readings are duplicates, in ascending and descending order of time; others are accepted
  const second = await startOn(env, home)
  for (const [i, sensor] of sensors.entries()) {
    const times = stored.filter((row) => row.sensor === sensor.number).map(({ ms }) => ms)
    const pages = Array.from({ length: Math.ceil(times.length / 500) }, (_, n) => times.slice(n * 500, n * 500 + 500))
    for (const page of i % 2 === 0 ? pages : pages.reverse())
      expect(
        await sendTo(
          second.url,
          sensor,
          page.map((ms) => reading(i, ms)),
        ),
      ).toEqual({
        accepted: 0,
        duplicates: page.length,
      })
    const known = new Set(times)
    const later = [...(accepted[i] as Set<number>)].filter((ms) => !known.has(ms)).slice(0, 500)
    if (later.length > 0)
      expect(
        await sendTo(
          second.url,
          sensor,
          later.map((ms) => reading(i, ms)),
        ),
      ).toEqual({
        accepted: later.length,
        duplicates: 0,
      })
  }
  await stopServer(second)
}, 600_000)

test('a backup and a restore that are killed at any moment can be run again', async () => {
  const random = randomFor('kills')
  const target = archive('killed')
  const env = { ...ENV, DATA_DIR: source.dir }
  for (let kills = 0; kills < rounds(1, 3); kills++) {
    const backup = startCommand(['backup', target], env)
    await Promise.race([backup.ended, Bun.sleep(random() * backupMs)])
    backup.kill()
    await backup.ended
    if (!existsSync(join(target, 'manifest.json')) && existsSync(target))
      expect(await fail(['verify', target], env)).toMatch(/incomplete|no archive/)
  }
  await succeed(['backup', target], env)
  expect(await succeed(['verify', target], env)).toContain('is complete')

  const restored = { ...ENV, DATA_DIR: archive('killed-data') }
  const restoreMs = performance.now()
  await succeed(['restore', target], { ...ENV, DATA_DIR: archive('measured-data') })
  const restoreLastsMs = performance.now() - restoreMs
  for (let kills = 0; kills < rounds(1, 3); kills++) {
    const restore = startCommand(['restore', target], restored)
    await Promise.race([restore.ended, Bun.sleep(random() * restoreLastsMs)])
    restore.kill()
    await restore.ended
    await untilUnused(archive('killed-data'))
    if (existsSync(join(archive('killed-data'), 'restoring.json')))
      await expect(startOn(restored, home)).rejects.toThrow(/restore that was interrupted/)
    else if (existsSync(join(archive('killed-data'), 'operator.token'))) break
  }
  const { status, output } = await startCommand(['restore', target], restored).ended
  // the last backup may have been killed after its end
  if (status !== 0) expect(output).toContain('The system is not empty')
  expect(rowsIn(archive('killed-data'), READINGS)).toEqual(rowsIn(archive('measured-data'), READINGS))
  expect(existsSync(join(archive('killed-data'), 'restoring.json'))).toBe(false)
}, 600_000)

test('damaged, truncated and incomplete archives are named and not restored', async () => {
  const whole = archive('whole')
  const env = { DATA_DIR: archive('never-data') }
  const manifest = manifestIn(whole)
  const [object] = manifest.clickhouse.tables.find(({ name }) => name === 'readings')?.objects ?? []
  const name = object?.name ?? ''
  expect(objectsOf(manifest).length).toBeGreaterThan(50)
  const damages: [string, RegExp, (dir: string) => void][] = [
    [
      'a changed byte',
      /clickhouse\/readings\/\S+ has a wrong checksum/,
      (dir) => {
        const bytes = readFileSync(join(dir, name))
        const at = bytes.length >> 1
        bytes[at] = (bytes[at] as number) ^ 1
        writeFileSync(join(dir, name), bytes)
      },
    ],
    [
      'a truncated object',
      /clickhouse\/readings\/\S+ has \d+ bytes instead of \d+/,
      (dir) => truncateSync(join(dir, name), (object?.bytes ?? 0) - 1),
    ],
    ['a missing object', /clickhouse\/readings\/\S+ is missing/, (dir) => rmSync(join(dir, name))],
    ['a truncated manifest', /manifest\.json is damaged/, (dir) => truncateSync(join(dir, 'manifest.json'), 5_000)],
    ['no manifest', /is incomplete/, (dir) => rmSync(join(dir, 'manifest.json'))],
    [
      'a changed manifest',
      /manifest\.json is damaged; its checksum is wrong/,
      (dir) => edit(dir, (text) => text.replace('"rows":', '"rowz":')),
    ],
    [
      'a newer archive',
      /newer: this version does not know the migration postgres\/9999-later\.sql/,
      (dir) => seal(dir, { ...manifest, migrations: { ...manifest.migrations, postgres: ['9999-later.sql'] } }),
    ],
    ['a newer format', /archive format 99/, (dir) => seal(dir, { ...manifest, format: 99 })],
  ]
  for (const [what, message, damage] of damages) {
    const copy = archive(`damaged/${what.replaceAll(' ', '-')}`)
    cpSync(whole, copy, { recursive: true })
    damage(copy)
    expect(await fail(['restore', copy], env)).toMatch(message)
    if (what.includes('object') || what.includes('byte')) expect(await fail(['verify', copy], env)).toMatch(message)
  }
  expect(existsSync(env.DATA_DIR)).toBe(false)
  // a new backup replaces the damaged parts
  const repaired = archive('damaged/a-changed-byte')
  await succeed(['backup', repaired], { DATA_DIR: source.dir })
  expect(await succeed(['verify', repaired], env)).toContain('is complete')
}, 600_000)

function edit(dir: string, change: (text: string) => string): void {
  const path = join(dir, 'manifest.json')
  writeFileSync(path, change(readFileSync(path, 'utf8')))
}
function seal(dir: string, manifest: object): void {
  const sha256 = new Bun.CryptoHasher('sha256').update(JSON.stringify(manifest)).digest('hex')
  edit(dir, () => JSON.stringify({ sha256, manifest }))
}

test('a restore needs an empty and stopped system, and a backup an archive or an empty folder', async () => {
  const env = { DATA_DIR: source.dir }
  expect(await fail(['restore', archive('whole')], env)).toContain('A server runs on')
  await source.kill('SIGTERM')
  const rows = rowsIn(source.dir, READINGS)
  expect(await fail(['restore', archive('whole')], env)).toMatch(
    /The system is not empty: PostgreSQL has rows in .*nothing was changed/,
  )
  expect(rowsIn(source.dir, READINGS)).toEqual(rows)
  expect(await fail(['backup', dirname(source.dir)], env)).toContain('which is not of an archive')
  expect(await fail(['backup', archive('x')], { DATA_DIR: archive('missing') })).toContain('does not exist')
  expect(await fail(['verify', archive('missing')], env)).toContain('does not exist')
  expect(await fail(['backup'], env)).toContain('requires one TARGET')
  await source.restart()
}, 600_000)
