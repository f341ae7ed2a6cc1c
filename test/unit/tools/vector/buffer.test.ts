/** Buffers, checked by the geodesic distance of their outlines. */
import { expect, test } from 'bun:test'
import { inverse } from '../../../../src/lib/geo/geometry/geodesic.ts'
import { pointIn } from '../../../support/formats/globe-truth.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { box, type GeoFeature, geojson, point, refusal, runTool } from '../../../support/workers/engine.ts'

type Rings = number[][][]
function rings(feature: GeoFeature | undefined): Rings {
  const { type, coordinates } = (feature as GeoFeature).geometry as { type: string; coordinates: unknown }
  return type === 'Polygon' ? (coordinates as Rings) : (coordinates as Rings[]).flat()
}

async function bufferOf(geometry: unknown, settings: Record<string, unknown>): Promise<GeoFeature | undefined> {
  const { geojson: read } = await runTool('vector.buffer', {
    file: geojson([[{}, geometry]]),
    target_format: 'geojson',
    ...settings,
  })
  return read().features[0]
}

/** Vertices and midpoints of edges, except for edges along the antimeridian or at a pole. */
function* rim(feature: GeoFeature | undefined): Generator<[number, number]> {
  for (const ring of rings(feature))
    for (let i = 1; i < ring.length; i++) {
      const [[x1, y1], [x2, y2]] = [ring[i - 1], ring[i]] as [[number, number], [number, number]]
      const isCut = (x: number, y: number): boolean => Math.abs(x) > 179.9999999 || Math.abs(y) > 89.9999999
      if (isCut(x1, y1) || isCut(x2, y2)) continue
      yield [x1, y1]
      if (Math.abs(x2 - x1) < 1) yield [(x1 + x2) / 2, (y1 + y2) / 2]
    }
}

const latitudes = [0, 0.01, 33, 52, 66.5, 80, 89, 89.95, -45, -89]
const longitudes = [9, 0, 179.99, -179.999, 180, -73.5]

test.each([100, 1000, 10_000])(
  'a buffer of %d m is within 0.1 % of the geodesic distance all round, anywhere',
  async (metres) => {
    for (const [i, latitude] of latitudes.entries()) {
      const longitude = longitudes[i % longitudes.length] as number
      const feature = await bufferOf(point(longitude, latitude), { distance_m: metres })
      let seen = 0
      for (const [x, y] of rim(feature)) {
        const { distanceM } = inverse(longitude, latitude, x, y)
        expect(Math.abs(distanceM / metres - 1)).toBeLessThan(0.001)
        expect(Math.abs(x)).toBeLessThanOrEqual(180)
        seen++
      }
      expect(seen).toBeGreaterThan(50)
    }
  },
)

test('a closed line that is short compared with the distance leaves no hole', async () => {
  for (const side of [1e-7, 1e-6, 1e-5]) {
    const [ring] = box(10, 47, 10 + side, 47 + side).coordinates as number[][][]
    const clockwise = { type: 'LineString', coordinates: ring?.toReversed() }
    const far = { type: 'MultiPolygon', coordinates: [[ring], box(15, 47, 16, 48).coordinates] }
    for (const shape of [clockwise, { ...clockwise, coordinates: ring }, far]) {
      const feature = await bufferOf(shape, { distance_m: 166 })
      expect(pointIn(feature?.geometry, 10.001, 47.0005)).toBe(true)
      expect(pointIn(feature?.geometry, 10 + side / 3, 47)).toBe(true)
      if (shape !== far) expect(rings(feature)).toHaveLength(1)
    }
  }
})

test('is split at the antimeridian, and covers the pole', async () => {
  const cut = await bufferOf(point(179.99, 10), { distance_m: 5000 })
  expect(cut?.geometry?.type).toBe('MultiPolygon')
  const sides = rings(cut).map((ring) => Math.sign(ring[0]?.[0] ?? 0))
  expect(sides.sort()).toEqual([-1, 1])
  const sql = await postgis()
  const area = async (geometry: unknown): Promise<number> => {
    const [row] = await sql`SELECT ST_Area(ST_GeomFromGeoJSON(${JSON.stringify(geometry)})::geography) AS area`
    return row.area as number
  }
  expect((await area(cut?.geometry)) / (Math.PI * 5000 ** 2)).toBeCloseTo(1, 2)
  const pole = await bufferOf(point(30, 89.99), { distance_m: 10_000 })
  const xs = rings(pole)
    .flat()
    .map(([x]) => x as number)
  expect([Math.min(...xs), Math.max(...xs)]).toEqual([-180, 180])
  expect(
    Math.max(
      ...rings(pole)
        .flat()
        .map(([, y]) => y as number),
    ),
  ).toBe(90)
  const [row] = await sql`SELECT ST_IsValid(ST_GeomFromGeoJSON(${JSON.stringify(pole?.geometry)})) AS valid,
    ST_Covers(ST_GeomFromGeoJSON(${JSON.stringify(pole?.geometry)}), ST_Point(-150, 89.95, 4326)) AS beyond`
  expect(row).toEqual({ valid: true, beyond: true })
})

