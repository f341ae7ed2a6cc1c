/** Convex hulls, compared with PostGIS. */
import { expect, test } from 'bun:test'
import { randomPolygons } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { loadTable, postgis } from '../../../support/stores/postgis.ts'
import { geojson, point, runTool } from '../../../support/workers/engine.ts'

test('matches PostGIS for random polygons', async () => {
  const polygons = randomPolygons(seeded(12), 100, 50, 2)
  const sql = await postgis()
  await loadTable(sql, 'hull', polygons)
  const { data, geojson: read } = await runTool('vector.convex-hull', {
    file: geojson(polygons.map((g) => [{}, g])),
    target_format: 'geojson',
  })
  const hull = JSON.stringify(read().features[0]?.geometry)
  const [row] =
    await sql`SELECT ST_Area(ST_SymDifference(ST_SetSRID(ST_GeomFromGeoJSON(${hull}), 4326), h)) AS apart, ST_NPoints(h) - 1 AS n
    FROM (SELECT ST_ConvexHull(ST_Collect(geom)) AS h FROM hull) AS hulls`
  expect(row.apart).toBeLessThan(1e-6)
  expect(data).toMatchObject({ inputFeatureCount: 100, featureCount: 1, hullVertices: row.n })
})

test('the hull of one point is that point, the hull of nothing is empty', async () => {
  const one = await runTool('vector.convex-hull', { file: geojson([[{}, point(3, 4)]]), target_format: 'geojson' })
  expect(one.geojson().features[0]?.geometry as unknown).toEqual(point(3, 4))
  const none = await runTool('vector.convex-hull', { file: geojson([]), target_format: 'gpkg' })
  expect(none.data).toMatchObject({ featureCount: 0, hullVertices: 0, geometryType: 'None' })
})
