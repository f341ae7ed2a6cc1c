/**
 * Reads a vector file of any supported format into a layer. It opens no other files than the given one and its archive
 * members.
 */
import { readFileSync } from 'node:fs'
import { copyFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fieldText } from '../../../field-texts/field-text.ts'
import { largest } from '../../../lists.ts'
import { type Warning, warning } from '../../../warnings/warning.ts'
import { headOf } from '../../file-head.ts'
import { InputError } from '../../input-error.ts'
import type { Wkb } from '../geometry/wkb.ts'
import {
  type Crs,
  distinctColumns,
  type Field,
  type FieldType,
  isInexactInteger,
  type Layer,
  WGS84,
} from '../layers/layer.ts'
import { rejectFiles, safeWkt } from '../projection/safe-crs.ts'
import { csvtTypes, readCsv } from './csv/csv-read.ts'
import { definedBy, loadGdal, parseCrs } from './gdal/gdal.ts'
import { noCrs, type ReadOptions, readWithGdal, reproject, toWkb } from './gdal/gdal-read.ts'
import { holdsInexact, readGeoJson } from './geojson/geojson-read.ts'
import { readGml } from './gml/gml-read.ts'
import { readKml } from './kml/kml-read.ts'
import { readGeoParquet } from './parquet/parquet.ts'
import { requirePositions } from './positions.ts'
import { withLeadingSpaces } from './shp/dbf.ts'
import {
  makePrjSafe,
  rejectActiveSqlite,
  rejectFgbCrsFiles,
  rejectSrsDefinitions,
  withoutEntities,
} from './untrusted.ts'
import { openArchive, type VectorArchive } from './vector-archive.ts'
import { recognise, type VectorFormat } from './vector-formats.ts'

/** GDAL knows this version of GeoPackage (user_version of SQLite, 1.3), and opens newer ones by their extension only. */
const KNOWN_GEOPACKAGE = 10_300
const SQLITE_HEAD = { bytes: 100, version: 60 }

async function openableGeoPackage(path: string, scratch: string): Promise<string> {
  const head = await headOf(path, SQLITE_HEAD.bytes)
  if (head.length < SQLITE_HEAD.bytes || head.readUInt32BE(SQLITE_HEAD.version) <= KNOWN_GEOPACKAGE) return path
  const copy = join(scratch, `named-${basename(path)}.gpkg`)
  await copyFile(path, copy)
  return copy
}

/**
 * @param crs the CRS to return the layer in; the file's own CRS by default
 * @param followsEdges whether long edges get positions in between when the CRS changes, for layers that are compared
 *   with others
 * @throws InputError describing the fault of the file
 */
export async function readVector(
  path: string,
  filename: string,
  { crs, followsEdges, ...options }: ReadOptions & { crs?: Crs; followsEdges?: boolean },
): Promise<Layer> {
  const name = basename(filename, extname(filename)) || 'layer'
  const format = recognise(path, filename)
  const read = format === 'zip' ? await readArchive(path, name, options) : await readPlain(path, name, format, options)
  const { warnings } = read
  const names = distinctColumns(
    read.fields.map((field) => field.name),
    warnings,
  )
  const layer = { ...read, fields: read.fields.map((field, i) => ({ ...field, name: names[i] as string })) }
  requirePositions(layer)
  const replaced = namesOf(layer, (value) => typeof value === 'string' && value.includes('\ufffd'))
  if (replaced.length > 0) warnings.push(warning('charactersNotRead', { columns: replaced }))
  const inexact = inexactColumns(layer)
  if (inexact.length > 0) warnings.push(inexactWarning(inexact))
  return crs === undefined ? layer : reproject(layer, crs, followsEdges)
}

const inexactWarning = (columns: readonly string[]): Warning => warning('integersInexact', { columns })

/** Names of the columns with such a value. */
function namesOf({ fields, features }: Pick<Layer, 'fields' | 'features'>, isFound: (value: unknown) => boolean) {
  return fields.flatMap(({ name }, i) => (features.some(({ values }) => isFound(values[i])) ? [name] : []))
}

/** Columns of numbers with integers that a double cannot hold exactly. */
function inexactColumns({ fields, features }: Layer): string[] {
  const found = new Set<number>()
  const columns = fields.flatMap(({ type }, i) => (type === 'integer64' || type === 'real' ? [i] : []))
  for (const { values } of features) for (const i of columns) if (isInexactInteger(values[i])) found.add(i)
  return [...found].map((i) => (fields[i] as Field).name)
}

async function readArchive(path: string, name: string, options: ReadOptions): Promise<Layer> {
  const archive = await openArchive(path, options)
  const layer = await readArchived(archive, name, options)
  return { ...layer, warnings: [...archive.warnings, ...layer.warnings] }
}

async function readArchived(archive: VectorArchive, name: string, options: ReadOptions): Promise<Layer> {
  switch (archive.kind) {
    case 'shapefiles': {
      const layers: Layer[] = []
      for (const path of archive.paths) {
        makePrjSafe(path.replace(/shp$/, 'prj'))
        const layer = await readWithGdal(path, name, 'ESRI Shapefile', options)
        layers.push(withLeadingSpaces(layer, path.replace(/shp$/, 'dbf')))
      }
      return joined(layers, options.maxFeatures)
    }
    case 'kml':
      return inCrs({ name, ...readKml(archive.paths, options.maxFeatures) }, undefined)
    case 'file': {
      const format = recognise(archive.path, archive.filename)
      if (format === 'zip') throw new InputError('format', fieldText('zipInZip'))
      return readPlain(archive.path, name, format, options, archive.schemaPath)
    }
  }
}

