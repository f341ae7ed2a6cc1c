/**
 * Groundwave's use of a ClickHouse server. With CLICKHOUSE_TEST_URL it runs on that server, in a new database that it
 * drops, and with CLICKHOUSE_TEST_CLUSTER (the name of a cluster, which the macro {cluster} must have too) also on that
 * cluster. Without, it runs on the bridge to chDB, which has no users, Keeper or backup disks: tests that need a real
 * server are skipped, and the title says why.
 *
 *   CLICKHOUSE_TEST_URL=http://default:secret@127.0.0.1:8123/default bun test --timeout 120000
 * test/server/stores/clickhouse/clickhouse-server.test.ts
 *
 * The user needs the rights to create databases, users, roles and row policies. CLICKHOUSE_TEST_BACKUP is the
 * destination of a backup, such as Disk('backups', 'groundwave-test').
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { appendReading, createBatch, resetBatch, sensorProfile } from '../../../../src/ingest/batch.ts'
import { ROW_STRUCTURE, writeMark } from '../../../../src/ingest/row.ts'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { countToDelete, deleteRange } from '../../../../src/stores/clickhouse/maintenance/deletion-statements.ts'
import { startRollups } from '../../../../src/stores/clickhouse/maintenance/rollups.ts'
import { migrateClickHouse } from '../../../../src/stores/clickhouse/migrate.ts'
import { newestTimes, storedTimes, storeSegmentFile } from '../../../../src/stores/clickhouse/readings.ts'
import { openServerClickHouse } from '../../../../src/stores/clickhouse/server.ts'
import { ROOT } from '../../../support/processes.ts'
import { openReadingStore, type ReadingStore } from '../../../support/stores/reading-stores.ts'
import { clusterStatements } from '../../../support/stores/two-shards.ts'

const TIMEOUT_MS = 60_000
const url = process.env.CLICKHOUSE_TEST_URL
const cluster = process.env.CLICKHOUSE_TEST_CLUSTER
const backup = process.env.CLICKHOUSE_TEST_BACKUP
const onRealServer = test.skipIf(url === undefined)
const why = url === undefined ? ' (skipped: set CLICKHOUSE_TEST_URL, the bridge has no users)' : ''
const onCluster = cluster === undefined ? '' : ` ON CLUSTER '${cluster}'`
const database = `groundwave_test_${randomUUID().replaceAll('-', '')}`
const NOW = Math.floor(Date.now() / 3_600_000) * 3_600_000
const HOUR_MS = 3_600_000

let bridge: ReadingStore | undefined
let administrator: ClickHouse | undefined
let clickhouse: ClickHouse
let dir = ''

const inDatabase = (user?: string, password = ''): string => {
  const target = new URL(url as string)
  target.pathname = `/${database}`
  if (user !== undefined) Object.assign(target, { username: user, password })
  return String(target)
}

beforeAll(async () => {
  // its folder is also where segments are written
  bridge = await openReadingStore('server')
  dir = bridge.dir
  if (url === undefined) {
    clickhouse = bridge.clickhouse
    return
  }
  administrator = openServerClickHouse(url, TIMEOUT_MS)
  await administrator.write(`CREATE DATABASE ${database}${onCluster}`)
  clickhouse = openServerClickHouse(inDatabase(), TIMEOUT_MS)
  if (cluster !== undefined)
    for (const statement of clusterStatements()) await clickhouse.write(statement, {}, CLUSTER_SETTINGS)
  await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
}, 120_000)
afterAll(async () => {
  if (administrator !== undefined) {
    await administrator.write(`DROP DATABASE IF EXISTS ${database}${onCluster} SYNC`)
    await clickhouse.close()
    await administrator.close()
  }
  await bridge?.remove()
}, 120_000)

const CLUSTER_SETTINGS = { distributed_ddl_task_timeout: 60 }
const count = async (sql: string): Promise<number> =>
  Number((await clickhouse.rows<{ n: number }>(`SELECT count() AS n FROM ${sql}`))[0]?.n)

let files = 0
/** A batch of the log; its readings have the values `first`, `first` + 1 and so on. */
function batchOf(sensor: number, times: readonly number[], first: number): Uint8Array {
  const batch = createBatch()
  resetBatch(batch, Date.now())
  for (const [i, atMs] of times.entries()) {
    batch.channelNumbers[0] = 1
    batch.values[0] = first + i
    appendReading(batch, sensorProfile(1 + (sensor % 2), sensor, 365, []), atMs, 1, 10 + sensor, 50)
  }
  const length = batch.rowEnds[batch.count] as number
  const bytes = new Uint8Array(length + 100)
  bytes.set(batch.rows.subarray(0, length))
  const mark = { length, rows: times.length, stamp: 0n }
  return bytes.subarray(0, writeMark(bytes, new DataView(bytes.buffer), length, mark))
}
function segmentOf(sensor: number, times: readonly number[]): string {
  const path = join(dir, `server-${files++}.rows`)
  writeFileSync(path, Buffer.concat([0, 350].map((from) => batchOf(sensor, times.slice(from, from + 350), from))))
  return path
}
const times = Array.from({ length: 700 }, (_, i) => NOW - 3 * HOUR_MS + i * 5_000)

