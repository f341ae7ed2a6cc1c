/** Geometry of a page, in points from its upper left corner as displayed. */

import { largest, smallest } from '../../../lists.ts'

export type Box = { left: number; top: number; right: number; bottom: number }
export type Matrix = [number, number, number, number, number, number]

export const times = (m: Matrix, n: readonly number[]): Matrix => {
  const [a = 1, b = 0, c = 0, d = 1, e = 0, f = 0] = n
  return [
    m[0] * a + m[2] * b,
    m[1] * a + m[3] * b,
    m[0] * c + m[2] * d,
    m[1] * c + m[3] * d,
    m[0] * e + m[2] * f + m[4],
    m[1] * e + m[3] * f + m[5],
  ]
}
export const point = (m: Matrix, x: number, y: number): [number, number] => [
  m[0] * x + m[2] * y + m[4],
  m[1] * x + m[3] * y + m[5],
]

/** The bounding box of a transformed rectangle. */
export function boxOf(matrix: Matrix, x1: number, y1: number, x2: number, y2: number): Box {
  const corners = [point(matrix, x1, y1), point(matrix, x2, y1), point(matrix, x1, y2), point(matrix, x2, y2)]
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)]
  return { left: smallest(xs), right: largest(xs), top: smallest(ys), bottom: largest(ys) }
}

export const intersection = (a: Box, b: Box): Box => ({
  left: Math.max(a.left, b.left),
  right: Math.min(a.right, b.right),
  top: Math.max(a.top, b.top),
  bottom: Math.min(a.bottom, b.bottom),
})

export const area = ({ left, right, top, bottom }: Box): number => Math.max(0, right - left) * Math.max(0, bottom - top)

export const grown = ({ left, right, top, bottom }: Box, by: number): Box => ({
  left: left - by,
  right: right + by,
  top: top - by,
  bottom: bottom + by,
})

export const touches = (a: Box, b: Box): boolean =>
  a.left <= b.right && b.left <= a.right && a.top <= b.bottom && b.top <= a.bottom

/** Whether the centre of a box is inside another. */
export function isWithin(inner: Box, outer: Box): boolean {
  const [x, y] = [(inner.left + inner.right) / 2, (inner.top + inner.bottom) / 2]
  return x >= outer.left && x <= outer.right && y >= outer.top && y <= outer.bottom
}
