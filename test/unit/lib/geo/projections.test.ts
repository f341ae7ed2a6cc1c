/** Projections against PROJ, against each other, and against areas and lengths on the ellipsoid. */
import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { distanceM, measure } from '../../../../src/lib/geo/geometry/geodesic.ts'
import { loadGeos } from '../../../../src/lib/geo/geometry/geos.ts'
import { boxWkb, polygonToGlobe, polygonWkb } from '../../../../src/lib/geo/geometry/globe.ts'
import {
  fromPlane,
  middleMeridian,
  POLE_Y,
  planeEnvelope,
  toPlane,
} from '../../../../src/lib/geo/geometry/local-plane.ts'
import { envelopeOf, forEachRun, type Wkb } from '../../../../src/lib/geo/geometry/wkb.ts'
import { equalAreaAround } from '../../../../src/lib/geo/projection/equal-area.ts'
import { fromMercator, toMercator } from '../../../../src/lib/geo/projection/transverse-mercator.ts'
import { DEGREES, type Position, transformed } from '../../../support/formats/proj.ts'
import { runs, sampled } from '../../../support/fuzz.ts'
import { seeded } from '../../../support/random.ts'

const RADIANS = Math.PI / 180

/** Evenly distributed, unlike fc.double. */
const degrees = (min: number, max: number): fc.Arbitrary<number> =>
  fc.integer({ min: Math.ceil(min * 1e9), max: Math.floor(max * 1e9) }).map((billionths) => billionths / 1e9)
const longitude = degrees(-180, 180)
const latitude = degrees(-90, 90)
/** Including the positions where formulas fail. */
const anywhere: fc.Arbitrary<Position> = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(longitude, latitude) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constantFrom(-180, -90, 0, 90, 180),
      fc.constantFrom(-90, -89.9999999, 0, 1e-12, 89.9999999),
    ),
  },
)

/** 4,000 km from the meridian, the range of the series. */
const NEAR = Math.sin(4_000_000 / 6_378_137)
const isNear = ([lon, lat]: Position, meridian: number): boolean =>
  Math.abs(Math.sin((lon - meridian) * RADIANS) * Math.cos(lat * RADIANS)) < NEAR

const call = (project: (x: number, y: number, out: Float64Array) => void, [x, y]: Position): Position => {
  const out = new Float64Array(2)
  project(x, y, out)
  return [out[0] as number, out[1] as number]
}

/** Degrees between two longitudes, modulo 360. */
const turned = (a: number, b: number): number => Math.abs(((((a - b + 180) % 360) + 360) % 360) - 180)

test.each([0, 13.5, -71.25, 179.9])(
  'transverse Mercator on meridian %p agrees with PROJ in both directions',
  (meridian) => {
    const positions = sampled(anywhere, 500).filter((position) => isNear(position, meridian))
    const plane = `+proj=tmerc +lat_0=0 +lon_0=${meridian} +k=1 +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs`
    const theirs = transformed(DEGREES, plane, positions)
    const back = transformed(plane, DEGREES, theirs)
    for (const [i, position] of positions.entries()) {
      const [x, y] = call((lon, lat, out) => toMercator(lon, lat, meridian, out), position)
      const [theirX, theirY] = theirs[i] as Position
      // a pole has no longitude, and half a turn from the meridian there are two sides
      const offX = Math.abs(position[1]) === 90 ? 0 : Math.abs(x - theirX)
      expect([position, Math.max(offX, Math.abs(y - theirY)) < 1e-6]).toEqual([position, true])
      const [lon, lat] = call((x, y, out) => fromMercator(x, y, meridian, out), theirs[i] as Position)
      const [theirLon, theirLat] = back[i] as Position
      const offLon = turned(lon, theirLon) * Math.cos(lat * RADIANS)
      expect([position, Math.max(offLon, Math.abs(lat - theirLat)) < 1e-11]).toEqual([position, true])
    }
    expect(positions.length).toBeGreaterThan(100)
  },
)

test('transverse Mercator and its inverse return every position near its meridian', () => {
  fc.assert(
    fc.property(anywhere, degrees(-180, 180), (position, meridian) => {
      fc.pre(isNear(position, meridian))
      const plane = call((x, y, out) => toMercator(x, y, meridian, out), position)
      const [lon, lat] = call((x, y, out) => fromMercator(x, y, meridian, out), plane)
      expect(Math.abs(lat - position[1])).toBeLessThan(1e-10)
      expect(turned(lon, position[0]) * Math.cos(position[1] * RADIANS)).toBeLessThan(1e-10)
    }),
    runs(2_000),
  )
})

