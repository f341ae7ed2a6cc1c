/**
 * Reads a GML without GDAL if it is as GDAL, QGIS, GeoServer and we write simple features. GDAL reads a sample, the
 * beginning of the file: what it looks at to decide how to read the rest. The CRS, the order of axes and the column of
 * ids are known from that, and all values and geometries of the sample must be what GDAL reads.
 */
import { writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { InputError } from '../input-error.ts'
import { isMadeUpId, type ReadOptions, readWithGdal, reproject } from './gdal-read.ts'
import { Unusual, unusual } from './gml-bytes.ts'
import { type GmlFeature, GmlFeatures } from './gml-features.ts'
import { RULES } from './gml-rules.ts'
import { type Feature, type Layer, sameCrs } from './layer.ts'
import { forEachRun, type Wkb } from './wkb.ts'
import { copyOf } from './wkb-pool.ts'

/** As much as GDAL looks at before it reads features. */
const SAMPLE_BYTES = 8192
const MAX_SAMPLE_BYTES = 1 << 20
/** With more, GDAL compares each element of the sample with too many columns. */
const MAX_SAMPLE_COLUMNS = 128

/** @returns undefined if the file is not plain, or has an error, which another reader reports */
export async function readPlainGml(path: string, name: string, options: ReadOptions): Promise<Layer | undefined> {
  let reader: GmlFeatures | undefined
  try {
    if (!(await areRulesKnown(options))) return undefined
    reader = new GmlFeatures(path)
    const layer = { ...(await readLayer(reader, path, options)), name }
    if (options.crs === undefined) return layer
    return sameCrs(layer.crs, options.crs) ? { ...layer, crs: options.crs } : await reproject(layer, options.crs)
  } catch (error) {
    if (error instanceof Unusual || error instanceof InputError) return undefined
    throw error
  } finally {
    reader?.tokens.close()
  }
}

let known: Promise<boolean> | undefined

/** Whether this version of GDAL reads every construct that is read here in the same way. */
async function areRulesKnown(options: ReadOptions): Promise<boolean> {
  known ??= compareRules(options)
  try {
    return await known
  } catch (error) {
    // such as a full disk, which says nothing of GDAL
    known = undefined
    throw error
  }
}

async function compareRules(options: ReadOptions): Promise<boolean> {
  const path = join(options.scratch, 'rules-of-gdal.gml')
  writeFileSync(path, RULES)
  const reader = new GmlFeatures(path)
  try {
    reader.begin()
    const features: GmlFeature[] = []
    for (let feature = reader.next(); feature !== undefined; feature = reader.next()) features.push(feature)
    return decisions(reader, features, await withGdal(path, options)) !== undefined
  } catch (error) {
    if (error instanceof Unusual || error instanceof InputError) return false
    throw error
  } finally {
    reader.tokens.close()
  }
}

const withGdal = (path: string, { crs: _, ...options }: ReadOptions): Promise<Layer> =>
  readWithGdal(path, 'sample', 'GML', { ...options, maxFeatures: Number.POSITIVE_INFINITY })

async function readLayer(reader: GmlFeatures, path: string, options: ReadOptions): Promise<Layer> {
  const features: GmlFeature[] = []
  const { tokens, columns } = reader
  reader.begin()
  while (tokens.offset < SAMPLE_BYTES) features.push(reader.next() ?? unusual())
  if (tokens.offset > MAX_SAMPLE_BYTES || columns.fields.length > MAX_SAMPLE_COLUMNS) unusual()
  const samplePath = join(options.scratch, `sample-${basename(path)}`)
  writeFileSync(samplePath, Buffer.concat([tokens.head(tokens.offset), Buffer.from(reader.endTags)]))
  const sample = await withGdal(samplePath, options)
  const { isSwapped, idColumn, mayHaveIds } = decisions(reader, features, sample) ?? unusual()
  const { assumesDimension, hasBounds } = reader
  if (isSwapped) for (const { geometry } of features) if (geometry !== null) swap(geometry)
  reader.isSwapped = isSwapped
  for (let feature = reader.next(); feature !== undefined; feature = reader.next()) {
    if (features.length >= options.maxFeatures) unusual()
    if (mayHaveIds && !isMadeUpId(feature.id, reader.layerName)) unusual()
    features.push(feature)
  }
  // what the sample does not have, it does not show
  if (features.length > options.maxFeatures || reader.assumesDimension !== assumesDimension) unusual()
  if (reader.hasBounds !== hasBounds || columns.fields.some(({ name }) => name === 'gml_id')) unusual()
  const fields = [...idColumn, ...columns.fields]
  const hasIds = idColumn.length > 0
  return {
    ...{ ...sample, fields },
    features: features.map(({ id, row, geometry }): Feature => {
      const values = columns.values(row)
      if (hasIds) values.unshift(id ?? unusual())
      return { values, geometry }
    }),
  }
}

/** What only GDAL knows. @returns undefined if it reads the features in another way */
function decisions(reader: GmlFeatures, features: readonly GmlFeature[], sample: Layer) {
  const { columns, layerName } = reader
  const [first] = sample.fields
  const { fields } = columns
  const isExposed = first?.name === 'gml_id' || first?.name === 'fid'
  const idColumn = isExposed && sample.fields.length === fields.length + 1 ? [first] : []
  const rows = features.map(({ id, row }) => [...idColumn.map(() => id ?? null), ...columns.values(row)])
  const isSame =
    sample.warnings.length === 0 &&
    JSON.stringify(sample.fields) === JSON.stringify([...idColumn, ...fields]) &&
    JSON.stringify(sample.features.map(({ values }) => values)) === JSON.stringify(rows)
  const orders = [false, true].filter((isSwapped) =>
    features.every(({ geometry }, i) => isSameGeometry(geometry, sample.features[i]?.geometry, isSwapped)),
  )
  const [isSwapped] = orders
  if (!isSame || isSwapped === undefined || orders.length > 1) return undefined
  // GDAL reads ids that look made up, or none
  const mayHaveIds = idColumn.length === 0 && features.every(({ id }) => isMadeUpId(id, layerName))
  return { isSwapped, idColumn, mayHaveIds }
}

function isSameGeometry(ours: Wkb | null, theirs: Wkb | null | undefined, isSwapped: boolean): boolean {
  if (ours === null || theirs === null || theirs === undefined) return ours === theirs
  const copy = copyOf(ours, 0, ours.length)
  if (isSwapped) swap(copy)
  return Buffer.compare(copy, theirs) === 0
}

/** Exchanges the first two coordinates of each position. */
function swap(wkb: Wkb): void {
  forEachRun(wkb, (view, offset, count, stride) => {
    for (let at = offset; at < offset + count * stride; at += stride) {
      const first = view.getFloat64(at, true)
      view.setFloat64(at, view.getFloat64(at + 8, true), true)
      view.setFloat64(at + 8, first, true)
    }
  })
}
