/** Which JSON counts as GeoJSON, and its features. */
import { expect, test } from 'bun:test'
import { featuresOf } from '../../../src/portal/features/tools/result/geojson.ts'

test('a collection, a feature and a geometry have their features', () => {
  const point = { type: 'Point', coordinates: [1, 2] }
  const feature = { type: 'Feature', features: [1, 2], properties: null, geometry: point }
  const odd = [{ a: '],"features":[' }, 'x', null, []]
  expect(featuresOf(JSON.stringify({ type: 'FeatureCollection', features: odd }))).toEqual(odd)
  expect(featuresOf(JSON.stringify({ features: [], x: { features: [7] }, type: 'FeatureCollection' }))).toEqual([])
  expect(featuresOf(JSON.stringify(feature))).toEqual([feature])
  expect(featuresOf(JSON.stringify(point))).toEqual([{ properties: {}, geometry: point }])
})

test('other JSON is refused', () => {
  const texts = ['', '{', '{"type":"FeatureCollection","features":[1', 'null', '3', '"Feature"', '[]', '{}']
  const types = ['{"type":"FeatureCollection"}', '{"type":"FeatureCollection","features":{}}', '{"type":"Topology"}']
  for (const text of [...texts, ...types]) expect([text, () => featuresOf(text)][1]).toThrow()
})
