/** Layers as GDAL reads them, and geometries as PROJ moves them. */
import type * as Gdal from 'gdal-async'
import { InputError } from '../input-error.ts'
import { describeCrs, type GdalModule, hasDriver, loadGdal, toSrs } from './gdal.ts'
import { type Crs, type Feature, type Field, type FieldType, type Layer, sameCrs, WGS84 } from './layer.ts'
import { flattened, isAllFinite, isFlat, type Wkb } from './wkb.ts'
import { normalised } from './wkb-flavours.ts'
import { copyOf } from './wkb-pool.ts'

export type ReadOptions = {
  /** A folder of this run's own, for what is unpacked. */
  scratch: string
  maxFeatures: number
  maxUnpackedBytes: number
  /** What the layer is wanted in; the file's own CRS when left out. */
  crs?: Crs
}

export const noCrs = (): InputError =>
  new InputError('crs', 'does not say its coordinate reference system; it must, and it is not guessed')

/** A layer in another CRS, by PROJ. @throws InputError when a geometry lies where it cannot be told */
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
    throw new InputError('reprojection', `feature ${index}: lies outside of where its CRS can be reprojected`, cause)
  }
  if (!isAllFinite(wkb))
    throw new InputError('reprojection', `feature ${index}: lies outside of where its CRS can be reprojected`)
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

/** @param paths one, or the documents of a KMZ */
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
  // folders of a KML are parts of one layer; layers of anything else are layers of their own
  const chosen = isKml ? spatial : spatial.slice(0, 1)
  const [first] = chosen
  if (first === undefined) throw new InputError('noLayer', 'holds no layer with geometries')
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
  const own: { name: string; type: string; fieldIndex: number }[] = []
  layer.fields.forEach((definition) => {
    const { name, type } = definition
    const leftOut = KML_FIELDS_LEFT_OUT.test(name) && layer.ds.driver.description === 'LIBKML'
    let fieldIndex = fields.findIndex((field) => field.name === name)
    if (fieldIndex < 0 && !leftOut) {
      fieldIndex = fields.length
      fields.push({ name, type: TYPES[type] ?? 'json' })
    }
    own.push({ name, type, fieldIndex: leftOut ? -1 : fieldIndex })
  })
  try {
    for (let feature = layer.features.first(); feature; feature = layer.features.next()) {
      if (features.length >= maxFeatures)
        throw new InputError('maxFeatures', `has more than the ${maxFeatures} features that are taken`)
      const read = feature.fields.toArray() as unknown[]
      const values: unknown[] = new Array(fields.length).fill(null)
      for (let i = 0; i < own.length; i++) {
        const { fieldIndex, type } = own[i] as (typeof own)[number]
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
  // a feature without one is told as an error or as null, depending on the driver
  const geometry = feature.getGeometry() as Gdal.Geometry | null
  if (geometry === null) return null
  if (transformation !== undefined) return transformed(geometry, transformation, index)
  const wkb = toWkb(geometry)
  if (!isAllFinite(wkb)) throw new InputError('finite', `feature ${index}: a coordinate is not a finite number`)
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
