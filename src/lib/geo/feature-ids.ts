/**
 * Ids of features (RFC 7946, 3.2), which GeoJSON holds as they are and GeoPackage as whole numbers. A tool keeps an id
 * where one feature becomes one feature.
 */
import { type Feature, freeName, type Layer } from './layer.ts'
import type { TargetFormat } from './vector-formats.ts'

/** Whether the ids only count the features, as those of most GeoPackages do; losing them loses nothing. */
function isCount(features: readonly Feature[]): boolean {
  const first = features[0]?.id
  return (first === 0 || first === 1) && features.every(({ id }, i) => id === first + i)
}

/**
 * Leaves out ids that a format cannot hold.
 * @param warnings receives a sentence about them
 */
export function withFormatIds(layer: Layer, format: TargetFormat | 'csv', warnings: string[]): Layer {
  const { features } = layer
  if (format === 'geojson' || !features.some(({ id }) => id !== undefined)) return layer
  if (format === 'gpkg' && isKey(features)) return layer
  if (format === 'gpkg')
    warnings.push('feature ids that are no different whole numbers were left out of the GeoPackage')
  else if (!isCount(features)) warnings.push(`feature ids were left out: only GeoJSON and GeoPackage hold them`)
  return { ...layer, features: features.map(withoutId) }
}

const withoutId = ({ values, geometry }: Feature): Feature => ({ values, geometry })

/** The features that were made from one feature, with its id only if there is one. */
export const sharingId = (made: Feature[]): Feature[] => (made.length > 1 ? made.map(withoutId) : made)

/** The features of several layers; without ids when one occurs in several, where it would identify nothing. */
export function withDistinctIds(layers: readonly Feature[][], warnings: string[]): Feature[] {
  const features = layers.flat()
  const ids = features.flatMap(({ id }) => (id === undefined ? [] : [id]))
  if (new Set(ids).size === ids.length) return features
  if (!layers.every(isCount)) warnings.push('feature ids were left out: some occur in more than one file')
  return features.map(withoutId)
}

/** Whether the ids can be the primary key of a table. */
function isKey(features: readonly Feature[]): boolean {
  const ids = features.flatMap(({ id }) => (id === undefined ? [] : [id]))
  // leaves room for the keys of features without an id
  const highest = Number.MAX_SAFE_INTEGER - features.length
  const isPossible = (id: unknown): boolean => Number.isInteger(id) && (id as number) >= 0 && (id as number) <= highest
  return new Set(ids).size === ids.length && ids.every(isPossible)
}

/** The layer with its ids, which must be a key, as the column that a GeoPackage uses as one. */
export function withKeyColumn(layer: Layer): { layer: Layer; key: string } {
  const key = freeName(layer.fields, 'fid')
  const { features } = layer
  if (!features.some(({ id }) => id !== undefined)) return { layer, key }
  let next = features.reduce((highest, { id }) => Math.max(highest, Number(id ?? 0)), 0)
  const keyed = features.map((feature): Feature => ({ ...feature, values: [...feature.values, feature.id ?? ++next] }))
  return { layer: { ...layer, fields: [...layer.fields, { name: key, type: 'integer64' }], features: keyed }, key }
}
