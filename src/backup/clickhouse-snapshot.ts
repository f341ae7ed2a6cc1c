/**
 * A fixed state of ClickHouse's tables: copies whose parts are hard links to the parts of the tables, made in
 * milliseconds and never merged. They take no space until the tables' own parts are merged away.
 */
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { BackupError } from './errors.ts'

const PREFIX = 'backup_of_'
export const STAGING_PREFIX = 'restore_of_'
/**
 * Tables that a restore rebuilds from the readings, so that they never contain a reading that is not in the archive.
 */
const DERIVED = ['latest_values', 'latest_positions']
const UNUSED = ['rollup_waiting', 'rollup_done', 'rollup_waiting_of_readings']

export type SnapshotTable = {
  name: string
  columns: string[]
  /** `name type, …` */
  structure: string
}
export type Part = { name: string; rows: number; hash: string }

export const snapshotOf = (table: string): string => `${PREFIX}${table}`

/** The tables that are not empty. @throws BackupError on a cluster, whose tables are not all on one server */
export async function storedTables(clickhouse: ClickHouse): Promise<string[]> {
  const tables = await clickhouse.rows<{ name: string; engine: string }>(
    `SELECT name, engine FROM system.tables WHERE database = currentDatabase()
       AND (engine LIKE '%MergeTree' OR engine = 'Distributed') ORDER BY name`,
  )
  const foreign = tables.find(({ engine }) => engine === 'Distributed' || engine.startsWith('Replicated'))
  if (foreign !== undefined)
    throw new BackupError(
      `CLICKHOUSE_URL: the table ${foreign.name} is part of a cluster (${foreign.engine}). Back up a cluster with ClickHouse's own BACKUP ... ON CLUSTER`,
    )
  const skipped = new Set(['migrations', ...DERIVED, ...UNUSED])
  return tables
    .map(({ name }) => name)
    .filter((name) => !skipped.has(name) && !name.startsWith(PREFIX) && !name.startsWith(STAGING_PREFIX))
}

/** Removes the copies of this and of interrupted backups. */
export async function dropSnapshots(clickhouse: ClickHouse, prefix = PREFIX): Promise<void> {
  const tables = await clickhouse.rows<{ name: string }>(
    `SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, {prefix:String})`,
    { prefix },
  )
  for (const { name } of tables) await clickhouse.write(`DROP TABLE IF EXISTS ${name} SYNC`)
}

/** Makes the copy of a table, without rows. */
export async function prepareSnapshot(clickhouse: ClickHouse, table: string): Promise<SnapshotTable> {
  await clickhouse.write(`CREATE TABLE ${snapshotOf(table)} AS ${table}`)
  await clickhouse.write(
    `ALTER TABLE ${snapshotOf(table)} MODIFY SETTING max_bytes_to_merge_at_max_space_in_pool = 1,
       max_bytes_to_merge_at_min_space_in_pool = 1, merge_with_ttl_timeout = 1000000000`,
  )
  const columns = await clickhouse.rows<{ name: string; type: string }>(
    `SELECT name, type FROM system.columns WHERE database = currentDatabase() AND table = {table:String}
       AND default_kind NOT IN ('MATERIALIZED', 'ALIAS', 'EPHEMERAL') ORDER BY position`,
    { table },
  )
  return {
    name: table,
    columns: columns.map(({ name }) => name),
    structure: columns.map(({ name, type }) => `${name} ${type}`).join(', '),
  }
}

/** Links the current parts of the table. */
export async function takeSnapshot(clickhouse: ClickHouse, table: string): Promise<void> {
  const partitions = await clickhouse.rows<{ id: string }>(
    `SELECT DISTINCT partition_id AS id FROM system.parts
     WHERE active AND database = currentDatabase() AND table = {table:String} ORDER BY id`,
    { table },
  )
  for (const { id } of partitions)
    await clickhouse.write(`ALTER TABLE ${snapshotOf(table)} ATTACH PARTITION ID '${id}' FROM ${table}`)
}

/** In a fixed order. Parts with the same hash have the same content. */
export async function partsOf(clickhouse: ClickHouse, table: string): Promise<Part[]> {
  return clickhouse.rows<Part>(
    `SELECT name, rows, hash_of_all_files AS hash FROM system.parts
     WHERE active AND database = currentDatabase() AND table = {table:String} ORDER BY name`,
    { table: snapshotOf(table) },
  )
}
