/** Column names that a format can hold, distinct under the format's comparison. */

import { type Warning, warning } from '../../../warnings/warning.ts'
import { distinctNames, freeName, type Layer } from '../layers/layer.ts'
import type { TargetFormat } from './vector-formats.ts'

/** Replaces characters that are not allowed in the name of an XML element, or that GDAL changes there. */
export const xmlName = (text: string): string =>
  text.replace(/[^\p{L}\p{N}_.]/gu, '_').replace(/^[^\p{L}_]/u, '_$&') || '_'

/** The name of the geometry column of a GeoParquet file. */
export const PARQUET_GEOMETRY = 'geometry'

/** Shortens names to at most ten bytes each and keeps them distinct. */
export function shortNames(names: readonly string[]): string[] {
  const withNumber = (name: string, n: number): string => `${truncateUtf8(name, 10 - String(n).length - 1)}_${n}`
  const distinct = distinctNames({ withNumber, firstNumber: 1 })
  return names.map((name) => distinct(truncateUtf8(name, 10)))
}

function truncateUtf8(text: string, bytes: number): string {
  // a character has at least one byte
  const encoded = Buffer.from(text.slice(0, bytes + 1))
  if (encoded.length <= bytes) return text
  let end = bytes
  while (((encoded[end] as number) & 0xc0) === 0x80) end--
  return encoded.toString('utf8', 0, end)
}

const RENAMED = {
  shp: 'shapefileColumnsRenamed',
  gml: 'gmlColumnsRenamed',
  gpkg: 'geoPackageColumnsRenamed',
  parquet: 'parquetColumnsRenamed',
} as const

/** @param warnings receives the names that changed. @returns the layer with names that the format can hold */
export function withFormatNames(layer: Layer, format: TargetFormat, warnings: Warning[]): Layer {
  if (!(format in RENAMED)) return layer
  const names = layer.fields.map(({ name }) => name)
  const written = namesFor(names, format)
  const changed = names.flatMap((name, i) => (name === written[i] ? [] : [`${name} → ${written[i]}`]))
  if (changed.length === 0) return layer
  warnings.push(warning(RENAMED[format as keyof typeof RENAMED], { names: changed }))
  return { ...layer, fields: layer.fields.map((field, i) => ({ ...field, name: written[i] as string })) }
}

function namesFor(names: readonly string[], format: TargetFormat): string[] {
  if (format === 'shp') return shortNames(names)
  if (format === 'parquet') {
    const others = names.filter((name) => name !== PARQUET_GEOMETRY).map((name) => ({ name, type: 'string' as const }))
    return names.map((name) => (name === PARQUET_GEOMETRY ? freeName(others, `${PARQUET_GEOMETRY}_1`) : name))
  }
  const distinct = distinctNames()
  return names.map((name) => distinct(format === 'gml' ? xmlName(name) : name))
}
