/** GeoJSON that is read while it arrives is the same as when it is read as a whole. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { readArrivingGeoJson } from '../../../src/lib/geo/geojson-arriving.ts'
import { readGeoJson } from '../../../src/lib/geo/geojson-read.ts'
import { arriving } from '../../support/arriving.ts'
import { mutated, runs } from '../../support/fuzz.ts'

const home = mkdtempSync(join(tmpdir(), 'groundwave-arriving-'))
afterAll(() => rmSync(home, { recursive: true, force: true }))
const path = join(home, 'layer.geojson')
const MAX = 1_000

const text = fc.string({ unit: fc.constantFrom('a', '"', '\\', '{', '}', '[', ']', ',', ':', ' ', 'ع', '𝄞', '\n') })
const value = fc.oneof(text, fc.integer(), fc.boolean(), fc.constant(null), fc.array(text, { maxLength: 3 }))
const coordinates = fc.tuple(
  fc.double({ min: -180, max: 180, noNaN: true }),
  fc.double({ min: -90, max: 90, noNaN: true }),
)
const feature = fc.record(
  {
    type: fc.constant('Feature'),
    id: fc.oneof(fc.integer(), text),
    properties: fc.dictionary(text, value, { maxKeys: 4 }),
    geometry: fc.oneof(fc.constant(null), fc.record({ type: fc.constant('Point'), coordinates })),
  },
  { requiredKeys: ['type', 'properties', 'geometry'] },
)
const crs = fc.constantFrom(
  { type: 'name', properties: { name: 'EPSG:3857' } },
  { type: 'name', properties: { name: 'urn:ogc:def:crs:OGC:1.3:CRS84' } },
)
const collections = fc
  .record(
    {
      name: text,
      crs,
      note: fc.array(text, { maxLength: 40 }),
      type: fc.constant('FeatureCollection'),
      features: fc.array(feature, { maxLength: 8 }),
      bbox: fc.array(fc.integer(), { maxLength: 4 }),
    },
    { requiredKeys: ['type', 'features'] },
  )
  // members in any order
  .chain((value) =>
    fc
      .shuffledSubarray(Object.keys(value), { minLength: Object.keys(value).length })
      .map((names) => Object.fromEntries(names.map((name) => [name, value[name as keyof typeof value]]))),
  )
const written = fc
  .tuple(
    collections,
    fc.constantFrom(undefined, 1, '\t'),
    fc.constantFrom('', '\uFEFF', ' \n'),
    fc.constantFrom('', '\n'),
  )
  .map(([collection, indent, before, after]) => Buffer.from(before + JSON.stringify(collection, null, indent) + after))
const lengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 400 })), { maxLength: 60 })

test('a collection in pieces of any length', async () => {
  await fc.assert(
    fc.asyncProperty(written, lengths, async (bytes, pieces) => {
      expect(await readArrivingGeoJson(path, arriving(path, bytes, pieces), MAX)).toEqual(readGeoJson(bytes, MAX))
    }),
    runs(1_500),
  )
})

/** Undefined when it is rejected. */
function whole(bytes: Buffer): unknown {
  try {
    return readGeoJson(bytes, MAX)
  } catch {
    return undefined
  }
}

test('a damaged text gives what it gives as a whole, or nothing', async () => {
  const seeds = fc.sample(written, { numRuns: 30, seed: 1 })
  let read = 0
  await fc.assert(
    fc.asyncProperty(mutated(...seeds), lengths, async (bytes, pieces) => {
      const result = await readArrivingGeoJson(path, arriving(path, bytes, pieces), MAX).catch(() => undefined)
      if (result === undefined) return
      read++
      expect(result).toEqual(whole(bytes) as never)
    }),
    runs(3_000),
  )
  expect(read).toBeGreaterThan(10)
})

const collectionOf = (members: string): Buffer => Buffer.from(`{"type":"FeatureCollection",${members}}`)
const POINT = '{"type":"Feature","properties":{"a":1},"geometry":{"type":"Point","coordinates":[1,2]}}'

test.each([
  ['a geometry', Buffer.from('{"type":"Point","coordinates":[1,2]}')],
  ['a feature', Buffer.from(POINT)],
  ['another type with a list of features', Buffer.from(`{"type":"Topology","features":[${POINT}]}`)],
  ['a list of numbers', collectionOf('"features":[1,2]')],
  ['two lists', collectionOf(`"features":[${POINT}],"features":[]`)],
  ['a comma before the end', collectionOf(`"features":[${POINT},]`)],
  ['no end', Buffer.from(`{"type":"FeatureCollection","features":[${POINT}`)],
  ['text behind the end', Buffer.from(`{"type":"FeatureCollection","features":[${POINT}]} x`)],
  [
    'a text that is not UTF-8',
    Buffer.concat([
      collectionOf(`"name":"`).subarray(0, -1),
      Buffer.from([0xff]),
      Buffer.from(`","features":[${POINT}]}`),
    ]),
  ],
  ['nothing', Buffer.alloc(0)],
])('leaves %s to the run', async (_, bytes) => {
  for (const pieces of [[], [1, 2, 3, 5, 8, 13, 21, 34, 55], [40, 40, 40]])
    expect(await readArrivingGeoJson(path, arriving(path, bytes, pieces), MAX).catch(() => undefined)).toBeUndefined()
})

test('an unknown type of feature, and more features than are allowed, are rejected while they arrive', async () => {
  const many = collectionOf(`"features":[${Array(20).fill(POINT).join(',')}]`)
  const read = (bytes: Buffer, most: number) => readArrivingGeoJson(path, arriving(path, bytes, [100, 400]), most)
  await expect(read(many, 19)).rejects.toThrow('the maximum is 19')
  await expect(read(collectionOf(`"features":[${POINT},{"type":"Point"}]`), 19)).rejects.toThrow('feature 1')
  expect((await read(many, 20))?.features).toHaveLength(20)
})

test('one feature of a megabyte in a thousand pieces is scanned a few times, not a thousand times', async () => {
  const ring = Array.from({ length: 60_000 }, (_, i) => [Math.cos(i), Math.sin(i)])
  const line = { type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates: ring } }
  const bytes = collectionOf(`"features":[${JSON.stringify(line)}]`)
  const steps = Array.from({ length: 1_000 }, () => Math.ceil(bytes.length / 1_000))
  const arrivals = arriving(path, bytes, steps)
  let asked = 0
  const after = (count: number) => {
    asked++
    return arrivals.after(count)
  }
  expect(await readArrivingGeoJson(path, { ...arrivals, after }, MAX)).toEqual(readGeoJson(bytes, MAX))
  expect(asked).toBeLessThan(20)
})
