/** Finds the layer and its companion files in a ZIP: files with the same stem in the same folder, ignoring case. */

import { isUtf8 } from 'node:buffer'
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { basename, dirname, extname, join } from 'node:path'
import { fieldText } from '../../../field-texts/field-text.ts'
import { type Warning, warning } from '../../../warnings/warning.ts'
import { InputError } from '../../input-error.ts'
import { unpack, type ZipEntry } from '../../zip.ts'
import type { ReadOptions } from './gdal/gdal-read.ts'
import { FAMILY_NAMES } from './shp/shapefile-write.ts'
import { READ_FORMATS } from './vector-formats.ts'

const SHAPEFILE_EXTENSIONS = ['.shp', '.shx', '.dbf', '.prj', '.cpg']
const SINGLE_FILE_EXTENSIONS = ['.kml', '.gml', '.geojson', '.json', '.gpkg', '.fgb', '.parquet', '.csv']
/** Companion files with the column types of a GML and of a CSV. */
const SCHEMA_EXTENSIONS = ['.xsd', '.csvt']
const WANTED = new Set([...SHAPEFILE_EXTENSIONS, ...SINGLE_FILE_EXTENSIONS, ...SCHEMA_EXTENSIONS])

export type VectorArchive = { warnings: Warning[] } & (
  | { kind: 'shapefiles'; paths: string[] }
  | { kind: 'kml'; paths: string[] }
  | { kind: 'file'; path: string; filename: string; schemaPath: string | undefined }
)

/** @throws InputError when it is unclear which file is the layer */
export async function openArchive(path: string, options: ReadOptions): Promise<VectorArchive> {
  const dir = join(options.scratch, `unpacked-${basename(path)}`)
  const entries = await unpack(path, dir, (extension) => WANTED.has(extension), options.maxUnpackedBytes)
  const withExtension = (extension: string): ZipEntry[] => entries.filter((entry) => extensionOf(entry) === extension)
  const shapes = withExtension('.shp')
  if (shapes.length > 0) {
    if (shapes.length > 1 && !areOfOneLayer(shapes.map(stemOf)))
      throw new InputError('oneLayer', fieldText('shapefileCount', { count: shapes.length }))
    const warnings: Warning[] = []
    const sets = shapes.map((shape) => partsOf(shape, entries))
    const paths = sets.map((parts, i) => gathered(parts, join(dir, `layer-${i}`), warnings))
    const used = new Set(sets.flatMap((parts) => [...parts.values()]))
    const others = entries.filter((entry) => !used.has(entry) && isDataFile(entry))
    return { kind: 'shapefiles', paths, warnings: [...warnings, ...notRead(others)] }
  }
  const single = entries.filter((entry) => SINGLE_FILE_EXTENSIONS.includes(extensionOf(entry)))
  // a KMZ may link from one KML document to others; each is read directly instead of following links
  const documents = withExtension('.kml')
  if (documents.length > 0) {
    const others = single.filter((entry) => !documents.includes(entry))
    return { kind: 'kml', paths: documents.map((entry) => entry.path), warnings: notRead(others) }
  }
  const [chosen] = single
  if (chosen === undefined) throw new InputError('format', fieldText('shapefileOrOther', { formats: READ_FORMATS }))
  if (single.length > 1) throw new InputError('oneLayer', fieldText('vectorFileCount', { count: single.length }))
  const schemas = withExtension(extensionOf(chosen) === '.gml' ? '.xsd' : '.csvt')
  const schemaPath = schemas.find((entry) => stemOf(entry) === stemOf(chosen))?.path
  return { kind: 'file', path: chosen.path, filename: basename(chosen.name), schemaPath, warnings: [] }
}

const extensionOf = ({ name }: ZipEntry): string => extname(name).toLowerCase()

/** Folder and name without the extension. */
const stemOf = ({ name }: ZipEntry): string => join(dirname(name), basename(name, extname(name))).toLowerCase()

const isDataFile = (entry: ZipEntry): boolean =>
  extensionOf(entry) === '.dbf' || SINGLE_FILE_EXTENSIONS.includes(extensionOf(entry))

const notRead = (others: readonly ZipEntry[]): Warning[] =>
  others.length === 0 ? [] : [warning('otherFilesNotRead', { files: others.map(({ name }) => name) })]

/** Whether `shapefile-write.ts` may have written the files for the kinds of geometry of one layer. */
function areOfOneLayer(stems: readonly string[]): boolean {
  const bases = stems.map((stem) => stem.replace(new RegExp(`_(${FAMILY_NAMES.join('|')})$`), ''))
  return new Set(bases).size === 1 && new Set(stems).size === stems.length && !stems.includes(bases[0] as string)
}

/** The files of a shapefile by their extensions. @throws InputError */
function partsOf(shape: ZipEntry, entries: readonly ZipEntry[]): Map<string, ZipEntry> {
  const parts = new Map<string, ZipEntry>()
  for (const entry of entries) {
    const extension = extensionOf(entry)
    if (!SHAPEFILE_EXTENSIONS.includes(extension) || stemOf(entry) !== stemOf(shape)) continue
    if (parts.has(extension))
      throw new InputError('shapefile', fieldText('shapefilePartTwice', { extension, name: basename(shape.name) }))
    parts.set(extension, entry)
  }
  for (const extension of ['.dbf', '.prj'])
    if (!parts.has(extension))
      throw new InputError('shapefile', fieldText('shapefilePartMissing', { extension, name: basename(shape.name) }))
  return parts
}

/** Renames the files on disk to the same stem, which GDAL requires. @returns the path of the .shp */
function gathered(parts: ReadonlyMap<string, ZipEntry>, stem: string, warnings: Warning[]): string {
  for (const [extension, { path }] of parts) renameSync(path, stem + extension)
  if (!parts.has('.cpg')) stateEncoding(stem, warnings)
  return `${stem}.shp`
}

const [LANGUAGE_AT, HEAD_LENGTH_AT, FIELD_BYTES, NAME_BYTES] = [29, 8, 32, 11]

/** The text encoding is unknown without a .cpg file and a language in the header of the .dbf. */
function stateEncoding(stem: string, warnings: Warning[]): void {
  const table = readFileSync(`${stem}.dbf`)
  if (table.length < FIELD_BYTES || table[LANGUAGE_AT] !== 0) return
  const headBytes = table.readUInt16LE(HEAD_LENGTH_AT)
  const texts = [table.subarray(headBytes)]
  for (let at = FIELD_BYTES; at + FIELD_BYTES <= headBytes; at += FIELD_BYTES)
    texts.push(table.subarray(at, at + NAME_BYTES))
  if (texts.every((bytes) => bytes.every((byte) => byte < 0x80))) return
  const encoding = texts.every((bytes) => isUtf8(bytes)) ? 'UTF-8' : '1252'
  writeFileSync(`${stem}.cpg`, encoding)
  const title = encoding === '1252' ? 'Windows-1252' : encoding
  warnings.push(warning('encodingAssumed', { encoding: title }))
}
