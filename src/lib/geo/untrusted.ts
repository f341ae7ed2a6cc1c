/** Checks on files from untrusted clients, before a parser opens them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { InputError } from '../input-error.ts'

/**
 * Copies an XML file with its schema locations disabled, since they can name files to fetch. Rejects document types and
 * entities, which can name files too, or expand without limit.
 */
export function withoutEntities(path: string, scratch: string): string {
  const bytes = readFileSync(path)
  if (bytes.includes('<!DOCTYPE') || bytes.includes('<!ENTITY'))
    throw new InputError('doctype', 'must be XML without a document type declaration or entities')
  for (let at = bytes.indexOf('schemaLocation'); at >= 0; at = bytes.indexOf('schemaLocation', at)) {
    // an unknown attribute of the same length, which parsers ignore
    bytes.write('schemaLocatioN', at)
  }
  const sanitised = join(scratch, `sanitised-${basename(path)}`)
  writeFileSync(sanitised, bytes)
  return sanitised
}

/**
 * Rejects what runs SQL when a GeoPackage is read: views, virtual tables except its own R-trees, and generated columns.
 * Triggers, checks, defaults and indexes run when rows are written, which never happens.
 */
export async function rejectActiveSqlite(path: string): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite')
  try {
    const database = new DatabaseSync(path, { readOnly: true, allowExtension: false })
    try {
      rejectActiveTables(database)
    } finally {
      database.close()
    }
  } catch (cause) {
    if (cause instanceof InputError) throw cause
    throw new InputError('geopackage', 'cannot be read as a GeoPackage', cause)
  }
}

function rejectActiveTables(database: DatabaseSync): void {
  const found = database.prepare('SELECT type, name, sql FROM sqlite_master').all() as {
    type: string
    name: string
    sql: string | null
  }[]
  for (const { type, sql } of found) {
    const virtual = /^\s*create\s+virtual\s+table/i.test(sql ?? '')
    if (type === 'view' || (virtual && !/\busing\s+"?rtree"?\b/i.test(sql ?? '')))
      throw new InputError('geopackage', 'must contain only tables: no views, and no virtual tables except R-trees')
  }
  // `hidden` is 1 for hidden columns of virtual tables, 2 and 3 for generated ones
  const columns = database.prepare('SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden > 1')
  if (found.some(({ type, name }) => type === 'table' && columns.get(name) !== undefined))
    throw new InputError('geopackage', 'must not contain generated columns')
}
