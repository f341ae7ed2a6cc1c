/**
 * The metadata as one JSON object a line and table, read in one transaction. The embedded PostgreSQL has no pg_dump,
 * and the pg_dump for a server may be of another major version; the tables come from our migrations, so their rows are
 * enough.
 */
import { sql } from 'drizzle-orm'
import type { Database } from '../stores/postgres/client.ts'
import { rowsOf } from '../stores/postgres/rows.ts'
import type { Manifest, PostgresTable } from './manifest.ts'
import type { ObjectWriter } from './objects.ts'
import type { Progress } from './progress.ts'

/** Rows read at a time; features of layers may have megabytes. */
const FETCH = 200
const KEY = /fil_[0-9a-f]{32}/g

export type MetadataDump = Manifest['postgres'] & {
  /** Keys of stored files that rows refer to. */
  fileKeys: Set<string>
}

/** Tables with the columns that can be written. */
export async function tablesOf(db: Database): Promise<{ name: string; columns: string[] }[]> {
  return rowsOf(
    await db.execute(sql`
      SELECT c.relname AS name, array_to_json(array_agg(a.attname ORDER BY a.attnum)) AS columns
      FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind = 'r' AND c.relname <> 'migrations'
        AND a.attgenerated = ''
      GROUP BY c.relname ORDER BY c.relname`),
  )
}

/** @param tx a transaction that sees one state of the database, and the current values of sequences */
export async function dumpPostgres(tx: Database, writer: ObjectWriter, progress: Progress): Promise<MetadataDump> {
  const found = await tablesOf(tx)
  progress.stage('Metadata', found.length)
  const fileKeys = new Set<string>()
  const tables: PostgresTable[] = []
  for (const table of found) {
    let rows = 0
    const quoted = sql.identifier(table.name)
    // line breaks in a json column are only white space between values; in strings they are escaped
    await tx.execute(
      sql`DECLARE backup_rows NO SCROLL CURSOR FOR
        SELECT replace(row_to_json(t)::text, E'\n', ' ') AS line FROM ${quoted} AS t`,
    )
    async function* lines(): AsyncIterable<Uint8Array> {
      for (;;) {
        const batch = rowsOf<{ line: string }>(await tx.execute(sql.raw(`FETCH ${FETCH} FROM backup_rows`)))
        if (batch.length === 0) return
        rows += batch.length
        const text = batch.map(({ line }) => `${line}\n`).join('')
        for (const [key] of text.matchAll(KEY)) fileKeys.add(key)
        yield Buffer.from(text)
      }
    }
    const object = await writer.write(`postgres/${table.name}`, lines())
    await tx.execute(sql`CLOSE backup_rows`)
    tables.push({ ...table, objects: [{ ...object, rows }] })
    progress.done()
  }
  const sequences = rowsOf<{ name: string; last: string }>(
    await tx.execute(
      sql`SELECT sequencename AS name, last_value::text AS last FROM pg_sequences
          WHERE schemaname = current_schema() AND last_value IS NOT NULL ORDER BY sequencename`,
    ),
  )
  return { tables, sequences: sequences.map(({ name, last }) => ({ name, last })), fileKeys }
}
