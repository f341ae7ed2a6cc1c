/** How a file can be shown, by its name and media type: pages detect the real kind and do not trust the sender. */
import type { DataKind } from '../process-form/process.ts'

export type FileKind =
  | 'features'
  | 'vector'
  | 'raster'
  | 'picture'
  | 'pictureElsewhere'
  | 'pdf'
  | 'table'
  | 'text'
  | 'zip'
  | 'document'
  | 'other'

export type StoredFile = {
  key: string
  role: string
  filename: string
  mediaType: string
  bytes: number
  field?: string | null
  artifactId?: string
  crs?: string | null
}

/** Reading more features takes long and much memory, so the person decides. */
export const ASK_FROM_BYTES = 120 * 2 ** 20

/** A browser holds the text of a file as one string, and a string has fewer characters than 2 ** 29. */
export const MAX_TEXT_BYTES = 2 ** 29 - 2 ** 10

const BY_EXTENSION: Record<string, FileKind> = {
  geojson: 'features',
  kml: 'vector',
  kmz: 'vector',
  gml: 'vector',
  gpkg: 'vector',
  fgb: 'vector',
  parquet: 'vector',
  geoparquet: 'vector',
  shp: 'vector',
  tif: 'raster',
  tiff: 'raster',
  png: 'picture',
  jpg: 'picture',
  jpeg: 'picture',
  gif: 'picture',
  webp: 'picture',
  avif: 'picture',
  bmp: 'picture',
  heic: 'pictureElsewhere',
  heif: 'pictureElsewhere',
  pdf: 'pdf',
  csv: 'table',
  tsv: 'table',
  txt: 'text',
  json: 'text',
  xml: 'text',
  md: 'text',
  zip: 'zip',
  docx: 'document',
}

export const extensionOf = (filename: string): string => /\.([a-z0-9]{1,10})$/i.exec(filename)?.[1]?.toLowerCase() ?? ''

export function kindOf({ filename, mediaType }: Pick<StoredFile, 'filename' | 'mediaType'>): FileKind {
  const known = BY_EXTENSION[extensionOf(filename)]
  // a TIFF without a georeference counts as a raster too
  if (known !== undefined) return known
  if (mediaType.startsWith('image/tiff')) return 'raster'
  if (/^image\/(png|jpeg|gif|webp|avif|bmp)/.test(mediaType)) return 'picture'
  if (mediaType === 'application/pdf') return 'pdf'
  if (mediaType === 'application/geo+json') return 'features'
  if (mediaType === 'application/zip') return 'zip'
  return 'other'
}

const TOOL_INPUTS: Partial<Record<FileKind, DataKind>> = {
  // a shapefile is an archive
  features: 'vector',
  vector: 'vector',
  zip: 'vector',
  raster: 'raster',
  picture: 'image',
  pictureElsewhere: 'image',
  pdf: 'document',
  table: 'table',
}

/** The kind of data that a file of this kind is for tools. */
export const toolInputOf = (kind: FileKind): DataKind | undefined => TOOL_INPUTS[kind]
