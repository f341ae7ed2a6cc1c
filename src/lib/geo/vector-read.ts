/** Reads a vector file of any format that is taken into a layer. What it opens is the file it was given, no other. */
import { readFileSync, writeFileSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import type * as Gdal from 'gdal-async'
import { Unfit } from '../unfit.ts'
import { unpack } from '../zip.ts'
import { readCsv } from './csv-read.ts'
import { describeCrs, type GdalModule, loadGdal, parseCrs, toSrs } from './gdal.ts'
import { readGeoJson } from './geojson-read.ts'
import { type Crs, type Feature, type Field, type FieldType, type Layer, sameCrs, WGS84 } from './layer.ts'
import { readGeoParquet } from './parquet.ts'
import { READ_FORMATS, recognise, type VectorFormat } from './vector-formats.ts'
import { flattened, isAllFinite, isFlat, normalised, type Wkb } from './wkb.ts'

export type ReadOptions = {
  /** A folder of this run's own, for what is unpacked. */
  scratch: string
  maxFeatures: number
  maxUnpackedBytes: number
  /** What the layer is wanted in; the file's own CRS when left out. */
  crs?: Crs
}

/** @throws Unfit saying what is wrong with the file */
export async function readVector(path: string, filename: string, options: ReadOptions): Promise<Layer> {
  const name = basename(filename, extname(filename)) || 'layer'
  const format = recognise(path, filename)
  if (format !== 'zip') return readPlain(path, name, format, options)
  return readArchive(path, name, options)
}

const PARTS = ['.shp', '.shx', '.dbf', '.prj', '.cpg']
const WHOLE = ['.kml', '.gml', '.geojson', '.json', '.gpkg', '.fgb', '.parquet', '.csv']

async function readArchive(path: string, name: string, options: ReadOptions): Promise<Layer> {
  const dir = join(options.scratch, `unpacked-${basename(path)}`)
  const wanted = (extension: string): boolean => PARTS.includes(extension) || WHOLE.includes(extension)
  const entries = await unpack(path, dir, wanted, options.maxUnpackedBytes)
  const byExtension = (extension: string) => entries.filter((entry) => extname(entry.name).toLowerCase() === extension)
  const shapes = byExtension('.shp')
  const [shape] = shapes
  if (shape !== undefined) {
    if (shapes.length > 1) throw new Unfit('oneLayer', `holds ${shapes.length} shapefiles; send one in a ZIP`)
    const stem = basename(shape.name, extname(shape.name)).toLowerCase()
    for (const part of ['.dbf', '.prj'])
      if (!byExtension(part).some((entry) => entry.name.toLowerCase() === `${stem}${part}`))
        throw new Unfit('shapefile', `the shapefile ${shape.name} has no ${part} beside it`)
    return readWithGdal([shape.path], name, ['ESRI Shapefile'], options)
  }
  // a KMZ links from one document to others, which are read for themselves
  const documents = byExtension('.kml')
  if (documents.length > 0) {
    const disarmed = documents.map((entry) => disarmedXml(entry.path, options.scratch))
    return readWithGdal(disarmed, name, KML_DRIVERS, options)
  }
  const whole = entries.filter((entry) => WHOLE.includes(extname(entry.name).toLowerCase()))
  const [chosen] = whole
  if (chosen === undefined) throw new Unfit('format', `is a ZIP without a shapefile or another of ${READ_FORMATS}`)
  if (whole.length > 1) throw new Unfit('oneLayer', `holds ${whole.length} vector files; send one in a ZIP`)
  const format = recognise(chosen.path, chosen.name)
  if (format === 'zip') throw new Unfit('format', 'is a ZIP within a ZIP')
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
      const warnings = closedRings > 0 ? [`${closedRings} rings were not closed and were closed`] : []
      return inCrs({ name, fields, features, warnings }, crsName, options)
    }
    case 'csv': {
      const gdal = await loadGdal()
      const fromWkt = (wkt: string): Wkb => toWkb(gdal.Geometry.fromWKT(wkt))
      const table = readCsv(textOf(path), options.maxFeatures, fromWkt)
      const warnings = ['a CSV names no CRS; its coordinates were taken as longitude and latitude in WGS 84']
      return inCrs({ name, ...table, warnings }, undefined, options)
    }
    case 'parquet': {
      const { crsCode, ...table } = await readGeoParquet(path, options.maxFeatures)
      if (crsCode === undefined) throw noCrs()
      const known = /^(OGC:CRS84|EPSG:4326)$/.test(crsCode) ? undefined : crsCode
      return inCrs({ name, ...table, warnings: [] }, known, options)
    }
    case 'gpkg':
      await refuseActiveSqlite(path)
      return readWithGdal([path], name, ['GPKG'], options)
    case 'fgb':
      return readWithGdal([path], name, ['FlatGeobuf'], options)
    case 'kml':
    case 'gml':
      return readWithGdal([disarmedXml(path, options.scratch)], name, format === 'gml' ? ['GML'] : KML_DRIVERS, options)
  }
}

