/** Determines the type of a file from its content, and from its name. */
import { extname } from 'node:path'
import { HEAD_BYTES as IMAGE_HEAD_BYTES, imageFormatOf } from '../image/formats.ts'

export type Content =
  | 'zip'
  | 'pdf'
  | 'tiff'
  | 'png'
  | 'jpeg'
  | 'webp'
  | 'gif'
  | 'bmp'
  | 'sqlite'
  | 'flatgeobuf'
  | 'parquet'
  | 'ole'
  | 'xml'
  | 'json'
  | 'text'
  | 'program'
  | 'unknown'

export type FileKind = 'vector' | 'raster' | 'image' | 'document' | 'table'

type DeclaredType = { content: Content; kind: FileKind }

/** The file types that owners may upload, by extension. */
export const EXTENSIONS: Record<string, DeclaredType> = {
  '.geojson': { content: 'json', kind: 'vector' },
  '.json': { content: 'json', kind: 'vector' },
  '.zip': { content: 'zip', kind: 'vector' },
  '.kml': { content: 'xml', kind: 'vector' },
  '.kmz': { content: 'zip', kind: 'vector' },
  '.gml': { content: 'xml', kind: 'vector' },
  '.gpkg': { content: 'sqlite', kind: 'vector' },
  '.fgb': { content: 'flatgeobuf', kind: 'vector' },
  '.parquet': { content: 'parquet', kind: 'vector' },
  '.csv': { content: 'text', kind: 'table' },
  '.tsv': { content: 'text', kind: 'table' },
  '.txt': { content: 'text', kind: 'table' },
  '.tif': { content: 'tiff', kind: 'raster' },
  '.tiff': { content: 'tiff', kind: 'raster' },
  '.png': { content: 'png', kind: 'image' },
  '.jpg': { content: 'jpeg', kind: 'image' },
  '.jpeg': { content: 'jpeg', kind: 'image' },
  '.webp': { content: 'webp', kind: 'image' },
  '.gif': { content: 'gif', kind: 'image' },
  '.bmp': { content: 'bmp', kind: 'image' },
  '.pdf': { content: 'pdf', kind: 'document' },
  '.docx': { content: 'zip', kind: 'document' },
  '.xlsx': { content: 'zip', kind: 'document' },
  '.pptx': { content: 'zip', kind: 'document' },
  '.odt': { content: 'zip', kind: 'document' },
  '.ods': { content: 'zip', kind: 'document' },
  '.odp': { content: 'zip', kind: 'document' },
  '.doc': { content: 'ole', kind: 'document' },
  '.xls': { content: 'ole', kind: 'document' },
  '.ppt': { content: 'ole', kind: 'document' },
}

/** Undefined for an extension that is not accepted. */
export const typeByExtension = (filename: string): DeclaredType | undefined =>
  EXTENSIONS[extname(filename).toLowerCase()]

/** Number of leading bytes needed to determine the type. */
export const HEAD_BYTES = 4096

const MAGIC: readonly [Content, string][] = [
  ['zip', 'PK\x03\x04'],
  ['zip', 'PK\x05\x06'],
  ['sqlite', 'SQLite format 3\0'],
  ['flatgeobuf', 'fgb\x03'],
  ['parquet', 'PAR1'],
  ['ole', '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1'],
  ['program', '\x7fELF'],
  ['program', 'MZ'],
  ['program', '#!'],
  ['program', '\xca\xfe\xba\xbe'],
  ['program', '\xcf\xfa\xed\xfe'],
  ['program', '\xce\xfa\xed\xfe'],
  ['program', '\0asm'],
]

/** @param head the first `HEAD_BYTES` of a file, or all of a shorter one */
export function contentOf(head: Buffer): Content {
  const start = head.toString('latin1', 0, 16)
  const found = MAGIC.find(([, magic]) => start.startsWith(magic))
  if (found !== undefined) return found[0]
  const image = imageFormatOf(head.subarray(0, IMAGE_HEAD_BYTES))
  if (image !== undefined) return image
  // the header of a PDF may be preceded by other bytes
  if (head.subarray(0, 1024).includes('%PDF-')) return 'pdf'
  if (head.includes(0)) return 'unknown'
  const text = head
    .toString('utf8')
    .replace(/^\uFEFF/, '')
    .trimStart()
  if (text.startsWith('<')) return 'xml'
  return text.startsWith('{') || text.startsWith('[') ? 'json' : 'text'
}
