/** Hours that the release before `rollup_hours` left unaggregated are aggregated after an update. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from '../../../../src/stores/clickhouse/embedded.ts'
import { migrateClickHouse } from '../../../../src/stores/clickhouse/migrate.ts'
import { readMigrations } from '../../../../src/stores/migrations.ts'
import { ROOT } from '../../../support/processes.ts'

const SQL = join(ROOT, 'sql/clickhouse')
let dir = ''
let clickhouse: ClickHouse
beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'groundwave-rollups-'))
  clickhouse = await openEmbeddedClickHouse(join(dir, 'clickhouse'))
}, 120_000)
afterAll(async () => {
  await clickhouse.close()
  rmSync(dir, { recursive: true })
})

test('after the update, waiting hours and the unfinished hour still wait; finished hours do not', async () => {
  const before = join(dir, 'sql')
  mkdirSync(before)
  for (const name of readdirSync(SQL).filter((file) => /^000[1-8]-/.test(file)))
    cpSync(join(SQL, name), join(before, name))
  await clickhouse.write(
    'CREATE TABLE migrations (number UInt32, name String, applied_at DateTime) ENGINE = MergeTree ORDER BY number',
  )
  for (const { number, name, statements } of await readMigrations(before)) {
    for (const statement of statements) await clickhouse.write(statement)
    await clickhouse.write('INSERT INTO migrations SELECT {number:UInt32}, {name:String}, now()', { number, name })
  }
  await clickhouse.write("INSERT INTO sensors SELECT number, 'sen', 7, 'ent', 'ass', 'Pump', 1 FROM numbers(10)")
  const minutesAgo = (n: number): string => `now64(3) - INTERVAL ${n} MINUTE`
  // sensor 1 was aggregated, sensor 2 too but within the hour, sensor 3 came later
  for (const [sensor, hour, insertedAt] of [
    [1, `toStartOfHour(${minutesAgo(300)})`, minutesAgo(200)],
    [2, `toStartOfHour(${minutesAgo(100)})`, minutesAgo(101)],
    [3, `toStartOfHour(${minutesAgo(900)})`, minutesAgo(90)],
  ])
    await clickhouse.write(`INSERT INTO rollup_waiting SELECT ${sensor}, ${hour}, ${insertedAt}`)
  await clickhouse.write(`INSERT INTO rollup_done SELECT ${minutesAgo(100)}`)

  await migrateClickHouse(clickhouse, SQL)
  await clickhouse.write('INSERT INTO readings SELECT 7, 4, now64(3), [1], [1], NaN, NaN, now64(3), 365')
  const waiting = await clickhouse.rows<{ sensor: number; enterprise: number }>(
    `SELECT sensor, max(enterprise) AS enterprise FROM rollup_hours
     GROUP BY sensor, hour HAVING max(changed_at) > max(rolled_at) ORDER BY sensor`,
  )
  expect(waiting).toEqual([2, 3, 4].map((sensor) => ({ sensor, enterprise: 7 })))
}, 60_000)
