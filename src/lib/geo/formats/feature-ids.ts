/**
 * Ids of features (RFC 7946, 3.2): GeoJSON holds any id, GeoPackage integers and KML names. A tool keeps an id if it
 * turns one feature into one feature.
 */

import { type Warning, warning } from '../../../warnings/warning.ts'
import { type Feature, freeName, type Layer } from '../layers/layer.ts'
import type { TargetFormat } from './vector-formats.ts'

/** Whether the ids merely number the features, as in most GeoPackages; such ids can be dropped. */
function isCount(features: readonly Feature[]): boolean {
  const id = features[0]?.id
  // GDAL numbers the placemarks of a KML: layer.1, layer.2
  const prefix = typeof id === 'string' ? /^.*\.(?=[01]$)/.exec(id)?.[0] : ''
  if (prefix === undefined) return false
  const first = Number(String(id).slice(prefix.length))
  const at = (i: number): string | number => (prefix === '' ? first + i : `${prefix}${first + i}`)
  return (first === 0 || first === 1) && features.every((feature, i) => feature.id === at(i))
}

/**
 * Drops ids that a format cannot hold.
 * @param warnings receives a warning about dropped ids
 */
export function withFormatIds(layer: Layer, format: TargetFormat | 'csv', warnings: Warning[]): Layer {
  const { features } = layer
  if (format === 'geojson' || !features.some(({ id }) => id !== undefined)) return layer
  const isKml = format === 'kml' || format === 'kmz'
  if (format === 'gpkg' ? isKey(features) : isKml && areNames(features)) return layer
  if (format === 'gpkg') warnings.push(warning('idsAreNoGeoPackageKeys'))
  else if (isCount(features)) return { ...layer, features: features.map(withoutId) }
  else if (isKml) warnings.push(warning('idsAreNoXmlNames'))
  else warnings.push(warning('idsNotHeld'))
  return { ...layer, features: features.map(withoutId) }
}

const withoutId = ({ values, geometry }: Feature): Feature => ({ values, geometry })

/** The features made from one source feature, with its id only if there is a single result. */
export const sharingId = (made: Feature[]): Feature[] => (made.length > 1 ? made.map(withoutId) : made)

/** The features of a file; without ids if any id occurs twice. */
export function withIdsOnce(features: Feature[], warnings: Warning[]): Feature[] {
  const ids = features.flatMap(({ id }) => (id === undefined ? [] : [id]))
  if (new Set(ids).size === ids.length) return features
  warnings.push(warning('idsRepeated'))
  return features.map(withoutId)
}

/** The features of several layers; without ids if any id occurs in several layers. */
export function withDistinctIds(layers: readonly Feature[][], warnings: Warning[]): Feature[] {
  const features = layers.flat()
  const ids = features.flatMap(({ id }) => (id === undefined ? [] : [id]))
  if (new Set(ids).size === ids.length) return features
  if (!layers.every(isCount)) warnings.push(warning('idsInSeveralFiles'))
  return features.map(withoutId)
}

/** Ids of other elements that `kml-write.ts` writes. */
export const KML_DOCUMENT_ID = 'root_doc'
export const KML_SCHEMA_ID = 'layer'
/** NCName of Namespaces in XML 1.0, the type of a KML's ids. */
const NAME_START =
  'A-Z_a-z\\u00C0-\\u00D6\\u00D8-\\u00F6\\u00F8-\\u02FF\\u0370-\\u037D\\u037F-\\u1FFF\\u200C\\u200D\\u2070-\\u218F\\u2C00-\\u2FEF\\u3001-\\uD7FF\\uF900-\\uFDCF\\uFDF0-\\uFFFD\\u{10000}-\\u{EFFFF}'
const NAME = new RegExp(`^[${NAME_START}][${NAME_START}.0-9\\u00B7\\u0300-\\u036F\\u203F\\u2040-]*$`, 'u')

/** Whether the ids are valid ids of KML placemarks. */
function areNames(features: readonly Feature[]): boolean {
  const ids = features.flatMap(({ id }) => (id === undefined ? [] : [id]))
  const taken = new Set<string | number>([KML_DOCUMENT_ID, KML_SCHEMA_ID, ...ids])
  return taken.size === ids.length + 2 && ids.every((id) => typeof id === 'string' && NAME.test(id))
}

/** Whether the ids can be the primary key of a table. */
function isKey(features: readonly Feature[]): boolean {
  const ids = features.flatMap(({ id }) => (id === undefined ? [] : [id]))
  // leaves room for the keys of features without an id
  const highest = Number.MAX_SAFE_INTEGER - features.length
  const isPossible = (id: unknown): boolean => Number.isInteger(id) && (id as number) >= 0 && (id as number) <= highest
  return new Set(ids).size === ids.length && ids.every(isPossible)
}

/** The layer with its ids, which must be unique, as the primary key column of a GeoPackage. */
export function withKeyColumn(layer: Layer): { layer: Layer; key: string } {
  const key = freeName(layer.fields, 'fid')
  const { features } = layer
  if (!features.some(({ id }) => id !== undefined)) return { layer, key }
  let next = features.reduce((highest, { id }) => Math.max(highest, Number(id ?? 0)), 0)
  const keyed = features.map((feature): Feature => ({ ...feature, values: [...feature.values, feature.id ?? ++next] }))
  return { layer: { ...layer, fields: [...layer.fields, { name: key, type: 'integer64' }], features: keyed }, key }
}
