/** Well-known binary against its definition, against the encoders of GDAL and GEOS, and against GeoJSON's positions. */
import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { encodeGeometry } from '../../../../src/lib/geo/formats/geojson/geojson-geometry.ts'
import { GeoJsonWriter } from '../../../../src/lib/geo/formats/geojson/geojson-write.ts'
import { loadGeos } from '../../../../src/lib/geo/geometry/geos.ts'
import {
  collect,
  dimensionOf,
  envelopeOf,
  flattened,
  hasOnlyCoordinates,
  hasZ,
  isEmpty,
  isFlat,
  mapPositions,
  multiOf,
  partsOf,
  TYPE_NAMES,
  typeOf,
  vertexCount,
  type Wkb,
} from '../../../../src/lib/geo/geometry/wkb.ts'
import { normalised } from '../../../../src/lib/geo/geometry/wkb-variants.ts'
import {
  type AnyGeometry,
  anyGeometry,
  type Position,
  positionsOf,
  type WkbVariant,
  wkbOf,
} from '../../../support/formats/any-geometry.ts'
import { freshPath, gdal } from '../../../support/formats/rasters.ts'
import { runs, sampled } from '../../../support/fuzz.ts'

const axes = fc.constantFrom(2 as const, 3 as const)
const geometryOf = (empty: boolean) => axes.chain((n) => fc.tuple(fc.constant(n), anyGeometry({ axes: n, empty })))
const ISO: WkbVariant = { little: true, z: 'iso', m: false, srid: false }

const encoded = (geometry: AnyGeometry): Wkb => encodeGeometry(geometry).wkb
const hex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const written = (wkb: Wkb): unknown => {
  const writer = new GeoJsonWriter()
  writer.geometry(wkb)
  return JSON.parse(writer.take().toString())
}

/** Only positions have a height, so a geometry without any has two axes. */
const axesOf = (n: 2 | 3, geometry: AnyGeometry): 2 | 3 => (positionsOf(geometry).length === 0 ? 2 : n)

test('GeoJSON is encoded byte by byte as the definition requires', () => {
  fc.assert(
    fc.property(geometryOf(true), ([n, geometry]) => {
      expect(hex(encoded(geometry))).toBe(hex(wkbOf(geometry, axesOf(n, geometry), ISO)))
    }),
    runs(1_000),
  )
})

test('every variant of WKB is converted to the same bytes', () => {
  const variant = fc.record({
    little: fc.boolean(),
    z: fc.constantFrom('iso' as const, 'bit' as const),
    m: fc.boolean(),
    srid: fc.boolean(),
  })
  fc.assert(
    fc.property(geometryOf(true), variant, ([n, geometry], other) => {
      const theirs = { ...other, srid: other.srid && other.z === 'bit' }
      expect(hex(normalised(wkbOf(geometry, n, theirs)))).toBe(hex(wkbOf(geometry, n, ISO)))
    }),
    runs(1_000),
  )
})

const isAxis = (value: number | undefined): value is number => value !== undefined

test('queries of the bytes agree with the positions', () => {
  fc.assert(
    fc.property(geometryOf(true), ([, geometry]) => {
      const wkb = encoded(geometry)
      const positions = positionsOf(geometry)
      expect(TYPE_NAMES[typeOf(wkb)]).toBe(geometry.type)
      expect(vertexCount(wkb)).toBe(positions.length)
      expect(isEmpty(wkb)).toBe(positions.length === 0)
      expect(hasOnlyCoordinates(wkb)).toBe(true)
      expect(hasZ(wkb)).toBe(positions.some(({ length }) => length === 3))
      const heights = positions.map((position) => position[2]).filter(isAxis)
      expect(isFlat(wkb)).toBe(hasZ(wkb) && heights.every((height) => height === 0))
      const of = (axis: number): number[] => positions.map((position) => position[axis] as number)
      expect(envelopeOf(wkb)).toEqual([Math.min(...of(0)), Math.min(...of(1)), Math.max(...of(0)), Math.max(...of(1))])
      const flat = (one: AnyGeometry): AnyGeometry =>
        JSON.parse(JSON.stringify(one), (_, value) =>
          Array.isArray(value) && value.length === 3 && typeof value[0] === 'number' ? value.slice(0, 2) : value,
        ) as AnyGeometry
      expect(hex(flattened(wkb))).toBe(hex(encoded(flat(geometry))))
      expect(written(flattened(mapPositions(wkb, (x, y, out) => out.set([x, y]))))).toEqual(
        written(flattened(wkb)) as never,
      )
    }),
    runs(1_000),
  )
})

test('reads parts, and collections built from them', () => {
  fc.assert(
    fc.property(geometryOf(true), ([n, geometry]) => {
      fc.pre(axesOf(n, geometry) === n)
      const wkb = encoded(geometry)
      const parts = partsOf(wkb)
      if (typeOf(wkb) < 4) {
        expect(parts).toEqual([wkb])
        expect(multiOf(typeOf(wkb))).toBe(typeOf(wkb) + 3)
        return
      }
      expect(hex(collect(typeOf(wkb), parts, n === 3))).toBe(hex(wkb))
      expect(dimensionOf(wkb)).toBe(Math.max(-1, ...parts.map(dimensionOf)))
    }),
    runs(500),
  )
})

