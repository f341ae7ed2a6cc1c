/** Reads layers with GDAL and reprojects geometries with PROJ. */

import { basename, join } from 'node:path'
import type * as Gdal from 'gdal-async'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { append } from '../../../../lists.ts'
import { type Warning, warning } from '../../../../warnings/warning.ts'
import { InputError } from '../../../input-error.ts'
import type { Wkb } from '../../geometry/wkb.ts'
import { copyOf } from '../../geometry/wkb-pool.ts'
import { isPlainType, normalised } from '../../geometry/wkb-variants.ts'
import {
  type Crs,
  distinctNames,
  type Feature,
  type Field,
  type FieldType,
  type Layer,
  sameCrs,
  WGS84,
} from '../../layers/layer.ts'
import { type CrsChange, crsChange } from '../../projection/change-crs.ts'
import { requireReach } from '../../projection/reach.ts'
import { referenceOf } from '../../projection/spatial-reference.ts'
import { readGeoPackageRows } from '../gpkg/gpkg-read.ts'
import { describeCrs, type GdalModule, loadGdal } from './gdal.ts'

export type ReadOptions = {
  /** A folder that only this run uses, for unpacked files. */
  scratch: string
  maxFeatures: number
  maxUnpackedBytes: number
}

export const noCrs = (): InputError => new InputError('crs', fieldText('crsMissing'))

/**
 * Reprojects a layer.
 * @param followsEdges whether long edges get positions in between, for layers that are compared with others
 * @throws InputError when a geometry lies outside the area of validity
 */
export async function reproject(layer: Layer, crs: Crs, followsEdges = false): Promise<Layer> {
  if (sameCrs(layer.crs, crs)) return layer
  const change = await changeOf(layer.crs, crs, followsEdges)
  const features = layer.features.map((feature, i): Feature => {
    const { geometry } = feature
    return geometry === null ? feature : { ...feature, geometry: change.move(geometry, i) }
  })
  requireReach(await loadGdal(), layer.features, layer.crs, crs)
  return { ...layer, features, crs }
}

async function changeOf(from: Crs, to: Crs, followsEdges: boolean): Promise<CrsChange> {
  const gdal = await loadGdal()
  const moved = (wkb: Wkb, to: Gdal.CoordinateTransformation): Wkb => {
    const geometry = gdal.Geometry.fromWKB(Buffer.from(wkb.buffer, wkb.byteOffset, wkb.length))
    geometry.transform(to)
    return toWkb(geometry)
  }
  return crsChange(from, to, moved, followsEdges)
}

/** Data lost in the conversion to the layer model. */
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

/** @param driver the only driver that may open the file */
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
    throw new InputError('unreadable', fieldText('unreadAs', { format: driver }), cause)
  }
  const copyPath = join(options.scratch, `copy-${basename(path)}.gpkg`)
  try {
    if (driver === 'GML') requireWellFormed(gdal)
    if (driver === 'FlatGeobuf' && hasDateTimes(dataset) && hasDistinctColumns(dataset))
      return await readCopy(gdal, dataset, copyPath, name, driver, options, moreColumns)
    return await readDataset(gdal, dataset, path, name, driver, options, moreColumns)
  } catch (error) {
    if (!(error instanceof CurvedGeometry)) throw error
    const layer = await readCopy(gdal, dataset, copyPath, name, driver, options, moreColumns)
    const warnings = [...layer.warnings, warning('curvesStraightened')]
    return { ...layer, warnings }
  } finally {
    dataset.close()
  }
}

/**
 * The driver parses the whole file on opening. After an error the dataset has no features, and only GDAL's last error
 * states the reason.
 * @throws InputError
 */
function requireWellFormed({ lastError }: GdalModule): void {
  const { message = '' } = (lastError ?? {}) as { message?: string }
  const [, reason] = /XML parsing of GML file failed : ([^,]*)/.exec(message) ?? []
  if (reason !== undefined) throw new InputError('xml', fieldText('xmlInvalid', { reason }))
}

/** Curves, triangles and surfaces, which the layer model does not support. */
class CurvedGeometry extends InputError {
  constructor() {
    super('curves', fieldText('noCurves'))
  }
}

const everyField = (dataset: Gdal.Dataset): Gdal.FieldDefn[] =>
  everyLayer(dataset).flatMap(({ fields }) => fields.map((field) => field))

/** gdal-async drops fractions of seconds. */
const hasDateTimes = (dataset: Gdal.Dataset): boolean => everyField(dataset).some(({ type }) => type === 'dateTime')

/** Whether a GeoPackage can have the columns: their names must be unique regardless of case. */
function hasDistinctColumns(dataset: Gdal.Dataset): boolean {
  const names = everyField(dataset).map(({ name }) => name.toLowerCase())
  return new Set(names).size === names.length
}

/**
 * Converts the file to a GeoPackage, whose rows are read without gdal-async. Arcs become chords of four degrees;
 * triangles and surfaces become polygons.
 */
async function readCopy(
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
    // by default GDAL would take a column named fid for the key, and fail on one named geom
    const free = distinctNames({ taken: everyField(dataset).map(({ name }) => name) })
    const names = ['-lco', `FID=${free('fid')}`, '-lco', `GEOMETRY_NAME=${free('geom')}`]
    copy = gdal.vectorTranslate(copyPath, dataset, [
      '-f',
      'GPKG',
      '-nlt',
      'CONVERT_TO_LINEAR',
      '-preserve_fid',
      ...names,
    ])
  } catch (cause) {
    throw new InputError('curves', fieldText('curvesUnconverted'), cause)
  }
  try {
    return await readDataset(gdal, copy, copyPath, name, driver, options, moreColumns, true)
  } finally {
    copy.close()
  }
}

