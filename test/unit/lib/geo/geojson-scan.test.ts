/** Splitting a collection into features accepts and rejects the same texts as parsing it as a whole. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseJson } from '../../../../src/json-text.ts'
import { fromGeoJson, readGeoJson } from '../../../../src/lib/geo/formats/geojson/geojson-read.ts'
import { runs } from '../../../support/fuzz.ts'

const MAX = 1000

/** The parsed result, or that the text was rejected. */
function outcome(read: () => unknown): unknown {
  try {
    return read()
  } catch {
    return 'refused'
  }
}
const cut = (text: string): unknown => outcome(() => readGeoJson(Buffer.from(text), MAX))
// our parser refuses repeated members, which JSON.parse accepts
const whole = (text: string): unknown => outcome(() => fromGeoJson(parseJson(Buffer.from(text)), MAX))

const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', 'ع', '\n') })
const feature = fc.record({
  type: fc.constant('Feature'),
  properties: fc.dictionary(
    text,
    fc.oneof(
      text,
      fc.integer(),
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.boolean(),
      fc.constant(null),
      fc.array(text),
    ),
  ),
  geometry: fc.oneof(
    fc.constant(null),
    fc.record({
      type: fc.constant('Point'),
      coordinates: fc.tuple(
        fc.double({ min: -180, max: 180, noNaN: true }),
        fc.double({ min: -90, max: 90, noNaN: true }),
      ),
    }),
  ),
})
const collection = fc.record({
  name: text,
  features: fc.array(feature, { maxLength: 6 }),
  type: fc.constant('FeatureCollection'),
  bbox: fc.array(fc.integer()),
})

test('any collection, with any whitespace', () => {
  fc.assert(
    fc.property(
      collection,
      fc.constantFrom(undefined, 1, '\t'),
      fc.constantFrom('', '\uFEFF', '\n '),
      (value, indent, before) => {
        const written = before + JSON.stringify(value, null, indent)
        expect(cut(written)).toEqual(whole(written))
        expect(cut(written)).not.toBe('refused')
      },
    ),
    runs(500),
  )
})

test('any collection with a piece of its text changed, removed or repeated', () => {
  const piece = fc.constantFrom('', ',', '{', '}', '[', ']', '"', '\\', ':', ' ', 'null', '1', '"features":[],')
  fc.assert(
    fc.property(collection, fc.nat(), fc.nat({ max: 3 }), piece, (value, at, dropped, put) => {
      const written = JSON.stringify(value)
      const start = at % written.length
      const broken = written.slice(0, start) + put + written.slice(start + dropped)
      expect(cut(broken)).toEqual(whole(broken))
    }),
    runs(3_000),
  )
})
