/**
 * Writes the rows of an archive into ClickHouse's tables. They are inserted into staging tables without views, whose
 * partitions then replace the partitions of the tables. So no rows are derived a second time, and an interrupted load
 * leaves the tables empty.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { dropSnapshots, STAGING_PREFIX, storedTables } from './clickhouse-snapshot.ts'
import { BackupError } from './errors.ts'
import type { ClickHouseTable, RowsObject } from './manifest.ts'
import type { Progress } from './progress.ts'
import type { ArchiveStore } from './store.ts'
import { writeContent } from './verify.ts'

/**
 * Without deduplication, so that an insert is not mistaken for a repeated segment; and a part may have rows of many
 * months.
 */
const SETTINGS = { insert_deduplicate: 0, max_partitions_per_insert_block: 0, max_insert_threads: 1 }
/** Tables that are computed from the readings by the queries of these views. */
const DERIVING_VIEWS = ['latest_values_of_readings', 'latest_positions_of_readings']

/** Tables that have rows. */
export async function occupiedClickHouseTables(clickhouse: ClickHouse): Promise<string[]> {
  const occupied: string[] = []
  for (const table of await storedTables(clickhouse)) {
    const [row] = await clickhouse.rows<{ has: number }>(
      `SELECT count() > 0 AS has FROM (SELECT 1 FROM ${table} LIMIT 1)`,
    )
    if (Number(row?.has) === 1) occupied.push(table)
  }
  return occupied
}

export async function loadClickHouse(
  clickhouse: ClickHouse,
  store: ArchiveStore,
  tables: readonly ClickHouseTable[],
  progress: Progress,
  scratchDir: string,
): Promise<void> {
  await dropSnapshots(clickhouse, STAGING_PREFIX)
  const known = new Set(await storedTables(clickhouse))
  for (const { name } of tables)
    if (!known.has(name))
      throw new BackupError(
        `The archive has the table ${name} of ClickHouse, which no migration of this version creates`,
      )
  for (const name of known) await clickhouse.write(`TRUNCATE TABLE ${name}`)
  for (const table of tables) {
    progress.stage(`ClickHouse ${table.name}`, table.objects.length)
    await clickhouse.write(`CREATE TABLE ${STAGING_PREFIX}${table.name} AS ${table.name}`)
    for (const object of table.objects) {
      await insertObject(clickhouse, store, table, object, join(scratchDir, 'rows'))
      progress.bytes(object.bytes)
      progress.done()
    }
  }
  for (const { name } of tables) await replacePartitions(clickhouse, name)
  await dropSnapshots(clickhouse, STAGING_PREFIX)
  await derive(clickhouse)
}

async function insertObject(
  clickhouse: ClickHouse,
  store: ArchiveStore,
  { name, columns, structure }: ClickHouseTable,
  object: RowsObject,
  path: string,
): Promise<void> {
  const list = columns.map((column) => `\`${column}\``).join(', ')
  try {
    await writeContent(store, object, path)
    const table = `${STAGING_PREFIX}${name} (${list})`
    const rows = { table, path, format: 'RowBinary', structure, select: list, where: '1' } as const
    await clickhouse.insertFile({ ...rows, settings: SETTINGS })
  } finally {
    await rm(path, { force: true })
  }
}

async function replacePartitions(clickhouse: ClickHouse, table: string): Promise<void> {
  const partitions = await clickhouse.rows<{ id: string }>(
    `SELECT DISTINCT partition_id AS id FROM system.parts
     WHERE active AND database = currentDatabase() AND table = {table:String} ORDER BY id`,
    { table: `${STAGING_PREFIX}${table}` },
  )
  for (const { id } of partitions)
    await clickhouse.write(`ALTER TABLE ${table} REPLACE PARTITION ID '${id}' FROM ${STAGING_PREFIX}${table}`)
}

async function derive(clickhouse: ClickHouse): Promise<void> {
  const views = await clickhouse.rows<{ name: string; query: string }>(
    `SELECT name, as_select AS query FROM system.tables WHERE database = currentDatabase() AND name IN {names:Array(String)}`,
    { names: DERIVING_VIEWS },
  )
  for (const view of DERIVING_VIEWS) {
    const query = views.find(({ name }) => name === view)?.query
    if (query === undefined) throw new BackupError(`The view ${view} of ClickHouse is missing`)
    const table = view.replace('_of_readings', '')
    const [{ columns } = { columns: '' }] = await clickhouse.rows<{ columns: string }>(
      `SELECT arrayStringConcat(groupArray(name), ', ') AS columns FROM (
         SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {view:String} ORDER BY position)`,
      { view },
    )
    await clickhouse.write(`TRUNCATE TABLE ${table}`)
    await clickhouse.work(`INSERT INTO ${table} (${columns}) SELECT ${columns} FROM (${query})`, {}, {})
  }
}