const strictUtf8 = new TextDecoder('utf-8', { fatal: true })

function textOf(path: string): string {
  try {
    return strictUtf8.decode(readFileSync(path))
  } catch (cause) {
    throw new Unfit('encoding', 'must be text in UTF-8', cause)
  }
}

const noCrs = (): Unfit =>
  new Unfit('crs', 'does not say its coordinate reference system; it must, and it is not guessed')

/** A table that was read without GDAL, in the CRS that it names, brought to the one that is wanted. */
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
      throw new Unfit('crs', `names a coordinate reference system that is not known: ${crsName.slice(0, 80)}`, cause)
    }
  const layer = { ...table, crs: sourceCrs, sourceCrs }
  return options.crs === undefined ? layer : reproject(layer, options.crs)
}

/** A layer in another CRS, by PROJ. @throws Unfit when a geometry lies where it cannot be told */
export async function reproject(layer: Layer, crs: Crs): Promise<Layer> {
  if (sameCrs(layer.crs, crs)) return layer
  const gdal = await loadGdal()
  const transformation = new gdal.CoordinateTransformation(toSrs(gdal, layer.crs), toSrs(gdal, crs))
  const features = layer.features.map(({ values, geometry }, i): Feature => {
    if (geometry === null) return { values, geometry }
    const moved = gdal.Geometry.fromWKB(Buffer.from(geometry.buffer, geometry.byteOffset, geometry.length))
    return { values, geometry: transformed(moved, transformation, i) }
  })
  return { ...layer, features, crs }
}

function transformed(geometry: Gdal.Geometry, transformation: Gdal.CoordinateTransformation, index: number): Wkb {
  let wkb: Wkb
  try {
    geometry.transform(transformation)
    wkb = toWkb(geometry)
  } catch (cause) {
    throw new Unfit('reprojection', `feature ${index}: lies outside of where its CRS can be reprojected`, cause)
  }
  if (!isAllFinite(wkb))
    throw new Unfit('reprojection', `feature ${index}: lies outside of where its CRS can be reprojected`)
  return wkb
}

const toWkb = (geometry: Gdal.Geometry): Wkb => normalised(geometry.toWKB('LSB', 'ISO'))

const TYPES: Record<string, FieldType> = {
  integer: 'integer',
  integer64: 'integer64',
  real: 'real',
  string: 'string',
  date: 'date',
  time: 'time',
  datetime: 'datetime',
  binary: 'binary',
}

const KML_DRIVERS = ['LIBKML', 'KML']

/** @param paths one, or the documents of a KMZ */
async function readWithGdal(paths: string[], name: string, drivers: string[], options: ReadOptions): Promise<Layer> {
  const gdal = await loadGdal()
  const present = drivers.filter((driver) => hasDriver(gdal, driver))
  const datasets: Gdal.Dataset[] = []
  try {
    for (const path of paths) datasets.push(gdal.open(path, 'r', present))
  } catch (cause) {
    for (const dataset of datasets) dataset.close()
    throw new Unfit('unreadable', `cannot be read as ${present[0] ?? drivers[0]}`, cause)
  }
  try {
    return readDatasets(gdal, datasets, name, drivers === KML_DRIVERS, options)
  } finally {
    for (const dataset of datasets) dataset.close()
  }
}

export function hasDriver(gdal: GdalModule, name: string): boolean {
  try {
    return gdal.drivers.get(name) !== null
  } catch {
    return false
  }
}

function readDatasets(
  gdal: GdalModule,
  datasets: readonly Gdal.Dataset[],
  name: string,
  isKml: boolean,
  options: ReadOptions,
): Layer {
  const layers: Gdal.Layer[] = []
  for (const dataset of datasets) dataset.layers.forEach((layer) => void layers.push(layer))
  const spatial = layers.filter((layer) => layer.geomType !== gdal.wkbNone)
  // folders of a KML are parts of one layer; layers of anything else are layers of their own
  const chosen = isKml ? spatial : spatial.slice(0, 1)
  const [first] = chosen
  if (first === undefined) throw new Unfit('noLayer', 'holds no layer with geometries')
  const warnings: string[] = []
  if (!isKml && spatial.length > 1)
    warnings.push(`holds ${spatial.length} layers; the first one, ${first.name}, was taken`)
  const fields: Field[] = []
  const features: Feature[] = []
  const sourceCrs = describeCrs(first.srs) ?? (isKml ? WGS84 : undefined)
  if (sourceCrs === undefined) throw noCrs()
  const crs = options.crs ?? sourceCrs
  const transformation = sameCrs(crs, sourceCrs)
    ? undefined
    : new gdal.CoordinateTransformation(toSrs(gdal, sourceCrs), toSrs(gdal, crs))
  for (const layer of chosen) readInto(layer, fields, features, transformation, options.maxFeatures)
  for (const feature of features) {
    while (feature.values.length < fields.length) feature.values.push(null)
    // a KML that tells no heights is read as if they were 0
    const { geometry } = feature
    if (isKml && geometry !== null && isFlat(geometry)) feature.geometry = flattened(geometry)
  }
  return { name, fields, features, crs, sourceCrs, warnings }
}

