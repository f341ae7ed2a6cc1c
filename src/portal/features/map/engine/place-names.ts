/** Names of places in vector tiles, in the person's language: which ones, and in which order they take their room. */

/** Layers with places in the usual schemas: Protomaps, OpenMapTiles, Shortbread. */
export const PLACE_LAYERS = ['places', 'place', 'place_labels']

export type PlaceName = { longitude: number; latitude: number; text: string; isLarge: boolean }
type PlaceFeature = { properties: Record<string, unknown>; geometry: { type: string; coordinates?: unknown } }

const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined

/** In the language; else the local name, which people of the place can read; else the English one. */
export function nameIn(properties: Record<string, unknown>, language: string): string | undefined {
  const keys = [`name:${language}`, `name_${language}`, 'name', 'name:en', 'name_en']
  for (const key of keys) {
    const found = textIn(properties[key])
    if (found !== undefined) return found
  }
  return undefined
}

/** Kinds from the most important, with the zooms between which their names are shown. */
const KINDS: Record<string, [importance: number, from: number, to: number]> = {
  country: [0, 2, 7],
  state: [3, 5, 8],
  region: [3, 5, 8],
  capital: [1, 3, 15],
  city: [1, 4, 15],
  locality: [2, 4, 15],
  town: [2, 8, 16],
  village: [4, 11, 18],
  suburb: [5, 11, 18],
  neighbourhood: [5, 12, 19],
  hamlet: [6, 13, 19],
}
/** More names than fit on a screen. */
const MOST = 150

/** @param zoom of the map; tiles of closer views are enlarged, and have names for their own zoom */
export function placeNames(features: readonly PlaceFeature[], language: string, zoom: number): PlaceName[] {
  const found = new Map<string, PlaceName & { order: number }>()
  for (const { properties, geometry } of features) {
    const kind = String(properties.kind ?? properties.class ?? properties['pmap:kind'] ?? '')
    const [importance, from, to] = KINDS[kind] ?? []
    const text = nameIn(properties, language)
    if (importance === undefined || text === undefined || geometry.type !== 'Point') continue
    const least = Math.max(from ?? 0, Number(properties.min_zoom ?? 0) - 1)
    if (zoom < least || zoom > (to ?? 24)) continue
    const [longitude, latitude] = geometry.coordinates as [number, number]
    const size = Number(properties.population_rank ?? 0)
    const order = importance * 100 - size + Number(properties.rank ?? 0)
    // neighbouring tiles repeat a place near their edge
    const key = `${text} ${longitude.toFixed(1)} ${latitude.toFixed(1)}`
    if (!found.has(key)) found.set(key, { longitude, latitude, text, isLarge: importance < 2 || size >= 11, order })
  }
  return [...found.values()]
    .sort((a, b) => a.order - b.order || (a.text < b.text ? -1 : 1))
    .slice(0, MOST)
    .map(({ order: _, ...name }) => name)
}
