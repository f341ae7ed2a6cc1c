/** GeoJSON text (RFC 7946, and the `crs` member of 2008) to a layer. */
import { isUtf8 } from 'node:buffer'
import { InputError } from '../input-error.ts'
import { encodeGeometry } from './geojson-geometry.ts'
import { splitFeatures } from './geojson-scan.ts'
import type { Feature, Field, FieldType } from './layer.ts'

export type GeoJsonContent = {
  fields: Field[]
  features: Feature[]
  /** What the `crs` member names, for whoever knows CRS by name; undefined for WGS 84. */
  crsName: string | undefined
  closedRings: number
}

const CRS84 = /^(urn:ogc:def:crs:OGC:[\d.]*:CRS84|OGC:CRS84|CRS84|EPSG:4326|urn:ogc:def:crs:EPSG:[\d.]*:4326)$/i

/** @throws InputError naming the feature that is at fault, counted from 0 */
export function readGeoJson(bytes: Buffer, maxFeatures: number): GeoJsonContent {
  if (!isUtf8(bytes)) throw new InputError('encoding', 'must be text in UTF-8')
  const split = splitFeatures(bytes)
  if (split === undefined) return fromGeoJson(parse(bytes.toString('utf8').replace(/^\uFEFF/, '')), maxFeatures)
  const { rest, features } = split
  return fromGeoJson(parse(rest), maxFeatures, { given: parsed(bytes, features) })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new InputError('json', `is not valid JSON: ${(cause as Error).message.slice(0, 200)}`, cause)
  }
}

function* parsed(bytes: Buffer, features: Iterable<[number, number]>): Generator<unknown> {
  try {
    for (const [start, end] of features) yield JSON.parse(bytes.toString('utf8', start, end))
  } catch (cause) {
    throw cause instanceof SyntaxError
      ? new InputError('json', `is not valid JSON: ${cause.message.slice(0, 200)}`, cause)
      : cause
  }
}

/**
 * From a parsed Feature, FeatureCollection or geometry.
 * @param given the collection's features, where they come one by one
 * @param asTheyCome values stay what they are, also where those of one field are of several types
 * @throws InputError
 */
export function fromGeoJson(
  root: unknown,
  maxFeatures: number,
  { given, asTheyCome = false }: { given?: Iterable<unknown>; asTheyCome?: boolean } = {},
): GeoJsonContent {
  if (typeof root !== 'object' || root === null || Array.isArray(root))
    throw new InputError('geojson', 'must be a GeoJSON FeatureCollection, Feature or geometry')
  const { type, features, crs } = root as Record<string, unknown>
  let members: Iterable<unknown>
  if (type === 'FeatureCollection') {
    if (!Array.isArray(features)) throw new InputError('features', 'a FeatureCollection needs a list of features')
    members = given ?? features
  } else members = type === 'Feature' ? [root] : [{ type: 'Feature', properties: null, geometry: root }]
  const columns = new Columns()
  const read: Feature[] = []
  let closedRings = 0
  for (const member of members) {
    const i = read.length
    if (i >= maxFeatures)
      throw new InputError('maxFeatures', `has more than the ${maxFeatures} features that are taken`)
    const feature = member as { type?: unknown; properties?: unknown; geometry?: unknown } | null
    if (feature?.type !== 'Feature') throw new InputError('feature', `feature ${i}: its type must be Feature`)
    const { properties = null, geometry = null } = feature
    if (typeof properties !== 'object' || Array.isArray(properties))
      throw new InputError('properties', `feature ${i}: properties must be an object or null`)
    const encoded = geometry === null ? undefined : encodeGeometry(geometry, `feature ${i}`)
    closedRings += encoded?.closedRings ?? 0
    read.push({ values: columns.take(properties as Record<string, unknown> | null), geometry: encoded?.wkb ?? null })
  }
  return { ...columns.finish(read, asTheyCome), crsName: crsNameOf(crs), closedRings }
}

/** What a crs member names; undefined for WGS 84. @throws InputError */
export function crsNameOf(crs: unknown): string | undefined {
  const name = (crs as { properties?: { name?: unknown } } | null | undefined)?.properties?.name
  if (crs === undefined || crs === null) return undefined
  if (typeof name !== 'string') throw new InputError('crs', 'its crs member names no coordinate reference system')
  return CRS84.test(name) ? undefined : name
}

/** Learns the fields, and the narrowest type of each, from the properties as they come. */
class Columns {
  private readonly columnIndexes = new Map<string, number>()
  private readonly types: (FieldType | undefined)[] = []

  take(properties: Record<string, unknown> | null): unknown[] {
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

  /** Brings all values to their field's type, and all features to the same number of values. */
  finish(features: Feature[], asTheyCome: boolean): { fields: Field[]; features: Feature[] } {
    const fields = [...this.columnIndexes].map(([name, columnIndex]) => ({
      name,
      type: this.types[columnIndex] ?? ('string' as const),
    }))
    const toText = fields.map(({ type }) => type === 'string' && !asTheyCome)
    for (const { values } of features)
      for (let i = 0; i < fields.length; i++) {
        const value = values[i] ?? null
        values[i] =
          toText[i] && value !== null && typeof value !== 'string'
            ? typeof value === 'object'
              ? JSON.stringify(value)
              : String(value)
            : value
      }
    return { fields, features }
  }
}

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
