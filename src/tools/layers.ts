/** Shared by vector tools: reading the layer of a field, and writing a layer to the result file. */

import { Type } from '@sinclair/typebox'
import { type AppError, fieldFailure, invalidField, unreadable } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { stemOf } from '../lib/file-name.ts'
import { MAX_DECIMALS } from '../lib/geo/formats/coordinate-precision.ts'
import { ONE_OF_READ_FORMATS, TARGET_FORMATS, type TargetFormat } from '../lib/geo/formats/vector-formats.ts'
import { readVector } from '../lib/geo/formats/vector-read.ts'
import { writeVector } from '../lib/geo/formats/vector-write.ts'
import { loadGeos } from '../lib/geo/geometry/geos.ts'
import { onGlobe } from '../lib/geo/geometry/globe.ts'
import { isLost } from '../lib/geo/geometry/repair.ts'
import { dimensionsOf } from '../lib/geo/geometry/wkb.ts'
import { type Crs, type Feature, geometryType, type Layer } from '../lib/geo/layers/layer.ts'
import { validFeatures } from '../lib/geo/overlay/overlay.ts'
import { InputError } from '../lib/input-error.ts'
import { inField } from '../warnings/warning.ts'
import { choice, file, integer, integerResult, named, textResult } from './params.ts'
import { lossWarnings } from './shared-rows.ts'
import type { InputFile, RunContext, Text, ToolResult } from './tool.ts'

export const vectorFile = () =>
  file('vector', {
    title: { en: 'File', ar: 'الملف' },
    en: `The layer: ${ONE_OF_READ_FORMATS.en}`,
    ar: `الطبقة: ${ONE_OF_READ_FORMATS.ar}`,
  })

export const coordinatePrecision = () =>
  Type.Optional(
    integer(
      {
        title: { en: 'Coordinate decimals', ar: 'منازل الإحداثيات' },
        en: 'Decimals of the coordinates of the result, in units of its CRS. Without it GeoJSON has 9 and other formats keep all',
        ar: 'عدد المنازل العشرية لإحداثيات النتيجة، بوحدات نظام إحداثياتها. بدونه 9 في GeoJSON، وتحتفظ بقية الصيغ بكل المنازل',
      },
      { minimum: 0, maximum: MAX_DECIMALS },
    ),
  )

export const FORMAT_TITLES: Record<TargetFormat, Text> = {
  geojson: named('GeoJSON'),
  shp: { en: 'Shapefile (zip)', ar: 'Shapefile (مضغوط)' },
  kml: named('KML'),
  gml: { en: 'GML (zip)', ar: 'GML (مضغوط)' },
  gpkg: named('GeoPackage'),
  fgb: named('FlatGeobuf'),
  kmz: named('KMZ'),
  parquet: named('GeoParquet'),
}

/** Fields for the output options of a vector file. */
export const vectorOutput = () => ({
  target_format: choice(
    TARGET_FORMATS,
    {
      title: { en: 'Format', ar: 'الصيغة' },
      en: 'Format of the result. GeoJSON, KML, KMZ and GeoParquet use WGS 84; all others keep the CRS of the file',
      ar: 'صيغة النتيجة؛ GeoJSON وKML وKMZ وGeoParquet بنظام WGS 84، والبقية تحتفظ بنظام إحداثيات الملف',
    },
    { titles: FORMAT_TITLES },
  ),
  coordinate_precision: coordinatePrecision(),
})

export type VectorOutput = { target_format: TargetFormat; coordinate_precision?: number }

/** Response fields common to all vector results. */
export const layerOutput = {
  featureCount: integerResult('Features in the result', 'عدد العناصر في النتيجة'),
  crs: textResult('CRS of the result, as EPSG:n', 'نظام إحداثيات النتيجة بصيغة EPSG:n'),
  geometryType: textResult('Type of its geometries', 'نوع الأشكال الهندسية'),
}

export const inputFeatureCount = integerResult('Features in the file', 'عدد العناصر في الملف')

/** Runs work on the file of a field. An InputError of a library becomes an AppError that names the field. */
export async function ofField<T>(field: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw namingField(field, error)
  }
}

/** The same for a field that is not a file: its value breaks a rule, so the code is VALIDATION_FAILED. */
export async function ofSetting<T>(field: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof InputError) || TOO_LARGE.has(error.rule)) throw namingField(field, error)
    throw invalidField(field, error.rule, error.text)
  }
}

/** Rules of InputError that mean FILE_TOO_LARGE. */
const TOO_LARGE = new Set([
  'maxFeatures',
  'unpackedBytes',
  'outputBytes',
  'zipEntries',
  'pixels',
  'frames',
  'samples',
  'bands',
  'blockBytes',
  'decodedBytes',
  'pages',
  'objects',
])

