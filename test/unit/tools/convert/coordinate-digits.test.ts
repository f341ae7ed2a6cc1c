/** GeoJSON has nine decimals, unless a geometry would become invalid; PostGIS decides about validity. */
import { expect, test } from 'bun:test'
import { postgis } from '../../../support/stores/postgis.ts'
import { box, geojson, runTool } from '../../../support/workers/engine.ts'

/** A square with a bay that is narrower than the ninth decimal; rounding makes its sides coincide. */
const narrow = {
  type: 'Polygon',
  coordinates: [
    [
      [0, 0],
      [4, 0],
      [4, 4],
      [2.00000000049, 4],
      [2.00000000052, 1],
      [2.00000000051, 1],
      [2.0000000004, 4],
      [0, 4],
      [0, 0],
    ],
  ],
}

test('a geometry stays valid and a sound one has at most nine decimals', async () => {
  const third = box(1 / 3, 1 / 3, 2 / 3, 2 / 3)
  const { geojson: read } = await runTool('vector.explode', {
    file: geojson([
      [{}, narrow],
      [{}, third],
    ]),
    target_format: 'geojson',
  })
  const sql = await postgis()
  const shapes = [narrow, ...read().features.map(({ geometry }) => geometry)]
  const valid: { valid: boolean }[] = await sql`
    SELECT ST_IsValid(ST_GeomFromGeoJSON(g)) AS valid
    FROM json_array_elements(${JSON.stringify(shapes)}::text::json) WITH ORDINALITY AS all_(g, n) ORDER BY n`
  expect(valid.map((row) => row.valid)).toEqual([true, true, true])
  expect(JSON.stringify(read().features[0]?.geometry)).toContain('2.00000000051')
  expect(JSON.stringify(read().features[1]?.geometry)).toContain('[0.333333333,0.333333333]')
})
