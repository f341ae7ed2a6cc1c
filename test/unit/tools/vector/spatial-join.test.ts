/** Spatial joins by every predicate, compared with PostGIS. */
import { expect, test } from 'bun:test'
import { AWKWARD, randomPolygons } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { loadTable, postgis } from '../../../support/stores/postgis.ts'
import { geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

const lines = [
  {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [5, 5],
    ],
  },
  {
    type: 'LineString',
    coordinates: [
      [0, 0],
      [1, 0],
    ],
  },
  {
    type: 'LineString',
    coordinates: [
      [0.2, 0.2],
      [0.8, 0.2],
      [0.2, 0.8],
    ],
  },
]
const points = [point(0.5, 0.5), point(1, 0.5), point(1, 1), point(2.5, 2.5), point(9, 9)]
const random = seeded(8)
const LEFT = [...AWKWARD, ...lines, ...points, ...randomPolygons(random, 120, 6, 0.6)]
const RIGHT = [...AWKWARD, ...lines, ...points, ...randomPolygons(random, 120, 6, 0.6)]

test.each(['intersects', 'within', 'contains', 'crosses', 'touches', 'overlaps'])(
  '%s holds for the pairs that PostGIS finds',
  async (predicate) => {
    const sql = await postgis()
    await loadTable(sql, 'join_a', LEFT)
    await loadTable(sql, 'join_b', RIGHT)
    const rows: { i: number; j: number }[] = await sql.unsafe(
      `SELECT a.i, b.i AS j FROM join_a a JOIN join_b b ON ST_${predicate}(a.geom, b.geom) ORDER BY a.i, b.i`,
    )
    const { data, geojson: read } = await runTool('vector.spatial-join', {
      file: geojson(LEFT.map((geometry, i) => [{ i }, geometry])),
      join: geojson(RIGHT.map((geometry, j) => [{ j }, geometry])),
      target_format: 'geojson',
      predicate,
    })
    expect(read().features.map(({ properties: { i, j } }) => `${i}-${j}`)).toEqual(rows.map(({ i, j }) => `${i}-${j}`))
    const matchedCount = new Set(rows.map(({ i }) => i)).size
    expect(data).toMatchObject({
      predicate,
      matchedCount,
      inputFeatureCount: LEFT.length,
      joinFeatureCount: RIGHT.length,
    })
  },
)

test('a left join keeps features without a match, with null in the joined columns', async () => {
  const { data, geojson: read } = await runTool('vector.spatial-join', {
    file: geojson([
      [{ name: 'in' }, point(0.5, 0.5)],
      [{ name: 'out' }, point(50, 50)],
    ]),
    join: geojson([[{ name: 'square' }, AWKWARD[1]]]),
    target_format: 'geojson',
    how: 'left',
  })
  expect(data.matchedCount).toBe(1)
  expect(read().features.map(({ properties }) => properties)).toEqual([
    { name: 'in', name_2: 'square' },
    { name: 'out', name_2: null },
  ])
})

test('rejects an unknown predicate and lists the valid ones', async () => {
  const found = await refusal('vector.spatial-join', {
    file: 'stations.geojson',
    join: 'districts.geojson',
    target_format: 'shp',
    predicate: 'near',
  })
  expect(found).toMatchObject({ code: 'VALIDATION_FAILED', field: 'predicate', rule: 'enum' })
  expect(found.message).toContain('intersects, within, contains, crosses, touches, overlaps')
})