test('migrations are recorded, and a second start changes nothing', async () => {
  const before = await clickhouse.rows('SELECT number, name FROM migrations ORDER BY number')
  expect(before.length).toBeGreaterThan(9)
  await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
  expect(await clickhouse.rows('SELECT number, name FROM migrations ORDER BY number')).toEqual(before)
})

test('a segment inserted again with its token is stored once; with another token FINAL leaves one copy', async () => {
  const path = segmentOf(1, times)
  for (const token of ['token-a', 'token-a'])
    await storeSegmentFile(clickhouse, { path, oldest: new Map() }, ROW_STRUCTURE, token)
  expect(await count('readings WHERE sensor = 1')).toBe(times.length)
  await storeSegmentFile(clickhouse, { path, oldest: new Map() }, ROW_STRUCTURE, 'token-b')
  expect(await count('readings FINAL WHERE sensor = 1')).toBe(times.length)
  expect(await newestTimes(clickhouse, [1])).toEqual(new Map([[1, Math.max(...times)]]))
})

test('very many parameters are sent in the statement, not in the URL', async () => {
  const many = Array.from({ length: 50_000 }, (_, i) => NOW - 10 * 24 * HOUR_MS - i)
  const known = await storedTimes(clickhouse, { sensor: 1, retentionDays: 365 }, [...many, ...times.slice(0, 3)])
  expect(known).toEqual(new Set(times.slice(0, 3)))
  const text = `it's a \\ back\\nslash, a\ttab and {sensor:UInt32} ${'é'.repeat(5_000)}`
  expect(await clickhouse.rows('SELECT {text:String} AS text, {n:UInt32} AS n', { text, n: 7 })).toEqual([
    { text, n: 7 },
  ])
})

test('hours that are over are aggregated by minutes, hours and days', async () => {
  const rollups = startRollups(clickhouse, (error) => {
    throw error
  })
  try {
    expect(await rollups.refresh()).toBe(true)
  } finally {
    await rollups.stop()
  }
  const [hour] = await clickhouse.rows<{ count: number; sum: number; first: number; last: number }>(
    'SELECT count, sum, first, last FROM rollup_hour FINAL WHERE sensor = 1 ORDER BY bucket LIMIT 1',
  )
  expect(hour).toMatchObject({ count: 700, sum: (699 * 700) / 2, first: 0, last: 699 })
  expect(await count('rollup_minute FINAL WHERE sensor = 1')).toBe(Math.ceil((700 * 5) / 60))
})

