import { readMigrations } from '../migrations.ts'
import { requireVersion, UnsupportedStoreError } from '../requirements.ts'
import type { ClickHouse } from './client.ts'

const OLDEST = '24.3'
const TABLES = [
  'rollup_minute',
  'rollup_hour',
  'rollup_day',
  'rollup_waiting',
  'rollup_waiting_of_readings',
  'rollup_done',
  'readings',
  'sensors',
  'channels',
  'positions',
  'readings_named',
  'latest_positions',
  'latest_positions_of_readings',
  'latest_values',
  'latest_values_of_readings',
  'zone_events',
  'readings_by_hour',
  'readings_by_day',
  'latest_named',
  'live_named',
  'zone_events_named',
]

/**
 * Applies what `dir` holds and the database has not seen. Every statement must bear being run again after a crash.
 * @throws UnsupportedStoreError
 */
export async function migrateClickHouse(clickhouse: ClickHouse, dir: string): Promise<void> {
  const [server] = await clickhouse.rows<{ version: string }>('SELECT version() AS version')
  requireVersion('ClickHouse', server?.version ?? '0', OLDEST)
  await clickhouse.write(
    'CREATE TABLE IF NOT EXISTS migrations (number UInt32, name String, applied_at DateTime) ENGINE = MergeTree ORDER BY number',
  )
  const applied = new Set(
    (await clickhouse.rows<{ number: number }>('SELECT number FROM migrations')).map(({ number }) => number),
  )
  for (const { number, name, statements } of await readMigrations(dir)) {
    if (applied.has(number)) continue
    for (const statement of statements) await clickhouse.write(statement)
    await clickhouse.write('INSERT INTO migrations SELECT {number:UInt32}, {name:String}, now()', { number, name })
  }
  const there = await clickhouse.rows<{ name: string }>(
    'SELECT name FROM system.tables WHERE database = currentDatabase()',
  )
  const missing = TABLES.filter((table) => !there.some(({ name }) => name === table))
  if (missing.length > 0)
    throw new UnsupportedStoreError(
      `${missing.join(', ')} is missing, though the migration that makes it is recorded as applied`,
    )
}
