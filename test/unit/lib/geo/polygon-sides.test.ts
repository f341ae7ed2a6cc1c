/**
 * Positions inside polygons and near them, compared with rays, and with the least of many geodesics (GeographicLib) to
 * each edge. Edges are straight in longitude and latitude.
 */
import { expect, test } from 'bun:test'
import { distanceM } from '../../../../src/lib/geo/geometry/geodesic.ts'
import { loadGeos } from '../../../../src/lib/geo/geometry/geos.ts'
import { onGlobe, polygonWkb } from '../../../../src/lib/geo/geometry/globe.ts'
import { GeometrySet } from '../../../../src/lib/geo/overlay/geometry-set.ts'
import { PolygonSides } from '../../../../src/lib/geo/overlay/polygon-sides.ts'
import { type Random, seeded, testSeed, whole } from '../../../support/random.ts'
import { rounds } from '../../../support/rounds.ts'

type Ring = [longitude: number, latitude: number][]

/** More than the deviation of a piece, and than what the search below leaves out. */
const TOLERANCE_M = 0.03

const some = <T>(random: Random, list: readonly T[]): T => list[whole(random, list.length)] as T

const geos = await loadGeos()

async function sidesOf(polygons: readonly Ring[][]): Promise<PolygonSides> {
  const wkbs = polygons.map((rings) => onGlobe(geos, polygonWkb(rings.map((ring) => ring.flat()))))
  return new PolygonSides(new GeometrySet(geos, (index) => wkbs[index] as Uint8Array, wkbs.length, 'globe'))
}

function holds(rings: readonly Ring[], x: number, y: number): boolean {
  const crossed = rings.flatMap((ring) =>
    ring.slice(1).filter(([x2, y2], i) => {
      const [x1, y1] = ring[i] as [number, number]
      return y1 > y !== y2 > y && x < x1 + ((y - y1) / (y2 - y1)) * (x2 - x1)
    }),
  )
  return crossed.length % 2 === 1
}

/** By thirds, from the best of many places on the edge. */
function edgeDistanceM(x: number, y: number, [x1, y1]: Ring[0], [x2, y2]: Ring[0]): number {
  const at = (share: number): number => distanceM(x, y, x1 + share * (x2 - x1), y1 + share * (y2 - y1))
  const STEPS = 6
  const tried = Array.from({ length: STEPS + 1 }, (_, i) => at(i / STEPS))
  const best = tried.indexOf(Math.min(...tried))
  let [from, to] = [Math.max(0, best - 1) / STEPS, Math.min(STEPS, best + 1) / STEPS]
  for (let i = 0; i < 30; i++) {
    const third = (to - from) / 3
    if (at(from + third) < at(to - third)) to -= third
    else from += third
  }
  return at((from + to) / 2)
}

const outsideM = (rings: readonly Ring[], x: number, y: number): number =>
  Math.min(...rings.flatMap((ring) => ring.slice(1).map((to, i) => edgeDistanceM(x, y, ring[i] as Ring[0], to))))

/** A star around a place, and sometimes a hole in it. */
function anyPolygon(random: Random, x: number, y: number, radiusM: number): Ring[] {
  const corners = 3 + whole(random, 8)
  const star = (share: number): Ring => {
    const ring = Array.from({ length: corners }, (_, i): Ring[0] => {
      const angle = (i / corners) * 2 * Math.PI
      const m = radiusM * share * (0.5 + random() / 2)
      const degrees = m / 111_320
      return [x + (degrees * Math.cos(angle)) / Math.cos((y * Math.PI) / 180), y + degrees * Math.sin(angle)]
    })
    return [...ring, ring[0] as Ring[0]]
  }
  return random() < 0.4 ? [star(1), star(0.4)] : [star(1)]
}

const PLACES = [
  [31.2, 30.05],
  [0, 0],
  [-70.9, -53.1],
  [25, 71],
  [179.99, -16.5],
  [-179.98, 65],
  [40, 84.5],
] as const

