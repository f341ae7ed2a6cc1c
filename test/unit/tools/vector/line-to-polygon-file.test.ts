/** Lines of a file closed to polygons. */
import { expect, test } from 'bun:test'
import type { PolygonShape } from '../../../../src/lib/geo/geometry/polygon-shape.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

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

test('lists the measures of the first thousand polygons, equal to the measures of single lines', async () => {
  const corners = (i: number): number[][] => [
    [i / 100, 50],
    [i / 100 + 0.004, 50.001 + (i % 7) / 1000],
    [i / 100 + 0.001, 50.009],
    [i / 100 - 0.002, 50.003],
  ]
  const lines = Array.from({ length: 1002 }, (_, i) => ({ type: 'LineString', coordinates: corners(i) }))
  const file = geojson(lines.map((line) => [{}, line]))
  const { polygonCount, polygons } = (await runTool('vector.line-to-polygon-file', { file })).data.stats as {
    polygonCount: number
    polygons: unknown[]
  }
  expect(polygonCount).toBe(1002)
  expect(polygons).toHaveLength(1000)
  for (const i of [0, 6, 999]) {
    const { data } = await runTool('vector.line-to-polygon', { coordinates: corners(i) })
    const { areaM2, compactness, centroid, ...others } = data.stats as PolygonShape
    // one runs in Bun, the other in Node, and their sines differ in the last digit
    expect(polygons[i]).toEqual({
      ...others,
      areaM2: expect.closeTo(areaM2, 5),
      compactness: expect.closeTo(compactness, 9),
      centroid: (centroid as [number, number]).map((degrees) => expect.closeTo(degrees, 12)),
      perimeterM: expect.closeTo(others.perimeterM, 6),
    })
  }
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
