/** The names and the style of an operator's base map, for tiles of the usual schemas. */
import { expect, test } from 'bun:test'
import { vectorLayers } from '../../../src/portal/features/map/engine/base-map-style.ts'
import { placeNames } from '../../../src/portal/features/map/engine/place-names.ts'

const place = (properties: object, coordinates = [31.2, 30]) => ({
  properties: { ...properties },
  geometry: { type: 'Point', coordinates },
})
const texts = (properties: object, language: string, zoom = 10): string[] =>
  placeNames([place(properties)], language, zoom).map(({ text }) => text)

test('a place has its name in the language of the person, then the local one, then the English one', () => {
  const cairo = { kind: 'locality', name: 'القاهرة', 'name:en': 'Cairo', 'name:ar': 'القاهرة' }
  expect([texts(cairo, 'en'), texts(cairo, 'ar')]).toEqual([['Cairo'], ['القاهرة']])
  expect(texts({ class: 'city', name: 'Wien', name_en: 'Vienna' }, 'ar')).toEqual(['Wien'])
  expect(texts({ class: 'city', name_en: 'Vienna' }, 'ar')).toEqual(['Vienna'])
  expect(texts({ kind: 'locality', name: '  ' }, 'en')).toEqual([])
  expect(texts({ kind: 'bench', name: 'Bench' }, 'en')).toEqual([])
})

test('important places come first, each once, and only at their zooms', () => {
  const features = [
    place({ kind: 'locality', name: 'Village', population_rank: 3 }, [31.3, 30]),
    place({ kind: 'locality', name: 'Capital', population_rank: 13 }),
    // from the neighbouring tile
    place({ kind: 'locality', name: 'Capital', population_rank: 13 }),
    place({ kind: 'country', name: 'Country' }, [30, 27]),
    place({ kind: 'locality', name: 'Hidden', min_zoom: 12 }, [31, 30]),
  ]
  expect(placeNames(features, 'en', 6).map(({ text }) => text)).toEqual(['Country', 'Capital', 'Village'])
  expect(placeNames(features, 'en', 11).map(({ text }) => text)).toEqual(['Capital', 'Village', 'Hidden'])
})

test('each schema has land, water, roads and borders, in layers with different ids', () => {
  const palette = new Proxy({} as Parameters<typeof vectorLayers>[1], { get: () => '#123456' })
  const schemas = [
    ['earth', 'water', 'landuse', 'roads', 'buildings', 'boundaries', 'places'],
    ['water', 'waterway', 'landcover', 'park', 'transportation', 'building', 'boundary', 'place'],
    ['ocean', 'land', 'water_polygons', 'streets', 'buildings', 'boundaries', 'place_labels'],
  ]
  for (const ids of schemas) {
    const layers = vectorLayers(new Set(ids), palette)
    const names = layers.map(({ id }) => id)
    expect(new Set(names).size).toBe(names.length)
    // every layer of the tiles is drawn, but for names
    const drawn = new Set(layers.map((layer) => ('source-layer' in layer ? layer['source-layer'] : undefined)))
    expect([...drawn].sort()).toEqual(ids.filter((id) => !id.startsWith('place')).sort())
  }
})
