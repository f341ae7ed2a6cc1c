/**
 * Writes a layer as a GeoPackage. GDAL creates the file with an empty table; the rows are then written directly with
 * SQLite, because gdal-async needs one call into GDAL per value. Runs in Node only.
 */

import type { DatabaseSync, SQLInputValue } from 'node:sqlite'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { InputError, reasonOf } from '../../../input-error.ts'
import {
  collect,
  type Envelope,
  emptyEnvelope,
  envelopeOf,
  isEmpty,
  MULTI_POINT,
  multiOf,
  POINT,
  typeOf,
  type Wkb,
} from '../../geometry/wkb.ts'
import type { Field, Layer } from '../../layers/layer.ts'
import { createWithGdal, hasPlainValues, layerType } from '../gdal/gdal-write.ts'

type Columns = { table: string; geometry: string; srsId: number }

/**
 * @param key name of the primary key, which may be a field of the layer
 * @param isIndexed whether it gets a spatial index
 */
export async function writeGeoPackage(
  layer: Layer,
  path: string,
  name: string,
  key: string,
  geometryName: string,
  isIndexed = true,
): Promise<void> {
  const options = [`FID=${key}`, `GEOMETRY_NAME=${geometryName}`, `SPATIAL_INDEX=${isIndexed ? 'YES' : 'NO'}`]
  const inBulk = hasPlainValues(layer)
  await createWithGdal('GPKG', path, name, layer, options, [], inBulk ? [] : layer.features)
  if (!inBulk) return
  const { DatabaseSync } = await import('node:sqlite')
  const db = new DatabaseSync(path)
  // otherwise SQLite would keep a journal
  db.enableDefensive(false)
  try {
    writeRows(db, layer, key, isIndexed)
  } catch (cause) {
    throw new InputError('target', fieldText('targetUnwritten', { format: 'GPKG', reason: reasonOf(cause) }), cause)
  } finally {
    db.close()
  }
}

function writeRows(db: DatabaseSync, layer: Layer, key: string, isIndexed: boolean): void {
  db.exec('PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; BEGIN')
  const { table, geometry, srsId } = db
    .prepare('SELECT table_name AS "table", column_name AS geometry, srs_id AS "srsId" FROM gpkg_geometry_columns')
    .get() as Columns
  const index = `rtree_${table}_${geometry}`
  // the triggers would compute each row's count and envelope with functions of GDAL
  const triggers = db.prepare(`SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND tbl_name = ?`).all(table)
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${quoted(String(name))}`)

  const fields = layer.fields.map(({ name }, i) => ({ name, i })).filter(({ name }) => name !== key)
  const keyAt = layer.fields.findIndex(({ name }) => name === key)
  const columns = [key, geometry, ...fields.map(({ name }) => name)]
  const insert = db.prepare(
    `INSERT INTO ${quoted(table)} (${columns.map(quoted).join()}) VALUES (${columns.map(() => '?').join()})`,
  )
  const insertIndex = isIndexed ? db.prepare(`INSERT INTO ${quoted(index)} VALUES (?, ?, ?, ?, ?)`) : undefined
  const { promote } = layerType(layer, false)
  const all = emptyEnvelope()
  for (const [i, feature] of layer.features.entries()) {
    const id = keyAt < 0 ? i + 1 : Number(feature.values[keyAt])
    const wkb = promote && feature.geometry !== null ? promoted(feature.geometry) : feature.geometry
    const envelope = wkb === null || isEmpty(wkb) ? undefined : envelopeOf(wkb)
    const values = fields.map((field) => storedValue(feature.values[field.i], layer.fields[field.i] as Field))
    insert.run(id, wkb === null ? null : blobOf(wkb, srsId, envelope), ...values)
    if (envelope === undefined) continue
    const [minX, minY, maxX, maxY] = envelope
    insertIndex?.run(id, minX, maxX, minY, maxY)
    all[0] = Math.min(all[0], minX)
    all[1] = Math.min(all[1], minY)
    all[2] = Math.max(all[2], maxX)
    all[3] = Math.max(all[3], maxY)
  }
  if (all[0] <= all[2])
    db.prepare('UPDATE gpkg_contents SET min_x = ?, min_y = ?, max_x = ?, max_y = ? WHERE table_name = ?').run(
      ...all,
      table,
    )
  db.prepare('UPDATE gpkg_ogr_contents SET feature_count = ? WHERE table_name = ?').run(layer.features.length, table)
  for (const { sql } of triggers) db.exec(String(sql))
  db.exec('COMMIT')
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

const promoted = (wkb: Wkb): Wkb => (typeOf(wkb) < MULTI_POINT ? collect(multiOf(typeOf(wkb)), [wkb]) : wkb)

function storedValue(value: unknown, { type }: Field): SQLInputValue {
  if (value === null || value === undefined) return null
  return type === 'boolean' ? Number(value) : (value as SQLInputValue)
}

const [HEADER_BYTES, ENVELOPE_BYTES] = [8, 32]
const [LITTLE_ENDIAN, HAS_ENVELOPE, IS_EMPTY] = [1, 2, 16]

/** A geometry in GeoPackage's binary format (OGC 12-128r19, 2.1.3). A point needs no envelope. */
function blobOf(wkb: Wkb, srsId: number, envelope: Envelope | undefined): Uint8Array {
  const hasEnvelope = envelope !== undefined && typeOf(wkb) !== POINT
  const start = HEADER_BYTES + (hasEnvelope ? ENVELOPE_BYTES : 0)
  const blob = Buffer.allocUnsafe(start + wkb.length)
  blob.write('GP\0', 'latin1')
  blob[3] = LITTLE_ENDIAN | (hasEnvelope ? HAS_ENVELOPE : 0) | (envelope === undefined ? IS_EMPTY : 0)
  blob.writeInt32LE(srsId, 4)
  if (hasEnvelope) {
    const [minX, minY, maxX, maxY] = envelope
    for (const [i, value] of [minX, maxX, minY, maxY].entries()) blob.writeDoubleLE(value, HEADER_BYTES + 8 * i)
  }
  blob.set(wkb, start)
  return blob
}
