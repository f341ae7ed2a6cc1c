/** Dissolved layers, compared with the union of PostGIS and plain sums. */
import { expect, test } from 'bun:test'
import { randomPolygons } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { loadTable, postgis } from '../../../support/stores/postgis.ts'
import { geojson, refusal, runTool } from '../../../support/workers/engine.ts'

test('areas of groups match PostGIS', async () => {
  const polygons = randomPolygons(seeded(15), 120, 12, 1)
  const sql = await postgis()
  await loadTable(sql, 'dissolve', polygons)
  const rows: { k: number; area: number; count: number }[] = await sql`
    SELECT i % 4 AS k, ST_Area(ST_Union(geom)) AS area, count(*)::integer AS count FROM dissolve GROUP BY 1 ORDER BY 1`
  const { data, geojson: read } = await runTool('vector.dissolve', {
    file: geojson(polygons.map((g, i) => [{ k: i % 4 }, g])),
    target_format: 'geojson',
    by: 'k',
  })
  expect(data).toMatchObject({ inputFeatureCount: 120, groups: 4, groupField: 'k' })
  for (const [n, { properties, geometry }] of read().features.entries()) {
    const [row] = await sql`SELECT ST_Area(ST_GeomFromGeoJSON(${JSON.stringify(geometry)})) AS area`
    expect(properties).toEqual({ k: rows[n]?.k, count: rows[n]?.count })
    expect(row.area).toBeCloseTo(rows[n]?.area ?? -1, 6)
  }
})

test.each([
  ['sum', 4600, 560],
  ['mean', 2300, 560],
  ['min', 1200, 560],
  ['max', 3400, 560],
])('%s ignores null', async (agg, west, east) => {
  const { geojson: read } = await runTool('vector.dissolve', {
    file: 'districts.geojson',
    target_format: 'geojson',
    by: 'region',
    agg,
    agg_field: 'population',
  })
  expect(read().features.map(({ properties }) => properties)).toEqual([
    { region: 'west', [`${agg}_population`]: west },
    { region: 'east', [`${agg}_population`]: east },
  ])
})

test('rejects columns that do not exist or are not numbers', async () => {
  const base = { file: 'districts.geojson', target_format: 'geojson' }
  expect(await refusal('vector.dissolve', { ...base, by: 'no' })).toMatchObject({ field: 'by', rule: 'column' })
  expect(await refusal('vector.dissolve', { ...base, agg: 'sum' })).toMatchObject({
    field: 'agg_field',
    rule: 'required',
  })
  expect(await refusal('vector.dissolve', { ...base, agg: 'sum', agg_field: 'name' })).toMatchObject({
    field: 'agg_field',
    rule: 'number',
  })
})
