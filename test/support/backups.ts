/**
 * Runs `bun run backup`, `verify`, `restore` and `move` as processes, and reads the contents of systems and archives.
 */
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Manifest } from '../../src/backup/manifest.ts'
import { contentOf } from '../../src/backup/objects.ts'
import { openFolderArchive } from '../../src/backup/store-folder.ts'
import { withParentDeathSignal } from '../../src/stores/supervised-process.ts'
import { ROOT, type Server, startServer } from './processes.ts'
import { outputOf } from './program.ts'
import type { MadeSensor } from './server/instance.ts'

export type Command = { kill(): void; ended: Promise<{ status: number; output: string }> }

/** Starts a command with the variables of a system. */
export function startCommand(words: string[], env: Record<string, string>): Command {
  const child = Bun.spawn(
    withParentDeathSignal([process.execPath, 'src/backup/main.ts', ...words], 'SIGKILL') as string[],
    { cwd: ROOT, env: { ...process.env, ...env }, stdout: 'pipe', stderr: 'pipe' },
  )
  const output = Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
  return {
    kill: () => child.kill('SIGKILL'),
    ended: (async () => ({ status: await child.exited, output: (await output).join('') }))(),
  }
}

/** @returns its output; throws if it fails */
export async function succeed(words: string[], env: Record<string, string>): Promise<string> {
  const { status, output } = await startCommand(words, env).ended
  if (status !== 0) throw new Error(`${words.join(' ')} ended with ${status}: ${output}`)
  return output
}

/** @returns its output; throws if it succeeds */
export async function fail(words: string[], env: Record<string, string>): Promise<string> {
  const { status, output } = await startCommand(words, env).ended
  if (status !== 1) throw new Error(`${words.join(' ')} ended with ${status} instead of 1: ${output}`)
  return output
}

let logs = 0
export const startOn = (env: Record<string, string>, home: string): Promise<Server> =>
  startServer(['src/main.ts'], { PORT: '0', ...env }, join(home, `restored-${logs++}.log`))

/** Runs queries on the embedded ClickHouse of a stopped system, in one process: each process takes a second or more. */
const allRowsIn = (dataDir: string, queries: readonly string[]): unknown[][] =>
  outputOf(process.execPath, ['test/support/stores/query.ts', dataDir, ...queries], { cwd: ROOT })
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as unknown[])

export const rowsIn = <T>(dataDir: string, query: string): T[] => allRowsIn(dataDir, [query])[0] as T[]

export const rollUp = (dataDir: string): void =>
  void outputOf(process.execPath, ['test/support/stores/roll-up.ts', dataDir], { cwd: ROOT })

export type Answered = { accepted: number; duplicates: number }

/** Sends readings until the server accepts them. */
export async function sendTo(url: string, { id, key }: MadeSensor, readings: object[]): Promise<Answered> {
  const response = await fetch(`${url}/sensors/${id}/readings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ readings }),
  })
  const { code, data } = (await response.json()) as { code: string; data: { accepted: string[]; duplicates: string[] } }
  if (code !== 'SENSOR_READINGS_RESULT') throw new Error(`${response.status} ${code}`)
  return { accepted: data.accepted.length, duplicates: data.duplicates.length }
}

export const manifestIn = (archive: string): Manifest =>
  (JSON.parse(readFileSync(join(archive, 'manifest.json'), 'utf8')) as { manifest: Manifest }).manifest

/** All rows of the metadata by table, as lines of JSON in a fixed order. */
export async function metadataIn(archive: string): Promise<Record<string, string[]>> {
  const store = await openFolderArchive(archive, false)
  const found: Record<string, string[]> = {}
  for (const { name, objects } of manifestIn(archive).postgres.tables) {
    let text = ''
    for (const object of objects)
      for await (const piece of contentOf(store, object)) text += Buffer.from(piece).toString('utf8')
    found[name] = text.split('\n').sort()
  }
  return found
}

/** Paths below a folder with the digests of their content. */
export const filesIn = (dir: string): Record<string, string> =>
  Object.fromEntries(
    readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
      .map((path) => [path.slice(dir.length), createHash('sha256').update(readFileSync(path)).digest('hex')]),
  )

/** Every row of the tables that hold readings or their aggregates. */
export const READINGS = 'SELECT * FROM readings FINAL ORDER BY sensor, at'
const TABLES = {
  readings: READINGS,
  rollup_minute: 'SELECT * FROM rollup_minute FINAL ORDER BY sensor, channel, bucket',
  rollup_hour: 'SELECT * FROM rollup_hour FINAL ORDER BY sensor, channel, bucket',
  rollup_day: 'SELECT * FROM rollup_day FINAL ORDER BY sensor, channel, bucket',
  rollup_hours: 'SELECT * FROM rollup_hours FINAL ORDER BY sensor, hour',
  latest_values: 'SELECT * FROM latest_values FINAL ORDER BY sensor, channel',
  latest_positions:
    'SELECT enterprise, sensor, at, longitude, latitude, keep_days FROM latest_positions FINAL ORDER BY sensor',
  zone_events: 'SELECT * FROM zone_events FINAL ORDER BY enterprise, rule, at, sensor',
  sensors: 'SELECT sensor, sensor_id, enterprise_id, asset_name FROM sensors FINAL ORDER BY sensor',
  channels: 'SELECT sensor, channel, name, measurement, unit FROM channels FINAL ORDER BY sensor, channel',
}

/** The rows of all these tables as lines of JSON, by table, in one statement: each process takes seconds on a busy machine. */
export function tablesIn(dataDir: string): Record<string, string[]> {
  const queries = Object.entries(TABLES).map(
    ([table, query]) =>
      `SELECT '${table}' AS table, groupArray(formatRowNoNewline('JSONCompactEachRow', *)) AS lines FROM (${query})`,
  )
  const found = rowsIn<{ table: string; lines: string[] }>(dataDir, queries.join(' UNION ALL '))
  return Object.fromEntries(found.map(({ table, lines }) => [table, lines]))
}

/** Rollups that differ from the readings of the same system, and its newest values as stored and as computed. */
export function derivedIn(dataDir: string) {
  const [wrongHours, newest, newestOfReadings] = allRowsIn(dataDir, [
    `SELECT * FROM
       (SELECT sensor, bucket, count, sum, min, max, first, last FROM rollup_hour FINAL
        WHERE (sensor, bucket) NOT IN (SELECT sensor, hour FROM rollup_hours GROUP BY sensor, hour HAVING max(changed_at) > max(rolled_at)))
       AS r FULL OUTER JOIN
       (SELECT sensor, toStartOfHour(toDateTime(at)) AS bucket, count() AS count, sum(values[1]) AS sum, min(values[1]) AS min,
          max(values[1]) AS max, argMin(values[1], at) AS first, argMax(values[1], at) AS last FROM readings FINAL
        WHERE (sensor, bucket) NOT IN (SELECT sensor, hour FROM rollup_hours GROUP BY sensor, hour HAVING max(changed_at) > max(rolled_at))
        GROUP BY sensor, bucket) AS t
     ON r.sensor = t.sensor AND r.bucket = t.bucket
     WHERE (r.count, r.sum, r.min, r.max, r.first, r.last) != (t.count, t.sum, t.min, t.max, t.first, t.last)`,
    'SELECT sensor, at, value FROM latest_values FINAL ORDER BY sensor',
    'SELECT sensor, max(r.at) AS at, argMax(r.values[1], r.at) AS value FROM readings AS r FINAL GROUP BY sensor ORDER BY sensor',
  ]) as [unknown[], unknown[], unknown[]]
  return { wrongHours, newest, newestOfReadings }
}
