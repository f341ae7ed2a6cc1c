/** Writes the metadata of an archive into a database, in one transaction. */
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { sql } from 'drizzle-orm'
import type { Database } from '../stores/postgres/client.ts'
import { rowsOf } from '../stores/postgres/rows.ts'
import { BackupError } from './errors.ts'
import type { Manifest, PostgresTable } from './manifest.ts'
import { contentOf } from './objects.ts'
import { tablesOf } from './postgres-dump.ts'
import type { Progress } from './progress.ts'
import type { ArchiveStore } from './store.ts'

/** Limits of one INSERT. */
const MAX_ROWS = 1_000
const MAX_CHARACTERS = 4_000_000

/**
 * Tables that migrations or the start of a server write: an empty system may have rows in them. All other tables
 * contain only users' data.
 */
const WRITTEN_BY_STARTS = new Set([
  'tiers',
  'plans',
  'portal_secret',
  'one_time_links',
  'server_instances',
  'health_events',
  'health_samples',
  'rate_limits',
])

/** The tables of a database that contain users' data. */
export async function occupiedTables(db: Database): Promise<string[]> {
  const occupied: string[] = []
  for (const { name } of await tablesOf(db)) {
    if (WRITTEN_BY_STARTS.has(name)) continue
    const [row] = rowsOf<{ has: boolean }>(
      await db.execute(sql`SELECT EXISTS (SELECT FROM ${sql.identifier(name)}) AS has`),
    )
    if (row?.has) occupied.push(name)
  }
  return occupied
}

type Constraint = { table: string; name: string; definition: string }

/** Replaces all rows. @param last runs at the end of the transaction */
export async function loadPostgres(
  db: Database,
  store: ArchiveStore,
  { tables, sequences }: Manifest['postgres'],
  progress: Progress,
  last: (tx: Database) => Promise<void>,
): Promise<void> {
  progress.stage('Metadata', tables.length)
  await db.transaction(async (tx) => {
    const known = new Map((await tablesOf(tx)).map((table) => [table.name, table]))
    const unknown = tables.find(({ name }) => !known.has(name))
    if (unknown !== undefined)
      throw new BackupError(`The archive has the table ${unknown.name}, which no migration of this version creates`)
    const names = sql.join(
      [...known.keys()].map((name) => sql.identifier(name)),
      sql`, `,
    )
    // drops foreign keys and disables triggers: rows are not in the order of their references, and the counts that
    // triggers keep are restored as rows
    const references = await foreignKeys(tx)
    for (const { table, name } of references)
      await tx.execute(sql`ALTER TABLE ${sql.identifier(table)} DROP CONSTRAINT ${sql.identifier(name)}`)
    for (const name of known.keys()) await tx.execute(sql`ALTER TABLE ${sql.identifier(name)} DISABLE TRIGGER USER`)
    await tx.execute(sql`TRUNCATE ${names}`)
    for (const table of tables) {
      await loadTable(tx, store, table)
      progress.done()
    }
    for (const { name, last } of sequences)
      await tx.execute(sql`SELECT setval(quote_ident(${name}::text)::regclass, ${last}::bigint)`)
    for (const name of known.keys()) await tx.execute(sql`ALTER TABLE ${sql.identifier(name)} ENABLE TRIGGER USER`)
    for (const { table, name, definition } of references)
      await tx.execute(
        sql`ALTER TABLE ${sql.identifier(table)} ADD CONSTRAINT ${sql.identifier(name)} ${sql.raw(definition)}`,
      )
    await last(tx)
  })
}

async function foreignKeys(tx: Database): Promise<Constraint[]> {
  return rowsOf(
    await tx.execute(sql`
      SELECT c.relname AS "table", k.conname AS name, pg_get_constraintdef(k.oid) AS definition
      FROM pg_constraint AS k JOIN pg_class AS c ON c.oid = k.conrelid
      WHERE k.contype = 'f' AND c.relnamespace = current_schema()::regnamespace ORDER BY k.oid`),
  )
}

async function loadTable(tx: Database, store: ArchiveStore, { name, columns, objects }: PostgresTable): Promise<void> {
  const list = sql.join(
    columns.map((column) => sql.identifier(column)),
    sql`, `,
  )
  let lines: string[] = []
  let characters = 0
  let rows = 0
  async function insert(): Promise<void> {
    if (lines.length === 0) return
    const json = `[${lines.join(',')}]`
    await tx.execute(sql`
      INSERT INTO ${sql.identifier(name)} (${list}) OVERRIDING SYSTEM VALUE
      SELECT ${list} FROM json_populate_recordset(NULL::${sql.identifier(name)}, ${json}::text::json)`)
    rows += lines.length
    lines = []
    characters = 0
  }
  for (const object of objects) {
    for await (const line of createInterface({ input: Readable.from(contentOf(store, object)) })) {
      lines.push(line)
      characters += line.length
      if (lines.length >= MAX_ROWS || characters >= MAX_CHARACTERS) await insert()
    }
  }
  await insert()
  const expected = objects.reduce((sum, object) => sum + object.rows, 0)
  if (rows !== expected)
    throw new BackupError(`${store.label}: the table ${name} has ${rows} rows in the archive instead of ${expected}`)
}