test('positions are replaced one by one, heights are unchanged', () => {
  fc.assert(
    fc.property(geometryOf(true), ([, geometry]) => {
      const wkb = encoded(geometry)
      const before = hex(wkb)
      const swapped = mapPositions(wkb, (x, y, out) => out.set([y, x]))
      expect(hex(wkb)).toBe(before)
      const expected = JSON.parse(JSON.stringify(geometry), (_, value) =>
        Array.isArray(value) && typeof value[0] === 'number' ? [value[1], value[0], ...value.slice(2)] : value,
      ) as AnyGeometry
      expect(hex(swapped)).toBe(hex(encoded(expected)))
    }),
    runs(500),
  )
})

test('GEOS reads them and writes them unchanged', async () => {
  const geos = await loadGeos()
  fc.assert(
    fc.property(geometryOf(true), ([n, geometry]) => {
      const wkb = wkbOf(geometry, axesOf(n, geometry), ISO)
      const pointer = geos.read(wkb)
      try {
        expect(geos.isEmpty(pointer)).toBe(isEmpty(wkb))
        expect(written(geos.write(pointer))).toEqual(written(wkb) as never)
      } finally {
        geos.free(pointer)
      }
    }),
    runs(500),
  )
})

/** Features with their positions, as GDAL reads them. */
const collectionOf = (geometries: readonly unknown[]): string =>
  JSON.stringify({
    type: 'FeatureCollection',
    features: geometries.map((geometry, i) => ({ type: 'Feature', properties: { i }, geometry })),
  })

test('GDAL encodes GeoJSON as the same bytes of the older variant', () => {
  const geometries = sampled(geometryOf(false), 300)
  const [from, to] = [freshPath('any.geojson'), freshPath('any.sqlite')]
  writeFileSync(from, collectionOf(geometries.map(([, geometry]) => geometry)))
  gdal('ogr2ogr', '-q', '-f', 'SQLite', '-lco', 'FORMAT=WKB', '-nln', 'any', '-nlt', 'GEOMETRY', to, from)
  const database = new Database(to)
  const rows = database.query('SELECT i, GEOMETRY AS wkb FROM any ORDER BY i').all() as { wkb: Uint8Array }[]
  database.close()
  expect(rows).toHaveLength(geometries.length)
  for (const [i, [, geometry]] of geometries.entries())
    expect([i, hex(normalised((rows[i] as { wkb: Uint8Array }).wkb))]).toEqual([i, hex(encoded(geometry))])
})

test('GDAL reads the written geometries', () => {
  const geometries = sampled(geometryOf(false), 300)
  const [from, to] = [freshPath('any.csv'), freshPath('any.geojson')]
  writeFileSync(from, `i,wkb\n${geometries.map(([, geometry], i) => `${i},${hex(encoded(geometry))}\n`).join('')}`)
  const options = ['-oo', 'GEOM_POSSIBLE_NAMES=wkb', '-oo', 'KEEP_GEOM_COLUMNS=NO', '-lco', 'SIGNIFICANT_FIGURES=17']
  gdal('ogr2ogr', '-q', '-f', 'GeoJSON', ...options, to, from)
  const { features } = JSON.parse(readFileSync(to, 'utf8')) as { features: { geometry: unknown }[] }
  for (const [i, [, geometry]] of geometries.entries())
    expect([i, features[i]?.geometry]).toEqual([i, geometry] as never)
})

test('GeoJSON is returned unchanged, with rings oriented as RFC 7946 requires', () => {
  const empty = fc.constantFrom<AnyGeometry>(
    { type: 'Polygon', coordinates: [[]] },
    { type: 'MultiPolygon', coordinates: [[], [[]]] },
  )
  const twiceArea = (ring: readonly Position[]): number =>
    ring.slice(1).reduce((sum, [x = 0, y = 0], i) => {
      const [[x0 = 0, y0 = 0] = [], [px = 0, py = 0] = []] = [ring[0], ring[i]]
      return sum + (px - x0) * (y - y0) - (x - x0) * (py - y0)
    }, 0)
  const turned = (rings: readonly Position[][]): Position[][] =>
    rings.map((ring, i) => (twiceArea(ring) < 0 === (i === 0) ? ring.toReversed() : ring))
  const expected = (one: AnyGeometry): AnyGeometry =>
    one.type === 'Polygon'
      ? { ...one, coordinates: turned(one.coordinates) }
      : one.type === 'MultiPolygon'
        ? { ...one, coordinates: one.coordinates.map(turned) }
        : one.type === 'GeometryCollection'
          ? { ...one, geometries: one.geometries.map(expected) }
          : one
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: anyGeometry({ axes: 2, empty: true }) }, empty), (geometry) => {
      expect(written(encoded(geometry))).toEqual(expected(geometry))
    }),
    runs(500),
  )
})
