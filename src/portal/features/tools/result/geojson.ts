/** The features of a GeoJSON file, whose content may be anything. */

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** The types of geometries, which are valid GeoJSON by themselves. */
const GEOMETRY = /^(Multi)?(Point|LineString|Polygon)$|^GeometryCollection$/

/** The features of any GeoJSON. @throws if the text is something else */
export function featuresOf(text: string): unknown[] {
  const parsed = JSON.parse(text) as unknown
  if (!isObject(parsed)) throw new TypeError('no GeoJSON')
  if (parsed.type === 'FeatureCollection' && Array.isArray(parsed.features)) return parsed.features
  if (parsed.type === 'Feature') return [parsed]
  if (typeof parsed.type === 'string' && GEOMETRY.test(parsed.type)) return [{ properties: {}, geometry: parsed }]
  throw new TypeError('no GeoJSON')
}
