/** Checks on files from untrusted clients, before a parser opens them. */

import { closeSync, openSync, readFileSync, readSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'
import { rejectFiles, rejectUnsafeCrs, safeWkt } from '../projection/safe-crs.ts'
import { crsCodeIn } from './gdal/gdal.ts'

/**
 * Copies an XML file with its schema locations disabled, since they can name files to fetch. Rejects document types and
 * entities, which can name files too, or expand without limit.
 */
export function withoutEntities(path: string, scratch: string): string {
  const bytes = readFileSync(path)
  if (bytes.includes('<!DOCTYPE') || bytes.includes('<!ENTITY')) throw new InputError('doctype', fieldText('noDoctype'))
  for (let at = bytes.indexOf('schemaLocation'); at >= 0; at = bytes.indexOf('schemaLocation', at)) {
    // an unknown attribute of the same length, which parsers ignore
    bytes.write('schemaLocatioN', at)
  }
  const sanitised = join(scratch, `sanitised-${basename(path)}`)
  writeFileSync(sanitised, bytes)
  return sanitised
}

const SRS_NAME_BYTES = 300

/** Rejects a GML whose CRS is not given by a code: GDAL would also accept well-known text and PROJ strings. */
export function rejectSrsDefinitions(path: string): void {
  const bytes = readFileSync(path)
  const known = new Set<string>()
  for (let at = bytes.indexOf('srsName'); at >= 0; at = bytes.indexOf('srsName', at + 1)) {
    const [whole, , name = ''] =
      /^srsName\s*=\s*(["'])([^"'&<]*)\1/.exec(bytes.toString('latin1', at, at + SRS_NAME_BYTES)) ?? []
    if (known.has(name)) continue
    if (whole === undefined || (crsCodeIn(name) === undefined && name !== ''))
      throw new InputError('crs', fieldText('crsByCode'))
    known.add(name)
  }
}

const OLD_PRJ = /^\s*Projection\s/i

/** Replaces the definition in the .prj file of an unpacked shapefile by one without references to files. */
export function makePrjSafe(path: string): void {
  const text = readFileSync(path, 'latin1')
    .replace(/\0+$/, '')
    .replace(/^\xef\xbb\xbf/, '')
    .replace(/^ESRI::/, '')
  // the older .prj format cannot refer to files; a layer without a CRS is rejected later
  if (OLD_PRJ.test(text) || text.trim() === '') return
  const safe = safeWkt(text.trim())
  if (safe !== text.trim()) writeFileSync(path, safe, 'latin1')
}

const FGB_HEADER_AT = 12
const MAX_FGB_HEADER_BYTES = 10 * 2 ** 20

/** Rejects a FlatGeobuf whose header has a CRS that refers to files. */
export function rejectFgbCrsFiles(path: string): void {
  const file = openSync(path, 'r')
  try {
    const head = Buffer.alloc(FGB_HEADER_AT)
    readSync(file, head, 0, FGB_HEADER_AT, 0)
    const length = head.readUInt32LE(8)
    if (length > MAX_FGB_HEADER_BYTES)
      throw new InputError('unreadable', fieldText('unreadAs', { format: 'FlatGeobuf' }))
    const header = Buffer.alloc(length)
    readSync(file, header, 0, length, FGB_HEADER_AT)
    rejectFiles(header.toString('latin1'))
  } finally {
    closeSync(file)
  }
}

/**
 * Rejects objects that run SQL when a GeoPackage is read: views, virtual tables except its own R-trees, and generated
 * columns. Triggers, checks, defaults and indexes run only on writes, which never happen.
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
    throw new InputError('geopackage', fieldText('geopackageUnread'), cause)
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
      throw new InputError('geopackage', fieldText('onlyTables'))
  }
  // `hidden` is 1 for hidden columns of virtual tables, 2 and 3 for generated ones
  const columns = database.prepare('SELECT 1 FROM pragma_table_xinfo(?) WHERE hidden > 1')
  if (found.some(({ name }) => name === 'gpkg_spatial_ref_sys'))
    for (const row of database.prepare('SELECT * FROM gpkg_spatial_ref_sys').all())
      for (const [column, value] of Object.entries(row)) if (column.startsWith('definition')) rejectUnsafeCrs(value)
  if (found.some(({ type, name }) => type === 'table' && columns.get(name) !== undefined))
    throw new InputError('geopackage', fieldText('noGeneratedColumns'))
}