test('along its meridian it preserves lengths, and next to it they grow by the given factor', () => {
  // C. F. F. Karney, Geodesics on an ellipsoid of revolution, 2011: the quarter meridian of WGS 84
  expect(POLE_Y).toBeCloseTo(10_001_965.729_312_7, 6)
  fc.assert(
    fc.property(latitude, degrees(-30, 30), (lat, offDegrees) => {
      const [, y] = call((x, y, out) => toMercator(x, y, 20, out), [20, lat])
      expect(Math.abs(Math.abs(y) - distanceM(20, 0, 20, lat))).toBeLessThan(1e-6)
      const [x] = call((x, y, out) => toMercator(x, y, 20, out), [20 + offDegrees, lat])
      const step = 1e-4
      const north = Math.min(lat + step, 90)
      const [a, b] = [north - step, north].map((at) =>
        call((x, y, out) => toMercator(x, y, 20, out), [20 + offDegrees, at]),
      ) as [Position, Position]
      const length = Math.hypot(b[0] - a[0], b[1] - a[1])
      const factor = length / distanceM(20 + offDegrees, north - step, 20 + offDegrees, north)
      expect(Math.abs(factor - Math.cosh(x / 6_371_000))).toBeLessThan(2e-3)
    }),
    runs(300),
  )
})

test.each<Position>([
  [0, 0],
  [13.4, 52.5],
  [-179.99, -33],
  [100, 90],
  [20, -90],
])('Lambert’s equal-area projection around %p, %p is PROJ’s', (lon0, lat0) => {
  const positions = sampled(anywhere, 400).filter(([lon, lat]) => {
    // the antipode has no position, and near it the last digit decides
    const across =
      Math.sin(lat0 * RADIANS) * Math.sin(lat * RADIANS) +
      Math.cos(lat0 * RADIANS) * Math.cos(lat * RADIANS) * Math.cos((lon - lon0) * RADIANS)
    return across > -0.99
  })
  const plane = `+proj=laea +lat_0=${lat0} +lon_0=${lon0} +x_0=0 +y_0=0 +datum=WGS84 +units=m +no_defs`
  const theirs = transformed(DEGREES, plane, positions)
  const project = equalAreaAround(lon0, lat0)
  for (const [i, position] of positions.entries()) {
    const [x, y] = call(project, position)
    const [theirX, theirY] = theirs[i] as Position
    // around a centre that is not a pole, PROJ also scales directions, which changes shapes but not areas
    const scale = authalicScale(lat0)
    const off = Math.hypot(x * scale - theirX, y / scale - theirY)
    // near a pole both lose precision: PROJ misses the pole by 13 cm
    const tolerance = Math.min(1, 1e-5 + 5e-8 / Math.cos(position[1] * RADIANS))
    expect([position, off < tolerance]).toEqual([position, true])
  }
})

/** Snyder's D (3-20a): how much the sphere of equal area is stretched along the parallel of the centre. */
function authalicScale(lat0: number): number {
  if (Math.abs(lat0) === 90) return 1
  const e2 = (2 - 1 / 298.257223563) / 298.257223563
  const e = Math.sqrt(e2)
  const q = (sin: number): number => (1 - e2) * (sin / (1 - e2 * sin * sin) + Math.atanh(e * sin) / e)
  const sin = Math.sin(lat0 * RADIANS)
  const beta = Math.asin(q(sin) / q(1))
  const radius = Math.sqrt(q(1) / 2)
  return Math.cos(lat0 * RADIANS) / Math.sqrt(1 - e2 * sin * sin) / (radius * Math.cos(beta))
}

const cell = fc.record({
  west: degrees(-180, 179),
  south: degrees(-89, 88),
  width: degrees(0.001, 0.05),
  height: degrees(0.001, 0.05),
})

test('it preserves areas, wherever it is centred', () => {
  fc.assert(
    fc.property(cell, anywhere, ({ west, south, width, height }, centre) => {
      const corners = [
        [west, south],
        [west + width, south],
        [west + width, south + height],
        [west, south + height],
      ] as Position[]
      const [ax, ay] = [Math.sin(south * RADIANS), Math.cos(south * RADIANS)]
      const across =
        ax * Math.sin(centre[1] * RADIANS) + ay * Math.cos(centre[1] * RADIANS) * Math.cos((west - centre[0]) * RADIANS)
      fc.pre(across > -0.9)
      const project = equalAreaAround(...centre)
      const plane = corners.map((corner) => call(project, corner))
      let twice = 0
      for (const [i, [x, y]] of plane.entries()) {
        const [nextX, nextY] = plane[(i + 1) % 4] as Position
        twice += (x - (plane[0] as Position)[0]) * (nextY - y) - (y - (plane[0] as Position)[1]) * (nextX - x)
      }
      const { areaM2 } = measure(boxWkb(west, south, west + width, south + height))
      // edges are slightly curved in both
      expect(Math.abs(twice / 2 / areaM2 - 1)).toBeLessThan(2e-4)
    }),
    runs(1_000),
  )
})

