import { checkUnknown, readMigrations } from '../migrations.ts'
import { requireVersion, UnsupportedStoreError } from '../requirements.ts'
import type { ClickHouse } from './client.ts'

export const OLDEST_CLICKHOUSE = '25.3'
/** Columns that were added to existing tables. */
const COLUMNS = ['readings.is_superseded']
const TABLES = [
  'rollup_minute',
  'rollup_hour',
  'rollup_day',
  'rollup_hours',
  'rollup_hours_of_readings',
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
  'sensor_rhythms',
  'sensor_activity',
]

/** Statements that Groundwave runs on a cluster too; for others an operator applies sql/clickhouse/cluster. */
export const RUN_ON_CLUSTERS = /^(INSERT INTO|ALTER TABLE \w+\s+(MODIFY COMMENT|COMMENT COLUMN)) /

/**
 * Applies the migrations in `dir` that the database has not seen. Every statement may be run again after a crash.
 * @param only names of the files to apply; others are left to a later start
 * @returns names of migrations that a newer release applied
 * @throws UnsupportedStoreError
 */
export async function migrateClickHouse(
  clickhouse: ClickHouse,
  dir: string,
  only?: ReadonlySet<string>,
): Promise<string[]> {
  const { version, tables, isCluster } = await inspect(clickhouse)
  requireVersion('ClickHouse', version, OLDEST_CLICKHOUSE)
  const isNew = !tables.includes('migrations')
  if (isNew)
    await clickhouse.write(
      'CREATE TABLE IF NOT EXISTS migrations (number UInt32, name String, applied_at DateTime) ENGINE = MergeTree ORDER BY number',
    )
  const applied = isNew
    ? []
    : await clickhouse.rows<{ number: number; name: string }>('SELECT number, name FROM migrations')
  const own = await readMigrations(dir)
  const unknown = checkUnknown('ClickHouse', applied, own)
  const known = new Set(applied.map(({ number }) => number))
  const pending = own.filter(({ number, name }) => only?.has(name) !== false && !known.has(number))
  for (const { number, name, statements } of pending) {
    for (const statement of statements)
      if (!isCluster || RUN_ON_CLUSTERS.test(statement)) await clickhouse.write(statement)
    await clickhouse.write('INSERT INTO migrations SELECT {number:UInt32}, {name:String}, now()', { number, name })
  }
  if (only !== undefined) return unknown
  const present = pending.length > 0 ? (await inspect(clickhouse)).tables : tables
  const missing = [...TABLES, ...COLUMNS].filter((name) => !present.includes(name))
  if (missing.length > 0)
    throw new UnsupportedStoreError(
      isCluster
        ? `${missing.join(', ')} is missing; apply the files of sql/clickhouse/cluster that are new in this release first`
        : `${missing.join(', ')} is missing, though the migration that makes it is recorded as applied`,
    )
  return unknown
}

/** `tables` also has the columns of `COLUMNS`. */
async function inspect(clickhouse: ClickHouse): Promise<{ version: string; tables: string[]; isCluster: boolean }> {
  const [found] = await clickhouse.rows<{ version: string; tables: string[]; distributed: number }>(
    `SELECT version() AS version, groupArray(name) AS tables, countIf(engine = 'Distributed') AS distributed
     FROM system.tables WHERE database = currentDatabase()`,
  )
  const columns = await clickhouse.rows<{ path: string }>(
    "SELECT concat(table, '.', name) AS path FROM system.columns WHERE database = currentDatabase() AND path IN {paths:Array(String)}",
    { paths: COLUMNS },
  )
  const tables = [...(found?.tables ?? []), ...columns.map(({ path }) => path)]
  return { version: found?.version ?? '0', tables, isCluster: Number(found?.distributed ?? 0) > 0 }
}