function namingField(field: string, error: unknown): unknown {
  if (!(error instanceof InputError)) return error
  const code = TOO_LARGE.has(error.rule) ? 'FILE_TOO_LARGE' : 'INPUT_UNREADABLE'
  return fieldFailure(code, field, error.rule, error.text, error.cause)
}

/**
 * Reads a layer. The main inputs, `file` and `files`, keep their warnings in the layer; warnings of other inputs go to
 * the result at once.
 * @throws AppError INPUT_UNREADABLE or FILE_TOO_LARGE naming the field
 */
export async function readLayer(
  input: InputFile,
  field: string,
  context: RunContext,
  crs?: Crs,
  followsEdges = false,
): Promise<Layer> {
  const { scratch, limits } = context
  if (input.layer !== undefined) return input.layer
  const layer = await ofField(field, () =>
    readVector(input.path, input.filename, { scratch, ...limits, ...(crs && { crs }), followsEdges }),
  )
  if (/^files?\b/.test(field)) return layer
  for (const found of layer.warnings) context.warn(inField(field, found))
  return { ...layer, warnings: [] }
}

/**
 * Reads a layer that is compared with another one: long edges keep their course in the other CRS, and positions beyond
 * ±180 lie on the opposite side.
 * @throws AppError INPUT_UNREADABLE or FILE_TOO_LARGE naming the field
 */
export async function readCompared(input: InputFile, field: string, context: RunContext, crs?: Crs): Promise<Layer> {
  const layer = await readLayer(input, field, context, crs, true)
  if (!layer.crs.geographic) return layer
  const geos = await loadGeos()
  const features = await ofField(field, () =>
    layer.features.map((feature): Feature => {
      const { geometry } = feature
      if (geometry === null) return feature
      const placed = onGlobe(geos, geometry)
      return placed === geometry ? feature : { ...feature, geometry: placed }
    }),
  )
  return { ...layer, features }
}

/** Rules for files whose geometries must have one dimension. */
const KINDS = ['points', 'lines', 'polygons'] as const

/** An INPUT_UNREADABLE error for a file with geometries of another dimension than the required one. */
export function notAll(field: string, dimension: number, index: number): AppError {
  const kind = KINDS[dimension as 0 | 1 | 2]
  return unreadable(field, kind, fieldText(`${kind}Only`, { index }))
}

/** Reads a layer of polygons and makes them valid. @throws AppError INPUT_UNREADABLE `polygons` for other geometries */
export async function readPolygons(input: InputFile, field: string, context: RunContext, crs?: Crs): Promise<Layer> {
  const layer = await readLayer(input, field, context, crs)
  const features = await ofField(field, () => validFeatures(layer.features))
  requireKind(features, 2, field)
  const geometryOf = (list: readonly Feature[], i: number) => (list[i] as Feature).geometry
  const lost = [...features.keys()].filter((i) => isLost(geometryOf(layer.features, i), geometryOf(features, i)))
  return { ...layer, features, warnings: [...layer.warnings, ...lossWarnings(field, lost)] }
}

/** @throws AppError INPUT_UNREADABLE `points`, `lines` or `polygons` when a geometry has another dimension */
export function requireKind(features: readonly Feature[], dimension: number, field: string): void {
  const other = features.findIndex(
    ({ geometry }) => geometry !== null && dimensionsOf(geometry).some((own) => own !== dimension),
  )
  if (other >= 0) throw notAll(field, dimension, other)
}

/**
 * Writes the layer of a response.
 * @param suffix appended to the file name, to show which tool created it
 */
export async function layerResult(
  layer: Layer,
  { target_format, coordinate_precision }: VectorOutput,
  source: InputFile,
  suffix: string,
  context: RunContext,
  data: Record<string, unknown>,
): Promise<ToolResult> {
  const stem = suffix === '' ? stemOf(source.filename) : `${stemOf(source.filename)}_${suffix}`
  const { scratch, limits, openFolder } = context
  const written = await ofField('target_format', () =>
    writeVector(layer, target_format, stem, scratch, {
      maxBytes: limits.maxOutputBytes,
      decimals: coordinate_precision,
      openFolder,
    }),
  )
  const { path, filename, mediaType, text } = written
  const crs = written.layer.crs.code ?? written.layer.crs.wkt
  return {
    data: { ...data, featureCount: written.layer.features.length, crs, geometryType: geometryType(written.layer) },
    ...(text === undefined
      ? { files: [{ role: 'output' as const, path, filename, mediaType, crs: written.layer.crs.code }] }
      : { text }),
    warnings: written.layer.warnings,
  }
}
