/** Repaired geometries, compared with the same method of PostGIS. */
import { expect, test } from 'bun:test'
import { AWKWARD } from '../../../support/formats/geometries.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { box, geojson, runTool } from '../../../support/workers/engine.ts'

test.each(['structure', 'linework'])(
  'repaired geometries are valid and match PostGIS with its method %s',
  async (method) => {
    const collapsed = {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 1],
          [0, 0],
          [0, 0],
        ],
      ],
    }
    const shapes = [...AWKWARD, collapsed, null]
    const sql = await postgis()
    const { data, geojson: read } = await runTool('vector.repair', {
      file: geojson(shapes.map((g, i) => [{ i }, g])),
      target_format: 'geojson',
      method,
    })
    const [invalid] =
      await sql`SELECT count(*)::integer AS n FROM json_array_elements(${JSON.stringify(shapes.slice(0, -1))}::text::json) AS g
    WHERE NOT ST_IsValid(ST_GeomFromGeoJSON(g))`
    expect(data).toMatchObject({
      inputFeatureCount: shapes.length,
      invalidBefore: invalid.n,
      invalidAfter: 0,
      droppedCount: 2,
    })
    for (const { properties, geometry } of read().features) {
      const before = JSON.stringify(shapes[properties.i as number])
      const [row] =
        await sql`SELECT ST_IsValid(g) AS valid, ST_Area(ST_SymDifference(g, ST_MakeValid(ST_GeomFromGeoJSON(${before}), ${`method=${method}`}))) AS apart
      FROM (SELECT ST_GeomFromGeoJSON(${JSON.stringify(geometry)}) AS g) AS mended`
      expect(row.valid).toBe(true)
      expect(row.apart).toBeLessThan(1e-9)
    }
  },
)

test('a kind of geometry that disappears from a collection is named', async () => {
  const collapsed = { type: 'Polygon', coordinates: [[[1, 1], [2, 2], [1, 1], [1, 1]]] } // biome-ignore format: a ring
  const line = { type: 'LineString', coordinates: [[5, 5], [6, 6]] } // biome-ignore format: a line
  const file = geojson([
    [{}, line],
    [{}, { type: 'GeometryCollection', geometries: [collapsed, line] }],
  ])
  for (const id of ['repair', 'buffer', 'dissolve', 'erase'])
    expect([
      id,
      (
        await runTool(`vector.${id}`, {
          file,
          ...(id === 'erase' && { mask: geojson([[{}, box(8, 8, 9, 9)]]) }),
          target_format: 'geojson',
        })
      ).warnings,
    ]).toEqual([id, [expect.stringContaining('the first belongs to feature 1')]])
})
