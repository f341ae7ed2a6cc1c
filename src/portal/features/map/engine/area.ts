/** Polygons of a zone: which positions are inside. The same rules as the server's: an edge belongs to the inside. */
import type { Polygon, Position } from 'geojson'

/** Rings of each polygon, with the box of the first. */
export type Area = { rings: Position[][]; box: [number, number, number, number] }[]

export function areaOf(polygons: readonly Polygon['coordinates'][]): Area {
  return polygons.map((rings) => {
    const outer = rings[0] ?? []
    const [xs, ys] = [outer.map(([x = 0]) => x), outer.map(([, y = 0]) => y)]
    // not Math.min(...xs): a polygon may have more positions than a call takes arguments
    const least = (list: number[]): number => list.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
    const most = (list: number[]): number => list.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)
    return { rings, box: [least(xs), least(ys), most(xs), most(ys)] }
  })
}

export const containsPosition = (area: Area, x: number, y: number): boolean =>
  isWithin(area, x, y) || (Math.abs(x) === 180 && isWithin(area, -x, y))

const isWithin = (area: Area, x: number, y: number): boolean =>
  area.some(
    ({ rings: [outer = [], ...holes], box: [west, south, east, north] }) =>
      x >= west &&
      x <= east &&
      y >= south &&
      y <= north &&
      sideOf(outer, x, y) >= 0 &&
      holes.every((hole) => sideOf(hole, x, y) <= 0),
  )

/** 1 inside a ring, 0 on its edge, -1 outside. */
function sideOf(ring: readonly Position[], x: number, y: number): number {
  let side = -1
  for (let i = 0, j = ring.length - 1; i < ring.length; j = i++) {
    const [ax = 0, ay = 0] = ring[j] as Position
    const [bx = 0, by = 0] = ring[i] as Position
    const cross = (bx - ax) * (y - ay) - (by - ay) * (x - ax)
    const isBeside = Math.min(ax, bx) <= x && x <= Math.max(ax, bx) && Math.min(ay, by) <= y && y <= Math.max(ay, by)
    if (cross === 0 && isBeside) return 0
    if (ay > y !== by > y && x < ((bx - ax) * (y - ay)) / (by - ay) + ax) side = -side
  }
  return side
}