test(`random polygons and positions, seed ${testSeed}`, async () => {
  const random = seeded(testSeed)
  const counts = { inside: 0, near: 0, outside: 0 }
  for (let round = 0; round < rounds(14, 350); round++) {
    const [x0, y0] = PLACES[round % PLACES.length] as (typeof PLACES)[number]
    const radiusM = some(random, [150, 3_000, 20_000])
    const bufferM = some(random, [0, 3, 60, 1_500, 10_000])
    const spread = (radiusM + bufferM) / 111_320
    const polygons = Array.from({ length: 5 }, () =>
      anyPolygon(random, x0 + (random() - 0.5) * spread, y0 + (random() - 0.5) * spread, radiusM),
    )
    const sides = await sidesOf(polygons)
    for (let i = 0; i < 6; i++) {
      // at the length of the buffer from a corner, more or less
      const [cornerX, cornerY] = some(random, some(random, some(random, polygons)))
      const degrees = ((bufferM + radiusM / 20) * 2 * random()) / 111_320
      const angle = random() * 2 * Math.PI
      const y = cornerY + degrees * Math.sin(angle)
      const x = cornerX + (degrees * Math.cos(angle)) / Math.cos((y * Math.PI) / 180)
      const longitude = x > 180 ? x - 360 : x < -180 ? x + 360 : x
      const found = sides.at(longitude, y, bufferM)
      polygons.forEach((rings, index) => {
        const isInside = holds(rings, x, y)
        const awayM = outsideM(rings, x, y)
        // rays and rounded longitudes do not decide on the edge
        if (awayM < 1e-6 || (!isInside && Math.abs(awayM - bufferM) < TOLERANCE_M)) return
        const side = isInside ? 'inside' : awayM < bufferM ? 'near' : 'outside'
        const answer = found.inside.includes(index) ? 'inside' : found.near.includes(index) ? 'near' : 'outside'
        expect({ round, i, index, rings, longitude, y, bufferM, awayM, side: answer }).toMatchObject({ side })
        counts[side]++
      })
      expect(found.inside).toEqual(found.inside.toSorted((a, b) => a - b))
    }
  }
  for (const count of Object.values(counts)) expect(count).toBeGreaterThan(50)
})

test('edges, corners, holes, and both sides of the antimeridian', async () => {
  const square = (x: number, y: number, size: number): Ring => [
    [x, y],
    [x + size, y],
    [x + size, y + size],
    [x, y + size],
    [x, y],
  ]
  const sides = await sidesOf([
    [square(10, 10, 1), square(10.25, 10.25, 0.5)],
    [square(179.5, 0, 1)],
    [square(30, 10, 1)],
    [square(31, 10, 1)],
  ])
  const at = (x: number, y: number, bufferM = 0) => [sides.at(x, y, bufferM).inside, sides.at(x, y, bufferM).near]
  // edge, corner, edge of the hole
  for (const [x, y] of [
    [10, 10.6],
    [10.4, 11],
    [10, 10],
    [10.25, 10.5],
    [10.75, 10.75],
  ] as const)
    expect(at(x, y)).toEqual([[0], []])
  expect(at(10.5, 10.5)).toEqual([[], []])
  // the common edge of two polygons belongs to both
  expect(at(31, 10.5)).toEqual([[2, 3], []])
  for (const x of [180, -180, 179.9, -179.9, 179.5, -179.5]) expect(at(x, 0.5)).toEqual([[1], []])
  // a degree of longitude has 111,319.49 m at the equator
  expect(at(-179.5 + 499 / 111_319.49, 0, 500)).toEqual([[], [1]])
  expect(at(-179.5 + 501 / 111_319.49, 0, 500)).toEqual([[], []])
  // in the middle of a hole of half a degree: 27,647.6 m to its northern edge, 27,372 m to the sides
  expect(at(10.5, 10.5, 27_300)).toEqual([[], []])
  expect(at(10.5, 10.5, 27_400)).toEqual([[], [0]])
})

test('a zone around a pole', async () => {
  const rim = Array.from({ length: 37 }, (_, i): Ring[0] => [-180 + i * 10, 89.5])
  const sides = await sidesOf([[[...rim, [180, 90], [-180, 90], [-180, 89.5]]]])
  for (const x of [-180, -97.3, 0, 12.5, 180]) {
    expect(sides.at(x, 89.6, 0).inside).toEqual([0])
    // a hundredth of a degree of the meridian has 1,116.9 m here
    expect(sides.at(x, 89.49, 1_120)).toEqual({ inside: [], near: [0] })
    expect(sides.at(x, 89.49, 1_110)).toEqual({ inside: [], near: [] })
  }
  // across the pole: 0.05 degrees on either side of it
  const cap = await sidesOf([
    [
      [
        [0, 89.95],
        [90, 89.95],
        [90, 90],
        [0, 90],
        [0, 89.95],
      ],
    ],
  ])
  expect(cap.at(-135, 89.95, 5_700).near).toEqual([0])
  expect(cap.at(-135, 89.95, 5_500).near).toEqual([])
})
