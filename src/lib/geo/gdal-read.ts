/** Reads layers with GDAL and reprojects geometries with PROJ. */
import type * as Gdal from 'gdal-async'
import { InputError } from '../input-error.ts'
import { describeCrs, type GdalModule, hasDriver, loadGdal, transformationBetween } from './gdal.ts'
import { type Crs, type Feature, type Field, type FieldType, type Layer, sameCrs, WGS84 } from './layer.ts'
import { flattened, isAllFinite, isFlat, type Wkb } from './wkb.ts'
import { normalised } from './wkb-flavours.ts'
import { copyOf } from './wkb-pool.ts'

export type ReadOptions = {
  /** A folder that only this run uses, for unpacked files. */
  scratch: string
  maxFeatures: number
  maxUnpackedBytes: number
  /** The CRS to return the layer in; the file's own CRS by default. */
  crs?: Crs
}

export const noCrs = (): InputError => new InputError('crs', 'must state its coordinate reference system (CRS)')

/** Reprojects a layer. @throws InputError when a geometry lies outside the area of validity */
export async function reproject(layer: Layer, crs: Crs): Promise<Layer> {
  if (sameCrs(layer.crs, crs)) return layer
  const gdal = await loadGdal()
  const transformation = transformationBetween(gdal, layer.crs, crs)
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
    throw new InputError('reprojection', `feature ${index}: is outside the area where its CRS is valid`, cause)
  }
  if (!isAllFinite(wkb))
    throw new InputError('reprojection', `feature ${index}: is outside the area where its CRS is valid`)
  return wkb
}

export function toWkb(geometry: Gdal.Geometry): Wkb {
  const bytes = normalised(geometry.toWKB('LSB', 'ISO'))
  return copyOf(bytes, 0, bytes.length)
}

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

export const KML_DRIVERS = ['LIBKML', 'KML']

/** @param paths one file, or the KML documents of a KMZ */
export async function readWithGdal(
  paths: string[],
  name: string,
  drivers: string[],
  options: ReadOptions,
): Promise<Layer> {
  const gdal = await loadGdal()
  const present = drivers.filter((driver) => hasDriver(gdal, driver))
  const datasets: Gdal.Dataset[] = []
  try {
    for (const path of paths) datasets.push(gdal.open(path, 'r', present))
  } catch (cause) {
    for (const dataset of datasets) dataset.close()
    throw new InputError('unreadable', `cannot be read as ${present[0] ?? drivers[0]}`, cause)
  }
  try {
    return readDatasets(gdal, datasets, name, drivers === KML_DRIVERS, options)
  } finally {
    for (const dataset of datasets) dataset.close()
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
  // the folders of a KML are parts of one layer; in other formats each layer is separate
  const chosen = isKml ? spatial : spatial.slice(0, 1)
  const [first] = chosen
  if (first === undefined) throw new InputError('noLayer', 'must contain a layer with geometries')
  const warnings: string[] = []
  if (!isKml && spatial.length > 1)
    warnings.push(`contains ${spatial.length} layers; only the first one, ${first.name}, was read`)
  const fields: Field[] = []
  const features: Feature[] = []
  const sourceCrs = describeCrs(first.srs) ?? (isKml ? WGS84 : undefined)
  if (sourceCrs === undefined) throw noCrs()
  const crs = options.crs ?? sourceCrs
  const transformation = sameCrs(crs, sourceCrs) ? undefined : transformationBetween(gdal, sourceCrs, crs)
  for (const layer of chosen) readInto(layer, fields, features, transformation, options.maxFeatures)
  for (const feature of features) {
    while (feature.values.length < fields.length) feature.values.push(null)
    // GDAL returns a height of 0 for KML positions without a height
    const { geometry } = feature
    if (isKml && geometry !== null && isFlat(geometry)) feature.geometry = flattened(geometry)
  }
  return { name, fields, features, crs, sourceCrs, warnings }
}

/** Fields that GDAL adds to a KML for times and drawing, in addition to the names and data of its author. */
const KML_OMITTED_FIELDS = /^(begin|end|timestamp|altitudeMode|tessellate|extrude|visibility|drawOrder|icon|snippet)$/

function readInto(
  layer: Gdal.Layer,
  fields: Field[],
  features: Feature[],
  transformation: Gdal.CoordinateTransformation | undefined,
  maxFeatures: number,
): void {
  const columns: { name: string; type: string; fieldIndex: number }[] = []
  layer.fields.forEach((definition) => {
    const { name, type } = definition
    const isOmitted = KML_OMITTED_FIELDS.test(name) && layer.ds.driver.description === 'LIBKML'
    let fieldIndex = fields.findIndex((field) => field.name === name)
    if (fieldIndex < 0 && !isOmitted) {
      fieldIndex = fields.length
      fields.push({ name, type: TYPES[type] ?? 'json' })
    }
    columns.push({ name, type, fieldIndex: isOmitted ? -1 : fieldIndex })
  })
  try {
    for (let feature = layer.features.first(); feature; feature = layer.features.next()) {
      if (features.length >= maxFeatures)
        throw new InputError('maxFeatures', `has too many features; the maximum is ${maxFeatures}`)
      const read = feature.fields.toArray() as unknown[]
      const values: unknown[] = new Array(fields.length).fill(null)
      for (let i = 0; i < columns.length; i++) {
        const { fieldIndex, type } = columns[i] as (typeof columns)[number]
        if (fieldIndex >= 0) values[fieldIndex] = valueFrom(read[i], type)
      }
      features.push({ values, geometry: geometryFrom(feature, transformation, features.length) })
    }
  } catch (error) {
    if (error instanceof InputError) throw error
    throw new InputError('unreadable', `cannot be read past feature ${features.length}`, error)
  }
}

function geometryFrom(
  feature: Gdal.Feature,
  transformation: Gdal.CoordinateTransformation | undefined,
  index: number,
): Wkb | null {
  // depending on the driver, a missing geometry is null or an exception
  const geometry = feature.getGeometry() as Gdal.Geometry | null
  if (geometry === null) return null
  if (transformation !== undefined) return transformed(geometry, transformation, index)
  const wkb = toWkb(geometry)
  if (!isAllFinite(wkb)) throw new InputError('finite', `feature ${index}: coordinates must be finite numbers`)
  return wkb
}

type DateParts = { year?: number; month?: number; day?: number; hour?: number; minute?: number; second?: number }

function valueFrom(value: unknown, type: string): unknown {
  if (value === null || value === undefined) return null
  if (type !== 'date' && type !== 'time' && type !== 'datetime') return value
  const { year = 1970, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = value as DateParts
  const two = (n: number): string => String(Math.trunc(n)).padStart(2, '0')
  const date = `${String(year).padStart(4, '0')}-${two(month)}-${two(day)}`
  const time = `${two(hour)}:${two(minute)}:${two(second)}`
  return type === 'date' ? date : type === 'time' ? time : `${date}T${time}`
}
