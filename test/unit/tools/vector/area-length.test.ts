/** Areas and lengths, compared with PostGIS' geography, which uses GeographicLib in C. */
import { expect, test } from 'bun:test'
import { randomPolygons } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { postgis } from '../../../support/stores/postgis.ts'
import { box, geojson, point, runTool } from '../../../support/workers/engine.ts'

const shapes = [
  ...randomPolygons(seeded(10), 50, 60, 3),
  box(170, -5, 180, 5),
  box(-180, 80, 180, 89),
  box(0, 0, 1e-5, 1e-5),
  { type: 'Polygon', coordinates: [...box(0, 0, 4, 4).coordinates, box(1, 1, 2, 2).coordinates[0]] },
  { type: 'MultiPolygon', coordinates: [box(0, 0, 1, 1).coordinates, box(5, 5, 6, 6).coordinates] },
]
const lines = [
  {
    type: 'LineString',
    coordinates: [
      [13.405, 52.52],
      [31.2357, 30.0444],
      [36.8219, -1.2921],
    ],
  },
  {
    type: 'MultiLineString',
    coordinates: [
      [
        [179, 0],
        [180, 0],
      ],
      [
        [-180, 0],
        [-179, 1],
      ],
    ],
  },
]

test('matches PostGIS to 1e-9', async () => {
  const sql = await postgis()
  const truth = async (geometry: unknown, what: string): Promise<number> =>
    (await sql.unsafe(`SELECT ${what}(ST_GeomFromGeoJSON($1)::geography) AS value`, [JSON.stringify(geometry)]))[0]
      .value
  const { data, geojson: read } = await runTool('vector.area-length', {
    file: geojson([...shapes, ...lines, point(1, 1)].map((geometry, i) => [{ i }, geometry])),
    target_format: 'geojson',
  })
  expect(data).toMatchObject({ measuredAreas: shapes.length, measuredLengths: 2, inputFeatureCount: shapes.length + 3 })
  const near = (value: unknown, wanted: number): void =>
    expect(Math.abs((value as number) / wanted - 1)).toBeLessThan(1e-9)
  let [area, length] = [0, 0]
  for (const { properties, geometry } of read().features.slice(0, -1)) {
    // PostGIS inverts a polygon that is larger than a hemisphere
    if (properties.i === 51) continue
    if (properties.length_m === null) {
      near(properties.area_m2, await truth(geometry, 'ST_Area'))
      near(properties.perimeter_m, await truth(geometry, 'ST_Perimeter'))
    } else near(properties.length_m, await truth(geometry, 'ST_Length'))
  }
  for (const { properties } of read().features) {
    area += Number(properties.area_m2)
    length += Number(properties.length_m)
  }
  near(data.totalAreaM2, area)
  near(data.totalLengthM, length)
})
