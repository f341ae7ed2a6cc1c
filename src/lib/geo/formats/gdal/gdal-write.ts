/** Writes a layer with a driver of GDAL. */

import type * as Gdal from 'gdal-async'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { InputError, reasonOf } from '../../../input-error.ts'
import { COLLECTION, collect, hasZ, MULTI_POINT, multiOf, typeOf } from '../../geometry/wkb.ts'
import type { Feature, FieldType, Layer } from '../../layers/layer.ts'
import { type GdalModule, loadGdal, toSrs } from './gdal.ts'

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

/** Types that a format lacks: a shapefile has no times of day, a FlatGeobuf only date-times. */
const AS_TEXT: Record<string, readonly FieldType[]> = {
  'ESRI Shapefile': ['datetime', 'time'],
  FlatGeobuf: ['date', 'time'],
}

const fieldType = (type: FieldType, driver: string): keyof GdalModule =>
  AS_TEXT[driver]?.includes(type) ? 'OFTString' : FIELD_TYPES[type]

const Z_BIT = 0x80000000

/**
 * @param written the features to write; all of them decide the layer's type
 * @throws InputError when the format cannot hold the layer
 */
export async function createWithGdal(
  driver: string,
  path: string,
  name: string,
  layer: Layer,
  layerOptions: string[] = [],
  datasetOptions: string[] = [],
  written = layer.features,
): Promise<void> {
  const gdal = await loadGdal()
  try {
    const dataset = gdal.drivers.get(driver).create(path, 0, 0, 0, gdal.GDT_Unknown, datasetOptions)
    // without an explicit transaction, each feature would be its own
    const transactional = driver === 'GPKG'
    if (transactional) execute(dataset, 'BEGIN')
    writeLayer(gdal, dataset, name, layer, layerOptions, written)
    if (transactional) execute(dataset, 'COMMIT')
    dataset.close()
  } catch (cause) {
    throw new InputError('target', fieldText('targetUnwritten', { format: driver, reason: reasonOf(cause) }), cause)
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

function writeLayer(
  gdal: GdalModule,
  dataset: Gdal.Dataset,
  name: string,
  layer: Layer,
  options: string[],
  written: readonly Feature[],
): void {
  const driver = dataset.driver.description
  const { code, promote } = layerType(layer, driver === 'FlatGeobuf')
  const target = dataset.layers.create(name, toSrs(gdal, layer.crs), code === 0 ? gdal.wkbUnknown : code, options)
  for (const field of layer.fields)
    target.fields.add(new gdal.FieldDefn(field.name, gdal[fieldType(field.type, driver)] as unknown as string))
  for (const { values, geometry } of written) {
    const feature = new gdal.Feature(target)
    feature.fields.set(values.map((value, i) => valueFor(value, layer.fields[i]?.type ?? 'string')))
    if (geometry !== null) {
      const wkb = promote && typeOf(geometry) < MULTI_POINT ? collect(multiOf(typeOf(geometry)), [geometry]) : geometry
      feature.setGeometry(gdal.Geometry.fromWKB(Buffer.from(wkb.buffer, wkb.byteOffset, wkb.length)))
    }
    target.features.add(feature)
  }
}

/**
 * One geometry type for the layer: 0 for a mixture; single types become multi types where both occur.
 * @param mixtureHasZ whether the type of a mixture states heights
 */
export function layerType(layer: Layer, mixtureHasZ: boolean): { code: number; promote: boolean } {
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
    return { code: z && mixtureHasZ ? Z_BIT : 0, promote: false }
  // gdal-async expects the older flag bit for three dimensions
  return { code: z ? (only | Z_BIT) >>> 0 : only, promote: types.size > 1 }
}

/** The stored form of a value in a column of the type. */
export function valueFor(value: unknown, type: FieldType): unknown {
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

/**
 * Whether our own writers store the values as GDAL would. Times have several forms, so they are left to GDAL.
 * @param isReal whether it can write a number
 */
export function hasPlainValues({ fields, features }: Layer, isReal = (_value: number): boolean => true): boolean {
  const isPlain = (value: unknown, type: FieldType): boolean => {
    if (value === null || value === undefined) return true
    switch (type) {
      case 'string':
        return typeof value === 'string' && !value.includes('\0')
      case 'integer':
      case 'integer64':
        return Number.isSafeInteger(value)
      case 'real':
        return typeof value === 'number' && isReal(value)
      case 'boolean':
        return typeof value === 'boolean'
      default:
        return false
    }
  }
  return fields.every(({ type }, i) => features.every(({ values }) => isPlain(values[i], type)))
}
