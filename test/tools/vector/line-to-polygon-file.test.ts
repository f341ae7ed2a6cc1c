/** Lines of a file closed to polygons. */
import { expect, test } from 'bun:test'
import { geojson, point, refusal, runTool } from '../../support/engine.ts'
import { postgis } from '../../support/postgis.ts'

test('each line becomes a polygon with its measures, and the totals add up', async () => {
  const { data, filename, geojson: read } = await runTool('vector.line-to-polygon-file', { file: 'tracks.geojson' })
  expect(filename).toBe('tracks_polygons.geojson')
  const sql = await postgis()
  let total = 0
  for (const { properties, geometry } of read().features) {
    const [row] = await sql`SELECT ST_Area(ST_GeomFromGeoJSON(${JSON.stringify(geometry)})::geography) AS area`
    expect((properties.area_m2 as number) / row.area).toBeCloseTo(1, 9)
    total += row.area
  }
  const stats = data.stats as { polygonCount: number; areaM2: number; polygons: { vertexCount: number }[] }
  expect(stats.areaM2 / total).toBeCloseTo(1, 9)
  expect(stats.polygons.map(({ vertexCount }) => vertexCount)).toEqual([4, 3])
})

test('leaves out other geometries with a warning; rejects a file without lines', async () => {
  const square = {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [1, 0],
      [1, 1],
    ],
  }
  const { data, warnings } = await runTool('vector.line-to-polygon-file', {
    file: geojson([
      [{}, square],
      [{}, point(1, 1)],
    ]),
  })
  expect(data.featureCount).toBe(1)
  expect(warnings).toEqual(['1 features or parts are no line that can be closed'])
  expect(await refusal('vector.line-to-polygon-file', { file: 'stations.geojson' })).toMatchObject({
    field: 'file',
    rule: 'lines',
  })
})
