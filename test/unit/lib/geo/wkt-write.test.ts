/** Well-known text as GDAL's programs read it. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { encodeGeometry } from '../../../../src/lib/geo/formats/geojson/geojson-geometry.ts'
import { wktOf } from '../../../../src/lib/geo/formats/wkt-write.ts'
import { anyGeometry } from '../../../support/formats/any-geometry.ts'
import { freshPath, gdal } from '../../../support/formats/rasters.ts'
import { sampled } from '../../../support/fuzz.ts'

const wktOfGeoJson = (geometry: unknown): string => wktOf(encodeGeometry(geometry).wkb)

/** GeoJSON of the geometries, with all digits, by GDAL. */
function readByGdal(texts: readonly string[]): unknown[] {
  const [from, to] = [freshPath('any.csv'), freshPath('any.geojson')]
  writeFileSync(from, `i,wkt\n${texts.map((text, i) => `${i},"${text}"\n`).join('')}`)
  const options = ['-oo', 'GEOM_POSSIBLE_NAMES=wkt', '-oo', 'KEEP_GEOM_COLUMNS=NO', '-lco', 'SIGNIFICANT_FIGURES=17']
  gdal('ogr2ogr', '-q', '-f', 'GeoJSON', ...options, to, from)
  const { features } = JSON.parse(readFileSync(to, 'utf8')) as { features: { geometry: unknown }[] }
  return features.map(({ geometry }) => geometry)
}

test('every geometry, in two and three dimensions', () => {
  const axes = fc.constantFrom(2 as const, 3 as const)
  const geometries = sampled(
    axes.chain((n) => anyGeometry({ axes: n, empty: false })),
    300,
  )
  expect(readByGdal(geometries.map(wktOfGeoJson))).toEqual(geometries)
})

test('numbers with all their digits', () => {
  const coordinates = [Math.PI, -1e-7, 100 / 7, 1.5e9, -0.5].map((x) => [x, 1 / 3])
  const line = { type: 'LineString', coordinates }
  expect(readByGdal([wktOfGeoJson(line)])).toEqual([line])
})

test('empty geometries, and parts that are empty', () => {
  const square = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 0],
  ]
  const pairs: [unknown, string][] = [
    [{ type: 'Point', coordinates: [] }, 'POINT EMPTY'],
    [{ type: 'Polygon', coordinates: [] }, 'POLYGON EMPTY'],
    [{ type: 'MultiPolygon', coordinates: [] }, 'MULTIPOLYGON EMPTY'],
    [{ type: 'GeometryCollection', geometries: [] }, 'GEOMETRYCOLLECTION EMPTY'],
    [{ type: 'MultiPolygon', coordinates: [[], [square]] }, 'MULTIPOLYGON (((0 0,1 0,1 1,0 0)))'],
    [{ type: 'Polygon', coordinates: [square, []] }, 'POLYGON ((0 0,1 0,1 1,0 0))'],
    [
      {
        type: 'GeometryCollection',
        geometries: [
          { type: 'Point', coordinates: [1, 2] },
          { type: 'LineString', coordinates: [] },
        ],
      },
      'GEOMETRYCOLLECTION (POINT (1 2),LINESTRING EMPTY)',
    ],
  ]
  for (const [geometry, text] of pairs) expect(wktOfGeoJson(geometry)).toBe(text)
})
