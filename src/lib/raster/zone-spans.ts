/**
 * Polygon rasterisation by scan line: a cell belongs to a polygon when its centre lies inside. For each row, the
 * crossings of the edges with the middle of the row give the spans of covered cells. Edges are half-open and crossings
 * round half up, as in GDAL's polygon fill, so a cell on a shared border belongs to exactly one zone.
 */
import { forEachRun, type Wkb } from '../geo/geometry/wkb.ts'
import type { GeoTransform } from './open-raster.ts'

export type Zone = {
  /** Index of its feature. */
  index: number
  /** Four numbers per edge, in columns and rows: upper end, then lower end; sorted by the row of the upper end. */
  edges: Float64Array
  /** First row whose middle it may cover, and the row after the last. */
  top: number
  bottom: number
}

/** Undefined for a polygon that covers the middle of no row of the raster. */
export function zoneOf(index: number, wkb: Wkb, transform: GeoTransform, height: number): Zone | undefined {
  const [x0, a, b, y0, c, d] = transform
  const determinant = a * d - b * c
  const edges: number[] = []
  let [top, bottom] = [Infinity, -Infinity]
  forEachRun(wkb, (view, offset, count, stride) => {
    let [column, row] = [0, 0]
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      const [x, y] = [view.getFloat64(at, true) - x0, view.getFloat64(at + 8, true) - y0]
      const [nextColumn, nextRow] = [(d * x - b * y) / determinant, (a * y - c * x) / determinant]
      if (i > 0 && nextRow !== row)
        if (nextRow > row) edges.push(column, row, nextColumn, nextRow)
        else edges.push(nextColumn, nextRow, column, row)
      ;[column, row] = [nextColumn, nextRow]
      top = Math.min(top, row)
      bottom = Math.max(bottom, row)
    }
  })
  const [first, end] = [Math.max(0, Math.ceil(top - 0.5)), Math.min(height, Math.ceil(bottom - 0.5))]
  if (edges.length === 0 || first >= end) return undefined
  return { index, edges: sortedByTop(edges), top: first, bottom: end }
}

function sortedByTop(edges: readonly number[]): Float64Array {
  const order = Uint32Array.from({ length: edges.length / 4 }, (_, i) => i)
  order.sort((a, b) => (edges[4 * a + 1] as number) - (edges[4 * b + 1] as number))
  const sorted = new Float64Array(edges.length)
  for (const [to, from] of order.entries())
    for (let k = 0; k < 4; k++) sorted[4 * to + k] = edges[4 * from + k] as number
  return sorted
}

/** Three numbers per span: row, first column, and the column after the last. */
export type Spans = number[]

/**
 * @param from first row to return, and `to` the row after the last
 * @param width number of columns of the raster
 */
export function spansOf({ edges, top, bottom }: Zone, from: number, to: number, width: number): Spans {
  const spans: Spans = []
  const [first, end] = [Math.max(from, top), Math.min(to, bottom)]
  let active: number[] = []
  let next = 0
  const crossings: number[] = []
  for (let row = first; row < end; row++) {
    const middle = row + 0.5
    while (next < edges.length && (edges[next + 1] as number) <= middle) {
      if ((edges[next + 3] as number) > middle) active.push(next)
      next += 4
    }
    crossings.length = 0
    let hasEnded = false
    for (const at of active) {
      const [y1, y2] = [edges[at + 1] as number, edges[at + 3] as number]
      if (y2 <= middle) {
        hasEnded = true
        continue
      }
      const [x1, x2] = [edges[at] as number, edges[at + 2] as number]
      crossings.push(x1 + ((middle - y1) * (x2 - x1)) / (y2 - y1))
    }
    if (hasEnded) active = active.filter((at) => (edges[at + 3] as number) > middle)
    if (crossings.length > 2) crossings.sort((a, b) => a - b)
    else if ((crossings[0] as number) > (crossings[1] as number)) crossings.reverse()
    for (let i = 0; i + 1 < crossings.length; i += 2) {
      const start = Math.max(0, Math.floor((crossings[i] as number) + 0.5))
      const stop = Math.min(width, Math.floor((crossings[i + 1] as number) + 0.5))
      if (stop > start) spans.push(row, start, stop)
    }
  }
  return spans
}
