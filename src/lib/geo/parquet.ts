/** Reads and writes GeoParquet 1.1 (OGC 24-013): Parquet whose `geo` metadata names the geometry column and its CRS. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { InputError, reasonOf } from '../input-error.ts'
import { COORDINATES_RULE } from './coordinate.ts'
import { PARQUET_GEOMETRY } from './format-names.ts'
import { type Feature, type Field, type FieldType, geometryType, type Layer, layerEnvelope } from './layer.ts'
import { hasOnlyCoordinates, hasZ, TYPE_NAMES, typeOf } from './wkb.ts'
import { checkedWkb } from './wkb-variants.ts'

type GeoMetadata = {
  primary_column?: string
  columns?: Record<string, { encoding?: string; crs?: { id?: { authority?: string; code?: unknown } } | null }>
}

export type ParquetContent = {
  fields: Field[]
  features: Feature[]
  /**
   * Such as `EPSG:25833`; `OGC:CRS84` when the file has no crs member; undefined when it states that the CRS is
   * unknown.
   */
  crsCode: string | undefined
}

/** @throws InputError */
export async function readGeoParquet(path: string, maxFeatures: number): Promise<ParquetContent> {
  const { parquetMetadata, parquetRead } = await import('hyparquet')
  const bytes = readFileSync(path)
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
  try {
    const metadata = parquetMetadata(buffer)
    const text = metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value
    if (text === undefined) throw new InputError('geoparquet', 'must have GeoParquet metadata (the key "geo")')
    const geo = JSON.parse(text) as GeoMetadata
    const column = geo.primary_column ?? 'geometry'
    const columnMetadata = geo.columns?.[column]
    if (columnMetadata?.encoding !== 'WKB')
      throw new InputError('geoparquet', `column ${column} must be encoded as WKB`)
    if (metadata.num_rows > BigInt(maxFeatures))
      throw new InputError('maxFeatures', `has ${metadata.num_rows} features; the maximum is ${maxFeatures}`)
    const unpackedBytes = metadata.row_groups.reduce((sum, group) => sum + Number(group.total_byte_size), 0)
    if (unpackedBytes > MAX_UNPACKED_BYTES)
      throw new InputError('unpackedBytes', `must decompress to at most ${MAX_UNPACKED_BYTES} bytes`)
    let rows: unknown[][] = []
    await parquetRead({
      file: { byteLength: buffer.byteLength, slice: (start, end) => buffer.slice(start, end) },
      metadata,
      parsers: { geometryFromBytes: (wkb) => wkb as never, geographyFromBytes: (wkb) => wkb as never },
      compressors: {
        GZIP: (input) => gunzipSync(input),
        ZSTD: (input) => zstdDecompressSync(input),
        BROTLI: (input) => brotliDecompressSync(input),
      },
      onComplete: (read) => {
        rows = read
      },
    })
    const names = topLevelNames(metadata.schema)
    const geometryColumn = names.indexOf(column)
    if (geometryColumn < 0) throw new InputError('geoparquet', `must contain its geometry column ${column}`)
    return { ...tableOf(names, rows, geometryColumn), crsCode: crsCodeOf(columnMetadata.crs) }
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError('geoparquet', `cannot be read as GeoParquet: ${reasonOf(error)}`, error)
  }
}

const MAX_UNPACKED_BYTES = 1 << 30

function crsCodeOf(crs: { id?: { authority?: string; code?: unknown } } | null | undefined): string | undefined {
  if (crs === undefined) return 'OGC:CRS84'
  return crs?.id?.authority === undefined ? undefined : `${crs.id.authority}:${crs.id.code}`
}

function topLevelNames(schema: { name: string; num_children?: number }[]): string[] {
  const names: string[] = []
  let at = 1
  const skip = (): void => {
    const children = schema[at++]?.num_children ?? 0
    for (let i = 0; i < children; i++) skip()
  }
  while (at < schema.length) {
    names.push(schema[at]?.name ?? '')
    skip()
  }
  return names
}

