/**
 * Which cells of a raster a polygon covers: those whose centre lies in it, found line by line from where its edges
 * cross the middle of a row. Edges end half-open and crossings round half up, as in GDAL's polygon fill, so that cells
 * on a common border belong to one zone alone.
 */
import { forEachRun, type Wkb } from '../geo/wkb.ts'
import type { GeoTransform } from './open-raster.ts'

export type Zone = {
  /** Its place among the features. */
  index: number
  /** Four numbers an edge, in columns and rows: the upper end, then the lower; sorted by the upper end's row. */
  edges: Float64Array
  /** First row, and the one after the last, whose middle it may cover. */
  top: number
  bottom: number
}

/** Undefined for a polygon that covers no row's middle within the raster. */
export function zoneOf(index: number, wkb: Wkb, transform: GeoTransform, height: number): Zone | undefined {
  const [x0, a, b, y0, c, d] = transform
  const determinant = a * d - b * c
  const list: number[] = []
  let [top, bottom] = [Infinity, -Infinity]
  forEachRun(wkb, (view, offset, count, stride) => {
    let [column, row] = [0, 0]
    for (let i = 0, at = offset; i < count; i++, at += stride) {
      const [x, y] = [view.getFloat64(at, true) - x0, view.getFloat64(at + 8, true) - y0]
      const [nextColumn, nextRow] = [(d * x - b * y) / determinant, (a * y - c * x) / determinant]
      if (i > 0 && nextRow !== row)
        if (nextRow > row) list.push(column, row, nextColumn, nextRow)
        else list.push(nextColumn, nextRow, column, row)
      ;[column, row] = [nextColumn, nextRow]
      top = Math.min(top, row)
      bottom = Math.max(bottom, row)
    }
  })
  const [first, end] = [Math.max(0, Math.ceil(top - 0.5)), Math.min(height, Math.ceil(bottom - 0.5))]
  if (list.length === 0 || first >= end) return undefined
  return { index, edges: sortedByTop(list), top: first, bottom: end }
}

function sortedByTop(list: readonly number[]): Float64Array {
  const order = Uint32Array.from({ length: list.length / 4 }, (_, i) => i)
  order.sort((a, b) => (list[4 * a + 1] as number) - (list[4 * b + 1] as number))
  const edges = new Float64Array(list.length)
  for (const [to, from] of order.entries()) for (let k = 0; k < 4; k++) edges[4 * to + k] = list[4 * from + k] as number
  return edges
}

/** Row, first column, and the column after the last; three numbers each. */
export type Spans = number[]

/**
 * @param from the first row wanted, and `to` the one after the last
 * @param width columns of the raster
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
    let over = false
    for (const at of active) {
      const [y1, y2] = [edges[at + 1] as number, edges[at + 3] as number]
      if (y2 <= middle) {
        over = true
        continue
      }
      const [x1, x2] = [edges[at] as number, edges[at + 2] as number]
      crossings.push(x1 + ((middle - y1) * (x2 - x1)) / (y2 - y1))
    }
    if (over) active = active.filter((at) => (edges[at + 3] as number) > middle)
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
