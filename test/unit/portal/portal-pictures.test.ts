/** Features as shapes for pictures, and hit testing of clicks on them, against straightforward geometry. */
import { expect, test } from 'bun:test'
import type { Geometry, Position } from 'geojson'
import { mercatorX, mercatorY } from '../../../src/portal/features/map/engine/asset-index.ts'
import { LINE, POINT, POLYGON, shapesOf } from '../../../src/portal/ui/picture/shapes.ts'
import { touched } from '../../../src/portal/ui/picture/touch.ts'
import { seeded } from '../../support/random.ts'

const SEED = 20_261_122

const square = (x: number, y: number, side: number): Position[] => [
  [x, y],
  [x + side, y],
  [x + side, y + side],
  [x, y + side],
  [x, y],
]
const at = (longitude: number, latitude: number, reach = 0, pointReach = reach) => ({
  x: mercatorX(longitude),
  y: mercatorY(latitude),
  reach: reach / 360,
  pointReach: pointReach / 360,
})

test('each part of a geometry is a shape of its feature', () => {
  const geometries: (Geometry | null)[] = [
    {
      type: 'MultiPoint',
      coordinates: [
        [1, 2],
        [3, 4],
      ],
    },
    null,
    {
      type: 'LineString',
      coordinates: [
        [0, 0],
        [1, 1],
      ],
    },
    {
      type: 'GeometryCollection',
      geometries: [
        { type: 'MultiPolygon', coordinates: [[square(0, 0, 1)], [square(5, 5, 4), square(6, 6, 1)]] },
        { type: 'Point', coordinates: [9, 9] },
      ],
    },
  ]
  const shapes = shapesOf(geometries)
  expect([...shapes.kinds]).toEqual([POINT, POINT, LINE, POLYGON, POLYGON, POINT])
  expect([...shapes.owners]).toEqual([0, 0, 2, 3, 3, 3])
  // the ring of the hole belongs to the second polygon
  expect([...shapes.shapeRings]).toEqual([0, 1, 2, 3, 4, 6, 7])
  expect(shapes.corners.length).toBe(2 * (1 + 1 + 2 + 5 + 5 + 5 + 1))
})

test('outer rings run one way and holes the other, whatever their direction in the file', () => {
  const turnOf = (shapes: ReturnType<typeof shapesOf>, ring: number): number => {
    let sum = 0
    for (let i = shapes.ringCorners[ring] as number; i < (shapes.ringCorners[ring + 1] as number) - 1; i++) {
      const [ax = 0, ay = 0, bx = 0, by = 0] = shapes.corners.subarray(i * 2, i * 2 + 4)
      sum += ax * by - bx * ay
    }
    return Math.sign(sum)
  }
  const outer = square(0, 0, 10)
  const hole = square(2, 2, 3)
  const turns = [false, true].flatMap((isOuterTurned) =>
    [false, true].map((isHoleTurned) => {
      const coordinates = [isOuterTurned ? outer.toReversed() : outer, isHoleTurned ? hole.toReversed() : hole]
      const shapes = shapesOf([{ type: 'Polygon', coordinates }])
      return [turnOf(shapes, 0), turnOf(shapes, 1)]
    }),
  )
  expect(turns).toEqual(Array.from({ length: 4 }, () => [turns[0]?.[0] as number, -(turns[0]?.[0] as number)]))
})

test('values that are not geometries are left out, and the others keep their places', () => {
  const broken = [
    { type: 'Point', coordinates: 'here' },
    { type: 'Polygon', coordinates: [1, 2] },
    { type: 'Polygon', coordinates: [[[1, null], 'x']] },
    { type: 'MultiLineString', coordinates: null },
    { type: 'GeometryCollection', geometries: 7 },
    { type: 'Nothing' },
    { type: 'Point', coordinates: [Number.NaN, 1] },
    { type: 'Polygon', coordinates: [] },
    { type: 'Point', coordinates: [7, 8] },
  ] as unknown as Geometry[]
  const shapes = shapesOf(broken)
  expect([...shapes.owners]).toEqual([8])
  expect(touched(shapes, at(7, 8, 0.1))).toBe(8)
  expect(touched(shapesOf([]), at(7, 8, 0.1))).toBeUndefined()
})

test('a click means points before lines before areas, and the uppermost of a kind', () => {
  const shapes = shapesOf([
    { type: 'Point', coordinates: [5, 5] },
    {
      type: 'LineString',
      coordinates: [
        [0, 5],
        [10, 5],
      ],
    },
    { type: 'Polygon', coordinates: [square(0, 0, 10), square(1, 1, 2)] },
    { type: 'Polygon', coordinates: [square(4, 0, 10)] },
  ])
  expect(touched(shapes, at(5.05, 5, 0.1))).toBe(0)
  expect(touched(shapes, at(7, 5.05, 0.1))).toBe(1)
  expect(touched(shapes, at(7, 7, 0.1))).toBe(3)
  expect(touched(shapes, at(3.5, 7, 0.1))).toBe(2)
  // in the hole, and at its edge
  expect(touched(shapes, at(2, 2, 0.1))).toBeUndefined()
  expect(touched(shapes, at(2.95, 2, 0.1))).toBe(2)
  // a point is as large as its symbol
  expect(touched(shapes, at(5.3, 5.3, 0.1, 0.5))).toBe(0)
  expect(touched(shapes, at(-1, 20, 0.1))).toBeUndefined()
  // an area that contains the place, before an area above it that is only near
  expect(touched(shapes, at(3.95, 7, 0.1))).toBe(2)
})

test('features beyond the antimeridian are found in the visible copy of the world', () => {
  const shapes = shapesOf([{ type: 'Polygon', coordinates: [square(178, 0, 4)] }])
  expect(touched(shapes, at(179, 2))).toBe(0)
  expect(touched(shapes, at(-179, 2))).toBe(0)
  expect(touched(shapes, at(-177, 2))).toBeUndefined()
})

test('the feature of a click is the one that contains the place, among many', () => {
  const random = seeded(SEED)
  const squares = Array.from({ length: 2_000 }, () => ({
    x: random() * 300 - 150,
    y: random() * 120 - 60,
    side: random() * 5,
  }))
  const shapes = shapesOf(squares.map(({ x, y, side }) => ({ type: 'Polygon', coordinates: [square(x, y, side)] })))
  let hits = 0
  for (let i = 0; i < 3_000; i++) {
    const [x, y] = [random() * 300 - 150, random() * 120 - 60]
    const expected = squares.findLastIndex(
      (one) => x > one.x && x < one.x + one.side && y > one.y && y < one.y + one.side,
    )
    if (expected >= 0) hits++
    expect(touched(shapes, at(x, y)) ?? -1, `seed ${SEED}, click ${i}`).toBe(expected)
  }
  expect(hits).toBeGreaterThan(100)
})
