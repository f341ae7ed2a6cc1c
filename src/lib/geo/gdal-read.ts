/** Reads layers with GDAL and reprojects geometries with PROJ. */
import { basename, join } from 'node:path'
import type * as Gdal from 'gdal-async'
import { InputError } from '../input-error.ts'
import { type CrsChange, crsChange } from './change-crs.ts'
import { COORDINATES_RULE } from './coordinate.ts'
import { describeCrs, type GdalModule, loadGdal } from './gdal.ts'
import { readGeoPackageRows } from './gpkg-read.ts'
import { type Crs, type Feature, type Field, type FieldType, type Layer, sameCrs } from './layer.ts'
import { referenceOf } from './spatial-reference.ts'
import { hasOnlyCoordinates, type Wkb } from './wkb.ts'
import { copyOf } from './wkb-pool.ts'
import { isPlainType, normalised } from './wkb-variants.ts'

export type ReadOptions = {
  /** A folder that only this run uses, for unpacked files. */
  scratch: string
  maxFeatures: number
  maxUnpackedBytes: number
  /** The CRS to return the layer in; the file's own CRS by default. */
  crs?: Crs
  /** Whether long edges get positions in between when the CRS changes, for layers that are compared with others. */
  followsEdges?: boolean
}

export const noCrs = (): InputError => new InputError('crs', 'must state its coordinate reference system (CRS)')

/** Reprojects a layer. @throws InputError when a geometry lies outside the area of validity */
export async function reproject(layer: Layer, crs: Crs, followsEdges = false): Promise<Layer> {
  if (sameCrs(layer.crs, crs)) return layer
  const change = await changeOf(layer.crs, crs, followsEdges)
  const features = layer.features.map((feature, i): Feature => {
    const { geometry } = feature
    return geometry === null ? feature : { ...feature, geometry: change.move(geometry, i) }
  })
  return { ...layer, features, crs }
}

async function changeOf(from: Crs, to: Crs, followsEdges = false): Promise<CrsChange> {
  const gdal = await loadGdal()
  const moved = (wkb: Wkb, to: Gdal.CoordinateTransformation): Wkb => {
    const geometry = gdal.Geometry.fromWKB(Buffer.from(wkb.buffer, wkb.byteOffset, wkb.length))
    geometry.transform(to)
    return toWkb(geometry)
  }
  return crsChange(from, to, moved, followsEdges)
}

/** What was lost on the way to the layer model. */
type Losses = { measures: boolean }

/** @throws InputError `curves` */
export function toWkb(geometry: Gdal.Geometry, losses?: Losses): Wkb {
  const written = geometry.toWKB('LSB', 'ISO')
  if (losses !== undefined && written.readUInt32LE(1) >= 2000) losses.measures = true
  if (!isPlainType(written)) throw new CurvedGeometry()
  const bytes = normalised(written)
  return copyOf(bytes, 0, bytes.length)
}

const TYPES: Record<string, FieldType> = {
  integer: 'integer',
  integer64: 'integer64',
  real: 'real',
  string: 'string',
  date: 'date',
  time: 'time',
  dateTime: 'datetime',
  binary: 'binary',
}

/** Columns that were read without GDAL, by the name of the layer and the number of its features. @throws InputError */
export type MoreColumns = (layerName: string, count: number) => { fields: Field[]; rowValues: unknown[][] }

/** @param driver the only one that may open the file */
export async function readWithGdal(
  path: string,
  name: string,
  driver: string,
  options: ReadOptions,
  moreColumns?: MoreColumns,
): Promise<Layer> {
  const gdal = await loadGdal()
  let dataset: Gdal.Dataset
  gdal.lastError = null as never
  try {
    dataset = gdal.open(path, 'r', [driver])
  } catch (cause) {
    throw new InputError('unreadable', `cannot be read as ${driver}`, cause)
  }
  try {
    if (driver === 'GML') requireWellFormed(gdal)
    return await readDataset(gdal, dataset, path, name, driver, options, moreColumns)
  } catch (error) {
    if (!(error instanceof CurvedGeometry)) throw error
    const copyPath = join(options.scratch, `linear-${basename(path)}.gpkg`)
    return await readLinear(gdal, dataset, copyPath, name, driver, options, moreColumns)
  } finally {
    dataset.close()
  }
}

