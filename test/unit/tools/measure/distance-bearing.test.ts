/** Distances and bearings, compared with PostGIS and published values. */
import { expect, test } from 'bun:test'
import { seeded } from '../../../support/random.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

type Segment = { distance_m: number; forward_bearing: number; back_bearing: number; from: number; to: number }

test('the published line from Flinders Peak to Buninyong', async () => {
  // Geoscience Australia's worked example: 54,972.271 m, 306°52'05.37", back 127°10'25.07"
  const degrees = (d: number, m: number, s: number): number => d + m / 60 + s / 3600
  const points = [
    { lon: degrees(144, 25, 29.52442), lat: -degrees(37, 57, 3.7203) },
    { lon: degrees(143, 55, 35.38393), lat: -degrees(37, 39, 10.15611) },
  ]
  const { data } = await runTool('measure.distance-bearing', { points })
  const [segment] = data.segments as Segment[]
  expect(segment?.distance_m).toBeCloseTo(54_972.271, 2)
  expect(segment?.forward_bearing).toBeCloseTo(degrees(306, 52, 5.37), 4)
  expect(segment?.back_bearing).toBeCloseTo(degrees(127, 10, 25.07), 4)
})

test('random and awkward pairs match PostGIS to 1e-9, including bearings', async () => {
  const random = seeded(20)
  const points = [
    ...Array.from({ length: 40 }, () => ({ lon: random() * 360 - 180, lat: random() * 180 - 90 })),
    ...[
      [0, 0],
      [0.0000001, 0],
      [179.9, 0.1],
      [-179.9, -0.1],
      [30, 90],
      [-60, 89.99],
      [0, 0],
      [179.5, 0.2],
    ].map(([lon, lat]) => ({ lon, lat }) as { lon: number; lat: number }),
  ]
  const { data } = await runTool('measure.distance-bearing', { points })
  const sql = await postgis()
  let total = 0
  for (const { from, to, distance_m, forward_bearing } of data.segments as Segment[]) {
    const [a, b] = [points[from], points[to]] as [{ lon: number; lat: number }, { lon: number; lat: number }]
    const [row] = await sql`SELECT ST_Distance(p, q) AS d, degrees(ST_Azimuth(p, q)) AS z
      FROM (SELECT ST_Point(${a.lon}, ${a.lat}, 4326)::geography AS p, ST_Point(${b.lon}, ${b.lat}, 4326)::geography AS q) AS pair`
    expect(Math.abs(distance_m - row.d)).toBeLessThanOrEqual(1e-9 * row.d + 1e-8)
    if (Math.abs(a.lat) < 89.999) expect(Math.abs(((forward_bearing - row.z + 540) % 360) - 180)).toBeLessThan(1e-6)
    total += distance_m
  }
  expect(data).toMatchObject({ point_count: points.length, segment_count: points.length - 1, is_closed: false })
  expect(data.total_distance_m).toBeCloseTo(total, 3)
  expect(data.total_distance_km).toBeCloseTo(total / 1000, 6)
})

test('a closed ring has the straight distance 0', async () => {
  const corner = { lon: 1, lat: 1 }
  const { data } = await runTool('measure.distance-bearing', {
    points: [corner, { lon: 2, lat: 1 }, { lon: 2, lat: 2 }, corner],
  })
  expect(data).toMatchObject({ is_closed: true, straight_distance_m: 0, segment_count: 3 })
})

test('rejects a single point, and names invalid positions', async () => {
  const id = 'measure.distance-bearing'
  expect(await refusal(id, { points: [{ lon: 1, lat: 1 }] })).toMatchObject({
    code: 'VALIDATION_FAILED',
    field: 'points',
    rule: 'minItems',
  })
  expect(
    await refusal(id, {
      points: [
        { lon: 1, lat: 1 },
        { lon: 1, lat: 91 },
      ],
    }),
  ).toMatchObject({ field: 'points.1.lat', rule: 'maximum' })
  expect(await refusal(id, { points: [{ lon: 1, lat: 1 }, { lat: 1 }] })).toMatchObject({
    field: 'points.1.lon',
    rule: 'required',
  })
  expect(
    await refusal(id, {
      points: [
        { lon: 1, lat: 1 },
        { lon: '2', lat: 1 },
      ],
    }),
  ).toMatchObject({ field: 'points.1.lon' })
})
