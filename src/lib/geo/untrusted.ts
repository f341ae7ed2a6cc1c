/** What files of strangers may not hold, whatever reads them. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { InputError } from '../input-error.ts'

/** A document type could define entities that grow without end or name files; schema locations name files too. */
export function withoutEntities(path: string, scratch: string): string {
  const bytes = readFileSync(path)
  if (bytes.includes('<!DOCTYPE') || bytes.includes('<!ENTITY'))
    throw new InputError('doctype', 'must be XML without a document type or entities')
  for (let at = bytes.indexOf('schemaLocation'); at >= 0; at = bytes.indexOf('schemaLocation', at)) {
    // an attribute of the same length that means nothing
    bytes.write('schemaLocatioN', at)
  }
  const disarmed = join(scratch, `disarmed-${basename(path)}`)
  writeFileSync(disarmed, bytes)
  return disarmed
}

/** Views and virtual tables of a GeoPackage can run functions; those of a plain one are R-trees. */
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
      throw new InputError('geopackage', 'must hold tables only: no views and no virtual tables but R-trees')
  }
}