/** The features of layers with the same columns, one after the other. @throws InputError */
function joined(layers: readonly Layer[], maxFeatures: number): Layer {
  const [first, ...others] = layers as [Layer, ...Layer[]]
  if (others.length === 0) return first
  const signature = ({ fields, sourceCrs }: Layer): string =>
    JSON.stringify([fields.map(({ name }) => name), sourceCrs])
  if (others.some((layer) => signature(layer) !== signature(first)))
    throw new InputError('oneLayer', fieldText('differentColumns'))
  const features = layers.flatMap((layer) => layer.features)
  if (features.length > maxFeatures)
    throw new InputError('maxFeatures', fieldText('tooManyFeatures', { most: maxFeatures }))
  // a column may be narrower in one of the files
  const fields = first.fields.map((field, i) => ({
    ...field,
    type: widestOf(layers.map((layer) => layer.fields[i]?.type ?? 'string')),
  }))
  const warnings = layers.flatMap((layer) => layer.warnings)
  return { ...first, fields, features, warnings: [...warnings, warning('shapefilesJoined', { n: layers.length })] }
}

const NUMERIC: readonly FieldType[] = ['integer', 'integer64', 'real']

const widestOf = (types: readonly FieldType[]): FieldType =>
  types.every((type) => NUMERIC.includes(type))
    ? (NUMERIC[largest(types.map((type) => NUMERIC.indexOf(type)))] as FieldType)
    : (types[0] as FieldType)

async function readPlain(
  path: string,
  name: string,
  format: Exclude<VectorFormat, 'zip'>,
  options: ReadOptions,
  schemaPath?: string,
): Promise<Layer> {
  switch (format) {
    case 'geojson': {
      const content = readGeoJson(readFileSync(path), options.maxFeatures)
      const { fields, features, crsName, closedRings, inexactTexts, warnings } = content
      if (closedRings > 0) warnings.push(warning('ringsClosed', { n: closedRings }))
      if (inexactTexts.length > 0) warnings.push(inexactWarning(inexactTexts))
      return inCrs({ name, fields, features, warnings }, crsName)
    }
    case 'csv': {
      const gdal = await loadGdal()
      const fromWkt = (wkt: string): Wkb => toWkb(gdal.Geometry.fromWKT(wkt))
      const declared = schemaPath === undefined ? [] : csvtTypes(textOf(schemaPath))
      const { warnings, ...table } = readCsv(textOf(path), options.maxFeatures, fromWkt, declared)
      warnings.unshift(warning('csvCrsAssumed'))
      return inCrs({ name, ...table, warnings }, undefined)
    }
    case 'parquet': {
      const { crs, ...table } = await readGeoParquet(path, options.maxFeatures)
      const nested = namesOf(table, (value) => typeof value === 'object' && holdsInexact(value))
      if (nested.length > 0) table.warnings.push(inexactWarning(nested))
      if (crs === undefined) throw noCrs()
      if ('definition' in crs) return { name, ...table, ...(await definedCrs(crs.definition)) }
      return inCrs({ name, ...table }, /^(OGC:CRS84|EPSG:4326)$/.test(crs.code) ? undefined : crs.code)
    }
    case 'gpkg':
      await rejectActiveSqlite(path)
      return readWithGdal(await openableGeoPackage(path, options.scratch), name, 'GPKG', options)
    case 'fgb':
      rejectFgbCrsFiles(path)
      return readWithGdal(path, name, 'FlatGeobuf', options)
    case 'kml':
      return inCrs({ name, ...readKml([path], options.maxFeatures) }, undefined)
    case 'gml':
      rejectSrsDefinitions(path)
      return readGml(withoutEntities(path, options.scratch), name, options, schemaPath)
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

function textOf(path: string): string {
  try {
    return strictUtf8.decode(readFileSync(path))
  } catch (cause) {
    throw new InputError('encoding', fieldText('mustBeUtf8'), cause)
  }
}

/** The CRS of a definition in PROJJSON or well-known text. @throws InputError `crs` */
async function definedCrs(definition: object | string): Promise<Pick<Layer, 'crs' | 'sourceCrs'>> {
  const gdal = await loadGdal()
  const text = typeof definition === 'string' ? safeWkt(definition) : JSON.stringify(definition)
  rejectFiles(text)
  const crs = definedBy(gdal, text)
  if (crs === undefined) throw new InputError('crs', fieldText('crsNeedsCode'))
  return { crs, sourceCrs: crs }
}

/** A table that was read without GDAL, with its declared CRS, or WGS 84 without one. */
async function inCrs(
  table: Pick<Layer, 'name' | 'fields' | 'features' | 'warnings'>,
  crsName: string | undefined,
): Promise<Layer> {
  if (crsName === undefined) return { ...table, crs: WGS84, sourceCrs: WGS84 }
  const gdal = await loadGdal()
  try {
    const crs = parseCrs(gdal, crsName)
    return { ...table, crs, sourceCrs: crs }
  } catch (cause) {
    throw new InputError('crs', fieldText('crsNameUnknown', { crs: crsName.slice(0, 80) }), cause)
  }
}
