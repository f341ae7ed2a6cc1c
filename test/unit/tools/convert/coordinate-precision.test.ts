/** The option coordinate_precision: decimals by their text, validity by PostGIS, and the file by ogr2ogr. */
import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { randomPolygons } from '../../../support/formats/geometries.ts'
import { outputOf } from '../../../support/program.ts'
import { seeded } from '../../../support/random.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { box, type GeoFeature, geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

/** All numbers of a geometry as they are written. */
const numbersIn = (text: string): string[] => text.match(/-?\d+(\.\d+)?/g) ?? []
const decimalsOf = (number: string): number => number.split('.')[1]?.length ?? 0

async function inspect(features: readonly GeoFeature[]): Promise<{ valid: boolean; area: number }[]> {
  const sql = await postgis()
  return sql`
    SELECT ST_IsValid(ST_GeomFromGeoJSON(g)) AS valid, ST_Area(ST_GeomFromGeoJSON(g)) AS area
    FROM json_array_elements(${JSON.stringify(features.map(({ geometry }) => geometry))}::text::json)
      WITH ORDINALITY AS all_(g, n) ORDER BY n`
}

test.each([0, 1, 3, 6])('polygons stay valid with %i decimals', async (decimals) => {
  // at 0 decimals many of the corners coincide, and edges cross
  const shapes = randomPolygons(seeded(21), 150, 60, 4)
  const { path, geojson: read } = await runTool('convert.validate-convert', {
    file: geojson(shapes.map((shape) => [{}, shape])),
    target_format: 'geojson',
    coordinate_precision: decimals,
  })
  const { features } = read()
  const written =
    readFileSync(path, 'utf8')
      .match(/"coordinates":[^}]*/g)
      ?.join() ?? ''
  expect(Math.max(...numbersIn(written).map(decimalsOf))).toBe(decimals)
  const before = await inspect(shapes.map((geometry) => ({ properties: {}, geometry: geometry as never })))
  const after = await inspect(features)
  expect(after.every(({ valid }) => valid)).toBe(true)
  // no vertex moves by more than half a unit on each axis, so an area changes by at most its perimeter times that
  for (const [i, { area }] of after.entries())
    expect(Math.abs(area - (before[i]?.area ?? 0))).toBeLessThan(30 * 10 ** -decimals)
})

test('a polygon of which nothing would remain keeps its decimals, with a warning', async () => {
  const { geojson: read, warnings } = await runTool('vector.repair', {
    file: geojson([
      [{}, box(1.00001, 1.00001, 1.00002, 1.00002)],
      [{}, point(1.23456, 2.34567)],
    ]),
    target_format: 'geojson',
    coordinate_precision: 2,
  })
  const [tiny, rounded] = read().features
  expect(tiny?.geometry?.coordinates as unknown).toEqual(box(1.00001, 1.00001, 1.00002, 1.00002).coordinates)
  expect(rounded?.geometry).toEqual({ type: 'Point', coordinates: [1.23, 2.35] as never })
  expect(warnings.join()).toContain('1 geometries are too small for 2 decimals')
})

test('more than nine decimals in GeoJSON', async () => {
  const given = point(1.123456789012, -0.000000000012)
  for (const [coordinate_precision, expected] of [
    [undefined, '[1.123456789,0]'],
    [12, '[1.123456789012,-1.2e-11]'],
    [11, '[1.12345678901,-1e-11]'],
  ] as const) {
    const { path } = await runTool('vector.explode', {
      file: geojson([[{}, given]]),
      target_format: 'geojson',
      coordinate_precision,
    })
    expect(readFileSync(path, 'utf8')).toContain(expected)
  }
})

test('decimals depend on the CRS of the result', async () => {
  const utm = await runTool('vector.explode', {
    file: 'zones.geojson',
    target_format: 'gpkg',
    coordinate_precision: 1,
  })
  const text = outputOf('ogr2ogr', ['-f', 'CSV', '-lco', 'GEOMETRY=AS_WKT', '/vsistdout/', utm.path]).toString()
  const wkt = text.match(/\(\(.*\)\)/g)?.join() ?? ''
  expect(numbersIn(wkt).length).toBeGreaterThan(8)
  expect(Math.max(...numbersIn(wkt).map(decimalsOf))).toBeLessThanOrEqual(1)
})

test('a table has the decimals too', async () => {
  const { path } = await runTool('export.workspace-export', {
    file: geojson([[{ a: 1 }, point(1.23456, 2.34567)]]),
    target_format: 'csv',
    coordinate_precision: 3,
  })
  expect(readFileSync(path, 'utf8')).toBe('longitude,latitude,a\r\n1.235,2.346,1\r\n')
})

test.each([-1, 16, 1.5, 'all'])('rejects %p', async (coordinate_precision) => {
  const input = { file: 'stations.geojson', target_format: 'geojson', coordinate_precision }
  expect(await refusal('vector.explode', input)).toMatchObject({
    code: 'VALIDATION_FAILED',
    field: 'coordinate_precision',
  })
})
