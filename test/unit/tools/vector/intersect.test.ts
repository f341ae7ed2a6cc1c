/** Pairwise intersections, compared with PostGIS. */
import { expect, test } from 'bun:test'
import { AWKWARD, randomPolygons } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { loadTable, postgis } from '../../../support/stores/postgis.ts'
import { geojson, runTool } from '../../../support/workers/engine.ts'

test.each([
  ['random', randomPolygons(seeded(5), 150, 15, 1), randomPolygons(seeded(6), 150, 15, 1)],
  ['awkward', AWKWARD, AWKWARD],
])('pairs of %s polygons and their areas match PostGIS', async (_name, a, b) => {
  const sql = await postgis()
  await loadTable(sql, 'intersect_a', a)
  await loadTable(sql, 'intersect_b', b)
  const rows: { i: number; j: number; area: number }[] = await sql`
    SELECT * FROM (SELECT a.i, b.i AS j, ST_Area(ST_Intersection(a.geom, b.geom)) AS area
      FROM intersect_a a, intersect_b b WHERE ST_Intersects(a.geom, b.geom)) AS pairs WHERE area > 0 ORDER BY i, j`
  const { data, geojson: read } = await runTool('vector.intersect', {
    file: geojson(a.map((geometry, i) => [{ i }, geometry])),
    overlay: geojson(b.map((geometry, i) => [{ i }, geometry])),
    target_format: 'geojson',
  })
  const found = read().features
  expect(data).toMatchObject({ inputFeatureCount: a.length, overlayFeatureCount: b.length, featureCount: rows.length })
  const key = (i: unknown, j: unknown): string => `${i}-${j}`
  const truth = new Map(rows.map(({ i, j, area }) => [key(i, j), area]))
  for (const { properties, geometry } of found) {
    const [row] = await sql`SELECT ST_Area(ST_GeomFromGeoJSON(${JSON.stringify(geometry)})) AS area`
    // the second column of the same name gets a free name
    expect(row.area).toBeCloseTo(truth.get(key(properties.i, properties.i_2)) ?? -1, 6)
  }
})

test('layers in different CRSs are aligned', async () => {
  const { data } = await runTool('vector.intersect', {
    file: 'districts.geojson',
    overlay: 'zones.geojson',
    target_format: 'gpkg',
  })
  // A, B and C meet Z1; C and D meet Z2; Z2 does not reach a strip of B
  expect(data.featureCount).toBe(5)
})
