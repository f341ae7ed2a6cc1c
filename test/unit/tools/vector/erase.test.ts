/** Erasing, compared with PostGIS. */
import { expect, test } from 'bun:test'
import { AWKWARD, randomPolygons } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { loadTable, postgis } from '../../../support/stores/postgis.ts'
import { geojson, runTool } from '../../../support/workers/engine.ts'

test.each([
  ['random', randomPolygons(seeded(3), 200, 20, 1), randomPolygons(seeded(4), 40, 20, 2)],
  ['awkward', AWKWARD, AWKWARD.slice(2)],
])('remaining %s polygons match PostGIS', async (_name, features, masks) => {
  const sql = await postgis()
  await loadTable(sql, 'erase_a', features)
  await loadTable(sql, 'erase_b', masks)
  const rows: { i: number; area: number }[] = await sql`
    SELECT i, ST_Area(ST_Difference(geom, (SELECT ST_Union(geom) FROM erase_b))) AS area FROM erase_a`
  const { geojson: read } = await runTool('vector.erase', {
    file: geojson(features.map((geometry, i) => [{ i }, geometry])),
    mask: geojson(masks.map((geometry) => [{}, geometry])),
    target_format: 'geojson',
  })
  const areas = new Map<number, number>()
  for (const { properties, geometry } of read().features) {
    const [row] = await sql`SELECT ST_Area(ST_GeomFromGeoJSON(${JSON.stringify(geometry)})) AS area`
    areas.set(properties.i as number, row.area)
  }
  for (const { i, area } of rows) expect(areas.get(i) ?? 0).toBeCloseTo(area, 6)
})
