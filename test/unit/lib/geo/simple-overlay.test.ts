import { expect, test } from 'bun:test'
import { loadGeos, type Overlay, PREDICATES } from '../../../../src/lib/geo/geometry/geos.ts'
import { polygonWkb } from '../../../../src/lib/geo/geometry/globe.ts'
import type { SimpleRing } from '../../../../src/lib/geo/geometry/ring-crossings.ts'
import type { Wkb } from '../../../../src/lib/geo/geometry/wkb.ts'
import { type Area, overlayOf } from '../../../../src/lib/geo/overlay/area-overlay.ts'
import {
  isSurelyValid,
  polygonsOf,
  simpleIntersection,
  simpleRelation,
  simpleRing,
  simpleUnion,
} from '../../../../src/lib/geo/overlay/simple-overlay.ts'
import { star } from '../../../support/formats/geometries.ts'
import { seeded } from '../../../support/random.ts'
import { rounds } from '../../../support/rounds.ts'

const geos = await loadGeos()

type Ring = number[][]
const polygon = (ring: Ring): Wkb => polygonWkb([ring.flat()])
const bytes = (wkb: Wkb | null): string => (wkb === null ? 'nothing' : Buffer.from(wkb).toString('hex'))

/** The result of GEOS for one or several polygons that are subtracted or intersected in turn. */
function byGeos(operation: Overlay, first: Wkb, others: readonly Wkb[]): Wkb | null {
  let result = geos.read(first)
  for (const other of others) {
    const read = geos.read(other)
    const next = geos.overlay(operation, result, read)
    for (const used of [read, result]) geos.free(used)
    result = next
  }
  const wkb = geos.isEmpty(result) ? null : geos.write(result)
  geos.free(result)
  return wkb
}

/**
 * Compares every result with GEOS, byte by byte.
 * @returns the share of pairs that did not need GEOS
 */
function compare(pairs: readonly (readonly [Ring, Ring])[]): number {
  let found = 0
  for (const [one, other] of pairs) {
    const [a, b] = [polygon(one), polygon(other)]
    const [ringA, ringB] = [simpleRing(a), simpleRing(b)]
    if (ringA === undefined || ringB === undefined) continue
    const common = simpleIntersection(ringA, ringB)
    const rest = overlayOf([ringA], [ringB], 'difference')
    if (common !== undefined) {
      found++
      const expected = byGeos('intersection', a, [b])
      if (common[0] === ringA) {
        // callers use the polygon unchanged
        const [whole, inside] = [geos.read(a), geos.read(b)]
        const prepared = geos.prepare(inside)
        expect(geos.testPrepared('covers', inside, prepared, whole)).toBe(true)
        geos.unprepare(prepared)
        for (const read of [whole, inside]) geos.free(read)
      } else expect(bytes(polygonsOf(common))).toBe(bytes(expected))
    }
    const relation = simpleRelation(ringA, ringB)
    expect(relation === undefined).toBe(common === undefined)
    if (relation !== undefined) {
      const [first, second] = [geos.read(a), geos.read(b)]
      const holding = PREDICATES.filter((predicate) => geos.test(predicate, first, second))
      expect(holding).toEqual(relation === 'disjoint' ? [] : ['intersects', relation])
      for (const read of [first, second]) geos.free(read)
    }
    if (rest !== undefined) expect(bytes(polygonsOf(rest))).toBe(bytes(byGeos('difference', a, [b])))
  }
  return found / pairs.length
}

const turned = (ring: Ring, isTurned: boolean): Ring => (isTurned ? ring.toReversed() : ring)

/** Stars with 3 to 22 corners in both directions. */
function starsAround(random: () => number, x: number, y: number, radius: number): [Ring, Ring] {
  const one = (): Ring => {
    const [dx, dy] = [(random() - 0.5) * 2 * radius, (random() - 0.5) * 2 * radius]
    const ring = star(random, x + dx, y + dy, radius * (0.3 + random()), 3 + Math.floor(random() * 20))
    return turned(ring, random() < 0.5)
  }
  return [one(), one()]
}

