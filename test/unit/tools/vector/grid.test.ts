/** Grids: number and size of cells, and coverage of the extent. */
import { expect, test } from 'bun:test'
import { loadTable, postgis } from '../../../support/stores/postgis.ts'
import { box, geojson, refusal, runTool } from '../../../support/workers/engine.ts'

test.each([
  [10, 50],
  [-70, -33],
  [179.5, 0],
  [20, 88],
])('at %d, %d cells have the requested size and cover the layer', async (x, y) => {
  const square = box(x, y, x + 0.5, y + 0.3)
  const { data, geojson: read } = await runTool('vector.grid', {
    file: geojson([[{}, square]]),
    target_format: 'geojson',
    cell_size_m: 5000,
  })
  const cells = read().features
  expect(data).toMatchObject({ inputFeatureCount: 1, cellSizeM: 5000, featureCount: cells.length })
  expect(cells.length).toBe((data.rows as number) * (data.cols as number))
  const sql = await postgis()
  await loadTable(
    sql,
    'grid',
    cells.map(({ geometry }) => geometry),
  )
  const [row] = await sql`SELECT min(ST_Area(geom::geography)), max(ST_Area(geom::geography)),
    ST_Area(ST_Difference(ST_SetSRID(ST_GeomFromGeoJSON(${JSON.stringify(square)}), 4326), ST_Buffer(ST_Union(geom), 1e-7))) AS uncovered FROM grid`
  expect(row.min / 25e6).toBeCloseTo(1, 3)
  expect(row.max / 25e6).toBeCloseTo(1, 3)
  // a parallel is curved in the projection of the grid, so a sliver of the layer sticks out
  expect(row.uncovered / 0.15).toBeLessThan(0.01)
})

test('clips cells at the extent on request', async () => {
  const file = geojson([[{}, box(0, 0, 0.01, 0.01)]])
  const { data, geojson: read } = await runTool('vector.grid', {
    file,
    target_format: 'geojson',
    cell_size_m: 1000,
    clip_to_extent: true,
  })
  expect(data).toMatchObject({ rows: 2, cols: 2 })
  const xs = read().features.flatMap(({ geometry }) =>
    (geometry as unknown as { coordinates: number[][][] }).coordinates.flat().map(([px]) => px as number),
  )
  expect(Math.max(...xs)).toBeCloseTo(0.01, 8)
})

test('rejects too many cells, naming the field', async () => {
  expect(
    await refusal('vector.grid', {
      file: geojson([[{}, box(0, 0, 10, 10)]]),
      target_format: 'geojson',
      cell_size_m: 1,
    }),
  ).toMatchObject({
    field: 'cell_size_m',
    rule: 'maxCells',
  })
})
