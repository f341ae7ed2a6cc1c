/** Lines closed to polygons, with measures compared with PostGIS. */
import { expect, test } from 'bun:test'
import { postgis } from '../../../support/stores/postgis.ts'
import { refusal, runTool } from '../../../support/workers/engine.ts'

type Stats = { areaM2: number; perimeterM: number; compactness: number; centroid: unknown; orientation: string }
const statsOf = async (coordinates: number[][]) =>
  (await runTool('vector.line-to-polygon', { coordinates })).data.stats as Stats

test('measures a square degree', async () => {
  const coordinates = [
    [0, 0],
    [1, 0],
    [1, 1],
    [0, 1],
  ]
  const { data } = await runTool('vector.line-to-polygon', { coordinates })
  const sql = await postgis()
  const [row] = await sql`SELECT ST_Area(g) AS area, ST_Perimeter(g) AS perimeter
    FROM (SELECT ST_GeomFromGeoJSON(${JSON.stringify(data.polygon)})::geography AS g) AS squares`
  const { areaM2, perimeterM, compactness, centroid, ...rest } = data.stats as Stats
  expect(areaM2 / row.area).toBeCloseTo(1, 9)
  expect(perimeterM / row.perimeter).toBeCloseTo(1, 9)
  expect(compactness).toBeCloseTo((4 * Math.PI * row.area) / row.perimeter ** 2, 9)
  expect(centroid).toEqual([expect.closeTo(0.5, 3), expect.closeTo(0.5, 3)])
  expect<unknown>(rest).toEqual({
    vertexCount: 4,
    bbox: [0, 0, 1, 1],
    isValid: true,
    isConvex: true,
    orientation: 'counterclockwise',
  })
})

test('orientation, convexity and self-intersection', async () => {
  expect(
    await statsOf([
      [0, 0],
      [0, 1],
      [1, 1],
      [1, 0],
    ]),
  ).toMatchObject({ orientation: 'clockwise', isConvex: true })
  expect(
    await statsOf([
      [0, 0],
      [4, 0],
      [4, 4],
      [2, 1],
      [0, 4],
    ]),
  ).toMatchObject({ isConvex: false, isValid: true, vertexCount: 5 })
  expect(
    await statsOf([
      [0, 0],
      [1, 1],
      [1, 0],
      [0, 1],
    ]),
  ).toMatchObject({ isValid: false, isConvex: false })
  const { data } = await runTool('vector.line-to-polygon', {
    coordinates: [
      [0, 0],
      [0, 1],
      [1, 1],
      [0, 0],
    ],
  })
  // RFC 7946: outer rings run counter-clockwise
  expect(data.polygon as unknown).toEqual({
    type: 'Polygon',
    coordinates: [
      [
        [0, 0],
        [1, 1],
        [0, 1],
        [0, 0],
      ],
    ],
  })
})

test('rejects positions that make no polygon', async () => {
  const id = 'vector.line-to-polygon'
  expect(
    await refusal(id, {
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    }),
  ).toMatchObject({ field: 'coordinates', rule: 'minItems' })
  expect(
    await refusal(id, {
      coordinates: [
        [0, 0],
        [1, 1],
        [0, 0],
      ],
    }),
  ).toMatchObject({ field: 'coordinates', rule: 'distinct' })
  expect(
    await refusal(id, {
      coordinates: [
        [0, 0],
        [181, 1],
        [2, 2],
      ],
    }),
  ).toMatchObject({ field: 'coordinates.1.0', rule: 'range' })
  expect(await refusal(id, { coordinates: [[0, 0], [1], [2, 2]] })).toMatchObject({
    field: 'coordinates.1',
    rule: 'minItems',
  })
  expect(await refusal(id, { coordinates: 'no' })).toMatchObject({ field: 'coordinates' })
})