test('is correct along a line across a continent', async () => {
  const line = {
    type: 'LineString',
    coordinates: [
      [-10, 50],
      [20, 50.5],
      [60, 45],
    ],
  }
  const feature = await bufferOf(line, { distance_m: 10_000 })
  const sql = await postgis()
  const outline = JSON.stringify(feature?.geometry)
  // PostGIS measures from the outline to the line, which is straight in longitude and latitude in GeoJSON
  const [row] = await sql`
    WITH line AS (SELECT ST_Segmentize(ST_GeomFromGeoJSON(${JSON.stringify(line)}), 0.01)::geography AS g)
    SELECT min(d), max(d) FROM (SELECT ST_Distance((dp).geom::geography, g) AS d
      FROM line, ST_DumpPoints(ST_GeomFromGeoJSON(${outline})) AS dp) AS distances`
  expect(row.min).toBeGreaterThan(9_985)
  expect(row.max).toBeLessThan(10_015)
})

test('shrinks polygons and counts those that disappear', async () => {
  const file = geojson([
    [{ name: 'large' }, box(10, 50, 10.1, 50.1)],
    [{ name: 'small' }, box(11, 50, 11.001, 50.001)],
  ])
  const { data, geojson: read } = await runTool('vector.buffer', { file, target_format: 'geojson', distance_m: -500 })
  expect(data).toMatchObject({ featureCount: 1, droppedCount: 1, distanceM: -500, geometryType: 'Polygon' })
  expect(read().features[0]?.properties).toEqual({ name: 'large' })
  const sql = await postgis()
  const [row] =
    await sql`SELECT min(ST_Distance((dp).geom::geography, ST_Boundary(ST_GeomFromGeoJSON(${JSON.stringify(box(10, 50, 10.1, 50.1))}))::geography)) AS d
    FROM ST_DumpPoints(ST_GeomFromGeoJSON(${JSON.stringify(read().features[0]?.geometry)})) AS dp`
  expect(row.d / 500).toBeCloseTo(1, 2)
})

test('units, columns, cap styles and dissolve', async () => {
  const stations = { file: 'stations.geojson', target_format: 'geojson' }
  for (const [unit, metres] of [
    ['km', 1000],
    ['ft', 0.3048],
    ['mi', 1609.344],
  ] as const) {
    const { data } = await runTool('vector.buffer', { ...stations, distance_m: 2, unit })
    expect(data.distanceM).toBeCloseTo(2 * metres, 9)
  }
  const byField = await runTool('vector.buffer', { ...stations, distance_by: 'field', distance_field: 'range_m' })
  const [first] = byField.geojson().features
  for (const [x, y] of rim(first)) expect(inverse(13.1, 52.9, x, y).distanceM / 500).toBeCloseTo(1, 2)
  const dissolved = await runTool('vector.buffer', { ...stations, distance_m: 100_000, dissolve: true })
  expect(dissolved.data).toMatchObject({ featureCount: 1, dissolved: true, geometryType: 'Polygon' })
  const line = {
    type: 'LineString',
    coordinates: [
      [10, 0],
      [10, 0.1],
    ],
  }
  const top = async (cap_style: string): Promise<number> => {
    const feature = await bufferOf(line, { distance_m: 1000, cap_style })
    return Math.max(
      ...rings(feature)
        .flat()
        .map(([, y]) => y as number),
    )
  }
  expect(await top('flat')).toBeCloseTo(0.1, 6)
  expect(await top('square')).toBeCloseTo(0.1 + 1000 / 110_574, 4)
})

test('rejects invalid distances with a reason', async () => {
  const stations = { file: 'stations.geojson', target_format: 'geojson' }
  const code = 'VALIDATION_FAILED'
  expect(await refusal('vector.buffer', { ...stations, distance_m: 0 })).toMatchObject({
    code,
    field: 'distance_m',
    rule: 'notZero',
  })
  expect(await refusal('vector.buffer', { ...stations, distance_m: 101, unit: 'km' })).toMatchObject({
    field: 'distance_m',
    rule: 'range',
  })
  expect(await refusal('vector.buffer', { ...stations, distance_by: 'field' })).toMatchObject({
    field: 'distance_field',
    rule: 'required',
  })
  expect(
    await refusal('vector.buffer', { ...stations, distance_by: 'field', distance_field: 'nowhere' }),
  ).toMatchObject({
    code,
    field: 'distance_field',
    rule: 'column',
  })
  expect(await refusal('vector.buffer', { ...stations, distance_by: 'field', distance_field: 'name' })).toMatchObject({
    field: 'distance_field',
    rule: 'number',
  })
})
