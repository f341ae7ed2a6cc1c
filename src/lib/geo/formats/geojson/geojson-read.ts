/** Reads GeoJSON text (RFC 7946, with the `crs` member of the 2008 specification) into a layer. */
import { isUtf8 } from 'node:buffer'
import { inPlace } from '../../../../field-texts/bilingual.ts'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { checkStructure, JsonTextError, rejectRepeats } from '../../../../json-text.ts'
import type { Warning } from '../../../../warnings/warning.ts'
import { InputError } from '../../../input-error.ts'
import { type Feature, type Field, type FieldType, isInexactInteger } from '../../layers/layer.ts'
import { encodeGeometry, PositionLosses, requireHeights } from './geojson-geometry.ts'
import { type SplitFeature, splitFeatures } from './geojson-scan.ts'

export type GeoJsonContent = {
  fields: Field[]
  features: Feature[]
  /** The CRS named by the `crs` member, not looked up yet; undefined for WGS 84. */
  crsName: string | undefined
  closedRings: number
  /** Columns of texts, lists and objects with integers that a double cannot hold exactly. */
  inexactTexts: string[]
  warnings: Warning[]
}

const CRS84 = /^(urn:ogc:def:crs:OGC:[\d.]*:CRS84|OGC:CRS84|CRS84|EPSG:4326|urn:ogc:def:crs:EPSG:[\d.]*:4326)$/i

/** @throws InputError with the index of the invalid feature, counted from 0 */
export function readGeoJson(bytes: Buffer, maxFeatures: number): GeoJsonContent {
  if (!isUtf8(bytes)) throw new InputError('encoding', fieldText('mustBeUtf8'))
  try {
    const split = splitFeatures(bytes)
    if (split === undefined) return fromGeoJson(parse(bytes), maxFeatures)
    const { rest, features } = split
    return fromGeoJson(parse(Buffer.from(rest)), maxFeatures, { featureStream: parsed(bytes, features) })
  } catch (cause) {
    throw cause instanceof JsonTextError ? new InputError(cause.rule, cause.text, cause) : cause
  }
}

function parse(bytes: Buffer): unknown {
  const members = checkStructure(bytes)
  const text = bytes.toString('utf8').replace(/^\uFEFF/, '')
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw new InputError('json', fieldText('jsonInvalid', { reason: (cause as Error).message.slice(0, 200) }), cause)
  }
  rejectRepeats(text, value, members)
  return value
}

function* parsed(bytes: Buffer, features: Iterable<SplitFeature>): Generator<unknown> {
  try {
    for (const { start, end, members } of features) {
      const text = bytes.toString('utf8', start, end)
      const feature: unknown = JSON.parse(text)
      rejectRepeats(text, feature, members)
      yield feature
    }
  } catch (cause) {
    throw cause instanceof SyntaxError
      ? new InputError('json', fieldText('jsonInvalid', { reason: cause.message.slice(0, 200) }), cause)
      : cause
  }
}

/**
 * Reads a parsed Feature, FeatureCollection or geometry.
 * @param featureStream the features of the collection, when they are parsed one at a time
 * @param isStrict keep values unchanged, even when one field has values of several types, and repair no heights
 * @throws InputError
 */
