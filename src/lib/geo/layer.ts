/** A vector layer in memory: fields, and features of values and a geometry. */
import { type Envelope, emptyEnvelope, TYPE_NAMES, type TypeName, typeOf, type Wkb, widen } from './wkb.ts'

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
  /** In the order of the layer's fields; null for what has no value. */
  values: unknown[]
  geometry: Wkb | null
}

/** A coordinate reference system; coordinates are always longitude or easting first. */
export type Crs = {
  wkt: string
  /** As `EPSG:25833`, where it is one. */
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
  /** What the coordinates are in. */
  crs: Crs
  /** What they were in where they came from. */
  sourceCrs: Crs
  /** What a reader had to give up or decide. */
  warnings: string[]
}

export const sameCrs = (a: Crs, b: Crs): boolean => (a.code !== undefined && a.code === b.code) || a.wkt === b.wkt

/** A layer like another with other features. */
export function withFeatures(layer: Layer, features: Feature[], fields: Field[] = layer.fields): Layer {
  return { ...layer, fields, features }
}

/** The place of a field, by its name. */
export const fieldIndex = (layer: Layer, name: string): number => layer.fields.findIndex((field) => field.name === name)

/** A name that the fields do not have yet: the wanted one, or it with a number. */
export function freeName(fields: readonly Field[], wanted: string): string {
  const taken = new Set(fields.map(({ name }) => name.toLowerCase()))
  if (!taken.has(wanted.toLowerCase())) return wanted
  for (let n = 2; ; n++) if (!taken.has(`${wanted}_${n}`.toLowerCase())) return `${wanted}_${n}`
}

/** [minX, minY, maxX, maxY] of all features; undefined when none has a geometry. */
export function layerEnvelope(layer: Layer): Envelope | undefined {
  const envelope = emptyEnvelope()
  for (const { geometry } of layer.features) if (geometry !== null) widen(envelope, geometry)
  return envelope[0] <= envelope[2] ? envelope : undefined
}

/**
 * The one type that all geometries have, single ones counting as multi where both occur; `Geometry` for a mixture,
 * `None` when there is no geometry.
 */
export function geometryType(layer: Layer): TypeName | 'None' {
  const found = new Set<number>()
  for (const { geometry } of layer.features) if (geometry !== null) found.add(typeOf(geometry))
  if (found.size === 0) return 'None'
  if (found.size === 1) return TYPE_NAMES[[...found][0] as number] as TypeName
  const [a, b, ...rest] = [...found].sort()
  return rest.length === 0 && b === (a as number) + 3 ? (TYPE_NAMES[b as number] as TypeName) : 'Geometry'
}
