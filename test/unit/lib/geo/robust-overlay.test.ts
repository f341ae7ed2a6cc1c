/** Unions and overlays with an input that is not valid; areas are compared with closed forms. */
import { expect, test } from 'bun:test'
import { loadGeos } from '../../../../src/lib/geo/geometry/geos.ts'
import { boxWkb, polygonWkb } from '../../../../src/lib/geo/geometry/globe.ts'
import type { Wkb } from '../../../../src/lib/geo/geometry/wkb.ts'

const geos = await loadGeos()

function areaOf(wkb: Wkb): number {
  const geometry = geos.read(wkb)
  const area = geos.area(geometry)
  expect(geos.validReason(geometry)).toBe('Valid Geometry')
  geos.free(geometry)
  return area
}

test('overlays with a bow-tie in one of the inputs', () => {
  const bowtie = polygonWkb([[0, 0, 2, 2, 2, 0, 0, 2, 0, 0]])
  // two triangles of area 1 each, and a square that covers the right one
  expect(areaOf(geos.unionOf([bowtie, boxWkb(1, 0, 3, 2)]))).toBeCloseTo(5, 9)
  const [a, b] = [geos.read(bowtie), geos.read(boxWkb(1, -1, 3, 3))]
  for (const [operation, area] of [
    ['intersection', 1],
    ['difference', 1],
    ['union', 9],
  ] as const) {
    const result = geos.overlay(operation, a, b)
    expect([operation, geos.area(result)]).toEqual([operation, expect.closeTo(area, 9)])
    geos.free(result)
  }
  geos.free(a)
  geos.free(b)
})