/** @param driver of the file; only a GeoPackage's keys are ids, in other formats they are row numbers */
async function readDataset(
  gdal: GdalModule,
  dataset: Gdal.Dataset,
  path: string,
  name: string,
  driver: string,
  options: ReadOptions,
  moreColumns: MoreColumns | undefined,
  isCopy = false,
): Promise<Layer> {
  const layers = everyLayer(dataset)
  const spatial = layers.filter(({ geomType }) => geomType !== gdal.wkbNone)
  // a GML does not state whether its features have geometries
  const [first] = spatial.length === 0 && driver === 'GML' ? layers : spatial
  if (first === undefined) throw new InputError('noLayer', fieldText('noGeometryLayer'))
  const warnings: Warning[] = []
  if (spatial.length > 1) warnings.push(warning('onlyFirstLayerRead', { n: spatial.length, name: first.name }))
  const hasGeometries = spatial.length > 0
  const tables = hasGeometries ? layers.filter((layer) => !spatial.includes(layer)) : layers.slice(1)
  if (tables.length > 0) warnings.push(warning('tablesNotRead', { tables: tables.map((table) => table.name) }))
  if (!hasGeometries) warnings.push(warning('noGeometriesAndNoCrs'))
  const sourceCrs = describeCrs(await referenceOf(first)) ?? (hasGeometries ? undefined : WGS84)
  if (sourceCrs === undefined) throw noCrs()
  const losses = { measures: false }
  const rows =
    driver === 'GPKG' || isCopy
      ? await readGeoPackageRows(path, first, options.maxFeatures, driver === 'GPKG', losses)
      : undefined
  if (rows === undefined) append(warnings, wholeSeconds(first))
  const table =
    rows === undefined
      ? tableOf(first, options.maxFeatures, losses, driver === 'GPKG')
      : { fields: fieldsOf(first), features: rows }
  if (losses.measures) warnings.push(warning('measuresLeftOut'))
  const own = withoutMadeUpIds(first.name, table)
  if (moreColumns === undefined) return { name, ...own, crs: sourceCrs, sourceCrs, warnings }
  const { fields, rowValues } = moreColumns(first.name, own.features.length)
  const features = own.features.map((feature, i) => ({
    ...feature,
    values: [...feature.values, ...(rowValues[i] as unknown[])],
  }))
  return { name, fields: [...own.fields, ...fields], features, crs: sourceCrs, sourceCrs, warnings }
}

function everyLayer({ layers }: Gdal.Dataset): Gdal.Layer[] {
  const all: Gdal.Layer[] = []
  layers.forEach((layer) => {
    all.push(layer)
  })
  return all
}

/** Drops the ids that GDAL writes into every GML, as `fid` in version 2: the name of the layer and a number. */
function withoutMadeUpIds(layerName: string, table: { fields: Field[]; features: Feature[] }) {
  const at = table.fields.findIndex(({ name }) => name === 'gml_id' || name === 'fid')
  if (at < 0 || !table.features.every(({ values }) => isMadeUpId(values[at], layerName))) return table
  for (const { values } of table.features) values.splice(at, 1)
  return { ...table, fields: table.fields.toSpliced(at, 1) }
}

const isMadeUpId = (id: unknown, layerName: string): boolean => String(id).replace(/\d+$/, '') === `${layerName}.`

/** Types of columns that gdal-async reads. */
function wholeSeconds({ fields }: Gdal.Layer): Warning[] {
  const names: string[] = []
  fields.forEach(({ name, type }) => {
    if (type === 'dateTime' || type === 'time') names.push(name)
  })
  return names.length === 0 ? [] : [warning('secondFractionsNotRead', { columns: names })]
}

const fieldsOf = (layer: Gdal.Layer): Field[] =>
  layer.fields.map(({ name, type }) => ({ name, type: TYPES[type] ?? 'json' }))

function tableOf(
  layer: Gdal.Layer,
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
        throw new InputError('maxFeatures', fieldText('tooManyFeatures', { most: maxFeatures }))
      const values = (feature.fields.toArray() as unknown[]).map((value, i) => valueFrom(value, columns[i] as string))
      const geometry = geometryFrom(feature, losses)
      features.push({ values, geometry, ...(hasIds && { id: feature.fid }) })
      // reading takes an eighth longer if the garbage collector frees the features
      feature.destroy()
    }
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError('unreadable', fieldText('unreadPast', { count: features.length }), error)
  }
  return { fields, features }
}

function geometryFrom(feature: Gdal.Feature, losses: Losses): Wkb | null {
  let geometry: Gdal.Geometry | null
  try {
    geometry = feature.getGeometry() as Gdal.Geometry | null
  } catch (cause) {
    // gdal-async has no classes for surfaces
    if (/unsupported geometry type/i.test((cause as Error).message)) throw new CurvedGeometry()
    throw cause
  }
  return geometry === null ? null : toWkb(geometry, losses)
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

/**
 * GDAL's time zone flag for UTC; each step above or below is a quarter of an hour. Flags below `FIRST_ZONE` mean an
 * unknown zone or local time.
 */
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
