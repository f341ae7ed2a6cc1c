/** Repaired polygons compared with the points that they must contain, and with another build of GEOS. */
import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { encodeGeometry } from '../../../../src/lib/geo/formats/geojson/geojson-geometry.ts'
import { loadGeos } from '../../../../src/lib/geo/geometry/geos.ts'
import { ofDimension, repairFeatures, validOrRepaired } from '../../../../src/lib/geo/geometry/repair.ts'
import { dimensionOf, envelopeOf, isEmpty, type Wkb } from '../../../../src/lib/geo/geometry/wkb.ts'
import { type AnyGeometry, anyGeometry, type Position } from '../../../support/formats/any-geometry.ts'
import { freshPath, gdal } from '../../../support/formats/rasters.ts'
import { runs, sampled, succeedsOrRejects } from '../../../support/fuzz.ts'

const geos = await loadGeos()
const encoded = (geometry: AnyGeometry): Wkb => encodeGeometry(geometry).wkb

/** Few different positions, so that vertices repeat, edges overlap and rings cross each other. */
const corner = fc.tuple(fc.nat({ max: 6 }), fc.nat({ max: 6 })) as fc.Arbitrary<Position>
const ring = fc.array(corner, { minLength: 3, maxLength: 9 }).map((list) => [...list, list[0] as Position])
const polygon = fc.array(ring, { minLength: 1, maxLength: 3 })
const polygons: fc.Arbitrary<AnyGeometry> = fc.oneof(
  polygon.map((coordinates) => ({ type: 'Polygon' as const, coordinates })),
  fc
    .array(polygon, { minLength: 1, maxLength: 3 })
    .map((coordinates) => ({ type: 'MultiPolygon' as const, coordinates })),
)

type Turns = { winding: number; crossings: number }

/**
 * The winding number of a ring around a point that is not on it, and the number of crossings of a ray from the point.
 */
function turns(ring: readonly Position[], [px = 0, py = 0]: Position): Turns {
  let [winding, crossings] = [0, 0]
  for (let i = 1; i < ring.length; i++) {
    const [[x1 = 0, y1 = 0], [x2 = 0, y2 = 0]] = [ring[i - 1] as Position, ring[i] as Position]
    if (y1 > py === y2 > py) continue
    const side = (x2 - x1) * (py - y1) - (px - x1) * (y2 - y1)
    if (y2 > y1 ? side > 0 : side < 0) {
      winding += y2 > y1 ? 1 : -1
      crossings++
    }
  }
  return { winding, crossings }
}

type Edge = [from: Position, to: Position]
const edgesOf = (ring: readonly Position[]): Edge[] => ring.slice(1).map((to, i) => [ring[i] as Position, to])

/** Whether two edges run along the same line for some length. */
function overlap([a, b]: Edge, [c, d]: Edge): boolean {
  const [ux, uy] = [(b[0] as number) - (a[0] as number), (b[1] as number) - (a[1] as number)]
  const isOnLine = (p: Position): boolean =>
    ux * ((p[1] as number) - (a[1] as number)) === uy * ((p[0] as number) - (a[0] as number))
  if ((ux === 0 && uy === 0) || !isOnLine(c) || !isOnLine(d)) return false
  const along = (p: Position): number =>
    ux * ((p[0] as number) - (a[0] as number)) + uy * ((p[1] as number) - (a[1] as number))
  const [low, high] = [Math.min(along(c), along(d)), Math.max(along(c), along(d))]
  return Math.min(high, along(b)) > Math.max(low, 0)
}
function hasOverlappingEdges(rings: readonly Position[][]): boolean {
  const edges = rings.flatMap(edgesOf)
  return edges.some((edge, i) => edges.slice(i + 1).some((other) => overlap(edge, other)))
}

/**
 * Whether a point belongs to a polygon under every fill rule; undefined where the rules differ, as where a ring winds
 * around the point an even number of times. No edges overlap, because some rules count them once.
 */
function belongs(rings: readonly Position[][], point: Position): boolean | undefined {
  const [shell, ...holes] = rings.map((ring) => turns(ring, point))
  const isIn = ({ crossings }: Turns): boolean => crossings % 2 === 1
  const isOut = ({ winding, crossings }: Turns): boolean => winding === 0 && crossings === 0
  if (shell === undefined) return false
  // a hole outside its polygon is a separate polygon under some rules, and nothing under others
  if (isOut(shell)) return holes.every(isOut) ? false : undefined
  if (!isIn(shell)) return undefined
  const inside = holes.filter(isIn).length
  // where holes overlap, the point is inside again under some rules
  if (inside > 1) return undefined
  return inside === 1 ? false : holes.every(isOut) ? true : undefined
}

/** A point on no corner and, because its coordinates are not simple fractions, on no edge. */
const PROBES: Position[] = Array.from({ length: 144 }, (_, i) => [
  (i % 12) / 2 + 0.2371,
  Math.floor(i / 12) / 2 + 0.3119,
])

