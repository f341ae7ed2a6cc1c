/** Unions of two layers: nothing is lost and nothing is duplicated. */
import { expect, test } from 'bun:test'
import { randomPolygons } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { loadTable, postgis } from '../../../support/stores/postgis.ts'
import { box, geojson, runTool } from '../../../support/workers/engine.ts'

test('two overlapping squares give three parts with the attributes of each', async () => {
  const { data, geojson: read } = await runTool('vector.union', {
    file: geojson([[{ a: 'A' }, box(0, 0, 2, 2)]]),
    overlay: geojson([[{ b: 'B' }, box(1, 1, 3, 3)]]),
    target_format: 'geojson',
  })
  expect(data).toMatchObject({ featureCount: 3, inputFeatureCount: 1, overlayFeatureCount: 1 })
  expect(read().features.map(({ properties }) => properties)).toEqual([
    { a: 'A', b: 'B' },
    { a: 'A', b: null },
    { a: null, b: 'B' },
  ])
})

test('areas of random layers match PostGIS', async () => {
  const random = seeded(7)
  const [a, b] = [randomPolygons(random, 60, 12, 1), randomPolygons(random, 60, 12, 1)]
  const sql = await postgis()
  await loadTable(sql, 'union_a', a)
  await loadTable(sql, 'union_b', b)
  const [truth] = await sql`
    WITH ua AS (SELECT ST_Union(geom) AS g FROM union_a), ub AS (SELECT ST_Union(geom) AS g FROM union_b)
    SELECT ST_Area(ST_Union(ua.g, ub.g)) AS covered,
      (SELECT sum(ST_Area(ST_Intersection(x.geom, y.geom))) FROM union_a x JOIN union_b y ON ST_Intersects(x.geom, y.geom)) AS common,
      (SELECT sum(ST_Area(ST_Difference(x.geom, ub.g))) FROM union_a x) AS only_a,
      (SELECT sum(ST_Area(ST_Difference(y.geom, ua.g))) FROM union_b y) AS only_b
    FROM ua, ub`
  const { path } = await runTool('vector.union', {
    file: geojson(a.map((g, i) => [{ a: i }, g])),
    overlay: geojson(b.map((g, i) => [{ b: i }, g])),
    target_format: 'geojson',
  })
  const features = JSON.parse(await Bun.file(path).text()).features as {
    properties: Record<string, unknown>
    geometry: unknown
  }[]
  const sums = { common: 0, only_a: 0, only_b: 0 }
  for (const { properties, geometry } of features) {
    const [row] = await sql`SELECT ST_Area(ST_GeomFromGeoJSON(${JSON.stringify(geometry)})) AS area`
    sums[properties.a === null ? 'only_b' : properties.b === null ? 'only_a' : 'common'] += row.area
  }
  for (const part of ['common', 'only_a', 'only_b'] as const) expect(sums[part] / truth[part]).toBeCloseTo(1, 7)
  await loadTable(
    sql,
    'union_out',
    features.map(({ geometry }) => geometry),
  )
  const [out] = await sql`SELECT ST_Area(ST_Union(geom)) AS covered FROM union_out`
  expect(out.covered / truth.covered).toBeCloseTo(1, 7)
})
