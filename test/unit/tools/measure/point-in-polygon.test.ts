/** Points in polygons, compared with PostGIS. */
import { expect, test } from 'bun:test'
import { star } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

type Result = { lon: number; lat: number; position: string; distance_m: number }

test('positions match PostGIS, and distances are geodesic', async () => {
  const random = seeded(21)
  const polygon = star(random, 10, 50, 2, 40)
  const points = Array.from({ length: 300 }, () => ({ lon: 7 + random() * 6, lat: 47 + random() * 6 }))
  const { data } = await runTool('measure.point-in-polygon', { polygon, points })
  const sql = await postgis()
  const text = JSON.stringify({ type: 'Polygon', coordinates: [polygon] })
  const count = { inside: 0, outside: 0, boundary: 0 } as Record<string, number>
  for (const { lon, lat, position, distance_m } of data.results as Result[]) {
    // distances from the centre of an azimuthal equidistant projection are geodesic; dense points represent an edge
    const [row] =
      await sql`SELECT ST_Contains(g, p) AS inside, ST_Distance(ST_Transform(ST_Segmentize(ST_Boundary(g), 0.001), around.proj), ST_Point(0, 0)) AS d
      FROM (SELECT ST_SetSRID(ST_GeomFromGeoJSON(${text}), 4326) AS g, ST_Point(${lon}, ${lat}, 4326) AS p) AS pair,
        (SELECT ${`+proj=aeqd +lat_0=${lat} +lon_0=${lon} +datum=WGS84`} AS proj) AS around`
    expect(position).toBe(row.inside ? 'inside' : 'outside')
    expect(Math.abs(distance_m - row.d)).toBeLessThan(0.01)
    count[position] = (count[position] ?? 0) + 1
  }
  expect(data).toMatchObject({
    point_count: 300,
    inside_count: count.inside,
    outside_count: count.outside,
    boundary_count: 0,
  })
}, 120_000)

test('edges and vertices are the boundary, regardless of the orientation of the ring', async () => {
  const square = [
    [0, 0],
    [10, 0],
    [10, 10],
    [0, 10],
  ]
  const points = [
    [0, 0],
    [5, 0],
    [10, 5],
    [5, 10],
    [5, 5],
    [5, 10.0001],
  ].map(([lon, lat]) => ({ lon, lat }))
  for (const polygon of [square, square.toReversed(), [...square, [0, 0]]]) {
    const { data } = await runTool('measure.point-in-polygon', { polygon, points })
    expect((data.results as Result[]).map(({ position }) => position)).toEqual([
      'boundary',
      'boundary',
      'boundary',
      'boundary',
      'inside',
      'outside',
    ])
    expect((data.results as Result[])[5]?.distance_m).toBeCloseTo(11.06, 1)
  }
})

test('a polygon crosses the antimeridian with longitudes beyond 180', async () => {
  const polygon = [
    [179, -1],
    [181, -1],
    [181, 1],
    [179, 1],
  ]
  const points = [
    [180, 0],
    [-180, 0],
    [179.5, 0],
    [-179.5, 0],
    [0, 0],
    [178.9, 0],
  ].map(([lon, lat]) => ({ lon, lat }))
  const { data } = await runTool('measure.point-in-polygon', { polygon, points })
  expect((data.results as Result[]).map(({ position }) => position)).toEqual([
    'inside',
    'inside',
    'inside',
    'inside',
    'outside',
    'outside',
  ])
  expect((data.results as Result[])[5]?.distance_m).toBeCloseTo(11_131.9, 0)
})

test('a pole is on the boundary with every longitude', async () => {
  for (const pole of [90, -90]) {
    const polygon = [
      [30, pole],
      [60, pole],
      [60, 0],
      [30, 0],
    ]
    const points = [10, 45, -170].map((lon) => ({ lon, lat: pole }))
    const { data } = await runTool('measure.point-in-polygon', { polygon, points })
    expect(data.results).toEqual(points.map((point) => ({ ...point, position: 'boundary', distance_m: 0 })))
    const elsewhere = await runTool('measure.point-in-polygon', { polygon, points: [{ lon: 45, lat: -pole }] })
    expect(elsewhere.data.outside_count).toBe(1)
  }
})

test('rejects invalid polygons', async () => {
  const points = [{ lon: 0, lat: 0 }]
  const id = 'measure.point-in-polygon'
  expect(
    await refusal(id, {
      polygon: [
        [0, 0],
        [1, 1],
      ],
      points,
    }),
  ).toMatchObject({ field: 'polygon', rule: 'minItems' })
  expect(
    await refusal(id, {
      polygon: [
        [0, 0],
        [1, 1],
        [1, 1],
      ],
      points,
    }),
  ).toMatchObject({ field: 'polygon', rule: 'distinct' })
  expect(
    await refusal(id, {
      polygon: [
        [0, 0],
        [1, 1],
        [1, 95],
      ],
      points,
    }),
  ).toMatchObject({ field: 'polygon.2.1', rule: 'range' })
  expect(
    await refusal(id, {
      polygon: [
        [0, 0],
        [1, 1],
        [1, 2],
      ],
      points: [],
    }),
  ).toMatchObject({ field: 'points', rule: 'minItems' })
})
