/** Large merges wait only while readings are loaded at full speed: checked in ClickHouse's description of the table. */
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ClickHouse } from '../../../../src/stores/clickhouse/client.ts'
import { openEmbeddedClickHouse } from '../../../../src/stores/clickhouse/embedded.ts'
import { postponeLargeMerges } from '../../../../src/stores/clickhouse/maintenance/large-merges.ts'
import { migrateClickHouse } from '../../../../src/stores/clickhouse/migrate.ts'
import { ROOT } from '../../../support/processes.ts'
import { until } from '../../../support/until.ts'

const CHECK_MS = 200
const home = mkdtempSync(join(tmpdir(), 'groundwave-merges-'))
const path = join(home, 'rows')
let clickhouse: ClickHouse
const errors: unknown[] = []
beforeAll(async () => {
  clickhouse = await openEmbeddedClickHouse(join(home, 'clickhouse'), { socketDir: join(home, 'run') })
  await migrateClickHouse(clickhouse, join(ROOT, 'sql/clickhouse'))
  await clickhouse.write(
    `INSERT INTO FUNCTION file('${path}', 'RowBinary', 'n UInt32') SELECT number FROM numbers(200000)`,
  )
}, 120_000)
afterAll(async () => {
  await clickhouse.close()
  rmSync(home, { recursive: true })
})

async function limitOfTable(): Promise<string | undefined> {
  const [row] = await clickhouse.rows<{ engine_full: string }>(
    "SELECT engine_full FROM system.tables WHERE database = currentDatabase() AND name = 'readings'",
  )
  return /max_bytes_to_merge_at_max_space_in_pool = (\d+)/.exec(row?.engine_full ?? '')?.[1]
}

const insertOnce = (store: Pick<ClickHouse, 'insertFile'>): Promise<void> =>
  store.insertFile({
    table: 'readings (enterprise, sensor, at, channels, values, longitude, latitude, received_at, keep_days)',
    path,
    format: 'RowBinary',
    structure: 'n UInt32',
    where: '1',
    settings: {},
    select: '1, n % 100, now64(3) + n, [1], [toFloat64(n)], nan, nan, now64(3), 30',
  })

const isLimited = async (): Promise<boolean> => (await limitOfTable()) !== undefined

test('the size of merges is limited while inserts take most of the time, and not once it is calm', async () => {
  const store = postponeLargeMerges({ ...clickhouse, close: async () => undefined }, (e) => errors.push(e), CHECK_MS)
  expect(await limitOfTable()).toBeUndefined()
  const untilMs = performance.now() + 20_000
  while (!(await isLimited()) && performance.now() < untilMs) await insertOnce(store)
  expect(await limitOfTable()).toBe(String(64 * 2 ** 20))
  await until(async () => !(await isLimited()), 'removing the limit')
  await store.close()
  expect(errors).toEqual([])
}, 60_000)

test('the limit that a killed process set is removed', async () => {
  await clickhouse.write('ALTER TABLE readings MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1000')
  const store = postponeLargeMerges({ ...clickhouse, close: async () => undefined }, (e) => errors.push(e), CHECK_MS)
  await until(async () => !(await isLimited()), 'removing the limit')
  await store.close()
  expect(errors).toEqual([])
}, 60_000)