export function fromGeoJson(
  root: unknown,
  maxFeatures: number,
  { featureStream, isStrict = false }: { featureStream?: Iterable<unknown>; isStrict?: boolean } = {},
): GeoJsonContent {
  if (typeof root !== 'object' || root === null || Array.isArray(root))
    throw new InputError('geojson', fieldText('geojson'))
  const { type, features, crs } = root as Record<string, unknown>
  let members: Iterable<unknown>
  if (type === 'FeatureCollection') {
    if (!Array.isArray(features)) throw new InputError('features', fieldText('featureList'))
    members = featureStream ?? features
  } else members = type === 'Feature' ? [root] : [{ type: 'Feature', properties: null, geometry: root }]
  const columns = new Columns()
  const read: Feature[] = []
  const losses = new PositionLosses()
  const rootCrs = crsNameOf(crs)
  let crsName = rootCrs
  let isCrsKnown = crs !== undefined && crs !== null
  let closedRings = 0
  for (const member of members) {
    const i = read.length
    const place = { feature: i }
    if (i >= maxFeatures) throw new InputError('maxFeatures', fieldText('tooManyFeatures', { most: maxFeatures }))
    const feature = member as Record<'type' | 'id' | 'properties' | 'geometry' | 'crs', unknown> | null
    if (feature?.type !== 'Feature') throw new InputError('feature', inPlace(place, fieldText('featureType')))
    const { id, properties = null, geometry = null } = feature
    if (typeof properties !== 'object' || Array.isArray(properties))
      throw new InputError('properties', inPlace(place, fieldText('featureProperties')))
    const encoded = geometry === null ? undefined : encodeGeometry(geometry, place)
    if (encoded !== undefined) {
      closedRings += encoded.closedRings
      losses.add(encoded, i)
      if (isStrict) requireHeights(encoded, place)
      // PostGIS names the CRS in each geometry
      const own = feature.crs ?? (geometry as { crs?: unknown }).crs
      const ownName = own === undefined || own === null ? rootCrs : crsNameOf(own)
      if (!isCrsKnown) crsName = ownName
      isCrsKnown = true
      if (ownName !== crsName)
        throw new InputError('crs', inPlace(place, fieldText('crsOfOthers', { crs: crsName ?? 'WGS 84' })))
    }
    const values = columns.add(properties as Record<string, unknown> | null)
    const hasId = typeof id === 'string' || (typeof id === 'number' && Number.isFinite(id))
    read.push({ values, geometry: encoded?.wkb ?? null, ...(hasId && { id }) })
  }
  return { ...columns.finish(read, isStrict), crsName, closedRings, warnings: losses.warnings }
}

/** The CRS named by a `crs` member; undefined for WGS 84. @throws InputError */
export function crsNameOf(crs: unknown): string | undefined {
  const name = (crs as { properties?: { name?: unknown } } | null | undefined)?.properties?.name
  if (crs === undefined || crs === null) return undefined
  if (typeof name !== 'string') throw new InputError('crs', fieldText('crsWithoutName'))
  return CRS84.test(name) ? undefined : name
}

/** Collects the fields, and the narrowest type that fits all values of each, from the properties of the features. */
export class Columns {
  private readonly columnIndexes = new Map<string, number>()
  private readonly types: (FieldType | undefined)[] = []

  add(properties: Record<string, unknown> | null): unknown[] {
    const values: unknown[] = new Array(this.types.length).fill(null)
    if (properties === null) return values
    for (const name in properties) {
      let columnIndex = this.columnIndexes.get(name)
      if (columnIndex === undefined) {
        columnIndex = this.types.length
        this.columnIndexes.set(name, columnIndex)
        this.types.push(undefined)
      }
      const value = properties[name] ?? null
      values[columnIndex] = value
      if (value !== null) this.types[columnIndex] = widest(this.types[columnIndex], typeOfValue(value))
    }
    return values
  }

  /** Converts values to the type of their field, and gives every feature a value for every field. */
  finish(features: Feature[], keepValues: boolean): Pick<GeoJsonContent, 'fields' | 'features' | 'inexactTexts'> {
    const fields = [...this.columnIndexes].map(([name, columnIndex]) => ({
      name,
      type: this.types[columnIndex] ?? ('string' as const),
    }))
    const inexactTexts = new Set<string>()
    const toText = fields.map(({ type }) => type === 'string' && !keepValues)
    for (const { values } of features)
      for (let i = 0; i < fields.length; i++) {
        const value = values[i] ?? null
        if ((toText[i] || typeof value === 'object') && holdsInexact(value)) inexactTexts.add(fields[i]?.name as string)
        values[i] =
          toText[i] && value !== null && typeof value !== 'string'
            ? typeof value === 'object'
              ? JSON.stringify(value)
              : String(value)
            : value
      }
    return { fields, features, inexactTexts: [...inexactTexts] }
  }
}

/** Whether a value within a list or an object is an integer that a double does not hold exactly. */
export const holdsInexact = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.values(value).some(holdsInexact) : isInexactInteger(value)

function typeOfValue(value: unknown): FieldType {
  if (typeof value === 'string') return 'string'
  if (typeof value === 'boolean') return 'boolean'
  if (typeof value === 'object') return 'json'
  if (!Number.isInteger(value)) return 'real'
  return Math.abs(value as number) < 2 ** 31 ? 'integer' : Number.isSafeInteger(value) ? 'integer64' : 'real'
}

const NUMERIC: readonly FieldType[] = ['integer', 'integer64', 'real']

function widest(a: FieldType | undefined, b: FieldType): FieldType {
  if (a === undefined || a === b) return b
  if (NUMERIC.includes(a) && NUMERIC.includes(b)) return NUMERIC.indexOf(a) > NUMERIC.indexOf(b) ? a : b
  return 'string'
}