/** What a KML says beside the names and texts that people gave: how it is drawn. */
const KML_FIELDS_LEFT_OUT = /^(begin|end|timestamp|altitudeMode|tessellate|extrude|visibility|drawOrder|icon|snippet)$/

function readInto(
  layer: Gdal.Layer,
  fields: Field[],
  features: Feature[],
  transformation: Gdal.CoordinateTransformation | undefined,
  maxFeatures: number,
): void {
  const own: { name: string; type: string; place: number }[] = []
  layer.fields.forEach((definition) => {
    const { name, type } = definition
    const leftOut = KML_FIELDS_LEFT_OUT.test(name) && layer.ds.driver.description === 'LIBKML'
    let place = fields.findIndex((field) => field.name === name)
    if (place < 0 && !leftOut) {
      place = fields.length
      fields.push({ name, type: TYPES[type] ?? 'json' })
    }
    own.push({ name, type, place: leftOut ? -1 : place })
  })
  try {
    for (let feature = layer.features.first(); feature; feature = layer.features.next()) {
      if (features.length >= maxFeatures)
        throw new Unfit('maxFeatures', `has more than the ${maxFeatures} features that are taken`)
      const read = feature.fields.toArray() as unknown[]
      const values: unknown[] = new Array(fields.length).fill(null)
      for (let i = 0; i < own.length; i++) {
        const { place, type } = own[i] as (typeof own)[number]
        if (place >= 0) values[place] = valueFrom(read[i], type)
      }
      features.push({ values, geometry: geometryFrom(feature, transformation, features.length) })
    }
  } catch (error) {
    if (error instanceof Unfit) throw error
    throw new Unfit('unreadable', `cannot be read past feature ${features.length}`, error)
  }
}

function geometryFrom(
  feature: Gdal.Feature,
  transformation: Gdal.CoordinateTransformation | undefined,
  index: number,
): Wkb | null {
  // a feature without one is told as an error or as null, depending on the driver
  const geometry = feature.getGeometry() as Gdal.Geometry | null
  if (geometry === null) return null
  if (transformation !== undefined) return transformed(geometry, transformation, index)
  const wkb = toWkb(geometry)
  if (!isAllFinite(wkb)) throw new Unfit('finite', `feature ${index}: a coordinate is not a finite number`)
  return wkb
}

type Moment = { year?: number; month?: number; day?: number; hour?: number; minute?: number; second?: number }

function valueFrom(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null
  if (type !== 'date' && type !== 'time' && type !== 'datetime') return value
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = value as Moment
  const two = (n: number): string => String(Math.trunc(n)).padStart(2, '0')
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  const time = `${two(hour)}:${two(minute)}:${two(second)}`
  return type === 'date' ? date : type === 'time' ? time : `${date}T${time}`
}

/** A document type could define entities that grow without end or name files; schema locations name files too. */
function disarmedXml(path: string, scratch: string): string {
  const bytes = readFileSync(path)
  if (bytes.includes('<!DOCTYPE') || bytes.includes('<!ENTITY'))
    throw new Unfit('doctype', 'must be XML without a document type or entities')
  for (let at = bytes.indexOf('schemaLocation'); at >= 0; at = bytes.indexOf('schemaLocation', at)) {
    // an attribute of the same length that means nothing
    bytes.write('schemaLocatioN', at)
  }
  const disarmed = join(scratch, `disarmed-${basename(path)}`)
  writeFileSync(disarmed, bytes)
  return disarmed
}

/** Views and virtual tables of a GeoPackage can run functions; those of a plain one are R-trees. */
async function refuseActiveSqlite(path: string): Promise<void> {
  const { DatabaseSync } = await import('node:sqlite')
  let found: { type: string; name: string; sql: string | null }[]
  try {
    const database = new DatabaseSync(path, { readOnly: true, allowExtension: false })
    try {
      found = database.prepare('SELECT type, name, sql FROM sqlite_master').all() as typeof found
    } finally {
      database.close()
    }
  } catch (cause) {
    throw new Unfit('geopackage', 'cannot be read as a GeoPackage', cause)
  }
  for (const { type, sql } of found) {
    const virtual = /^\s*create\s+virtual\s+table/i.test(sql ?? '')
    if (type === 'view' || (virtual && !/\busing\s+"?rtree"?\b/i.test(sql ?? '')))
      throw new Unfit('geopackage', 'must hold tables only: no views and no virtual tables but R-trees')
  }
}
