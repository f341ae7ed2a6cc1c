/**
 * Strict GeoJSON (RFC 7946): nothing is repaired. Callers of a saved tool get an error that names the rule and the
 * feature that breaks it.
 */
import { inPlace, type Place } from '../../../../field-texts/bilingual.ts'
import { fieldText } from '../../../../field-texts/field-text.ts'
import { InputError } from '../../../input-error.ts'
import type { Feature, Field } from '../../layers/layer.ts'
import { fromGeoJson } from './geojson-read.ts'

const CRS84 = /^(urn:ogc:def:crs:OGC:[\d.]*:CRS84|OGC:CRS84|CRS84)$/
const TYPES = 'Point, MultiPoint, LineString, MultiLineString, Polygon, MultiPolygon'

type Members = Record<string, unknown>

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * @param root a Feature, FeatureCollection or geometry, in longitude and latitude of WGS 84
 * @throws InputError with the index of the invalid feature, counted from 0; rule `maxFeatures` when there are too many
 */
export function readStrictly(root: unknown, maxFeatures: number): { fields: Field[]; features: Feature[] } {
  checkRoot(root, maxFeatures, false)
  return fromGeoJson(root, maxFeatures, { isStrict: true })
}

/** The features of a root in the same forms; features without a geometry are allowed. @throws InputError */
export function checkFeatures(root: unknown, maxFeatures: number): Members[] {
  checkRoot(root, maxFeatures, true)
  const { type, features } = root as Members
  if (type === 'FeatureCollection') return features as Members[]
  return type === 'Feature' ? [root as Members] : [{ type: 'Feature', properties: null, geometry: root }]
}

function checkRoot(root: unknown, maxFeatures: number, allowNull: boolean): asserts root is Members {
  if (!isObject(root)) throw new InputError('geojson', fieldText('geojson'))
  const { type, features } = root
  rejectCrs(root, undefined)
  if (type === 'FeatureCollection') {
    if (!Array.isArray(features)) throw new InputError('features', fieldText('featureList'))
    if (features.length > maxFeatures)
      throw new InputError('maxFeatures', fieldText('featureCount', { count: features.length, most: maxFeatures }))
    for (const [i, feature] of features.entries()) checkFeature(feature, { feature: i }, allowNull)
  } else if (type === 'Feature') checkFeature(root, { feature: 0 }, allowNull)
  else checkGeometry(root, { feature: 0 }, `Feature, FeatureCollection, ${TYPES}`)
}

function rejectCrs(members: Members, place: Place | undefined): void {
  if (!Object.hasOwn(members, 'crs')) return
  const name = isObject(members.crs) && isObject(members.crs.properties) ? members.crs.properties.name : undefined
  if (typeof name !== 'string' || !CRS84.test(name))
    throw new InputError('crs', inPlace(place, fieldText('crsUnsupported')))
}

function checkFeature(feature: unknown, place: Place | undefined, allowNull: boolean): void {
  if (!isObject(feature) || feature.type !== 'Feature')
    throw new InputError('feature', inPlace(place, fieldText('featureType')))
  rejectCrs(feature, place)
  const { properties = null, geometry } = feature
  if (properties !== null && !isObject(properties))
    throw new InputError('properties', inPlace(place, fieldText('featureProperties')))
  if (!(allowNull && geometry === null)) checkGeometry(geometry, place, TYPES)
}

function checkGeometry(geometry: unknown, place: Place | undefined, types: string): void {
  if (!isObject(geometry)) throw new InputError('geometry', inPlace(place, fieldText('geometryOfType', { types })))
  rejectCrs(geometry, place)
  const { type, coordinates } = geometry
  switch (type) {
    case 'Point':
      checkPosition(coordinates, place)
      return
    case 'MultiPoint':
      checkPositions(coordinates, 1, place)
      return
    case 'LineString':
      checkPositions(coordinates, 2, place)
      return
    case 'MultiLineString':
      for (const line of nonEmpty(coordinates, 'listOfLines', place)) checkPositions(line, 2, place)
      return
    case 'Polygon':
      checkPolygon(coordinates, place)
      return
    case 'MultiPolygon':
      for (const polygon of nonEmpty(coordinates, 'listOfPolygons', place)) checkPolygon(polygon, place)
      return
    case 'GeometryCollection':
      throw new InputError('type', inPlace(place, fieldText('collectionUnsupported', { types: TYPES })))
    default:
      throw new InputError('type', inPlace(place, fieldText('geometryType', { types })))
  }
}

function nonEmpty(
  list: unknown,
  text: 'listOfLines' | 'listOfPolygons' | 'listOfRings',
  place: Place | undefined,
): unknown[] {
  if (!Array.isArray(list) || list.length === 0) throw new InputError('coordinates', inPlace(place, fieldText(text)))
  return list
}

function checkPolygon(rings: unknown, place: Place | undefined): void {
  nonEmpty(rings, 'listOfRings', place).forEach((ring, i) => {
    const positions = checkPositions(ring, 4, place, i)
    const [first, last] = [positions[0] as number[], positions.at(-1) as number[]]
    if (first.some((value, axis) => value !== last[axis]) || first.length !== last.length)
      throw new InputError('closed', inPlace(place, fieldText('openRing', { ring: i })))
  })
}

function checkPositions(list: unknown, least: number, place: Place | undefined, ring?: number): unknown[] {
  if (!Array.isArray(list) || list.length < least)
    throw new InputError(
      'coordinates',
      inPlace(
        place,
        ring === undefined ? fieldText('positionsAtLeast', { least }) : fieldText('ringPositions', { ring, least }),
      ),
    )
  for (const position of list) checkPosition(position, place)
  return list
}

function checkPosition(position: unknown, place: Place | undefined): void {
  if (!Array.isArray(position) || position.length < 2 || position.length > 3)
    throw new InputError('position', inPlace(place, fieldText('position')))
  const [longitude, latitude, height = 0] = position
  if (!Number.isFinite(longitude) || !Number.isFinite(latitude) || !Number.isFinite(height))
    throw new InputError('position', inPlace(place, fieldText('finitePosition')))
  if (Math.abs(longitude) > 180 || Math.abs(latitude) > 90)
    throw new InputError('range', inPlace(place, fieldText('degreesList', { longitude, latitude })))
}