test.each([
  ['parcels in degrees', 8.5, 47.3, 0.001],
  ['countries', -60, -20, 15],
  ['around the origin', 0, 0, 0.01],
  ['metres of a projection', 500_000, 5_300_000, 120],
  ['buildings in degrees', 179.99, 0.0001, 0.0001],
])('results match GEOS, byte by byte: %s', (_name, x, y, radius) => {
  const random = seeded(x + radius)
  const pairs = Array.from({ length: rounds(400, 4_000) }, () => starsAround(random, x, y, radius))
  expect(compare(pairs)).toBeGreaterThan(0.95)
})

test.each([
  ['whole numbers', 1, 6, 6],
  ['two thousandths of a degree', 0.002, 7.2, 48.1],
])('results where boundaries touch equal the results of GEOS: %s', (_name, cell, x, y) => {
  const random = seeded(5)
  const onGrid = (ring: Ring): Ring =>
    ring.map((position) => position.map((value) => Math.round(value / cell) / Math.round(1 / cell)))
  const isValid = (ring: Ring): boolean => {
    const read = geos.read(polygon(ring))
    const valid = geos.isValid(read)
    geos.free(read)
    return valid
  }
  const stars = Array.from(
    { length: rounds(4_000, 40_000) },
    () => starsAround(random, x, y, cell * 5).map(onGrid) as [Ring, Ring],
  )
  const valid = stars.filter((pair) => pair.every(isValid))
  expect(valid.length).toBeGreaterThan(stars.length / 4)
  // most have a vertex on the other boundary
  expect(compare(valid)).toBeWithin(0.05, 0.6)
})

test.each([
  ['stars', true, (random: () => number) => starsAround(random, 8.5, 47.3, 0.001)[0]],
  ['random corners', false, (random: () => number) => randomRing(random, () => random())],
  ['corners on a grid', false, (random: () => number) => randomRing(random, () => Math.floor(random() * 8))],
])('polygons found valid without GEOS are valid: %s', (_name, areAllValid, make) => {
  const random = seeded(7)
  const counts = { valid: 0, found: 0 }
  for (let i = 0; i < rounds(4_000, 20_000); i++) {
    const wkb = polygon(make(random))
    const read = geos.read(wkb)
    const isValid = geos.isValid(read)
    geos.free(read)
    if (isValid) counts.valid++
    if (!isSurelyValid(wkb)) continue
    counts.found++
    expect(isValid).toBe(true)
  }
  expect(counts.found).toBeGreaterThan(counts.valid * (areAllValid ? 0.99 : 0.3))
  expect(counts.valid).toBeGreaterThan(rounds(200, 1_000))
})

/** Polygons of 3 to 8 random corners. */
function randomRing(random: () => number, coordinate: () => number): Ring {
  const corners = Array.from({ length: 3 + Math.floor(random() * 6) }, () => [coordinate(), coordinate()])
  return [...corners, corners[0] as number[]]
}

test('NaN is not found valid', () => {
  for (const wrong of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY])
    expect(isSurelyValid(polygonWkb([[0, 0, 4, 0, wrong, 4, 0, 4, 0, 0]]))).toBe(false)
})

test('almost touching boundaries are left to GEOS', () => {
  const square = (x: number, y: number, size: number): Ring => {
    const corners = [
      [x, y - size],
      [x + size, y],
      [x, y + size],
      [x - size, y],
    ]
    return [...corners, corners[0] as number[]]
  }
  const a = simpleRing(polygon(square(7, 48, 0.01))) as SimpleRing
  // less than a hundredth of a millimetre from each other, and a metre
  const near = simpleRing(polygon(square(7.02 + 1e-13, 48, 0.01))) as SimpleRing
  const apart = simpleRing(polygon(square(7.02 + 1e-5, 48, 0.01))) as SimpleRing
  expect(simpleIntersection(a, near)).toBeUndefined()
  expect(simpleIntersection(a, apart)).toEqual([])
  expect(simpleIntersection(a, a)).toBeUndefined()
})

