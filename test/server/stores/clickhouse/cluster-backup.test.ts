/**
 * The commands with which an operator backs a ClickHouse cluster up and restores it, as docs/operations.md shows them,
 * on two shards (support/stores/two-shards.ts): into a folder instead of a bucket, since chDB has no Keeper and no
 * network.
 */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT } from '../../../support/processes.ts'
import { openReadingStore, type ReadingStore } from '../../../support/stores/reading-stores.ts'

const DOCS = readFileSync(join(ROOT, 'docs/operations.md'), 'utf8')
let opened: ReadingStore
beforeAll(async () => {
  opened = await openReadingStore('cluster')
}, 120_000)
afterAll(() => opened?.remove())

/** The statements of the page that begin with a word, with a folder in place of each bucket. */
function documented(word: 'BACKUP' | 'RESTORE'): string[] {
  const commands = DOCS.matchAll(new RegExp(`clickhouse-client -q "(${word} [^"]+)"`, 'g'))
  return [...commands].map(([, statement = '']) =>
    statement
      .replace(/S3\('https:\/\/[^']*\/([^'/]+)', '[^']*', '[^']*'\)/g, (_, name: string) => `File('${folderOf(name)}')`)
      .replace('ON CLUSTER groundwave', "ON CLUSTER '{cluster}'"),
  )
}
const folderOf = (name: string): string => join(opened.dir, 'backups', name)

const write = (first: number, count: number): Promise<void> =>
  opened.clickhouse.write(
    `INSERT INTO readings SELECT 1, number % 40, toDateTime64('2026-01-01 00:00:00', 3) + number, [1], [number], 1, 2, now64(3), 365 FROM numbers(${first}, ${count})`,
  )
/** Readings and their aggregates, on each shard. */
const state = () =>
  Promise.all(
    [
      'SELECT shardNum() AS shard, toString(count()) AS n, toString(sum(sensor * toUnixTimestamp(at))) AS sum FROM readings GROUP BY shard ORDER BY shard',
      'SELECT shardNum() AS shard, toString(count()) AS n FROM latest_values FINAL GROUP BY shard ORDER BY shard',
      'SELECT shardNum() AS shard, toString(count()) AS n FROM rollup_hours FINAL GROUP BY shard ORDER BY shard',
    ].map((query) => opened.clickhouse.rows<{ shard: number; n: string }>(query)),
  )

test('the documented commands restore both shards, also from a backup that continues another one', async () => {
  const [whole, further] = documented('BACKUP')
  const [restore] = documented('RESTORE')
  if (whole === undefined || further === undefined || restore === undefined) throw new Error('a command is missing')
  expect(further).toContain('base_backup')
  await write(0, 4_000)
  await opened.clickhouse.write(whole)
  await write(4_000, 1_000)
  await opened.clickhouse.write(further)
  const before = await state()
  expect(before[0]?.map(({ shard }) => shard)).toEqual([1, 2])
  expect(before[0]?.reduce((sum, { n }) => sum + Number(n), 0)).toBe(5_000)
  // rows written after the backup are not in it
  await write(5_000, 500)
  expect(await state()).not.toEqual(before)
  for (const shard of [1, 2]) await opened.clickhouse.write(`DROP DATABASE shard_${shard} SYNC`)
  await opened.clickhouse.write(restore)
  expect(await state()).toEqual(before)
  const done = await opened.clickhouse.rows<{ status: string; error: string }>(
    'SELECT DISTINCT status::String AS status, error FROM system.backups ORDER BY start_time',
  )
  for (const { status, error } of done) {
    expect([status, error]).toEqual([status, ''])
    expect(DOCS).toContain(`\t${status}\n`)
  }
  // the cluster accepts readings as before
  await write(5_000, 500)
  expect((await state())[0]?.reduce((sum, { n }) => sum + Number(n), 0)).toBe(5_500)
}, 120_000)
