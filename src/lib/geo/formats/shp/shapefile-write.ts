/**
 * Writes a layer as shapefiles. A shapefile holds only points, lines or polygons, so mixed geometries are split into
 * one file per kind, and `vector-read.ts` reads them back as one layer.
 */
import { join } from 'node:path'
import { append, smallest } from '../../../../lists.ts'
import { type Warning, warning } from '../../../../warnings/warning.ts'
import {
  COLLECTION,
  collect,
  dimensionOf,
  isEmpty,
  MULTI_POINT,
  partsOf,
  typeOf,
  type Wkb,
} from '../../geometry/wkb.ts'
import type { Feature, Layer } from '../../layers/layer.ts'
import { warningsOfCrs } from '../../projection/written-crs.ts'
import { createWithGdal } from '../gdal/gdal-write.ts'
import { padDates } from './dbf.ts'
import { fits, writeShapefileRows } from './shapefile-rows.ts'

/** File name suffixes for mixed geometries. */
export const FAMILY_NAMES = ['points', 'lines', 'polygons'] as const

const MAX_TEXT_BYTES = 254
/** Numbers are written with 15 decimals in 24 characters. */
const DECIMALS = 15
const MAX_NUMBER = 1e22

/** @param layer with column names that a shapefile can hold */
export async function writeShapefiles(layer: Layer, dir: string, stem: string, warnings: Warning[]): Promise<void> {
  warnOfValues(layer, warnings)
  const families: Feature[][] = [[], [], []]
  const members = layer.features.map(({ geometry }) => membersByFamily(geometry))
  const present = new Set(members.flatMap((parts) => parts.map(([family]) => family)))
  // rows without a shape go to the first file, in their place
  const first = Math.min(smallest(present), 2)
  let splitCount = 0
  layer.features.forEach((feature, i) => {
    const parts = members[i] as [number, Wkb][]
    if (parts.length > 1) splitCount++
    if (parts.length === 0) families[first]?.push({ ...feature, geometry: null })
    for (const [family, geometry] of parts) families[family]?.push({ ...feature, geometry })
  })
  if (present.size > 1) warnings.push(warning('shapefileForEachKind'))
  if (splitCount > 0) warnings.push(warning('featuresSplitByKind', { n: splitCount }))
  const written = present.size > 0 ? [...present].sort() : [0]
  for (const family of written) {
    const name = present.size > 1 ? `${stem}_${FAMILY_NAMES[family]}` : stem
    const part = { ...layer, features: families[present.size > 0 ? family : first] as Feature[] }
    const isBulk = present.size > 0 && fits(part)
    const rows = isBulk ? [] : part.features
    await createWithGdal('ESRI Shapefile', join(dir, `${name}.shp`), name, part, ['ENCODING=UTF-8'], [], rows)
    if (isBulk) writeShapefileRows(join(dir, name), part)
    else if (part.fields.some(({ type }) => type === 'date')) padDates(join(dir, `${name}.dbf`))
    if (family === written[0]) append(warnings, await warningsOfCrs(join(dir, `${name}.shp`), 'ESRI Shapefile', layer))
  }
}

/** The parts of a geometry by dimension; none for an empty one. */
function membersByFamily(geometry: Wkb | null): [family: number, geometry: Wkb][] {
  if (geometry === null || isEmpty(geometry)) return []
  if (typeOf(geometry) !== COLLECTION) return [[dimensionOf(geometry), geometry]]
  const families: Wkb[][] = [[], [], []]
  const add = (wkb: Wkb): void => {
    for (const part of partsOf(wkb))
      if (typeOf(part) >= MULTI_POINT) add(part)
      else if (!isEmpty(part)) families[dimensionOf(part)]?.push(part)
  }
  add(geometry)
  return families.flatMap((parts, family): [number, Wkb][] =>
    parts.length === 0 ? [] : [[family, parts.length === 1 ? (parts[0] as Wkb) : collect(MULTI_POINT + family, parts)]],
  )
}

function warnOfValues({ fields, features }: Layer, warnings: Warning[]): void {
  const cut = new Set<string>()
  const rounded = new Set<string>()
  for (const { values } of features)
    fields.forEach(({ name, type }, i) => {
      const value = values[i]
      if (type === 'real' && typeof value === 'number' && !fitsNumber(value)) rounded.add(name)
      else if (
        typeof value === 'string' &&
        value.length * 3 > MAX_TEXT_BYTES &&
        Buffer.byteLength(value) > MAX_TEXT_BYTES
      )
        cut.add(name)
    })
  if (cut.size > 0) warnings.push(warning('textsCut', { bytes: MAX_TEXT_BYTES, columns: [...cut] }))
  if (rounded.size > 0) warnings.push(warning('numbersRounded', { decimals: DECIMALS, columns: [...rounded] }))
}

const fitsNumber = (value: number): boolean =>
  Math.abs(value) < MAX_NUMBER && (Number.isInteger(value) || Number(value.toFixed(DECIMALS)) === value)
