/** Inside checks, compared with percentages that PostGIS measures in an equal-area projection. */
import { expect, test } from 'bun:test'
import { randomPolygons } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { loadTable, postgis } from '../../../support/stores/postgis.ts'
import { box, geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

type Result = {
  index: number
  id?: string | number
  relation: string
  percentInside: number
  pass: boolean
  matchCount: number
  reference: Record<string, unknown>
}
const resultsOf = ({ data }: { data: Record<string, unknown> }): Result[] => data.results as Result[]

test('percentages match an equal-area projection, and overlapping references count once', async () => {
  const random = seeded(9)
  const features = randomPolygons(random, 60, 10, 1).map((g) => g)
  const references = randomPolygons(random, 30, 10, 2)
  const sql = await postgis()
  await loadTable(sql, 'inside_a', features)
  await loadTable(sql, 'inside_b', references)
  // one equal-area projection for all: percentages do not depend on its centre
  const rows: { i: number; percent: number; count: number }[] = await sql`
    WITH b AS (SELECT i, ST_Transform(ST_Segmentize(geom, 0.01), 6933) AS g FROM inside_b), u AS (SELECT ST_Union(g) AS g FROM b)
    SELECT a.i, 100 * ST_Area(ST_Intersection(p.g, u.g)) / ST_Area(p.g) AS percent,
      (SELECT count(*)::integer FROM inside_b AS other WHERE ST_Intersects(other.geom, a.geom)) AS count
    FROM inside_a a, u, LATERAL (SELECT ST_Transform(ST_Segmentize(a.geom, 0.01), 6933) AS g) AS p ORDER BY a.i`
  const ran = await runTool('vector.inside-check', {
    file: geojson(features.map((g) => [{}, g])),
    reference: geojson(references.map((g, k) => [{ k }, g])),
    rule: 'percent',
    percent: 40,
  })
  for (const { index, percentInside, pass, matchCount } of resultsOf(ran)) {
    const { percent, count } = rows[index] as (typeof rows)[number]
    // both densify edges that are straight in longitude and latitude
    expect(Math.abs(percentInside - percent)).toBeLessThan(0.001)
    expect(pass).toBe(percentInside >= 40)
    expect(matchCount).toBe(count)
  }
})

test('relations, rules, boundaries, holes, lines and points', async () => {
  const withHole = {
    type: 'Polygon',
    coordinates: [
      ...box(0, 0, 4, 4).coordinates,
      [
        [1, 1],
        [1, 2],
        [2, 2],
        [2, 1],
        [1, 1],
      ],
    ],
  }
  const file = geojson([
    [{}, box(3, 3, 4, 4)],
    [{}, box(1.2, 1.2, 1.8, 1.8)],
    [
      {},
      {
        type: 'LineString',
        coordinates: [
          [0, 3],
          [0, 5],
        ],
      },
    ],
    [
      {},
      {
        type: 'MultiPoint',
        coordinates: [
          [0, 0],
          [3, 3],
          [1.5, 1.5],
          [9, 9],
        ],
      },
    ],
    [{}, point(4, 4)],
    [{}, point(1.5, 1.5)],
    [{}, null],
  ])
  const reference = geojson([[{ name: 'ring', secret: 1 }, withHole]])
  const check = async (rule: string) =>
    resultsOf(await runTool('vector.inside-check', { file, reference, rule, reference_fields: ['name'] }))
  const inside = await check('inside')
  expect(inside.map(({ relation, percentInside }) => [relation, percentInside])).toEqual([
    ['inside', 100],
    ['outside', 0],
    ['partial', expect.closeTo(50, 1)],
    ['partial', 50],
    ['inside', 100],
    ['outside', 0],
    ['outside', 0],
  ])
  expect(inside.map(({ pass }) => pass)).toEqual([true, false, false, false, true, false, false])
  expect((await check('partly')).map(({ pass }) => pass)).toEqual([true, false, true, true, true, false, false])
  expect(inside.map(({ reference }) => reference)).toEqual([
    { name: 'ring' },
    {},
    { name: 'ring' },
    { name: 'ring' },
    { name: 'ring' },
    {},
    {},
  ])
})

test('returns the reference with the largest overlap, the first of equal ones', async () => {
  const reference = geojson([
    [{ name: 'small' }, box(0, 0, 1, 10)],
    [{ name: 'large' }, box(1, 0, 3, 10)],
    [{ name: 'same' }, box(1, 0, 3, 10)],
  ])
  const [only] = resultsOf(
    await runTool('vector.inside-check', {
      file: geojson([[{}, box(0, 1, 4, 2)]]),
      reference,
      reference_fields: ['name'],
    }),
  )
  expect(only).toMatchObject({ relation: 'partial', matchCount: 3, reference: { name: 'large' } })
})

test('an empty input passes', async () => {
  const { data } = await runTool('vector.inside-check', { file: geojson([]), reference: 'zones.geojson' })
  expect(data).toEqual({ passed: true, counts: { inside: 0, partial: 0, outside: 0, passed: 0 }, results: [] })
})

test('rejects a percentage rule without a percentage, and unknown columns', async () => {
  const both = { file: 'districts.geojson', reference: 'zones.geojson' }
  expect(await refusal('vector.inside-check', { ...both, rule: 'percent' })).toMatchObject({
    field: 'percent',
    rule: 'required',
  })
  expect(await refusal('vector.inside-check', { ...both, reference_fields: ['nothing'] })).toMatchObject({
    field: 'reference_fields',
    rule: 'column',
  })
  expect(await refusal('vector.inside-check', { ...both, rule: 'percent', percent: 101 })).toMatchObject({
    field: 'percent',
    rule: 'maximum',
  })
})

const shareOf = async (feature: unknown, ...references: unknown[]) => {
  const [only] = resultsOf(
    await runTool('vector.inside-check', {
      file: geojson([[{}, feature]]),
      reference: geojson(references.map((g, k) => [{ k }, g])),
      reference_fields: ['k'],
    }),
  )
  return only as Result
}
const multi = (...boxes: { coordinates: unknown }[]) => ({
  type: 'MultiPolygon',
  coordinates: boxes.map(({ coordinates }) => coordinates),
})

test('percentages of large features refer to areas on the globe: a zone between parallels in closed form', async () => {
  // the area of a box is proportional to the difference of q (Snyder 3-12) times the difference of longitudes
  const e = Math.sqrt(0.0066943799901413165)
  const q = (degrees: number): number => {
    const s = Math.sin((degrees * Math.PI) / 180)
    return (1 - e * e) * (s / (1 - e * e * s * s) + Math.atanh(e * s) / e)
  }
  const share = await shareOf(box(0, 40, 30, 70), box(-5, 40, 12, 55))
  expect(share.percentInside).toBeCloseTo((100 * 12 * (q(55) - q(40))) / (30 * (q(70) - q(40))), 3)
})

test('measures features at the antimeridian and around a pole correctly', async () => {
  const across = multi(box(170, 10, 180, 20), box(-180, 10, -170, 20))
  expect(await shareOf(across, box(160, 0, 180, 30))).toMatchObject({ relation: 'partial', percentInside: 50 })
  expect((await shareOf(across, box(175, 0, 180, 30), box(-180, 0, -175, 30))).percentInside).toBeCloseTo(50, 6)
  const cap = box(-180, 80, 180, 90)
  expect((await shareOf(cap, box(0, 70, 90, 90))).percentInside).toBeCloseTo(25, 4)
  expect(await shareOf(cap, box(-180, 60, 180, 90))).toMatchObject({ relation: 'inside', percentInside: 100 })
})

test('a feature that only touches the reference is outside; a line along its edge is inside', async () => {
  const next = box(1, 0, 2, 1)
  expect(await shareOf(next, box(0, 0, 1, 1))).toMatchObject({
    relation: 'outside',
    percentInside: 0,
    matchCount: 1,
    reference: {},
  })
  const edge = {
    type: 'LineString',
    coordinates: [
      [0, 1],
      [1, 1],
    ],
  }
  expect(await shareOf(edge, box(0, 0, 1, 1))).toMatchObject({ relation: 'inside', percentInside: 100 })
})

test('results have the ids of their features, and no id where the feature has none', async () => {
  const content = JSON.stringify({
    type: 'FeatureCollection',
    features: ['way/5', 12, undefined, ''].map((id, i) => ({
      type: 'Feature',
      id,
      properties: {},
      // the second is a bow tie, which is repaired first
      geometry: i === 1 ? { type: 'Polygon', coordinates: [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]] } : point(0.5, 0.5), // biome-ignore format: short
    })),
  })
  const ran = await runTool('vector.inside-check', {
    file: { name: 'a.geojson', content },
    reference: geojson([[{}, box(0, 0, 1, 1)]]),
    rule: 'inside',
  })
  expect(resultsOf(ran).map(({ id }) => id)).toEqual(['way/5', 12, undefined, ''])
  expect('id' in (resultsOf(ran)[2] as Result)).toBe(false)
})