/**
 * The driver goes through the whole file when it opens it. After an error it has no features, and only notes why.
 * @throws InputError
 */
function requireWellFormed({ lastError }: GdalModule): void {
  const { message = '' } = (lastError ?? {}) as { message?: string }
  const [, reason] = /XML parsing of GML file failed : ([^,]*)/.exec(message) ?? []
  if (reason !== undefined) throw new InputError('xml', `is not well-formed XML: ${reason}`)
}

/** Curves, triangles and surfaces, which the layer model does not have. */
class CurvedGeometry extends InputError {
  constructor() {
    super('curves', 'must not have curved geometries or surfaces')
  }
}

/** Reads a copy in which arcs are chords of four degrees, and triangles and surfaces are polygons. */
async function readLinear(
  gdal: GdalModule,
  dataset: Gdal.Dataset,
  copyPath: string,
  name: string,
  driver: string,
  options: ReadOptions,
  moreColumns: MoreColumns | undefined,
): Promise<Layer> {
  let copy: Gdal.Dataset
  try {
    copy = gdal.vectorTranslate(copyPath, dataset, ['-f', 'GPKG', '-nlt', 'CONVERT_TO_LINEAR', '-preserve_fid'])
  } catch (cause) {
    throw new InputError('curves', 'has curved geometries that cannot be converted to straight ones', cause)
  }
  try {
    const layer = await readDataset(gdal, copy, copyPath, name, driver, options, moreColumns)
    return {
      ...layer,
      warnings: [...layer.warnings, 'curves were converted to straight segments of at most 4 degrees'],
    }
  } finally {
    copy.close()
  }
}

/** @param driver of the file; only the keys of a GeoPackage are ids, other formats count */
async function readDataset(
  gdal: GdalModule,
  dataset: Gdal.Dataset,
  path: string,
  name: string,
  driver: string,
  options: ReadOptions,
  moreColumns: MoreColumns | undefined,
): Promise<Layer> {
  const spatial: Gdal.Layer[] = []
  dataset.layers.forEach((layer) => {
    if (layer.geomType !== gdal.wkbNone) spatial.push(layer)
  })
  const [first] = spatial
  if (first === undefined) throw new InputError('noLayer', 'must contain a layer with geometries')
  const warnings: string[] = []
  if (spatial.length > 1)
    warnings.push(`contains ${spatial.length} layers; only the first one, ${first.name}, was read`)
  const sourceCrs = describeCrs(await referenceOf(first))
  if (sourceCrs === undefined) throw noCrs()
  const crs = options.crs ?? sourceCrs
  const change = sameCrs(crs, sourceCrs) ? undefined : await changeOf(sourceCrs, crs, options.followsEdges)
  const losses = { measures: false }
  const rows = driver === 'GPKG' ? await readGeoPackageRows(path, first, options.maxFeatures) : undefined
  const table =
    rows === undefined
      ? tableOf(first, change, options.maxFeatures, losses, driver === 'GPKG')
      : { fields: fieldsOf(first), features: rows.map((row, i) => checked(row, change, i)) }
  if (losses.measures) warnings.push('measures (M) of positions were left out')
  const own = withoutMadeUpIds(first.name, table)
  if (moreColumns === undefined) return { name, ...own, crs, sourceCrs, warnings }
  const { fields, rowValues } = moreColumns(first.name, own.features.length)
  const features = own.features.map((feature, i) => ({
    ...feature,
    values: [...feature.values, ...(rowValues[i] as unknown[])],
  }))
  return { name, fields: [...own.fields, ...fields], features, crs, sourceCrs, warnings }
}

