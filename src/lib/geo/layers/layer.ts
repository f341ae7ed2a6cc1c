/** A vector layer in memory: fields, and features with values and a geometry. */

import { type Warning, warning } from '../../../warnings/warning.ts'
import { type Envelope, emptyEnvelope, TYPE_NAMES, type TypeName, typeOf, type Wkb, widen } from '../geometry/wkb.ts'

export type FieldType =
  | 'integer'
  | 'integer64'
  | 'real'
  | 'string'
  | 'boolean'
  | 'date'
  | 'time'
  | 'datetime'
  | 'json'
  | 'binary'

export type Field = { name: string; type: FieldType }

export type Feature = {
  /** In the order of the layer's fields; null for a missing value. */
  values: unknown[]
  geometry: Wkb | null
  id?: string | number
}

/**
 * Whether a number was probably read from a 64-bit integer that a double may not hold exactly; larger numbers are
 * approximate by nature.
 */
export const isInexactInteger = (value: unknown): boolean =>
  typeof value === 'number' && Math.abs(value) > Number.MAX_SAFE_INTEGER && Math.abs(value) < 2 ** 64

const MAX_INT64 = 2n ** 63n - 1n

/** The nearest 64-bit integer: 2^63 as a double came from 2^63 - 1. */
export function int64(value: number): bigint {
  const whole = BigInt(Math.trunc(value))
  return whole > MAX_INT64 ? MAX_INT64 : whole < -MAX_INT64 - 1n ? -MAX_INT64 - 1n : whole
}

/** A coordinate reference system; coordinates are always longitude or easting first. */
export type Crs = {
  wkt: string
  /** Such as `EPSG:25833`; undefined when the CRS has no code. */
  code: string | undefined
  geographic: boolean
}

export const WGS84: Crs = {
  wkt: 'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]',
  code: 'EPSG:4326',
  geographic: true,
}

export type Layer = {
  name: string
  fields: Field[]
  features: Feature[]
  /** The CRS of the coordinates. */
  crs: Crs
  /** The CRS of the file that the layer was read from. */
  sourceCrs: Crs
  /** Omissions and decisions of the reader, for the client. */
  warnings: Warning[]
}

export const sameCrs = (a: Crs, b: Crs): boolean => (a.code !== undefined && a.code === b.code) || a.wkt === b.wkt

/** The same layer with other features. */
export function withFeatures(layer: Layer, features: Feature[], fields: Field[] = layer.fields): Layer {
  return { ...layer, fields, features }
}

/** The index of a field by name; -1 when there is none. */
export const fieldIndex = (layer: Layer, name: string): number => layer.fields.findIndex((field) => field.name === name)

/** An unused field name: the preferred one, or the preferred one with a number. */
export const freeName = (fields: readonly Field[], preferred: string): string =>
  distinctNames({ taken: fields.map(({ name }) => name) })(preferred)

export type NameRules = {
  taken?: readonly string[]
  /** Names with the same key are the same; by default in upper and lower case. */
  keyOf?(name: string): string
  withNumber?(name: string, n: number): string
  firstNumber?: number
}

/** The returned function gives each name once: the preferred one, or the preferred one with a number. */
export function distinctNames({
  taken = [],
  keyOf = (name) => name.toLowerCase(),
  withNumber = (name, n) => `${name}_${n}`,
  firstNumber = 2,
}: NameRules = {}): (preferred: string) => string {
  const used = new Set(taken.map(keyOf))
  // a file may have very many columns with the same name, so no number is tried twice
  const next = new Map<string, number>()
  return (preferred) => {
    const key = keyOf(preferred)
    let name = preferred
    for (let n = next.get(key) ?? firstNumber; used.has(keyOf(name)); n++) {
      name = withNumber(preferred, n)
      next.set(key, n + 1)
    }
    used.add(keyOf(name))
    return name
  }
}

/**
 * The names of columns, each once: a repeated one gets a number.
 * @param warnings receives the names that changed
 */
export function distinctColumns(names: readonly string[], warnings: Warning[]): string[] {
  if (new Set(names).size === names.length) return [...names]
  const keyOf = (name: string): string => name
  // a name that occurs once keeps its name
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  const once = names.filter((name) => counts.get(name) === 1)
  const distinct = distinctNames({ taken: once, keyOf })
  const written = names.map((name) => (counts.get(name) === 1 ? name : distinct(name)))
  const renamed = names.flatMap((name, i) => (name === written[i] ? [] : [`${name} → ${written[i]}`]))
  warnings.push(warning('repeatedColumnsRenamed', { names: renamed }))
  return written
}

/** [minX, minY, maxX, maxY] of all features; undefined when none has a geometry. */
export function layerEnvelope(layer: Layer): Envelope | undefined {
  const envelope = emptyEnvelope()
  for (const { geometry } of layer.features) if (geometry !== null) widen(envelope, geometry)
  return envelope[0] <= envelope[2] ? envelope : undefined
}

/**
 * The geometry type of the layer. A mixture of a single type and its multi type counts as the multi type; other
 * mixtures are `Geometry`, and a layer without geometries is `None`.
 */
export function geometryType(layer: Layer): TypeName | 'None' {
  const found = new Set<number>()
  for (const { geometry } of layer.features) if (geometry !== null) found.add(typeOf(geometry))
  if (found.size === 0) return 'None'
  if (found.size === 1) return TYPE_NAMES[[...found][0] as number] as TypeName
  const [a, b, ...rest] = [...found].sort()
  return rest.length === 0 && b === (a as number) + 3 ? (TYPE_NAMES[b as number] as TypeName) : 'Geometry'
}
