/** Clipped layers, compared with PostGIS on random and awkward geometries. */
import { expect, test } from 'bun:test'
import { AWKWARD, randomPolygons } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { loadTable, postgis } from '../../../support/stores/postgis.ts'
import { box, geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

/** The part of each feature inside the union of all masks, by PostGIS. */
async function expected(features: readonly unknown[], masks: readonly unknown[]): Promise<Map<number, number>> {
  const sql = await postgis()
  await loadTable(sql, 'clip_a', features)
  await loadTable(sql, 'clip_b', masks)
  const rows = await sql`
    SELECT i, ST_Area(ST_Intersection(geom, (SELECT ST_Union(geom) FROM clip_b))) AS area FROM clip_a`
  return new Map(
    rows.map(({ i, area }: { i: number; area: number }) => [i, area]).filter(([, area]: [number, number]) => area > 0),
  )
}

test.each([
  ['random', randomPolygons(seeded(1), 200, 20, 1), randomPolygons(seeded(2), 40, 20, 2)],
  ['awkward', AWKWARD, AWKWARD],
])('areas of %s polygons match PostGIS', async (_name, features, masks) => {
  const truth = await expected(features, masks)
  const { data, geojson: read } = await runTool('vector.clip', {
    file: geojson(features.map((geometry, i) => [{ i }, geometry])),
    mask: geojson(masks.map((geometry) => [{}, geometry])),
    target_format: 'geojson',
  })
  const out = read().features
  expect(data).toMatchObject({ inputFeatureCount: features.length, droppedCount: features.length - truth.size })
  const sql = await postgis()
  for (const { properties, geometry } of out) {
    const [row] = await sql`SELECT ST_Area(ST_GeomFromGeoJSON(${JSON.stringify(geometry)})) AS area`
    expect(row.area).toBeCloseTo(truth.get(properties.i as number) ?? -1, 6)
  }
  expect(out.map(({ properties }) => properties.i)).toEqual([...truth.keys()].sort((a, b) => a - b))
})

test('clips lines and points too, and keeps their attributes', async () => {
  const line = {
    type: 'LineString',
    coordinates: [
      [-1, 0.5],
      [2, 0.5],
    ],
  }
  const file = geojson([
    [{ name: 'line' }, line],
    [{ name: 'in' }, point(0.5, 0.5)],
    [{ name: 'out' }, point(3, 3)],
    [{ name: 'rim' }, point(1, 1)],
  ])
  const { data, geojson: read } = await runTool('vector.clip', {
    file,
    mask: geojson([[{}, box(0, 0, 1, 1)]]),
    target_format: 'geojson',
  })
  expect(data.droppedCount).toBe(1)
  expect(
    read().features.map(({ properties, geometry }) => [properties.name, geometry?.coordinates as unknown]),
  ).toEqual([
    [
      'line',
      [
        [0, 0.5],
        [1, 0.5],
      ],
    ],
    ['in', [0.5, 0.5]],
    ['rim', [1, 1]],
  ])
})

test('rejects a mask that is not polygons', async () => {
  expect(
    await refusal('vector.clip', { file: 'districts.geojson', mask: 'stations.geojson', target_format: 'shp' }),
  ).toMatchObject({
    code: 'INPUT_UNREADABLE',
    field: 'mask',
    rule: 'polygons',
  })
})
