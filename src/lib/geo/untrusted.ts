/** Checks on files from untrusted clients, before a parser opens them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
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

/** Rejects views and virtual tables in a GeoPackage, which can run functions; its own R-trees are allowed. */
export async function rejectActiveSqlite(path: string): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite')
  let found: { type: string; name: string; sql: string | null }[]
  try {
    const database = new DatabaseSync(path, { readOnly: true, allowExtension: false })
    try {
      found = database.prepare('SELECT type, name, sql FROM sqlite_master').all() as typeof found
    } finally {
      database.close()
    }
  } catch (cause) {
    throw new InputError('geopackage', 'cannot be read as a GeoPackage', cause)
  }
  for (const { type, sql } of found) {
    const virtual = /^\s*create\s+virtual\s+table/i.test(sql ?? '')
    if (type === 'view' || (virtual && !/\busing\s+"?rtree"?\b/i.test(sql ?? '')))
      throw new InputError('geopackage', 'must contain only tables: no views, and no virtual tables except R-trees')
  }
}
