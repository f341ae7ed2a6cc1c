/** Reads a stored layer (layer-records.ts) as a layer in memory, with column types inferred from its values. */
import { readFileSync } from 'node:fs'
import { Columns } from '../formats/geojson/geojson-read.ts'
import { type Feature, type Layer, WGS84 } from './layer.ts'
import { compact, endOfRecord, geometryOf, idOf, propertiesOf } from './layer-records.ts'

/** @param fields the columns in their order */
export function readStoredLayer(
  path: string,
  bytes: number,
  { name, fields }: { name: string; fields: readonly string[] },
): Layer {
  const records = compact(readFileSync(path).subarray(0, bytes))
  const columns = new Columns()
  columns.add(Object.fromEntries(fields.map((field) => [field, null])))
  const features: Feature[] = []
  for (let at = 0; at < records.length; at = endOfRecord(records, at))
    features.push({
      values: columns.add(propertiesOf(records, at)),
      geometry: geometryOf(records, at),
      id: idOf(records, at),
    })
  const { inexactTexts: _, ...read } = columns.finish(features, false)
  return { name, ...read, crs: WGS84, sourceCrs: WGS84, warnings: [] }
}