test('the rest after many differences equals the result of GEOS, byte by byte', () => {
  const random = seeded(11)
  let found = 0
  let holes = 0
  const count = rounds(100, 1_000)
  for (let i = 0; i < count; i++) {
    const [first, ...others] = Array.from({ length: 9 }, () => starsAround(random, 12, 50, 0.02)[0])
    const a = polygon(first as Ring)
    const masks = others.map(polygon)
    let rest: Area | undefined = [simpleRing(a) as SimpleRing]
    for (const mask of masks) rest = rest && overlayOf(rest, [simpleRing(mask) as SimpleRing], 'difference')
    if (rest === undefined) continue
    found++
    holes += rest.filter(({ isHole }) => isHole).length
    expect(bytes(polygonsOf(rest))).toBe(bytes(byGeos('difference', a, masks)))
  }
  expect(found).toBeGreaterThan(count * 0.95)
  expect(holes).toBeGreaterThan(0)
})

test.each([
  ['2 to 5', 2, 0.03, 0.95],
  ['6 to 10', 6, 0.04, 0.9],
  ['11 to 22', 11, 0.06, 0.8],
  ['40 to 80', 40, 0.15, 0.2],
])('unions of %s polygons, and their intersections with another one, match GEOS', (_name, least, extent, share) => {
  const random = seeded(least)
  const cases = rounds(100, 1_000)
  let found = 0
  let holes = 0
  for (let i = 0; i < cases; i++) {
    const count = Math.floor(least * (1 + random()))
    const members = Array.from({ length: count }, () => {
      const [x, y] = [8 + random() * extent, 47 + random() * extent]
      return polygon(starsAround(random, x, y, 0.01)[0])
    })
    const a = polygon(starsAround(random, 8 + extent / 2, 47 + extent / 2, extent / 2)[0])
    const union = simpleUnion(members.map((member) => simpleRing(member) as SimpleRing))
    if (union === undefined) continue
    found++
    holes += union.filter(({ isHole }) => isHole).length
    const expected = geos.unionOf(members)
    expect(bytes(polygonsOf(union))).toBe(bytes(expected))
    const common = overlayOf([simpleRing(a) as SimpleRing], union, 'intersection')
    if (common !== undefined) expect(bytes(polygonsOf(common))).toBe(bytes(byGeos('intersection', a, [expected])))
  }
  expect(found).toBeGreaterThan(cases * share)
  expect(holes).toBeGreaterThan(cases / 100)
})

test('unions that depend on an order that GEOS leaves open are left to it', () => {
  const wide = simpleRing(polygonWkb([[0, 0, 4, 1, 4, 2, 0, 3, 0, 0]])) as SimpleRing
  const high = simpleRing(polygonWkb([[1, -1, 3, -1.5, 3, 5, 1, 4, 1, -1]])) as SimpleRing
  const lower = simpleRing(polygonWkb([[1, -2, 3.5, -2.5, 3, 5, 1, 4, 1, -2]])) as SimpleRing
  expect(wide.minX + wide.maxX).toBe(high.minX + high.maxX)
  expect(simpleUnion([wide, high])).toBeUndefined()
  expect(simpleUnion([wide, lower])).toBeDefined()
})

test('polygons with holes, heights or another type, rectangles and slivers are left to GEOS', () => {
  const ring = [0, 0, 4, 0, 5, 4, 0, 4, 0, 0]
  expect(simpleRing(polygonWkb([ring]))?.xy).toEqual([0, 0, 4, 0, 5, 4, 0, 4])
  expect(simpleRing(polygonWkb([ring, [1, 1, 1, 2, 2, 2, 1, 1]]))).toBeUndefined()
  expect(simpleRing(polygonWkb([[0, 0, 4, 0, 4, 4, 0, 4, 0, 0]]))).toBeUndefined()
  expect(simpleRing(polygonWkb([[0, 0, 1, 1, 2, 2 + 1e-12, 0, 0]]))).toBeUndefined()
  const point = new Uint8Array(21)
  point.set([1, 1])
  expect(simpleRing(point)).toBeUndefined()
  const repeated = polygonWkb([[0, 0, 4, 0, 4, 0, 5, 4, 0, 4, 0, 4, 0, 0, 0, 0]])
  expect(simpleRing(repeated)?.xy).toEqual([0, 0, 4, 0, 5, 4, 0, 4])
})