test('the middle meridian is the meridian of a single place, or lies between two, on the shorter side', () => {
  fc.assert(
    fc.property(longitude, degrees(-85, 85), degrees(0, 80), (lon, lat, off) => {
      expect(turned(middleMeridian([line([lon, lat], [lon, -lat])]), lon)).toBeLessThan(1e-8)
      expect(turned(middleMeridian([line([lon - off, lat], [lon + off, lat])]), lon)).toBeLessThan(1e-8)
    }),
    runs(500),
  )
})

function line(...positions: Position[]): Wkb {
  const wkb = Buffer.alloc(9 + 16 * positions.length)
  wkb.writeUInt8(1, 0)
  wkb.writeUInt32LE(2, 1)
  wkb.writeUInt32LE(positions.length, 5)
  for (const [i, value] of positions.flat().entries()) wkb.writeDoubleLE(value, 9 + 8 * i)
  return new Uint8Array(wkb)
}

/**
 * A polygon of the plane with lobes, around a place on earth; densely sampled, since its edges are not straight there.
 */
function polygonAt(seed: number, [lon, lat]: Position, radiusM: number): { plane: Wkb; meridian: number } {
  const random = seeded(seed)
  // the position may be next to the meridian of the plane
  const meridian = lon + (random() - 0.5) * 0.2
  const [x, y] = call((x, y, out) => toMercator(x, y, meridian, out), [lon, lat])
  const [lobes, phase, corners] = [2 + Math.floor(random() * 4), random() * 7, 720]
  const ring = Array.from({ length: corners + 1 }, (_, i) => {
    const angle = (2 * Math.PI * (i % corners)) / corners
    const radius = radiusM * (0.7 + 0.3 * Math.sin(lobes * angle + phase))
    return [x + radius * Math.cos(angle), y + radius * Math.sin(angle)]
  })
  return { plane: polygonWkb([ring.flat()]), meridian }
}

test('polygons of a plane are complete on the globe, also around poles and across the antimeridian', async () => {
  const geos = await loadGeos()
  const places: fc.Arbitrary<Position> = fc.oneof(
    anywhere,
    fc.tuple(degrees(179.5, 180.5), latitude),
    fc.tuple(longitude, fc.constantFrom(-90, -89.95, -89.5, 89.5, 89.95, 90)),
  )
  fc.assert(
    fc.property(fc.nat(), places, fc.integer({ min: 500, max: 150_000 }), (seed, place, radiusM) => {
      const { plane, meridian } = polygonAt(seed, place, radiusM)
      const globe = polygonToGlobe(geos, plane, meridian)
      const [west, south, east, north] = envelopeOf(globe)
      expect([west >= -180, south >= -90, east <= 180, north <= 90]).toEqual([true, true, true, true])
      const geometry = geos.read(globe)
      expect(geos.validReason(geometry)).toBe('Valid Geometry')
      geos.free(geometry)
      // the plane stretches areas by less than a thousandth this close to its meridian
      expect(Math.abs(measure(globe).areaM2 / planeArea(plane) - 1)).toBeLessThan(2e-3)
    }),
    runs(200),
  )
})

function planeArea(wkb: Wkb): number {
  let twice = 0
  forEachRun(wkb, (view, offset, count, stride) => {
    const at = (i: number, axis: number): number => view.getFloat64(offset + i * stride + 8 * axis, true)
    for (let i = 1; i < count; i++)
      twice += (at(i - 1, 0) - at(0, 0)) * (at(i, 1) - at(0, 1)) - (at(i, 0) - at(0, 0)) * (at(i - 1, 1) - at(0, 1))
  })
  return Math.abs(twice) / 2
}

test('a plane covers the extent of its geometries, and nothing without any', () => {
  fc.assert(
    fc.property(anywhere, (place) => {
      const there = line(place, place)
      const meridian = middleMeridian([there])
      expect(
        turned(envelopeOf(fromPlane(toPlane(there, meridian), meridian))[0], place[0]) * Math.cos(place[1] * RADIANS),
      ).toBeLessThan(1e-9)
      const [minX, minY, maxX, maxY] = planeEnvelope([there], meridian) as [number, number, number, number]
      expect([minX, minY]).toEqual([maxX, maxY])
    }),
    runs(300),
  )
  expect(planeEnvelope([line()], 0)).toBeUndefined()
})
