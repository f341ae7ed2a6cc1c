/**
 * Writes a layer as a FlatGeobuf. A long one is written as a GeoPackage first, from which GDAL makes the FlatGeobuf:
 * the rows of a GeoPackage are written without GDAL, which needs one call per value. Runs in Node only.
 */

import { rmSync } from 'node:fs'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { InputError, reasonOf } from '../../../input-error.ts'
import { hasZ } from '../../geometry/wkb.ts'
import { freeName, type Layer } from '../../layers/layer.ts'
import { loadGdal } from '../gdal/gdal.ts'
import { createWithGdal, hasPlainValues, layerType } from '../gdal/gdal-write.ts'
import { writeGeoPackage } from '../gpkg/gpkg-write.ts'

/** Number of features from which the copy costs less than the calls. */
const COPIED_FROM = 1_000
/** Below SQLite's limit of columns in a table. */
const MAX_COLUMNS = 1_000

/** @param copyPath must not exist yet */
export async function writeFlatGeobuf(layer: Layer, path: string, name: string, copyPath: string): Promise<void> {
  if (!isCopied(layer)) return createWithGdal('FlatGeobuf', path, name, layer)
  const { fields } = layer
  const gdal = await loadGdal()
  try {
    await writeGeoPackage(layer, copyPath, name, freeName(fields, 'fid'), freeName(fields, 'geom'), false)
    const copy = gdal.open(copyPath, 'r', ['GPKG'])
    try {
      const { code, wkt } = layer.crs
      gdal.vectorTranslate(path, copy, ['-f', 'FlatGeobuf', '-nln', name, '-nomd', '-a_srs', code ?? wkt]).close()
    } finally {
      copy.close()
    }
  } catch (cause) {
    if (cause instanceof InputError) throw cause
    throw new InputError(
      'target',
      fieldText('targetUnwritten', { format: 'FlatGeobuf', reason: reasonOf(cause) }),
      cause,
    )
  } finally {
    rmSync(copyPath, { force: true })
  }
}

/** Whether a GeoPackage holds the layer without loss compared to a FlatGeobuf. */
function isCopied(layer: Layer): boolean {
  const { fields, features } = layer
  if (features.length < COPIED_FROM || fields.length > MAX_COLUMNS) return false
  // column names in SQLite are case-insensitive
  if (new Set(fields.map(({ name }) => name.toLowerCase())).size < fields.length) return false
  // only a FlatGeobuf states whether mixed geometries have heights
  const isMixture = layerType(layer, false).code === 0
  if (isMixture && features.some(({ geometry }) => geometry !== null && hasZ(geometry))) return false
  return hasPlainValues(layer)
}
