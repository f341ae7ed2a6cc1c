/** Writes a layer as a file in a vector format. */

import { closeSync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { fieldText } from '../../../field-texts/field-text.ts'
import { append } from '../../../lists.ts'
import { type Warning, warning } from '../../../warnings/warning.ts'
import { InputError } from '../../input-error.ts'
import { pack } from '../../zip.ts'
import { loadGeos } from '../geometry/geos.ts'
import { elevated, hasZ, isEmpty } from '../geometry/wkb.ts'
import { freeName, type Layer, WGS84 } from '../layers/layer.ts'
import { warningsOfCrs } from '../projection/written-crs.ts'
import { withFormatNames, xmlName } from './column-names.ts'
import { needsAllDecimals, withDecimals } from './coordinate-precision.ts'
import { withFormatIds, withKeyColumn } from './feature-ids.ts'
import { writeFlatGeobuf } from './fgb/fgb-write.ts'
import { reproject } from './gdal/gdal-read.ts'
import { writeGeoJson } from './geojson/geojson-write.ts'
import { writeGml } from './gml/gml-write.ts'
import { writeGeoPackage } from './gpkg/gpkg-write.ts'
import { writeKml } from './kml/kml-write.ts'
import { writeGeoParquet } from './parquet/parquet.ts'
import { writeShapefiles } from './shp/shapefile-write.ts'
import { type TargetFormat, WRITTEN } from './vector-formats.ts'

export type WrittenFile = {
  path: string
  /** The content, if it is short and was not written to a file. */
  text?: string | undefined
  filename: string
  mediaType: string
  /** The layer as written: GeoJSON, KML, KMZ and GeoParquet are always in WGS 84. */
  layer: Layer
}

export type WriteOptions = {
  /** Limit for GeoJSON and KML. */
  maxBytes?: number | undefined
  /** Decimals of the coordinates; by default GeoJSON has nine, and the other formats full double precision. */
  decimals?: number | undefined
  /** Creates the folder if it does not exist yet. Short GeoJSON is returned as text, without a folder. */
  openFolder?: (() => Promise<void>) | undefined
}

/** GeoJSON up to this length is returned as text if there is no folder. */
const SHORT_BYTES = 64 * 1024

/** Formats that are defined in WGS 84, or that every reader expects in WGS 84. */
const IN_WGS84: readonly TargetFormat[] = ['geojson', 'kml', 'kmz', 'parquet']

/**
 * Writes `<scratch>/<stem>.<extension>`.
 * @param layer in any CRS; formats that can store the source CRS use it
 * @throws InputError when the format cannot hold the layer; rule `outputBytes` when it exceeds `maxBytes`
 */
export async function writeVector(
  layer: Layer,
  format: TargetFormat,
  stem: string,
  scratch: string,
  { maxBytes = Number.POSITIVE_INFINITY, decimals, openFolder }: WriteOptions = {},
): Promise<WrittenFile> {
  const { extension, mediaType } = WRITTEN[format]
  const filename = `${stem}.${extension}`
  const path = join(scratch, `output-${filename}`)
  const warnings = [...layer.warnings]
  const exact = await reproject(layer, IN_WGS84.includes(format) ? WGS84 : layer.sourceCrs)
  const inCrs = decimals === undefined ? exact : await withDecimals(exact, decimals, warnings)
  if (format !== 'parquet' && format !== 'fgb') warnOfInfinite(inCrs, warnings)
  if (format === 'shp' || format === 'gml') warnOfSpaces(inCrs, warnings)
  const named = withFormatIds(withFormatNames(inCrs, format, warnings), format, warnings)
  const out = withOneDimension(format === 'fgb' ? onlyWithGeometry(named, warnings) : named, format, warnings)
  const written = { path, filename, mediaType, layer: { ...out, warnings } }
  if (format === 'geojson') {
    const blocks = writeGeoJson(out, needsAllDecimals(await loadGeos(), decimals))
    const first = blocks.next()
    const second = blocks.next()
    if (openFolder !== undefined) {
      const text = first.value as Buffer
      if (second.done && text.length <= Math.min(SHORT_BYTES, maxBytes)) return { ...written, text: text.toString() }
      await openFolder()
    }
    writeBlocks(path, afterFirst([first, second], blocks), maxBytes)
  } else if (format === 'kml') writeBlocks(path, writeKml(out), maxBytes)
  else if (format === 'kmz') {
    const document = join(scratch, `document-${stem}.kml`)
    writeBlocks(document, writeKml(out), Number.POSITIVE_INFINITY)
    await pack([{ name: 'doc.kml', path: document }], path)
    rmSync(document)
  } else if (format === 'parquet') await writeGeoParquet(out, path)
  else await writeWithGdal(out, format, stem, path, scratch, warnings)
  return written
}

/** JSON, XML and SQLite cannot represent NaN and infinite numbers. */
function warnOfInfinite({ fields, features }: Layer, warnings: Warning[]): void {
  const isInfinite = (value: unknown): boolean => typeof value === 'number' && !Number.isFinite(value)
  const names = fields.filter(({ type }, i) => type === 'real' && features.some(({ values }) => isInfinite(values[i])))
  if (names.length > 0) warnings.push(warning('infiniteNumbersLost', { columns: names.map(({ name }) => name) }))
}

/** Shapefile fields are padded with spaces, and GML readers such as GDAL trim them. */
function warnOfSpaces({ fields, features }: Layer, warnings: Warning[]): void {
  const hasSpaces = (value: unknown): boolean => typeof value === 'string' && /^\s|\s$/.test(value)
  const names = fields.filter((_, i) => features.some(({ values }) => hasSpaces(values[i])))
  if (names.length > 0) warnings.push(warning('whiteSpaceLost', { columns: names.map(({ name }) => name) }))
}

/** The items already taken from the generator, then its remaining items. */
function* afterFirst(taken: readonly IteratorResult<Buffer>[], rest: Iterable<Buffer>): Generator<Buffer> {
  for (const { done, value } of taken) if (!done) yield value
  yield* rest
}

function writeBlocks(path: string, blocks: Iterable<Buffer>, maxBytes: number): void {
  const fd = openSync(path, 'w')
  let bytes = 0
  try {
    for (const block of blocks) {
      bytes += block.length
      if (bytes > maxBytes) throw new InputError('outputBytes', fieldText('bytesAtMost', { most: maxBytes }))
      writeSync(fd, block)
    }
  } finally {
    closeSync(fd)
  }
}

/** Formats in which either all geometries of a layer have heights or none do. */
const ONE_DIMENSION: readonly TargetFormat[] = ['shp', 'gml', 'fgb']

function withOneDimension(layer: Layer, format: TargetFormat, warnings: Warning[]): Layer {
  const { features } = layer
  if (!ONE_DIMENSION.includes(format) || !features.some(({ geometry }) => geometry !== null && hasZ(geometry)))
    return layer
  let addedCount = 0
  const all = features.map((feature) => {
    const { geometry } = feature
    if (geometry === null || hasZ(geometry)) return feature
    if (!isEmpty(geometry)) addedCount++
    return { ...feature, geometry: elevated(geometry) }
  })
  if (addedCount > 0) warnings.push(warning('geometriesGivenHeight', { n: addedCount }))
  return { ...layer, features: all }
}

/** GDAL silently omits such features from a FlatGeobuf. */
function onlyWithGeometry(layer: Layer, warnings: Warning[]): Layer {
  const features = layer.features.filter(({ geometry }) => geometry !== null && !isEmpty(geometry))
  const left = layer.features.length - features.length
  if (left === 0) return layer
  warnings.push(warning('featuresWithoutGeometryLeftOut', { n: left }))
  return { ...layer, features }
}

async function writeWithGdal(
  layer: Layer,
  format: TargetFormat,
  stem: string,
  path: string,
  scratch: string,
  warnings: Warning[],
): Promise<void> {
  const dir = join(scratch, `parts-${stem}`)
  switch (format) {
    case 'gpkg': {
      // GDAL would use a column of the layer as the key, or fail on the name of the geometry
      const { layer: keyed, key } = withKeyColumn(layer)
      await writeGeoPackage(keyed, path, stem, key, freeName(layer.fields, 'geom'))
      append(warnings, await warningsOfCrs(path, 'GPKG', layer))
      return
    }
    case 'fgb':
      await writeFlatGeobuf(layer, path, stem, join(scratch, `copy-${stem}.gpkg`))
      append(warnings, await warningsOfCrs(path, 'FlatGeobuf', layer))
      return
    case 'gml': {
      mkdirSync(dir, { recursive: true })
      const gmlPath = join(dir, `${stem}.gml`)
      writeBlocks(gmlPath, await writeGml(layer, xmlName(stem), gmlPath), Number.POSITIVE_INFINITY)
      append(warnings, await warningsOfCrs(gmlPath, 'GML', layer))
      break
    }
    default:
      mkdirSync(dir, { recursive: true })
      await writeShapefiles(layer, dir, stem, warnings)
  }
  await pack(
    readdirSync(dir).map((name) => ({ name, path: join(dir, name) })),
    path,
  )
  rmSync(dir, { recursive: true, force: true })
}
