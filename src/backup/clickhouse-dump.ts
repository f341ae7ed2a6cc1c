/** Dumps the rows of ClickHouse's tables as RowBinary, one object per million rows of a part. */
import type { ClickHouse } from '../stores/clickhouse/client.ts'
import { type Part, partsOf, type SnapshotTable, snapshotOf } from './clickhouse-snapshot.ts'
import { BackupError } from './errors.ts'
import type { ClickHouseTable, RowsObject } from './manifest.ts'
import type { ObjectWriter } from './objects.ts'
import type { Progress } from './progress.ts'

const OBJECT_ROWS = 1_000_000

export async function dumpClickHouse(
  clickhouse: ClickHouse,
  tables: readonly SnapshotTable[],
  writer: ObjectWriter,
  progress: Progress,
): Promise<ClickHouseTable[]> {
  const dumped: ClickHouseTable[] = []
  for (const table of tables) {
    const parts = await partsOf(clickhouse, table.name)
    progress.stage(
      `ClickHouse ${table.name}`,
      parts.reduce((sum, { rows }) => sum + Math.ceil(rows / OBJECT_ROWS), 0),
    )
    const objects = new Map<string, RowsObject>()
    for (const part of parts)
      for (let from = 0; from < part.rows; from += OBJECT_ROWS) {
        const object = await dumpRange(clickhouse, table, part, from, writer)
        objects.set(object.name, object)
        progress.done()
      }
    // a query finds a part as long as it exists, and a removed part never comes back
    const left = new Set((await partsOf(clickhouse, table.name)).map(({ name }) => name))
    const lost = parts.find(({ name }) => !left.has(name))
    if (lost !== undefined)
      throw new BackupError(
        `The copy of the table ${table.name} changed during the backup: part ${lost.name} is gone. Run the backup again`,
      )
    dumped.push({ ...table, objects: [...objects.values()] })
  }
  return dumped
}

/** Parts are never changed, so an object of an earlier backup with the part's hash has the same rows. */
async function dumpRange(
  clickhouse: ClickHouse,
  { name, columns }: SnapshotTable,
  part: Part,
  from: number,
  writer: ObjectWriter,
): Promise<RowsObject> {
  const to = Math.min(part.rows, from + OBJECT_ROWS)
  const rows = to - from
  const identity = `clickhouse/${name}/${part.hash}-${from}-${rows}`
  const known = await writer.reuse(identity)
  if (known !== undefined) return { ...known, rows }
  const selected = columns.map((column) => `\`${column}\``).join(', ')
  const query = `SELECT ${selected} FROM ${snapshotOf(name)}
    WHERE _part = {part:String} AND _part_offset >= {from:UInt64} AND _part_offset < {to:UInt64}
    SETTINGS max_threads = 1`
  const stream = clickhouse.stream(query, { part: part.name, from, to }, 'RowBinary')
  return { ...(await writer.write(identity, stream)), rows }
}
