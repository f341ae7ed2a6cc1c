/** Simplification, compared with PostGIS. */
import { expect, test } from 'bun:test'
import { star } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { geojson, refusal, runTool } from '../../../support/workers/engine.ts'

const random = seeded(11)
const polygons = Array.from({ length: 20 }, () => ({
  type: 'Polygon',
  coordinates: [star(random, random() * 50, random() * 50, 1, 200)],
}))
const vertices = (geometries: readonly { coordinates: unknown }[]): number =>
  JSON.stringify(geometries).split('],[').length

test.each([
  [true, 'ST_SimplifyPreserveTopology'],
  [false, 'ST_Simplify'],
] as const)('preserve_topology %p', async (preserve_topology, what) => {
  const sql = await postgis()
  const { data, geojson: read } = await runTool('vector.simplify', {
    file: geojson(polygons.map((g, i) => [{ i }, g])),
    target_format: 'geojson',
    tolerance: 0.1,
    preserve_topology,
  })
  expect(data.verticesBefore).toBe(20 * 201)
  expect(data.verticesAfter).toBeLessThan(20 * 150)
  for (const { properties, geometry } of read().features) {
    const [row] = await sql.unsafe(
      `SELECT ST_Area(ST_SymDifference(${what}(ST_GeomFromGeoJSON($1), 0.1), ST_GeomFromGeoJSON($2))) AS apart`,
      [JSON.stringify(polygons[properties.i as number]), JSON.stringify(geometry)],
    )
    // PostGIS' ST_Simplify keeps the first vertex of a ring; GEOS since 3.12 may drop it
    expect(row.apart).toBeLessThan(preserve_topology ? 0.2 : 0.3)
  }
  expect(vertices(read().features.map(({ geometry }) => geometry as { coordinates: unknown }))).toBeLessThan(20 * 150)
})

test('no simplified line is further than the tolerance from the original', async () => {
  const line = {
    type: 'LineString',
    coordinates: Array.from({ length: 500 }, (_, i) => [i / 100, Math.sin(i / 20) + random() / 50]),
  }
  const { geojson: read } = await runTool('vector.simplify', {
    file: geojson([[{}, line]]),
    target_format: 'geojson',
    tolerance: 0.05,
  })
  const sql = await postgis()
  const [row] =
    await sql`SELECT ST_HausdorffDistance(ST_GeomFromGeoJSON(${JSON.stringify(line)}), ST_GeomFromGeoJSON(${JSON.stringify(read().features[0]?.geometry)})) AS d`
  expect(row.d).toBeLessThanOrEqual(0.05)
})

test.each([true, false])(
  'nor is a ring, where its first vertex was; preserve_topology %p',
  async (preserve_topology) => {
    const sql = await postgis()
    let removed = 0
    for (let round = 0; round < 20; round++) {
      // circles with short edges, so that every vertex is close to the line through its neighbours
      const corners = Array.from({ length: 60 }, (_, i) => {
        const radius = 1 + random() / 20
        return [radius * Math.cos((i * Math.PI) / 30), radius * Math.sin((i * Math.PI) / 30)]
      })
      const ring = { type: 'Polygon', coordinates: [[...corners, corners[0]]] }
      const { geojson: read } = await runTool('vector.simplify', {
        file: geojson([[{}, ring]]),
        target_format: 'geojson',
        tolerance: 0.1,
        preserve_topology,
        coordinate_precision: 15,
      })
      const { geometry } = read().features[0] as { geometry: unknown }
      if (!JSON.stringify(geometry).includes(`[${corners[0]}]`)) removed++
      const [row] =
        await sql`SELECT ST_HausdorffDistance(ST_GeomFromGeoJSON(${JSON.stringify(ring)}), ST_GeomFromGeoJSON(${JSON.stringify(geometry)})) AS d`
      expect(row.d).toBeLessThanOrEqual(0.1 + 1e-12)
    }
    expect(removed).toBeGreaterThan(0)
  },
)

test('rejects a tolerance below the minimum', async () => {
  expect(
    await refusal('vector.simplify', { file: 'districts.geojson', target_format: 'geojson', tolerance: 1e-7 }),
  ).toMatchObject({
    field: 'tolerance',
    rule: 'minimum',
  })
})
