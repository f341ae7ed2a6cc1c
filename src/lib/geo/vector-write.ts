/** Writes a layer as a file in a vector format. */
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import type * as Gdal from 'gdal-async'
import { InputError } from '../input-error.ts'
import { pack } from '../zip.ts'
import { type GdalModule, loadGdal, toSrs } from './gdal.ts'
import { reproject } from './gdal-read.ts'
import { writeGeoJson } from './geojson-write.ts'
import { writeKml } from './kml-write.ts'
import { type Feature, type FieldType, type Layer, WGS84 } from './layer.ts'
import { writeGeoParquet } from './parquet.ts'
import { type TargetFormat, WRITTEN } from './vector-formats.ts'
import { COLLECTION, collect, dimensionOf, hasZ, MULTI_POINT, multiOf, partsOf, typeOf, type Wkb } from './wkb.ts'

export type WrittenFile = {
  path: string
  filename: string
  mediaType: string
  /** The layer as it was written: GeoJSON, KML, KMZ and GeoParquet are always in WGS 84. */
  layer: Layer
}

/** Formats that are defined in WGS 84, or that every reader expects in WGS 84. */
const IN_WGS84: readonly TargetFormat[] = ['geojson', 'kml', 'kmz', 'parquet']

/**
 * Writes `<scratch>/<stem>.<extension>`.
 * @param layer in any CRS; formats that can store the source CRS use it
 * @param maxBytes limit for GeoJSON and KML
 * @throws InputError when the format cannot hold the layer; rule `outputBytes` when it exceeds `maxBytes`
 */
export async function writeVector(
  layer: Layer,
  format: TargetFormat,
  stem: string,
  scratch: string,
  maxBytes = Number.POSITIVE_INFINITY,
): Promise<WrittenFile> {
  const { extension, mediaType } = WRITTEN[format]
  const filename = `${stem}.${extension}`
  const path = join(scratch, `output-${filename}`)
  const out = IN_WGS84.includes(format) ? await reproject(layer, WGS84) : await reproject(layer, layer.sourceCrs)
  const warnings = [...out.warnings]
  if (format === 'geojson') writeBlocks(path, writeGeoJson(out), maxBytes)
  else if (format === 'kml') writeBlocks(path, writeKml(out), maxBytes)
  else if (format === 'kmz') {
    const document = join(scratch, `document-${stem}.kml`)
    writeBlocks(document, writeKml(out), Number.POSITIVE_INFINITY)
    await pack([{ name: 'doc.kml', path: document }], path)
    rmSync(document)
  } else if (format === 'parquet') await writeGeoParquet(out, path)
  else await writeWithGdal(out, format, stem, path, scratch, warnings)
  return { path, filename, mediaType, layer: { ...out, warnings } }
}

function writeBlocks(path: string, blocks: Iterable<Buffer>, maxBytes: number): void {
  const fd = openSync(path, 'w')
  let bytes = 0
  try {
    for (const block of blocks) {
      bytes += block.length
      if (bytes > maxBytes) throw new InputError('outputBytes', `must be at most ${maxBytes} bytes`)
      writeSync(fd, block)
    }
  } finally {
    closeSync(fd)
  }
}

async function writeWithGdal(
  layer: Layer,
  format: TargetFormat,
  stem: string,
  path: string,
  scratch: string,
  warnings: string[],
): Promise<void> {
  const gdal = await loadGdal()
  const dir = join(scratch, `parts-${stem}`)
  mkdirSync(dir, { recursive: true })
  switch (format) {
    case 'gpkg':
      create(gdal, 'GPKG', path, [{ name: stem, layer }], [])
      return
    case 'fgb':
      create(gdal, 'FlatGeobuf', path, [{ name: stem, layer }], [])
      return
    case 'gml':
      create(gdal, 'GML', join(dir, `${stem}.gml`), [{ name: xmlName(stem), layer }], [], ['FORMAT=GML3.2'])
      await packFolder(dir, path)
      break
    default:
      createShapefiles(gdal, dir, stem, layer, warnings)
      await packFolder(dir, path)
  }
  rmSync(dir, { recursive: true, force: true })
}

function packFolder(dir: string, path: string): Promise<void> {
  return pack(
    readdirSync(dir).map((name) => ({ name, path: join(dir, name) })),
    path,
  )
}

/** Replaces characters that are not allowed in the name of an XML element. */
const xmlName = (text: string): string => text.replace(/[^\p{L}\p{N}_.-]/gu, '_').replace(/^[^\p{L}_]/u, '_$&')

const FAMILY_NAMES = ['points', 'lines', 'polygons']

/** A shapefile holds only points, lines or polygons, so a mixture is written as one shapefile for each. */
function createShapefiles(gdal: GdalModule, dir: string, stem: string, layer: Layer, warnings: string[]): void {
  const families: Feature[][] = [[], [], []]
  const withoutGeometry: Feature[] = []
  for (const feature of layer.features) {
    if (feature.geometry === null) withoutGeometry.push(feature)
    else if (typeOf(feature.geometry) === COLLECTION)
      for (const [family, geometry] of membersByFamily(feature.geometry))
        families[family]?.push({ ...feature, geometry })
    else families[Math.max(dimensionOf(feature.geometry), 0)]?.push(feature)
  }
  const present = families.flatMap((features, family) => (features.length > 0 ? [family] : []))
  if (present.length === 0) families[0] = []
  families[present[0] ?? 0]?.push(...withoutGeometry)
  if (present.length > 1) warnings.push('a shapefile contains one kind of geometry; one file was written for each kind')
  const names = shortNames(layer.fields.map(({ name }) => name))
  const truncated = layer.fields.filter(({ name }, i) => name !== names[i])
  if (truncated.length > 0)
    warnings.push(
      `column names in a shapefile have at most ten characters: ${truncated.map(({ name }) => `${name} → ${names[layer.fields.findIndex((field) => field.name === name)]}`).join(', ')}`,
    )
  const fields = layer.fields.map((field, i) => ({ ...field, name: names[i] as string }))
  for (const family of present.length > 0 ? present : [0]) {
    const name = present.length > 1 ? `${stem}_${FAMILY_NAMES[family]}` : stem
    const part = { ...layer, fields, features: families[family] as Feature[] }
    create(gdal, 'ESRI Shapefile', join(dir, `${name}.shp`), [{ name, layer: part }], ['ENCODING=UTF-8'])
  }
}

