/** Concave hulls cover all points, and a smaller ratio gives a smaller area. */
import { expect, test } from 'bun:test'
import { seeded } from '../../../support/random.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

const random = seeded(13)
// a convex hull would fill this horseshoe
const points = Array.from({ length: 400 }, () => {
  const angle = random() * 1.6 * Math.PI
  const radius = 4 + random()
  return point(radius * Math.cos(angle), radius * Math.sin(angle))
})

async function hullOf(ratio: number): Promise<{ area: number; covers: boolean; data: Record<string, unknown> }> {
  const { data, geojson: read } = await runTool('vector.concave-hull', {
    file: geojson(points.map((g) => [{}, g])),
    target_format: 'geojson',
    ratio,
  })
  const sql = await postgis()
  const all = JSON.stringify({ type: 'MultiPoint', coordinates: points.map(({ coordinates }) => coordinates) })
  const hull = JSON.stringify(read().features[0]?.geometry)
  const [row] = await sql`SELECT ST_Area(h) AS area, ST_Covers(ST_Buffer(h, 1e-8), p) AS covers
    FROM (SELECT ST_GeomFromGeoJSON(${hull}) AS h, ST_GeomFromGeoJSON(${all}) AS p) AS hulls`
  return { ...row, data }
}

test('covers its points at every ratio, and the area shrinks with the ratio', async () => {
  const hulls = []
  for (const ratio of [1, 0.5, 0.3, 0.1]) hulls.push(await hullOf(ratio))
  for (const { covers } of hulls) expect(covers).toBe(true)
  const areas = hulls.map(({ area }) => area)
  expect(areas).toEqual(areas.toSorted((a, b) => b - a))
  // the points form a horseshoe: 0.8 of a ring with radii from 4 to 5
  expect(areas.at(-1)).toBeLessThan(0.8 * Math.PI * 9 * 1.1)
  expect(hulls[2]?.data).toMatchObject({ ratio: 0.3, inputFeatureCount: 400 })
})

test('rejects a ratio out of range', async () => {
  for (const [ratio, rule] of [
    [0.01, 'minimum'],
    [1.5, 'maximum'],
  ] as const)
    expect(
      await refusal('vector.concave-hull', { file: 'stations.geojson', target_format: 'geojson', ratio }),
    ).toMatchObject({ field: 'ratio', rule })
})

test.each([0.2, 0.5, 0.8])('at %p the hull matches PostGIS', async (ratio) => {
  const { area } = await hullOf(ratio)
  const sql = await postgis()
  const all = JSON.stringify({ type: 'MultiPoint', coordinates: points.map(({ coordinates }) => coordinates) })
  const [row] = await sql`SELECT ST_Area(ST_ConcaveHull(ST_GeomFromGeoJSON(${all}), ${ratio}::float8)) AS area`
  expect(area / row.area).toBeCloseTo(1, 9)
})

test('collinear points and a single point give no polygon', async () => {
  const line = await runTool('vector.concave-hull', {
    file: geojson([0, 1, 2].map((x) => [{}, point(x, x)])),
    target_format: 'geojson',
  })
  expect(line.data).toMatchObject({ featureCount: 1, geometryType: 'LineString' })
})
