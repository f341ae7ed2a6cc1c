/** Reads and writes GeoParquet 1.1 (OGC 24-013): Parquet whose `geo` metadata names the geometry column and its CRS. */
import { readFileSync } from 'node:fs'
import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { type Warning, warning } from '../../../../warnings/warning.ts'
import { InputError, reasonOf } from '../../../input-error.ts'
import { decompressHadoopLz4, decompressLz4 } from '../../../lz4.ts'
import { hasZ, TYPE_NAMES, typeOf } from '../../geometry/wkb.ts'
import { checkedWkb } from '../../geometry/wkb-variants.ts'
import {
  type Feature,
  type Field,
  type FieldType,
  geometryType,
  int64,
  type Layer,
  layerEnvelope,
} from '../../layers/layer.ts'
import { PARQUET_GEOMETRY } from '../column-names.ts'
import { columnOf, type ParquetColumn, readSchema } from './parquet-types.ts'

type GeoColumn = {
  encoding?: string
  /** PROJJSON; well-known text in older files. */
  crs?: ProjJson | string | null
  /** The column that holds the bounding boxes of the geometries. */
  covering?: { bbox?: { xmin?: string[] } }
}
type GeoMetadata = { primary_column?: string; columns?: Record<string, GeoColumn> }
type CrsId = { authority?: string; code?: unknown }
type ProjJson = { id?: CrsId; ids?: CrsId[] }

/** The CRS of a file: a code, a definition, or unknown. */
export type ParquetCrs = { code: string } | { definition: ProjJson | string } | undefined

export type ParquetContent = { fields: Field[]; features: Feature[]; crs: ParquetCrs; warnings: Warning[] }

/** @throws InputError */
export async function readGeoParquet(path: string, maxFeatures: number): Promise<ParquetContent> {
  try {
    const { columns, rows, geo } = await readStored(path, maxFeatures)
    if (geo === undefined) throw new InputError('geoparquet', fieldText('geoMetadata'))
    const column = geo.primary_column ?? 'geometry'
    const columnMetadata = geo.columns?.[column]
    if (columnMetadata?.encoding !== 'WKB') throw new InputError('geoparquet', fieldText('wkbColumn', { column }))
    const names = columns.map(({ name }) => name)
    const geometryColumn = names.indexOf(column)
    if (geometryColumn < 0) throw new InputError('geoparquet', fieldText('geometryColumn', { column }))
    const boxes = columnMetadata.covering?.bbox?.xmin?.[0]
    const others = Object.keys(geo.columns ?? {}).filter((name) => name !== column && names.includes(name))
    const warnings = others.length === 0 ? [] : [warning('geometriesReadAsBytes', { columns: others })]
    const properties = columns.flatMap((own, i) =>
      i === geometryColumn || own.name === boxes ? [] : [columnOf(own, columnAt(rows, i))],
    )
    const features = rows.map((row, n): Feature => {
      const wkb = row[geometryColumn] as Uint8Array | null | undefined
      return { values: properties.map(({ values }) => values[n]), geometry: wkb ? checkedWkb(wkb) : null }
    })
    return { fields: properties.map(({ field }) => field), features, crs: crsOf(columnMetadata.crs), warnings }
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError('geoparquet', fieldText('geoparquetUnread', { reason: reasonOf(error) }), error)
  }
}

const columnAt = (rows: readonly unknown[][], index: number): unknown[] => rows.map((row) => row[index])

/** All columns of a file, with or without geometries. */
export async function readParquetTable(path: string): Promise<{ fields: Field[]; rows: unknown[][] }> {
  const { columns, rows } = await readStored(path, Number.MAX_SAFE_INTEGER)
  const read = columns.map((column, i) => columnOf(column, columnAt(rows, i)))
  return { fields: read.map(({ field }) => field), rows: rows.map((_, n) => read.map(({ values }) => values[n])) }
}

/** The stored values of a file, before logical types are applied. @throws Error */
async function readStored(
  path: string,
  maxRows: number,
): Promise<{ columns: ParquetColumn[]; rows: unknown[][]; geo: GeoMetadata | undefined }> {
  const { parquetMetadata, parquetRead } = await import('hyparquet')
  const bytes = readFileSync(path)
  const buffer = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) as ArrayBuffer
  const metadata = parquetMetadata(buffer)
  const text = metadata.key_value_metadata?.find(({ key }) => key === 'geo')?.value
  if (metadata.num_rows > BigInt(maxRows))
    throw new InputError('maxFeatures', fieldText('featureCount', { count: Number(metadata.num_rows), most: maxRows }))
  const unpackedBytes = metadata.row_groups.reduce((sum, group) => sum + Number(group.total_byte_size), 0)
  if (unpackedBytes > MAX_UNPACKED_BYTES)
    throw new InputError('unpackedBytes', fieldText('unpackedBytesAtMost', { most: MAX_UNPACKED_BYTES }))
  const { columns, stored } = readSchema(metadata.schema)
  // the library finds columns by their names
  if (new Set(columns.map(({ name }) => name)).size < columns.length)
    throw new InputError('geoparquet', fieldText('columnNameTwice'))
  let rows: unknown[][] = []
  await parquetRead({
    file: { byteLength: buffer.byteLength, slice: (start, end) => buffer.slice(start, end) },
    metadata: { ...metadata, schema: stored },
    utf8: false,
    parsers: {
      stringFromBytes: (content) => content && (strictUtf8.decode(content) as never),
      timestampFromNanoseconds: (count) => count as never,
    },
    compressors: {
      GZIP: (input) => gunzipSync(input),
      ZSTD: (input) => zstdDecompressSync(input),
      BROTLI: (input) => brotliDecompressSync(input),
      LZ4_RAW: decompressLz4,
      LZ4: decompressHadoopLz4,
    },
    onComplete: (read) => {
      rows = read
    },
  })
  return { columns, rows, geo: text === undefined ? undefined : (JSON.parse(text) as GeoMetadata) }
}

const MAX_UNPACKED_BYTES = 1 << 30

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Without a CRS a file is in longitude and latitude; null states that the CRS is unknown. */
function crsOf(crs: GeoColumn['crs']): ParquetCrs {
  if (crs === undefined) return { code: 'OGC:CRS84' }
  if (crs === null || typeof crs === 'string') return crs === null ? undefined : { definition: crs }
  const { authority, code } = crs.id ?? crs.ids?.[0] ?? {}
  return authority === undefined ? { definition: crs } : { code: `${authority}:${code}` }
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
  return type === 'integer64' ? int64(value as number) : value
}