/** Shortens names to at most ten bytes each and keeps them distinct. */
export function shortNames(names: readonly string[]): string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    let short = truncateUtf8(name, 10)
    for (let n = 1; taken.has(short.toLowerCase()); n++) short = `${truncateUtf8(name, 10 - String(n).length - 1)}_${n}`
    taken.add(short.toLowerCase())
    return short
  })
}

function truncateUtf8(text: string, bytes: number): string {
  let truncated = text
  while (Buffer.byteLength(truncated) > bytes) truncated = [...truncated].slice(0, -1).join('')
  return truncated
}

function membersByFamily(collection: Wkb): [family: number, geometry: Wkb][] {
  const families: Wkb[][] = [[], [], []]
  const add = (wkb: Wkb): void => {
    for (const part of partsOf(wkb))
      if (typeOf(part) >= MULTI_POINT) add(part)
      else families[Math.max(dimensionOf(part), 0)]?.push(part)
  }
  add(collection)
  return families.flatMap((parts, family): [number, Wkb][] =>
    parts.length === 0 ? [] : [[family, parts.length === 1 ? (parts[0] as Wkb) : collect(MULTI_POINT + family, parts)]],
  )
}

const FIELD_TYPES: Record<FieldType, keyof GdalModule> = {
  integer: 'OFTInteger',
  integer64: 'OFTInteger64',
  real: 'OFTReal',
  string: 'OFTString',
  boolean: 'OFTInteger',
  date: 'OFTDate',
  time: 'OFTTime',
  datetime: 'OFTDateTime',
  json: 'OFTString',
  // gdal-async cannot write binary fields
  binary: 'OFTString',
}

function create(
  gdal: GdalModule,
  driver: string,
  path: string,
  layers: readonly { name: string; layer: Layer }[],
  layerOptions: string[],
  datasetOptions: string[] = [],
): void {
  try {
    const dataset = gdal.drivers.get(driver).create(path, 0, 0, 0, gdal.GDT_Unknown, datasetOptions)
    // without an explicit transaction, each feature would be its own
    const transactional = driver === 'GPKG'
    if (transactional) execute(dataset, 'BEGIN')
    for (const { name, layer } of layers) writeLayer(gdal, dataset, name, layer, layerOptions)
    if (transactional) execute(dataset, 'COMMIT')
    dataset.close()
  } catch (cause) {
    throw new InputError('target', `cannot be written as ${driver}: ${(cause as Error).message.slice(0, 200)}`, cause)
  }
}

/** Runs a statement without a result, for which gdal-async throws an error with an empty message. */
function execute(dataset: Gdal.Dataset, sql: string): void {
  try {
    dataset.executeSQL(sql)
  } catch (error) {
    if ((error as Error).message !== '') throw error
  }
}

function writeLayer(gdal: GdalModule, dataset: Gdal.Dataset, name: string, layer: Layer, options: string[]): void {
  const { code, promote } = layerType(layer)
  const target = dataset.layers.create(name, toSrs(gdal, layer.crs), code === 0 ? gdal.wkbUnknown : code, options)
  for (const field of layer.fields)
    target.fields.add(new gdal.FieldDefn(field.name, gdal[FIELD_TYPES[field.type]] as unknown as string))
  for (const { values, geometry } of layer.features) {
    const feature = new gdal.Feature(target)
    feature.fields.set(values.map((value, i) => valueFor(value, layer.fields[i]?.type ?? 'string')))
    if (geometry !== null) {
      const wkb = promote && typeOf(geometry) < MULTI_POINT ? collect(multiOf(typeOf(geometry)), [geometry]) : geometry
      feature.setGeometry(gdal.Geometry.fromWKB(Buffer.from(wkb.buffer, wkb.byteOffset, wkb.length)))
    }
    target.features.add(feature)
  }
}

/** One geometry type for the layer: 0 for a mixture; single types become multi types where both occur. */
function layerType(layer: Layer): { code: number; promote: boolean } {
  const types = new Set<number>()
  let z = false
  for (const { geometry } of layer.features)
    if (geometry !== null) {
      types.add(typeOf(geometry))
      z ||= hasZ(geometry)
    }
  const multi = new Set([...types].map(multiOf))
  const [only] = types.size === 1 ? types : multi
  if (only === undefined || (types.size > 1 && (multi.size > 1 || only === COLLECTION)))
    return { code: 0, promote: false }
  // gdal-async expects the older flag bit for three dimensions
  return { code: z ? (only | 0x80000000) >>> 0 : only, promote: types.size > 1 }
}

function valueFor(value: unknown, type: FieldType): unknown {
  if (value === null || value === undefined) return null
  switch (type) {
    case 'boolean':
      return value ? 1 : 0
    case 'json':
      return typeof value === 'string' ? value : JSON.stringify(value)
    case 'binary':
      return Buffer.from(value as Uint8Array).toString('base64')
    default:
      return value
  }
}