test('every point that clearly belongs to a polygon belongs to the repaired one, and none that clearly does not', () => {
  fc.assert(
    fc.property(polygon, (rings) => {
      fc.pre(!hasOverlappingEdges(rings))
      const repaired = validOrRepaired(geos, encoded({ type: 'Polygon', coordinates: rings }))
      const geometry = repaired === null ? undefined : geos.read(repaired)
      const prepared = geometry === undefined ? undefined : geos.prepare(geometry)
      try {
        for (const point of PROBES) {
          const expected = belongs(rings, point)
          if (expected === undefined) continue
          const [x = 0, y = 0] = point
          expect([point, prepared !== undefined && geos.holds(prepared, x, y)]).toEqual([point, expected])
        }
      } finally {
        if (prepared !== undefined) geos.unprepare(prepared)
        if (geometry !== undefined) geos.free(geometry)
      }
    }),
    runs(300),
  )
})

test('a repaired polygon is valid, of its dimension, within its bounds, and is not repaired again', () => {
  fc.assert(
    fc.property(polygons, (coordinates) => {
      const wkb = encoded(coordinates)
      const repaired = validOrRepaired(geos, wkb)
      const input = geos.read(wkb)
      const wasValid = geos.isValid(input)
      geos.free(input)
      if (wasValid) expect(repaired).toBe(wkb)
      if (repaired === null) return
      const geometry = geos.read(repaired)
      expect(geos.validReason(geometry)).toBe('Valid Geometry')
      expect(geos.area(geometry)).toBeGreaterThan(0)
      geos.free(geometry)
      expect(dimensionOf(repaired)).toBe(2)
      const [[left, bottom, right, top], [minX, minY, maxX, maxY]] = [envelopeOf(repaired), envelopeOf(wkb)]
      expect([left >= minX, bottom >= minY, right <= maxX, top <= maxY]).toEqual([true, true, true, true])
      expect(validOrRepaired(geos, repaired)).toBe(repaired)
    }),
    runs(600),
  )
})

test('SpatiaLite, with another build of GEOS, finds repaired polygons valid', () => {
  const repaired = sampled(polygons, 200).map((geometry) => validOrRepaired(geos, encoded(geometry)))
  const [from, to] = [freshPath('repaired.csv'), freshPath('valid.csv')]
  const rows = repaired.flatMap((wkb, i) => (wkb === null ? [] : [`${i},${Buffer.from(wkb).toString('hex')}`]))
  writeFileSync(from, `i,wkb\n${rows.join('\n')}\n`)
  const sql = `SELECT i, ST_IsValid(geometry) AS valid FROM "${from.replace(/.*\//, '').replace('.csv', '')}"`
  gdal('ogr2ogr', '-q', '-f', 'CSV', '-oo', 'GEOM_POSSIBLE_NAMES=wkb', '-dialect', 'SQLite', '-sql', sql, to, from)
  const answers = readFileSync(to, 'utf8').trim().split('\n').slice(1)
  expect(answers).toHaveLength(rows.length)
  expect(answers.filter((answer) => !/,"?1"?$/.test(answer))).toEqual([])
})

test('only the parts of a collection with the requested dimension are kept', () => {
  fc.assert(
    fc.property(anyGeometry({ axes: 2, empty: true }), fc.constantFrom(0, 1, 2), (geometry, dimension) => {
      const wkb = encoded(geometry)
      const part = ofDimension(wkb, dimension)
      if (part === null) return
      expect(dimensionOf(part)).toBe(dimension)
      expect(isEmpty(part)).toBe(false)
    }),
    runs(300),
  )
})

test('features keep their values, and are counted when they are repaired', async () => {
  const geometries = sampled(fc.option(polygons), 100)
  const features = geometries.map((geometry, i) => ({ values: [i], geometry: geometry && encoded(geometry) }))
  const { features: repaired, repairedCount } = await repairFeatures(features)
  expect(repaired.map(({ values }) => values)).toEqual(features.map(({ values }) => values))
  expect(repairedCount).toBe(repaired.filter(({ geometry }, i) => geometry !== features[i]?.geometry).length)
})

test('coordinates of any size are quickly repaired or rejected', async () => {
  const wild = fc.oneof(
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.double({ noNaN: true, min: -1e30, max: 1e30 }),
    fc.constantFrom(0, 1, 1e-300, 1e30),
  )
  const wildRing = fc
    .array(fc.tuple(wild, wild) as fc.Arbitrary<Position>, { minLength: 3, maxLength: 12 })
    .map((list) => [...list, list[0] as Position])
  await fc.assert(
    fc.asyncProperty(fc.array(wildRing, { minLength: 1, maxLength: 3 }), async (coordinates) => {
      const repaired = await succeedsOrRejects(() => validOrRepaired(geos, encoded({ type: 'Polygon', coordinates })))
      if (repaired) expect(dimensionOf(repaired)).toBe(2)
    }),
    runs(300),
  )
})

test('coordinates whose products overflow are rejected, because repairing such a polygon may never end', () => {
  const triangle: Position[] = [
    [0, 0],
    [1, 0],
    [0, 1],
    [0, 0],
  ]
  const at = (value: number): AnyGeometry => ({
    type: 'Polygon',
    coordinates: [triangle.map(([x = 0, y = 0]): Position => [x * value, y * value])],
  })
  const largest = geos.read(encoded(at(1e30)))
  expect(geos.area(largest) / 5e59).toBeCloseTo(1)
  geos.free(largest)
  for (const coordinates of [at(1.01e30), at(1e300), at(Number.MAX_VALUE)])
    expect(() => encoded(coordinates)).toThrow('coordinates must be finite numbers from -1e+30 to 1e+30')
})
