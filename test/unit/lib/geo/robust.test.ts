/** Operations of GEOS that fail are repeated on a grid; a failure there too is not the fault of the input. */
import { expect, test } from 'bun:test'
import init from 'geos-wasm'
import { Geos } from '../../../../src/lib/geo/geometry/geos.ts'
import type { Pointer } from '../../../../src/lib/geo/geometry/geos-memory.ts'
import { boxWkb, lineWkb, polygonWkb } from '../../../../src/lib/geo/geometry/globe.ts'
import { validOrRepaired } from '../../../../src/lib/geo/geometry/repair.ts'
import type { Wkb } from '../../../../src/lib/geo/geometry/wkb.ts'
import { InputError } from '../../../../src/lib/input-error.ts'

type Raw = Record<string, (...args: number[]) => number>
type Loaded = Raw & { Module: ConstructorParameters<typeof Geos>[1]; _ctx: number }

const raw = (await init()) as unknown as Loaded

/** GEOS in which an operation fails the first times, with the return value `answer`. */
function failing(operation: string, times: number, answer: number): Geos {
  let left = times
  const faulty = new Proxy(raw, {
    get: (target, name: string) =>
      name.startsWith(operation) && left-- > 0 ? () => answer : (target[name] as (...args: number[]) => number),
  })
  return new Geos(faulty, raw.Module, raw._ctx)
}

// coordinates with more decimals than the grid, so that the second attempt differs from the first
const third = 1 / 3
const square = boxWkb(third, third, 2 + third, 2 + third)
const right = boxWkb(1 + third, third, 3 + third, 2 + third)
const line = lineWkb([0, third, third, third, 4, third])

const sizeOf = (geos: Geos, wkb: Wkb, of: 'area' | 'length'): number => {
  const geometry = geos.read(wkb)
  const size = geos[of](geometry)
  geos.free(geometry)
  return size
}
const unary = (wkb: Wkb, of: 'area' | 'length', run: (geos: Geos, g: Pointer) => Pointer) => (geos: Geos) =>
  sizeOf(
    geos,
    geos.run(wkb, (g) => run(geos, g)),
    of,
  )
const related = (relation: (geos: Geos, a: Pointer, b: Pointer) => boolean) => (geos: Geos) => {
  const [a, b] = [geos.read(square), geos.read(right)]
  const prepared = geos.prepare(a)
  try {
    return Number(relation(geos, a, b)) + Number(geos.testPrepared('overlaps', a, prepared, b)) * 10
  } finally {
    geos.unprepare(prepared)
    geos.free(a)
    geos.free(b)
  }
}
const overlaid = (operation: 'intersection' | 'union' | 'difference') => (geos: Geos) => {
  const [a, b] = [geos.read(square), geos.read(right)]
  const result = geos.overlay(operation, a, b)
  const area = geos.area(result)
  for (const geometry of [a, b, result]) geos.free(geometry)
  return area
}

/** The function of GEOS, an operation that uses it, the closed form of its result, and its return value on failure. */
const OPERATIONS: [string, (geos: Geos) => number, number, number?][] = [
  ['GEOSSimplify_r', unary(line, 'length', (geos, g) => geos.simplify(g, 0.1, false)), 4],
  ['GEOSTopologyPreserveSimplify_r', unary(line, 'length', (geos, g) => geos.simplify(g, 0.1, true)), 4],
  ['GEOSConvexHull_r', unary(square, 'area', (geos, g) => geos.convexHull(g)), 4],
  ['GEOSGetCentroid_r', unary(square, 'area', (geos, g) => geos.centroid(g)), 0],
  ['GEOSPointOnSurface_r', unary(square, 'area', (geos, g) => geos.pointOnSurface(g)), 0],
  ['GEOSBufferWithParams_r', unary(line, 'area', (geos, g) => geos.buffer(g, 1, 'flat', 8)), 8],
  ['GEOSUnaryUnion_r', (geos) => sizeOf(geos, geos.unionOf([square, right]), 'area'), 6],
  ['GEOSIntersection_r', overlaid('intersection'), 2],
  ['GEOSUnion_r', overlaid('union'), 6],
  ['GEOSDifference_r', overlaid('difference'), 2],
  ['GEOSIntersects_r', related((geos, a, b) => geos.test('intersects', a, b)), 11, 2],
  ['GEOSPreparedOverlaps_r', related((geos, a, b) => geos.test('within', a, b)), 10, 2],
]

test.each(OPERATIONS)('%s succeeds on a grid', (name, run, expected, answer = 0) => {
  expect(run(failing(name, 1, answer))).toBeCloseTo(expected, 6)
})

// the second attempt of a prepared predicate uses the plain predicate, which does not fail here
const REPEATED = OPERATIONS.filter(([name]) => !name.includes('Prepared'))

test.each(REPEATED)('%s that always fails is not the fault of the input', (name, run, _expected, answer = 0) => {
  // the second attempt of an overlay uses the variant with a precision
  const geos = failing(name.replace(/_r$/, ''), Number.POSITIVE_INFINITY, answer)
  let thrown: unknown
  try {
    run(geos)
  } catch (error) {
    thrown = error
  }
  expect(thrown).toBeInstanceOf(Error)
  expect(thrown).not.toBeInstanceOf(InputError)
})

test('a repair that fails by both methods is repeated on a grid', () => {
  const bowtie = polygonWkb([[0, 0, 2, 2, 2, 0, 0, 2, 0, 0]])
  const repaired = validOrRepaired(failing('GEOSMakeValidWithParams_r', 2, 0), bowtie) as Wkb
  expect(sizeOf(new Geos(raw, raw.Module, raw._ctx), repaired, 'area')).toBeCloseTo(2, 9)
  expect(() => validOrRepaired(failing('GEOSMakeValidWithParams_r', 99, 0), bowtie)).toThrow('repair failed')
})

test('coordinates beyond any place on Earth are the fault of the input', () => {
  const far = boxWkb(0, 0, 1e12, 1e12)
  const simplify = unary(far, 'area', (geos, g) => geos.simplify(g, 1, true))
  expect(() => simplify(failing('GEOSTopologyPreserveSimplify_r', 1, 0))).toThrow(InputError)
})
