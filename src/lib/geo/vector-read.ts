/**
 * Reads a vector file of any supported format into a layer. It opens only the given file and what that file contains.
 */
import { readFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { InputError } from '../input-error.ts'
import { unpack } from '../zip.ts'
import { readCsv } from './csv-read.ts'
import { loadGdal, parseCrs } from './gdal.ts'
import { KML_DRIVERS, noCrs, type ReadOptions, readWithGdal, reproject, toWkb } from './gdal-read.ts'
import { readGeoJson } from './geojson-read.ts'
import { type Crs, type Layer, sameCrs, WGS84 } from './layer.ts'
import { readGeoParquet } from './parquet.ts'
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
  if (format !== 'zip') return readPlain(path, name, format, options)
  return readArchive(path, name, options)
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
  const [shape] = shapes
  if (shape !== undefined) {
    if (shapes.length > 1)
      throw new InputError('oneLayer', `contains ${shapes.length} shapefiles; a ZIP must contain one`)
    const stem = basename(shape.name, extname(shape.name)).toLowerCase()
    for (const part of ['.dbf', '.prj'])
      if (!byExtension(part).some((entry) => entry.name.toLowerCase() === `${stem}${part}`))
        throw new InputError('shapefile', `must contain a ${part} file for the shapefile ${shape.name}`)
    for (const entry of byExtension('.prj')) makePrjSafe(entry.path)
    return readWithGdal([shape.path], name, ['ESRI Shapefile'], options)
  }
  // a KMZ may link from one KML document to others; each is read directly instead of following links
  const documents = byExtension('.kml')
  if (documents.length > 0) {
    const sanitised = documents.map((entry) => withoutEntities(entry.path, options.scratch))
    return readWithGdal(sanitised, name, KML_DRIVERS, options)
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

async function readPlain(
  path: string,
  name: string,
  format: Exclude<VectorFormat, 'zip'>,
  options: ReadOptions,
): Promise<Layer> {
  switch (format) {
    case 'geojson': {
      const { fields, features, crsName, closedRings } = readGeoJson(readFileSync(path), options.maxFeatures)
      const warnings = closedRings > 0 ? [`${closedRings} open rings were closed`] : []
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
      return readWithGdal([path], name, ['GPKG'], options)
    case 'fgb':
      rejectFgbCrsFiles(path)
      return readWithGdal([path], name, ['FlatGeobuf'], options)
    case 'kml':
    case 'gml':
      if (format === 'gml') rejectSrsDefinitions(path)
      return readWithGdal(
        [withoutEntities(path, options.scratch)],
        name,
        format === 'gml' ? ['GML'] : KML_DRIVERS,
        options,
      )
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
