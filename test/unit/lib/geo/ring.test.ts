/** Points and rings: relations compared with GEOS, distances with geodesics to finely divided edges. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { encodeGeometry } from '../../../../src/lib/geo/formats/geojson/geojson-geometry.ts'
import { distanceM } from '../../../../src/lib/geo/geometry/geodesic.ts'
import { loadGeos } from '../../../../src/lib/geo/geometry/geos.ts'
import { locate, ringOf } from '../../../../src/lib/geo/geometry/ring.ts'
import type { Position } from '../../../support/formats/any-geometry.ts'
import { star } from '../../../support/formats/geometries.ts'
import { runs } from '../../../support/fuzz.ts'
import { seeded } from '../../../support/random.ts'

const geos = await loadGeos()

type Place = { seed: number; x: number; y: number; radius: number }
const place = (latitude: number, radius: number): fc.Arbitrary<Place> =>
  fc.record({
    seed: fc.nat(),
    x: fc.integer({ min: -180, max: 180 }),
    y: fc.integer({ min: -latitude, max: latitude }),
    radius: fc.constantFrom(0.001, 0.1, 1, radius),
  })
const starOf = ({ seed, x, y, radius }: Place): Position[] => star(seeded(seed), x, y, radius, 5 + (seed % 20))

/** A point within a box of twice the radius around the middle of a star. */
const near = ({ x, y, radius }: Place, [across, up]: [number, number]): [number, number] => [
  x + 2 * radius * across,
  y + 2 * radius * up,
]
const share = fc.integer({ min: -1e6, max: 1e6 }).map((millionths) => millionths / 1e6)

test('points are inside, outside or on the boundary as in GEOS', () => {
  let [inside, outside] = [0, 0]
  fc.assert(
    fc.property(place(60, 10), fc.array(fc.tuple(share, share), { minLength: 5, maxLength: 5 }), (where, shares) => {
      const positions = starOf(where)
      const ring = ringOf(positions)
      const geometry = geos.read(encodeGeometry({ type: 'Polygon', coordinates: [positions] }).wkb)
      const prepared = geos.prepare(geometry)
      for (const one of shares) {
        const [x, y] = near(where, one)
        const { position } = locate(ring, x, y)
        if (position === 'inside') inside++
        if (position === 'outside') outside++
        expect([x, y, position !== 'outside']).toEqual([x, y, geos.holds(prepared, x, y)])
      }
      geos.unprepare(prepared)
      geos.free(geometry)
    }),
    runs(300),
  )
  expect(Math.min(inside, outside)).toBeGreaterThan(100)
})

test('corners and points along edges are the boundary, at distance 0', () => {
  fc.assert(
    fc.property(place(60, 10), fc.nat(), fc.nat({ max: 100 }), (where, edge, percent) => {
      const positions = starOf(where)
      const i = edge % (positions.length - 1)
      const [[x1 = 0, y1 = 0], [x2 = 0, y2 = 0]] = [positions[i] as Position, positions[i + 1] as Position]
      const t = percent / 100
      expect(locate(ringOf(positions), x1 + t * (x2 - x1), y1 + t * (y2 - y1))).toEqual({
        position: 'boundary',
        distanceM: 0,
      })
    }),
    runs(500),
  )
})

/** The distance to an edge, straight in degrees, which is divided finely, and again near the closest point. */
function wayToEdge([x1, y1]: Position, [x2, y2]: Position, px: number, py: number): number {
  let [best, nearest] = [Number.POSITIVE_INFINITY, 0]
  for (let [low, high, round] = [0, 1, 0]; round < 4; round++) {
    for (let i = 0; i <= 200; i++) {
      const t = low + (i / 200) * (high - low)
      const x = (x1 as number) + t * ((x2 as number) - (x1 as number))
      const y = (y1 as number) + t * ((y2 as number) - (y1 as number))
      const way = distanceM(x, y, px, py)
      if (way < best) [best, nearest] = [way, t]
    }
    const step = (high - low) / 200
    ;[low, high] = [Math.max(0, nearest - step), Math.min(1, nearest + step)]
  }
  return best
}

test('the distance to the ring is the distance to the nearest point of any edge, also near poles and across the earth', () => {
  const wide = fc.record({
    seed: fc.nat(),
    x: fc.integer({ min: -180, max: 180 }),
    y: fc.integer({ min: -85, max: 85 }),
    radius: fc.constantFrom(0.001, 0.1, 1, 4),
  })
  const far = fc.tuple(fc.integer({ min: -180, max: 180 }), fc.integer({ min: -90, max: 90 }))
  fc.assert(
    fc.property(
      wide,
      fc.oneof({ weight: 3, arbitrary: fc.tuple(share, share) }, fc.constant(null)),
      far,
      (where, shares, away) => {
        const positions = star(seeded(where.seed), where.x, where.y, where.radius, 5 + (where.seed % 6))
        const [px, py] = shares === null ? away : near(where, shares)
        fc.pre(Math.abs(py) <= 90)
        const { distanceM: ours } = locate(ringOf(positions), px, py)
        const expected = Math.min(
          ...positions.slice(1).map((end, i) => wayToEdge(positions[i] as Position, end, px, py)),
        )
        // a millimetre, or the error of the finest division
        expect([px, py, Math.abs(ours - expected) <= 1e-3 + 1e-7 * expected || ours === 0]).toEqual([px, py, true])
      },
    ),
    { ...runs(40), examples: [[{ seed: 2_147_483_647, x: -75, y: 6, radius: 1 }, null, [-84, -54]]] },
  )
})

test('edges of thousands of kilometres are measured correctly', () => {
  const corner = fc.tuple(
    fc.integer({ min: -80, max: 80 }),
    fc.integer({ min: -80, max: 80 }),
  ) as fc.Arbitrary<Position>
  const anywhere = fc.tuple(fc.integer({ min: -100, max: 100 }), fc.integer({ min: -89, max: 89 }))
  fc.assert(
    fc.property(corner, corner, corner, anywhere, (a, b, c, [px, py]) => {
      const positions = [a, b, c, a]
      const { position, distanceM: ours } = locate(ringOf(positions), px, py)
      const expected = Math.min(...positions.slice(1).map((end, i) => wayToEdge(positions[i] as Position, end, px, py)))
      if (position !== 'boundary') expect(Math.abs(ours - expected)).toBeLessThan(1e-2 + 1e-6 * expected)
    }),
    {
      ...runs(60),
      examples: [
        [
          [0, -12],
          [-72, 41],
          [74, -65],
          [15, 56],
        ],
      ],
    },
  )
})

test('multiples of 360 degrees change nothing, nor do the start of a ring, its orientation, or whether it is closed', () => {
  const turn = fc.constantFrom(-360, 0, 360)
  fc.assert(
    fc.property(
      place(60, 10),
      fc.tuple(share, share),
      fc.array(turn, { minLength: 30 }),
      fc.nat(),
      (where, one, turns, start) => {
        const positions = starOf(where)
        const [px, py] = near(where, one)
        const { position, distanceM: way } = locate(ringOf(positions), px, py)
        const open = positions.slice(0, -1)
        const moved = open.map((_, i) => open[(i + start) % open.length] as Position)
        const rolled = moved.map(([x = 0, y = 0]) => [x + (turns[1] as number), y])
        for (const same of [open, moved, rolled, rolled.toReversed()]) {
          const found = locate(ringOf(same), px + (turns[0] as number), py)
          expect(found.position).toBe(position)
          expect(Math.abs(found.distanceM - way)).toBeLessThan(1e-5)
        }
      },
    ),
    runs(200),
  )
})