test('a deletion rewrites readings and leaves their times, on every shard', async () => {
  await storeSegmentFile(clickhouse, { path: segmentOf(2, times), oldest: new Map() }, ROW_STRUCTURE, 'token-c')
  for (const sensor of [1, 2]) {
    const range = {
      sensor,
      fromMs: times[100] as number,
      toMs: times[200] as number,
      channels: undefined,
      isRefill: false,
    }
    expect(await countToDelete(clickhouse, range)).toBe(100)
    await deleteRange(clickhouse, range, { id: `del_server_${sensor}`, isStopped: () => false })
    expect(await count(`readings FINAL WHERE sensor = ${sensor} AND notEmpty(channels)`)).toBe(600)
    expect(await count(`readings FINAL WHERE sensor = ${sensor}`)).toBe(700)
  }
}, 120_000)

onRealServer(
  `row policies restrict an analyst to one enterprise${why}`,
  async () => {
    const analyst = `analyst_${database}`
    const access = await Bun.file(join(ROOT, 'sql/clickhouse/access/0001-analysts.sql')).text()
    const statements = access
      .replace(/--.*$/gm, '')
      .split(/;\s*$/m)
      .map((statement) => statement.trim())
      .filter((statement) => statement !== '')
    try {
      for (const statement of statements) {
        const everywhere = statement.replace(
          /(ROW POLICY IF NOT EXISTS \w+|ROLE IF NOT EXISTS \w+|GRANT)/,
          `$1${onCluster}`,
        )
        await clickhouse.write(everywhere)
        if (cluster !== undefined && /ROW POLICY/.test(statement) && !/ON (sensors|channels)\b/.test(statement))
          await clickhouse.write(everywhere.replace(/ON (\w+)(\s+USING)/, 'ON $1_local$2'))
      }
      await clickhouse.write(
        `CREATE USER ${analyst}${onCluster} IDENTIFIED BY 'secret' DEFAULT ROLE groundwave_analyst SETTINGS SQL_enterprise = 2 CONST`,
      )
      const asAnalyst = openServerClickHouse(inDatabase(analyst, 'secret'), TIMEOUT_MS)
      try {
        for (const table of ['readings', 'latest_values', 'rollup_hour'])
          expect(await asAnalyst.rows(`SELECT DISTINCT enterprise FROM ${table} ORDER BY enterprise`)).toEqual([
            { enterprise: 2 },
          ])
        await expect(asAnalyst.write('TRUNCATE TABLE readings')).rejects.toThrow()
      } finally {
        await asAnalyst.close()
      }
      expect(await clickhouse.rows('SELECT DISTINCT enterprise FROM readings ORDER BY enterprise')).toHaveLength(2)
    } finally {
      await clickhouse.write(`DROP USER IF EXISTS ${analyst}${onCluster}`)
      await clickhouse.write(`DROP ROLE IF EXISTS groundwave_analyst${onCluster}`)
    }
  },
  120_000,
)

test.skipIf(cluster === undefined || url === undefined)(
  `ON CLUSTER made the tables on every shard${cluster === undefined ? ' (skipped: set CLICKHOUSE_TEST_CLUSTER)' : ''}`,
  async () => {
    const found = await clickhouse.rows<{ hosts: number; tables: number }>(
      `SELECT uniqExact(hostName()) AS hosts, min(tables) AS tables FROM (SELECT hostName() AS host, count() AS tables
         FROM clusterAllReplicas('${cluster}', system.tables) WHERE database = {database:String} AND endsWith(name, '_local') GROUP BY host)`,
      { database },
    )
    expect(Number(found[0]?.tables)).toBe(
      clusterStatements().filter((text) => / (\w+)_local ON CLUSTER/.test(text)).length,
    )
  },
)

test.skipIf(backup === undefined || url === undefined)(
  `a backup is made and restored under another name${backup === undefined ? ' (skipped: set CLICKHOUSE_TEST_BACKUP)' : ''}`,
  async () => {
    await clickhouse.write(`BACKUP DATABASE ${database}${onCluster} TO ${backup}`)
    await clickhouse.write(
      `RESTORE TABLE ${database}.sensor_rhythms${onCluster} AS ${database}.restored FROM ${backup}`,
    )
    expect(await count('restored')).toBe(await count('sensor_rhythms'))
  },
  120_000,
)
