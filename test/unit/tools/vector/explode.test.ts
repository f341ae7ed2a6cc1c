/** Split multi-part geometries: number of parts, and attributes on each. */
import { expect, test } from 'bun:test'
import { geojson, point, runTool } from '../../../support/workers/engine.ts'

test('parts become features, including nested collections', async () => {
  const file = geojson([
    [
      { n: 1 },
      {
        type: 'MultiPoint',
        coordinates: [
          [0, 0],
          [1, 1],
          [2, 2],
        ],
      },
    ],
    [{ n: 2 }, point(5, 5)],
    [
      { n: 3 },
      {
        type: 'GeometryCollection',
        geometries: [
          point(7, 7),
          {
            type: 'MultiLineString',
            coordinates: [
              [
                [0, 0],
                [1, 1],
              ],
              [
                [2, 2],
                [3, 3],
              ],
            ],
          },
        ],
      },
    ],
    [{ n: 4 }, null],
  ])
  const { data, geojson: read } = await runTool('vector.explode', { file, target_format: 'geojson' })
  expect(data).toMatchObject({ inputFeatureCount: 4, multipartCount: 2, partsCreated: 6, featureCount: 8 })
  expect(read().features.map(({ properties, geometry }) => `${properties.n} ${geometry?.type ?? 'none'}`)).toEqual([
    '1 Point',
    '1 Point',
    '1 Point',
    '2 Point',
    '3 Point',
    '3 LineString',
    '3 LineString',
    '4 none',
  ])
})
