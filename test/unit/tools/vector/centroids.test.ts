/** Centroids, compared with PostGIS. */
import { expect, test } from 'bun:test'
import { AWKWARD, randomPolygons } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { geojson, runTool } from '../../../support/workers/engine.ts'

const shapes = [
  ...randomPolygons(seeded(14), 40, 20, 2),
  ...AWKWARD.slice(1, 4),
  {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [4, 0],
      [4, 3],
    ],
  },
]

test('centroids match PostGIS', async () => {
  const sql = await postgis()
  const { data, geojson: read } = await runTool('vector.centroids', {
    file: geojson(shapes.map((g, i) => [{ i }, g])),
    target_format: 'geojson',
  })
  expect(data).toMatchObject({ featureCount: shapes.length, inputGeometryType: 'Geometry', geometryType: 'Point' })
  for (const { properties, geometry } of read().features) {
    const [row] =
      await sql`SELECT ST_Distance(ST_Centroid(ST_GeomFromGeoJSON(${JSON.stringify(shapes[properties.i as number])})), ST_GeomFromGeoJSON(${JSON.stringify(geometry)})) AS d`
    expect(row.d).toBeLessThan(1e-8)
  }
})

test('a point inside is found for a polygon whose centroid is outside', async () => {
  const horseshoe = {
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [4, 0],
        [4, 4],
        [3, 4],
        [3, 1],
        [1, 1],
        [1, 4],
        [0, 4],
        [0, 0],
      ],
    ],
  }
  const sql = await postgis()
  for (const [method, inside] of [
    ['inside', true],
    ['centroid', false],
  ] as const) {
    const { geojson: read } = await runTool('vector.centroids', {
      file: geojson([[{}, horseshoe]]),
      target_format: 'geojson',
      method,
    })
    const [row] =
      await sql`SELECT ST_Contains(ST_GeomFromGeoJSON(${JSON.stringify(horseshoe)}), ST_GeomFromGeoJSON(${JSON.stringify(read().features[0]?.geometry)})) AS inside`
    expect(row.inside).toBe(inside)
  }
})