/** Leaves out the ids that GDAL writes into every GML: the name of the layer and a number. */
function withoutMadeUpIds(layerName: string, table: { fields: Field[]; features: Feature[] }) {
  const at = table.fields.findIndex(({ name }) => name === 'gml_id')
  if (at < 0 || !table.features.every(({ values }) => isMadeUpId(values[at], layerName))) return table
  for (const { values } of table.features) values.splice(at, 1)
  return { ...table, fields: table.fields.toSpliced(at, 1) }
}

const isMadeUpId = (id: unknown, layerName: string): boolean => String(id).replace(/\d+$/, '') === `${layerName}.`

const fieldsOf = (layer: Gdal.Layer): Field[] =>
  layer.fields.map(({ name, type }) => ({ name, type: TYPES[type] ?? 'json' }))

/** A feature that was read without GDAL, in the CRS that the transformation leads to. */
function checked(feature: Feature, change: CrsChange | undefined, index: number): Feature {
  const { geometry } = feature
  if (geometry === null) return feature
  if (change !== undefined) return { ...feature, geometry: change.move(geometry, index) }
  requireCoordinates(geometry, index)
  return feature
}

function requireCoordinates(wkb: Wkb, index: number): void {
  if (!hasOnlyCoordinates(wkb)) throw new InputError('finite', `feature ${index}: ${COORDINATES_RULE}`)
}

function tableOf(
  layer: Gdal.Layer,
  change: CrsChange | undefined,
  maxFeatures: number,
  losses: Losses,
  hasIds: boolean,
): { fields: Field[]; features: Feature[] } {
  const columns: string[] = []
  const fields = fieldsOf(layer)
  const features: Feature[] = []
  layer.fields.forEach(({ type }) => {
    columns.push(type)
  })
  try {
    for (let feature = layer.features.first(); feature; feature = layer.features.next()) {
      if (features.length >= maxFeatures)
        throw new InputError('maxFeatures', `has too many features; the maximum is ${maxFeatures}`)
      const values = (feature.fields.toArray() as unknown[]).map((value, i) => valueFrom(value, columns[i] as string))
      const geometry = geometryFrom(feature, change, features.length, losses)
      features.push({ values, geometry, ...(hasIds && { id: feature.fid }) })
      // left to the garbage collector, features cost an eighth of the time
      feature.destroy()
    }
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError('unreadable', `cannot be read past feature ${features.length}`, error)
  }
  return { fields, features }
}

function geometryFrom(feature: Gdal.Feature, change: CrsChange | undefined, index: number, losses: Losses): Wkb | null {
  let geometry: Gdal.Geometry | null
  try {
    geometry = feature.getGeometry() as Gdal.Geometry | null
  } catch (cause) {
    // gdal-async has no classes for surfaces
    if (/unsupported geometry type/i.test((cause as Error).message)) throw new CurvedGeometry()
    throw cause
  }
  if (geometry === null) return null
  const wkb = toWkb(geometry, losses)
  if (change !== undefined) return change.move(wkb, index)
  requireCoordinates(wkb, index)
  return wkb
}

type DateParts = {
  year?: number
  month?: number
  day?: number
  hour?: number
  minute?: number
  second?: number
  timezone?: number
}

/** GDAL's number for UTC; each above or below is a quarter of an hour. Smaller ones than `FIRST_ZONE` are no zone. */
const UTC = 100
const FIRST_ZONE = 2
const QUARTER_MINUTES = 15

function valueFrom(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null
  if (type !== 'date' && type !== 'time' && type !== 'dateTime') return value
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0, timezone = 0 } = value as DateParts
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  const time = `${two(hour)}:${two(minute)}:${two(second)}`
  return type === 'date' ? date : type === 'time' ? time : `${date}T${time}${zoneOf(timezone)}`
}

const two = (n: number): string => String(Math.trunc(n)).padStart(2, '0')

function zoneOf(timezone: number): string {
  if (timezone < FIRST_ZONE) return ''
  if (timezone === UTC) return 'Z'
  const minutes = Math.abs(timezone - UTC) * QUARTER_MINUTES
  return `${timezone < UTC ? '-' : '+'}${two(minutes / 60)}:${two(minutes % 60)}`
}
