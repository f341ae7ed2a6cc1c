/**
 * Reads a vector file of any supported format into a layer. It opens only the given file and what that file contains.
 */
import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { largest } from '../../lists.ts'
import { InputError } from '../input-error.ts'
import { unpack } from '../zip.ts'
import { readCsv } from './csv-read.ts'
import { loadGdal, parseCrs } from './gdal.ts'
import { noCrs, type ReadOptions, readWithGdal, reproject, toWkb } from './gdal-read.ts'
import { readGeoJson } from './geojson-read.ts'
import { readGml } from './gml-read.ts'
import { readKml } from './kml-read.ts'
import { type Crs, type Field, type FieldType, isInexactInteger, type Layer, sameCrs, WGS84 } from './layer.ts'
import { readGeoParquet } from './parquet.ts'
import { FAMILY_NAMES } from './shapefile-write.ts'
import {
  makePrjSafe,
  rejectActiveSqlite,
  rejectFgbCrsFiles,
  rejectSrsDefinitions,
  withoutEntities,
} from './untrusted.ts'
import { READ_FORMATS, recognise, type VectorFormat } from './vector-formats.ts'
import type { Wkb } from './wkb.ts'

/** @throws InputError that says what is wrong with the file */
export async function readVector(path: string, filename: string, options: ReadOptions): Promise<Layer> {
  const name = basename(filename, extname(filename)) || 'layer'
  const format = recognise(path, filename)
  const layer = format === 'zip' ? await readArchive(path, name, options) : await readPlain(path, name, format, options)
  const inexact = inexactColumns(layer)
  if (inexact.length > 0) layer.warnings.push(inexactWarning(inexact))
  return layer
}

const inexactWarning = (columns: readonly string[]): string =>
  `integers beyond ±2^53 may have lost digits in ${columns.join(', ')}`

/** Columns of numbers with integers that a double does not hold exactly. */
function inexactColumns({ fields, features }: Layer): string[] {
  const found = new Set<number>()
  const columns = fields.flatMap(({ type }, i) => (type === 'integer64' || type === 'real' ? [i] : []))
  for (const { values } of features) for (const i of columns) if (isInexactInteger(values[i])) found.add(i)
  return [...found].map((i) => (fields[i] as Field).name)
}

const SHAPEFILE_EXTENSIONS = ['.shp', '.shx', '.dbf', '.prj', '.cpg']
const SINGLE_FILE_EXTENSIONS = ['.kml', '.gml', '.geojson', '.json', '.gpkg', '.fgb', '.parquet', '.csv']

async function readArchive(path: string, name: string, options: ReadOptions): Promise<Layer> {
  const dir = join(options.scratch, `unpacked-${basename(path)}`)
  const isRelevant = (extension: string): boolean =>
    SHAPEFILE_EXTENSIONS.includes(extension) || SINGLE_FILE_EXTENSIONS.includes(extension)
  const entries = await unpack(path, dir, isRelevant, options.maxUnpackedBytes)
  const byExtension = (extension: string) => entries.filter((entry) => extname(entry.name).toLowerCase() === extension)
  const shapes = byExtension('.shp')
  if (shapes.length > 1 && !areOfOneLayer(shapes.map((shape) => stemOf(shape))))
    throw new InputError('oneLayer', `contains ${shapes.length} shapefiles; a ZIP must contain one`)
  for (const shape of shapes)
    for (const part of ['.dbf', '.prj'])
      if (!byExtension(part).some((entry) => entry.name.toLowerCase() === `${stemOf(shape)}${part}`))
        throw new InputError('shapefile', `must contain a ${part} file for the shapefile ${shape.name}`)
  if (shapes.length > 0) {
    for (const entry of byExtension('.prj')) makePrjSafe(entry.path)
    const layers: Layer[] = []
    for (const shape of shapes) layers.push(await readWithGdal(shape.path, name, 'ESRI Shapefile', options))
    return joined(layers, options.maxFeatures)
  }
  // a KMZ may link from one KML document to others; each is read directly instead of following links
  const documents = byExtension('.kml')
  if (documents.length > 0) {
    const paths = documents.map((entry) => entry.path)
    return inCrs({ name, ...readKml(paths, options.maxFeatures) }, undefined, options)
  }
  const singleFiles = entries.filter((entry) => SINGLE_FILE_EXTENSIONS.includes(extname(entry.name).toLowerCase()))
  const [chosen] = singleFiles
  if (chosen === undefined) throw new InputError('format', `must contain a shapefile or another of ${READ_FORMATS}`)
  if (singleFiles.length > 1)
    throw new InputError('oneLayer', `contains ${singleFiles.length} vector files; a ZIP must contain one`)
  const format = recognise(chosen.path, chosen.name)
  if (format === 'zip') throw new InputError('format', 'must not be a ZIP inside a ZIP')
  return readPlain(chosen.path, name, format, options)
}

