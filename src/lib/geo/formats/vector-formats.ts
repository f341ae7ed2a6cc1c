/** The accepted vector formats, for reading and for writing: detection by content, extension and media type. */
import { closeSync, openSync, readSync } from 'node:fs'
import { extname } from 'node:path'
import { fieldText } from '../../../field-texts/field-text.ts'
import { InputError } from '../../input-error.ts'

export const TARGET_FORMATS = ['geojson', 'shp', 'kml', 'gml', 'gpkg', 'fgb', 'kmz', 'parquet'] as const
export type TargetFormat = (typeof TARGET_FORMATS)[number]

export type VectorFormat = 'geojson' | 'zip' | 'kml' | 'gml' | 'gpkg' | 'fgb' | 'parquet' | 'csv'

export const READ_FORMATS =
  'GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet and CSV with coordinates'
/** The same, in descriptions of fields. */
export const ONE_OF_READ_FORMATS = {
  en: 'GeoJSON, zipped shapefile, KML, KMZ, GML, GeoPackage, FlatGeobuf, GeoParquet or CSV with coordinates',
  ar: 'GeoJSON أو shapefile مضغوط أو KML أو KMZ أو GML أو GeoPackage أو FlatGeobuf أو GeoParquet أو CSV بإحداثيات',
}

/** File extension and media type of each output format. */
export const WRITTEN: Record<TargetFormat, { extension: string; mediaType: string }> = {
  geojson: { extension: 'geojson', mediaType: 'application/geo+json' },
  shp: { extension: 'zip', mediaType: 'application/zip' },
  kml: { extension: 'kml', mediaType: 'application/vnd.google-earth.kml+xml' },
  gml: { extension: 'zip', mediaType: 'application/zip' },
  gpkg: { extension: 'gpkg', mediaType: 'application/geopackage+sqlite3' },
  fgb: { extension: 'fgb', mediaType: 'application/octet-stream' },
  kmz: { extension: 'kmz', mediaType: 'application/vnd.google-earth.kmz' },
  parquet: { extension: 'parquet', mediaType: 'application/vnd.apache.parquet' },
}

const HEAD_BYTES = 4096

/** Recognises the format by content, and by the extension where content is not enough. @throws InputError */
export function recognise(path: string, filename: string): VectorFormat {
  const head = Buffer.alloc(HEAD_BYTES)
  const fd = openSync(path, 'r')
  let length: number
  try {
    length = readSync(fd, head, 0, HEAD_BYTES, 0)
  } finally {
    closeSync(fd)
  }
  if (length === 0) throw new InputError('empty', fieldText('fileEmpty'))
  const magic = head.toString('latin1', 0, 16)
  if (magic.startsWith('PK\x03\x04') || magic.startsWith('PK\x05\x06')) return 'zip'
  if (magic.startsWith('SQLite format 3\0')) return 'gpkg'
  if (magic.startsWith('fgb\x03')) return 'fgb'
  if (magic.startsWith('PAR1')) return 'parquet'
  if (head[0] === 0xff || head[0] === 0xfe) throw new InputError('encoding', fieldText('notUtf16'))
  const text = head
    .toString('utf8', 0, length)
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (text.startsWith('{') || text.startsWith('[')) return 'geojson'
  if (text.startsWith('<')) return /<(\w+:)?kml[\s>]/i.test(text) ? 'kml' : 'gml'
  const extension = extname(filename).toLowerCase()
  if (['.shp', '.dbf', '.shx'].includes(extension)) throw new InputError('shapefile', fieldText('shapefilePart'))
  const printable = !head.subarray(0, length).includes(0)
  if (printable && (extension === '.csv' || extension === '.txt' || extension === '.tsv')) return 'csv'
  throw new InputError('format', fieldText('oneOf', { values: READ_FORMATS }))
}
