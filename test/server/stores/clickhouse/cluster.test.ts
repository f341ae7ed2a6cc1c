/**
 * The SQL for clusters, run on two shards (support/stores/two-shards.ts): tables, where rows go, mutations and row
 * policies.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { mutate, untilMutated } from '../../../../src/stores/clickhouse/maintenance/mutations.ts'
import { ROOT } from '../../../support/processes.ts'
import { openReadingStore, type ReadingStore } from '../../../support/stores/reading-stores.ts'
import { clusterStatements } from '../../../support/stores/two-shards.ts'

let opened: ReadingStore
const rows = <T>(query: string, params = {}): Promise<T[]> => opened.clickhouse.rows<T>(query, params)
beforeAll(async () => {
  opened = await openReadingStore('cluster')
}, 120_000)
afterAll(async () => {
  await opened.remove()
})

test('ClickHouse parses every statement, and its formatted text parses to the same statement', async () => {
  const statements = clusterStatements()
  expect(statements.length).toBeGreaterThan(40)
  for (const statement of statements) {
    const [once] = await rows<{ text: string }>('SELECT formatQuery({statement:String}) AS text', { statement })
    const [twice] = await rows<{ text: string }>('SELECT formatQuery({text:String}) AS text', { text: once?.text })
    expect(twice?.text).toBe(once?.text as string)
  }
})

test('a cluster has every table of a single server, with the same columns', async () => {
  const alone = await openReadingStore('server')
  try {
    const columns = `SELECT table, groupArray((name, type)) AS columns FROM (SELECT table, name, type FROM system.columns
      WHERE database = 'default' ORDER BY table, position) GROUP BY table ORDER BY table`
    const expected = await alone.clickhouse.rows<{ table: string }>(columns)
    const names = new Set(expected.map(({ table }) => table))
    expect(names.size).toBeGreaterThan(20)
    expect((await rows<{ table: string }>(columns)).filter(({ table }) => names.has(table))).toEqual(expected)
  } finally {
    await alone.remove()
  }
}, 120_000)

const SENSORS = 40
/** The shard of each sensor; the test of routing shows that Distributed agrees. */
const oneShard = async (): Promise<Map<number, number>> => {
  const found = await rows<{ sensor: number; shard: number }>(
    `SELECT toUInt32(number) AS sensor, toUInt32(intHash64(toUInt32(number)) % 2) + 1 AS shard FROM numbers(${SENSORS})`,
  )
  return new Map(found.map(({ sensor, shard }) => [sensor, shard]))
}

test('rows and their aggregates are stored in the shard of their sensor, with one shard for each sensor', async () => {
  await opened.clickhouse.write(
    `INSERT INTO readings SELECT 1 + number % 2, number % ${SENSORS}, now64(3) - number * 1000, [1], [number], 1, 2, now64(3), 365 FROM numbers(4000)`,
  )
  const expected = await oneShard()
  expect(new Set(expected.values())).toEqual(new Set([1, 2]))
  for (const table of ['readings', 'latest_values', 'latest_positions', 'rollup_hours']) {
    const found = await rows<{ sensor: number; shards: number[] }>(
      `SELECT sensor, groupUniqArray(shardNum()) AS shards FROM ${table} WHERE sensor < ${SENSORS} GROUP BY sensor ORDER BY sensor`,
    )
    expect(found).toEqual([...expected].map(([sensor, shard]) => ({ sensor, shards: [shard] })))
  }
})

test('the engine Distributed sends rows by its sharding key: rows of an unreachable shard fail, others are stored', async () => {
  const home = join(opened.dir, 'routing')
  mkdirSync(home)
  writeFileSync(
    join(home, 'config.xml'),
    `<clickhouse><tcp_port>9000</tcp_port><remote_servers><half><shard><replica><host>127.0.0.1</host><port>9000</port></replica></shard>
     <shard><replica><host>127.0.0.1</host><port>1</port></replica></shard></half></remote_servers></clickhouse>`,
  )
  const child = Bun.spawn([process.execPath, join(ROOT, 'test/support/stores/route-rows.ts'), home, String(SENSORS)], {
    cwd: ROOT,
  })
  const stored = (await new Response(child.stdout).json()) as number[]
  const expected = [...(await oneShard())].filter(([, shard]) => shard === 1).map(([sensor]) => sensor)
  expect(stored).toEqual(expected)
}, 60_000)

test('a mutation changes the rows of both shards, and is awaited on both', async () => {
  await mutate(opened.clickhouse, 'readings', "DELETE WHERE sensor < 10 AND 'every-shard' != ''")
  await untilMutated(opened.clickhouse, 'readings', 'every-shard', () => false)
  const left = await rows<{ shard: number; sensors: number }>(
    'SELECT shardNum() AS shard, uniqExactIf(sensor, sensor < 10) AS sensors FROM readings GROUP BY shard ORDER BY shard',
  )
  expect(left).toEqual([
    { shard: 1, sensors: 0 },
    { shard: 2, sensors: 0 },
  ])
  const made = await rows<{ database: string }>(
    "SELECT database FROM system.mutations WHERE position(command, 'every-shard') > 0 AND is_done ORDER BY database",
  )
  expect(made).toEqual([{ database: 'shard_1' }, { database: 'shard_2' }])
})

test('policies on the tables whose names end in _local restrict what the Distributed tables return', async () => {
  const home = join(opened.dir, 'analyst')
  mkdirSync(home)
  const queries = [
    'SELECT count() > 0, groupUniqArray(enterprise), arraySort(groupUniqArray(shardNum())) FROM readings',
    'SELECT count() > 0, groupUniqArray(enterprise), arraySort(groupUniqArray(shardNum())) FROM latest_values FINAL',
    'SELECT count() > 0, groupUniqArray(enterprise) FROM positions',
  ]
  const child = Bun.spawn(
    [process.execPath, join(ROOT, 'test/support/stores/query-cluster-as-analyst.ts'), home, ...queries],
    {
      cwd: ROOT,
    },
  )
  const found = (await new Response(child.stdout).json()) as string[]
  expect(found.map((line) => JSON.parse(line))).toEqual([
    [1, [7], [1, 2]],
    [1, [7], [1, 2]],
    [1, [7]],
  ])
}, 60_000)
