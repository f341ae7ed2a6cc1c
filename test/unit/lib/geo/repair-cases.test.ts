/** Invalid polygons and the area of each after its repair. */
import { expect, test } from 'bun:test'
import { encodeGeometry } from '../../../../src/lib/geo/formats/geojson/geojson-geometry.ts'
import { loadGeos } from '../../../../src/lib/geo/geometry/geos.ts'
import { validOrRepaired } from '../../../../src/lib/geo/geometry/repair.ts'
import type { Wkb } from '../../../../src/lib/geo/geometry/wkb.ts'
import type { AnyGeometry } from '../../../support/formats/any-geometry.ts'

const geos = await loadGeos()
const encoded = (geometry: AnyGeometry): Wkb => encodeGeometry(geometry).wkb

test.each<[string, AnyGeometry, number | null]>([
  [
    'a bow-tie is two triangles',
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [2, 2],
          [2, 0],
          [0, 2],
          [0, 0],
        ],
      ],
    },
    2,
  ],
  [
    'a hole outside its polygon is a separate polygon',
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [0, 1],
          [0, 0],
        ],
        [
          [2, 2],
          [3, 2],
          [3, 3],
          [2, 2],
        ],
      ],
    },
    1.5,
  ],
  [
    'a hole across the edge is subtracted',
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [2, 0],
          [2, 2],
          [0, 2],
          [0, 0],
        ],
        [
          [1, 1],
          [3, 1],
          [3, 3],
          [1, 3],
          [1, 1],
        ],
      ],
    },
    3,
  ],
  [
    'two parts that overlap are one',
    {
      type: 'MultiPolygon',
      coordinates: [
        [
          [
            [0, 0],
            [2, 0],
            [2, 2],
            [0, 2],
            [0, 0],
          ],
        ],
        [
          [
            [1, 1],
            [3, 1],
            [3, 3],
            [1, 3],
            [1, 1],
          ],
        ],
      ],
    },
    7,
  ],
  [
    'a spike is cut off',
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 0],
          [1, 1],
          [5, 1],
          [1, 1],
          [0, 1],
          [0, 0],
        ],
      ],
    },
    1,
  ],
  [
    'a ring that touches itself at three places is one polygon',
    {
      type: 'Polygon',
      coordinates: [
        [
          [2, 1],
          [3, 0],
          [2, 0],
          [2, 1],
          [0, 0],
          [2, 0],
          [2, 1],
        ],
      ],
    },
    1.5,
  ],
  [
    'a ring whose shells and holes GEOS cannot distinguish becomes the area that its lines enclose',
    {
      type: 'Polygon',
      coordinates: [
        [
          [1, 5],
          [6, 0],
          [5, 1],
          [1, 6],
          [6, 0],
          [0, 6],
          [1, 5],
        ],
      ],
    },
    0.5,
  ],
  [
    'a ring that returns along the same line is removed',
    {
      type: 'Polygon',
      coordinates: [
        [
          [0, 0],
          [1, 1],
          [2, 2],
          [0, 0],
        ],
      ],
    },
    null,
  ],
])('%s', (_, geometry, area) => {
  const repaired = validOrRepaired(geos, encoded(geometry))
  if (repaired === null || area === null) expect([repaired, area]).toEqual([null, null])
  else {
    const pointer = geos.read(repaired)
    expect(geos.validReason(pointer)).toBe('Valid Geometry')
    expect(geos.area(pointer)).toBeCloseTo(area, 12)
    geos.free(pointer)
  }
})