function tableOf(names: string[], rows: unknown[][], geometryColumn: number): { fields: Field[]; features: Feature[] } {
  const propertyColumns = names.map((_, i) => i).filter((i) => i !== geometryColumn && !isCovering(names[i], rows, i))
  const fields = propertyColumns.map((i) => ({ name: names[i] as string, type: typeOfColumn(rows, i) }))
  const features = rows.map((row, n): Feature => {
    const wkb = row[geometryColumn] as Uint8Array | null | undefined
    const geometry = wkb ? checkedWkb(wkb) : null
    if (geometry !== null && !hasOnlyCoordinates(geometry))
      throw new InputError('finite', `feature ${n}: ${COORDINATES_RULE}`)
    return { values: propertyColumns.map((i, k) => fromParquetValue(row[i], (fields[k] as Field).type)), geometry }
  })
  return { fields, features }
}

/** Whether a column holds the bounding boxes of the geometries, as GeoParquet 1.1 suggests. */
const isCovering = (name: string | undefined, rows: unknown[][], column: number): boolean =>
  name === 'bbox' && rows.every((row) => row[column] === null || typeof row[column] === 'object')

function typeOfColumn(rows: unknown[][], column: number): FieldType {
  let type: FieldType | undefined
  for (const row of rows) {
    const value = row[column] ?? null
    if (value === null) continue
    if (typeof value === 'boolean') return 'boolean'
    if (typeof value === 'bigint') return 'integer64'
    if (value instanceof Date) return 'datetime'
    if (value instanceof Uint8Array) return 'binary'
    if (typeof value === 'object') return 'json'
    if (typeof value === 'string') return 'string'
    if (typeof value === 'number' && !Number.isInteger(value)) return 'real'
    type ??= Math.abs(value as number) < 2 ** 31 ? 'integer' : 'integer64'
  }
  return type ?? 'string'
}

function fromParquetValue(value: unknown, type: FieldType): unknown {
  if (value === undefined || value === null) return null
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint') return Number(value)
  return type === 'string' ? String(value) : value
}

const PARQUET_TYPES = {
  integer: 'INT32',
  integer64: 'INT64',
  real: 'DOUBLE',
  string: 'STRING',
  boolean: 'BOOLEAN',
  date: 'STRING',
  time: 'STRING',
  datetime: 'STRING',
  json: 'JSON',
  binary: 'BYTE_ARRAY',
} as const satisfies Record<FieldType, string>

/** Writes a layer in WGS 84. The file omits its CRS, which by the standard means longitude and latitude. */
export async function writeGeoParquet(layer: Layer, path: string): Promise<void> {
  const { parquetWriteFile } = await import('hyparquet-writer')
  const types = new Set<string>()
  for (const { geometry } of layer.features)
    if (geometry !== null) types.add((TYPE_NAMES[typeOf(geometry)] as string) + (hasZ(geometry) ? ' Z' : ''))
  const bbox = geometryType(layer) === 'None' ? undefined : layerEnvelope(layer)
  const column = PARQUET_GEOMETRY
  const columns = layer.fields.map(({ name, type }, i) => ({
    name,
    type: PARQUET_TYPES[type],
    nullable: true,
    data: layer.features.map(({ values }) => toParquetValue(values[i], type)),
  }))
  await parquetWriteFile({
    filename: path,
    columnData: [
      ...columns,
      {
        name: column,
        type: 'BYTE_ARRAY',
        nullable: true,
        statistics: false,
        data: layer.features.map(({ geometry }) => geometry),
      },
    ],
    kvMetadata: [
      {
        key: 'geo',
        value: JSON.stringify({
          version: '1.1.0',
          primary_column: column,
          columns: { [column]: { encoding: 'WKB', geometry_types: [...types].sort(), ...(bbox && { bbox }) } },
        }),
      },
    ],
  })
}

function toParquetValue(value: unknown, type: FieldType): unknown {
  if (value === null || value === undefined) return null
  return type === 'integer64' ? BigInt(Math.trunc(value as number)) : value
}