const stemOf = ({ name }: { name: string }): string => basename(name, extname(name)).toLowerCase()

/** Whether `shapefile-write.ts` may have written the files for the kinds of geometry of one layer. */
function areOfOneLayer(stems: readonly string[]): boolean {
  const bases = stems.map((stem) => stem.replace(new RegExp(`_(${FAMILY_NAMES.join('|')})$`), ''))
  return new Set(bases).size === 1 && new Set(stems).size === stems.length && !stems.includes(bases[0] as string)
}

/** The features of layers with the same columns, one after the other. @throws InputError */
function joined(layers: readonly Layer[], maxFeatures: number): Layer {
  const [first, ...others] = layers as [Layer, ...Layer[]]
  if (others.length === 0) return first
  const signature = ({ fields, sourceCrs }: Layer): string =>
    JSON.stringify([fields.map(({ name }) => name), sourceCrs])
  if (others.some((layer) => signature(layer) !== signature(first)))
    throw new InputError('oneLayer', 'contains shapefiles with different columns; a ZIP must contain one layer')
  const features = layers.flatMap((layer) => layer.features)
  if (features.length > maxFeatures)
    throw new InputError('maxFeatures', `has too many features; the maximum is ${maxFeatures}`)
  // a column may be narrower in one of the files
  const fields = first.fields.map((field, i) => ({
    ...field,
    type: widestOf(layers.map((layer) => layer.fields[i]?.type ?? 'string')),
  }))
  const warnings = layers.flatMap((layer) => layer.warnings)
  return { ...first, fields, features, warnings: [...warnings, `${layers.length} shapefiles were read as one layer`] }
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
): Promise<Layer> {
  switch (format) {
    case 'geojson': {
      const content = readGeoJson(readFileSync(path), options.maxFeatures)
      const { fields, features, crsName, closedRings, inexactTexts } = content
      const warnings = closedRings > 0 ? [`${closedRings} open rings were closed`] : []
      if (inexactTexts.length > 0) warnings.push(inexactWarning(inexactTexts))
      return inCrs({ name, fields, features, warnings }, crsName, options)
    }
    case 'csv': {
      const gdal = await loadGdal()
      const fromWkt = (wkt: string): Wkb => toWkb(gdal.Geometry.fromWKT(wkt))
      const table = readCsv(textOf(path), options.maxFeatures, fromWkt)
      const warnings = ['CSV names no CRS; coordinates were read as longitude and latitude in WGS 84']
      return inCrs({ name, ...table, warnings }, undefined, options)
    }
    case 'parquet': {
      const { crsCode, ...table } = await readGeoParquet(path, options.maxFeatures)
      if (crsCode === undefined) throw noCrs()
      const known = /^(OGC:CRS84|EPSG:4326)$/.test(crsCode) ? undefined : crsCode
      return inCrs({ name, ...table, warnings: [] }, known, options)
    }
    case 'gpkg':
      await rejectActiveSqlite(path)
      return readWithGdal(path, name, 'GPKG', options)
    case 'fgb':
      rejectFgbCrsFiles(path)
      return readWithGdal(path, name, 'FlatGeobuf', options)
    case 'kml':
      return inCrs({ name, ...readKml([path], options.maxFeatures) }, undefined, options)
    case 'gml':
      rejectSrsDefinitions(path)
      return readGml(withoutEntities(path, options.scratch), name, options)
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

function textOf(path: string): string {
  try {
    return strictUtf8.decode(readFileSync(path))
  } catch (cause) {
    throw new InputError('encoding', 'must be UTF-8 text', cause)
  }
}

/** Reprojects a table that was read without GDAL from the CRS that it names to the one in the options. */
async function inCrs(
  table: Pick<Layer, 'name' | 'fields' | 'features' | 'warnings'>,
  crsName: string | undefined,
  options: ReadOptions,
): Promise<Layer> {
  if (crsName === undefined && (options.crs === undefined || sameCrs(options.crs, WGS84)))
    return { ...table, crs: WGS84, sourceCrs: WGS84 }
  const gdal = await loadGdal()
  let sourceCrs: Crs = WGS84
  if (crsName !== undefined)
    try {
      sourceCrs = parseCrs(gdal, crsName)
    } catch (cause) {
      throw new InputError('crs', `names an unknown coordinate reference system: ${crsName.slice(0, 80)}`, cause)
    }
  const layer = { ...table, crs: sourceCrs, sourceCrs }
  return options.crs === undefined ? layer : reproject(layer, options.crs)
}
