/** ClickHouse (chDB): storing segments, retention, and the views of analysts. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clusterFiles, clusterStatements } from '../../../../src/cli/cluster-sql.ts'
import { appendReading, createBatch, resetBatch, sensorProfile } from '../../../../src/ingest/batch.ts'
import { ROW_STRUCTURE, writeMark } from '../../../../src/ingest/row.ts'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from '../../../../src/stores/clickhouse/embedded.ts'
import { migrateClickHouse } from '../../../../src/stores/clickhouse/migrate.ts'
import {
  newestTimes,
  readingsBetween,
  storedTimes,
  storedTimesBetween,
  storeSegmentFile,
} from '../../../../src/stores/clickhouse/readings.ts'
import { readMigrations } from '../../../../src/stores/migrations.ts'
import { ROOT } from '../../../support/processes.ts'

let dir = ''
let clickhouse: ClickHouse
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'groundwave-ch-'))
  clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
  await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
  // a second time, as at every start
  await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
}, 120_000)
afterAll(async () => {
  await clickhouse.close()
  rmSync(dir, { recursive: true })
})

type Row = { sensor: number; atMs: number; values?: number[]; retentionDays?: number; location?: [number, number] }
let files = 0
function segmentFile(rows: Row[]): string {
  const batch = createBatch()
  resetBatch(batch, Date.now())
  for (const { sensor, atMs, values = [1], retentionDays = 365, location } of rows) {
    for (const [i, value] of values.entries()) {
      batch.channelNumbers[i] = i + 1
      batch.values[i] = value
    }
    const [longitude, latitude] = location ?? [Number.NaN, Number.NaN]
    appendReading(batch, sensorProfile(1, sensor, retentionDays, []), atMs, values.length, longitude, latitude)
  }
  const length = batch.rowEnds[batch.count] as number
  const bytes = new Uint8Array(length + 100)
  bytes.set(batch.rows.subarray(0, length))
  const end = writeMark(bytes, new DataView(bytes.buffer), length, { length, rows: rows.length, stamp: 0n })
  const path = join(dir, `segment-${files++}.rows`)
  writeFileSync(path, bytes.subarray(0, end))
  return path
}
const store = (rows: Row[], token: string): Promise<void> =>
  storeSegmentFile(clickhouse, { path: segmentFile(rows), oldest: new Map() }, ROW_STRUCTURE, token)
async function count(sensor: number, final = ''): Promise<number> {
  const [row] = await clickhouse.rows<{ n: number }>(
    `SELECT count() AS n FROM readings ${final} WHERE sensor = {sensor:UInt32}`,
    { sensor },
  )
  return row?.n ?? -1
}
const { signal } = new AbortController()
const NOW = Math.floor(Date.now() / 1000) * 1000

test('a segment inserted twice with its id is stored once; with another id its readings are still deduplicated', async () => {
  const rows = Array.from({ length: 100 }, (_, i) => ({ sensor: 1, atMs: NOW - i * 1000 }))
  await store(rows, 'segment-a')
  await store(rows, 'segment-a')
  expect(await count(1)).toBe(100)
  await store(rows, 'segment-b')
  expect(await count(1)).toBe(200)
  expect(await count(1, 'FINAL')).toBe(100)
  expect(await readingsBetween(clickhouse, 1, { fromMs: NOW - 1e9, toMs: NOW + 1, limit: 1000 }, signal)).toHaveLength(
    100,
  )
})

test('if ClickHouse crashes between noting a token and storing its rows, only a new token stores the rows', async () => {
  const path = segmentFile([{ sensor: 9, atMs: Date.UTC(2020, 0, 1), retentionDays: 18_250 }])
  const storeAgain = (token: string): Promise<void> =>
    storeSegmentFile(clickhouse, { path, oldest: new Map() }, ROW_STRUCTURE, token)
  await storeAgain('attempt-1')
  const [part] = await clickhouse.rows<{ path: string }>(
    "SELECT path FROM system.parts WHERE active AND table = 'readings' AND partition = '202001'",
  )
  await clickhouse.close()
  // the crash would have prevented this part
  rmSync(part?.path as string, { recursive: true })
  clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
  await storeAgain('attempt-1')
  expect(await count(9)).toBe(0)
  await storeAgain('attempt-2')
  expect(await count(9)).toBe(1)
})

test('marks are not stored as rows', async () => {
  expect(await count(0)).toBe(0)
})

test('stored readings are found by time, over many months', async () => {
  const months = Array.from({ length: 120 }, (_, i) => NOW - i * 30 * 86_400_000)
  await store(
    months.map((atMs) => ({ sensor: 2, atMs, retentionDays: 18_250 })),
    'segment-c',
  )
  const asked = [...months, NOW - 1, NOW - 86_400_000]
  expect(await storedTimes(clickhouse, { sensor: 2, retentionDays: 18_250 }, asked)).toEqual(new Set(months))
  expect(await storedTimes(clickhouse, { sensor: 3, retentionDays: 18_250 }, asked)).toEqual(new Set())
  expect(await newestTimes(clickhouse, [1, 2, 3])).toEqual(
    new Map([
      [1, NOW],
      [2, NOW],
    ]),
  )
})

test('a stored reading that is about to be deleted does not make another one a duplicate', async () => {
  const day = 86_400_000
  const ages = [100, 89.99, 80].map((days) => NOW - days * day)
  await store(
    ages.map((atMs) => ({ sensor: 11, atMs, retentionDays: 90 })),
    'segment-kept',
  )
  // rows of a shorter retention than the sensor has now: the one of 89.99 days is deleted within an hour
  expect(await storedTimes(clickhouse, { sensor: 11, retentionDays: 365 }, ages)).toEqual(new Set(ages.slice(2)))
  expect(await storedTimesBetween(clickhouse, { sensor: 11, retentionDays: 365 }, 0, NOW)).toEqual(ages.slice(2))
  expect(await storedTimes(clickhouse, { sensor: 11, retentionDays: 90 }, ages.slice(1))).toEqual(
    new Set(ages.slice(1)),
  )
})

test('each row is kept for its enterprise’s retention', async () => {
  const day = 86_400_000
  await store(
    [
      { sensor: 4, atMs: NOW - 10 * day, retentionDays: 9 },
      { sensor: 4, atMs: NOW - 10 * day + 1, retentionDays: 11 },
      { sensor: 4, atMs: NOW - 40 * 365 * day, retentionDays: 18_250 },
    ],
    'segment-d',
  )
  await clickhouse.write('OPTIMIZE TABLE readings FINAL')
  const left = await readingsBetween(clickhouse, 4, { fromMs: 0, toMs: NOW + 1, limit: 10 }, signal)
  expect(left.map(([ms]) => ms)).toEqual([NOW - 40 * 365 * day, NOW - 10 * day + 1])
})

test('analysts read names, units and positions', async () => {
  await clickhouse.write(
    `INSERT INTO sensors VALUES (5, 'sen_5', 1, 'ent_1', 'ass_1', 'Old name', 1), (5, 'sen_5', 1, 'ent_1', 'ass_1', 'Pump', 2)`,
  )
  await clickhouse.write(
    `INSERT INTO channels VALUES (1, 5, 1, 'temperature', 'number', '°C', 1), (1, 5, 2, 'حرارة', 'whole', '', 1)`,
  )
  await store(
    [
      { sensor: 5, atMs: NOW, values: [20.5, 7], location: [12.5, 41.9] },
      { sensor: 5, atMs: NOW + 1, values: [21] },
    ],
    'segment-e',
  )
  const named = await clickhouse.rows(
    `SELECT enterprise_id, sensor_id, asset_name, channel, unit, toUnixTimestamp64Milli(at) AS ms, value FROM readings_named WHERE sensor_id = 'sen_5' ORDER BY ms, channel`,
  )
  const common = { enterprise_id: 'ent_1', sensor_id: 'sen_5', asset_name: 'Pump' }
  expect(named).toEqual([
    { ...common, channel: 'temperature', unit: '°C', ms: NOW, value: 20.5 },
    { ...common, channel: 'حرارة', unit: '', ms: NOW, value: 7 },
    { ...common, channel: 'temperature', unit: '°C', ms: NOW + 1, value: 21 },
  ])
  expect(await clickhouse.rows('SELECT longitude, latitude FROM positions WHERE sensor = 5')).toEqual([
    { longitude: 12.5, latitude: 41.9 },
  ])
})

test('a lookup reads the granules of its sensor, not the whole table', async () => {
  const rows = Array.from({ length: 400 }, (_, i) => ({ sensor: 100 + (i % 200), atMs: NOW - i }))
  await store(rows, 'segment-f')
  await clickhouse.write(
    `INSERT INTO readings SELECT 1, 1000 + number % 50, fromUnixTimestamp64Milli({now:Int64} - number, 'UTC'), [1], [1.0], nan, nan, now64(3), 365 FROM numbers(500000)`,
    { now: NOW },
  )
  const explained = await clickhouse.rows<{ explain: string }>(
    `EXPLAIN indexes = 1 SELECT at FROM readings WHERE sensor = 1007 AND at IN (SELECT fromUnixTimestamp64Milli(arrayJoin([{now:Int64}, {now:Int64} - 7]), 'UTC'))`,
    { now: NOW },
  )
  const granules = explained.map(({ explain }) => /Granules: (\d+)\/(\d+)/.exec(explain)).filter((m) => m !== null)
  const last = granules.at(-1) as RegExpExecArray
  expect(Number(last[1])).toBeLessThan(Number(last[2]) / 3)
})

test('the SQL for clusters and for analysts is valid ClickHouse SQL', async () => {
  for (const folder of ['cluster', 'access']) {
    const migrations = await readMigrations(join(ROOT, 'sql/clickhouse', folder))
    const statements = migrations.flatMap((migration) => migration.statements)
    expect(statements.length).toBeGreaterThan(5)
    for (const statement of statements)
      expect(await clickhouse.rows('SELECT length(formatQuery({statement:String})) > 10 AS ok', { statement })).toEqual(
        [{ ok: 1 }],
      )
  }
  await expect(clickhouse.rows("SELECT formatQuery('CREATE TABEL x')")).rejects.toThrow()
})

test('the SQL for clusters equals the output of "bun run cluster-sql"', async () => {
  const generated = await clusterFiles()
  const dir = join(ROOT, 'sql/clickhouse/cluster')
  expect(readdirSync(dir).sort()).toEqual([...generated.keys()].sort())
  for (const [name, sql] of generated) expect(readFileSync(join(dir, name), 'utf8')).toBe(sql)
})

test('a statement without a cluster rule fails', () => {
  for (const statement of ['CREATE DICTIONARY d (a UInt8) PRIMARY KEY a', 'ALTER TABLE readings DROP COLUMN a'])
    expect(() => clusterStatements(`${statement};`)).toThrow('no rule')
})

test('on a cluster the tables have the same columns and views', async () => {
  const [alone, cluster] = await Promise.all(
    ['sql/clickhouse', 'sql/clickhouse/cluster'].map(async (folder) => {
      const statements = (await readMigrations(join(ROOT, folder))).flatMap((migration) => migration.statements)
      const bodies = statements.map((statement) =>
        statement.replace(/ON CLUSTER '\{cluster\}'/, '').replace(/\s+/g, ' '),
      )
      return {
        columns: bodies
          .map(
            (body) => /\((enterprise .*|sensor .*?)\) ENGINE/.exec(body.replace(/\( /g, '(').replace(/ \)/g, ')'))?.[1],
          )
          .filter(Boolean),
        views: bodies
          .filter((body) => /^CREATE (OR REPLACE )?VIEW/.test(body))
          .map((body) => body.replace(/ {2,}/g, ' ')),
      }
    }),
  )
  expect(cluster?.columns).toEqual(alone?.columns as string[])
  expect(alone?.columns).toHaveLength(14)
  expect(cluster?.views).toEqual(alone?.views as string[])
})

test('row policies restrict an analyst to one enterprise, in tables and in views', async () => {
  const home = join(dir, 'analyst')
  mkdirSync(home)
  const queries = [
    'SELECT count(), groupUniqArray(enterprise) FROM readings',
    'SELECT groupArray(sensor_id) FROM sensors',
    'SELECT groupArray(sensor) FROM channels',
    'SELECT count(), groupUniqArray(enterprise) FROM positions',
    'SELECT count(), groupUniqArray(enterprise_id) FROM readings_named',
    'SELECT count(), groupUniqArray(enterprise_id) FROM latest_named',
    'SELECT count(), groupUniqArray(enterprise_id) FROM live_named',
    'SELECT sum(count), groupUniqArray(enterprise_id) FROM readings_by_hour',
    'SELECT sum(count), groupUniqArray(enterprise_id) FROM readings_by_day',
    'SELECT count(), groupUniqArray(enterprise_id) FROM zone_events_named',
    'SELECT count(), groupUniqArray(enterprise) FROM latest_values',
  ]
  const child = Bun.spawn([process.execPath, join(ROOT, 'test/support/stores/query-as-analyst.ts'), home, ...queries], {
    cwd: ROOT,
  })
  const { policies, found } = (await new Response(child.stdout).json()) as { policies: number; found: string[] }
  expect(policies).toBe(10)
  expect(found.map((line) => JSON.parse(line))).toEqual([
    [5, [7]],
    [['sen_7']],
    [[61]],
    [5, [7]],
    [5, ['ent_7']],
    [1, ['ent_7']],
    [1, ['ent_7']],
    // of the readings, because their hour waits
    [5, ['ent_7']],
    [5, ['ent_7']],
    [1, ['ent_7']],
    [1, [7]],
  ])
}, 120_000)

test('every table has a comment, and every column of the tables for analysts', async () => {
  const tables = await clickhouse.rows<{ name: string; comment: string }>(
    "SELECT name, comment FROM system.tables WHERE database = currentDatabase() AND engine != 'MaterializedView' AND name != 'migrations'",
  )
  expect(tables.length).toBe(22)
  expect(tables.filter(({ comment }) => comment === '')).toEqual([])
  const silent = await clickhouse.rows(
    "SELECT table, name FROM system.columns WHERE database = currentDatabase() AND table IN ('readings', 'sensors', 'channels', 'zone_events') AND comment = ''",
  )
  expect(silent).toEqual([])
})
