/**
 * Concave hulls by eroding a Delaunay triangulation from outside (M. Duckham et al., Efficient generation of simple
 * polygons for characterizing the shape of a set of points in the plane, Pattern Recognition 41, 2008): a triangle on
 * the border is removed while its outer edge is longer than a limit, unless that would leave a point outside the hull
 * or split the hull in two. The limit lies between the shortest and the longest edge, as in JTS and GEOS.
 */
import Delaunator from 'delaunator'
import FlatQueue from 'flatqueue'
import { polygonWkb } from './globe.ts'
import { forEachRun, type Wkb } from './wkb.ts'

/**
 * @param ratio 0 takes the shortest edge as the limit, 1 the longest one, which gives the convex hull
 * @returns a polygon around all vertices; undefined when they are collinear
 */
export function concaveHull(wkbs: readonly Wkb[], ratio: number): Wkb | undefined {
  const coordinates = coordinatesOf(wkbs)
  const { triangles, halfedges, hull } = new Delaunator(coordinates)
  if (triangles.length === 0) return undefined
  const lengthOf = (edge: number): number => {
    const [a, b] = [triangles[edge] as number, triangles[next(edge)] as number]
    const [ax, ay] = [coordinates[2 * a] as number, coordinates[2 * a + 1] as number]
    return Math.hypot((coordinates[2 * b] as number) - ax, (coordinates[2 * b + 1] as number) - ay)
  }
  const limit = limitOf(triangles.length, lengthOf, ratio)
  const removed = new Uint8Array(triangles.length / 3)
  const onBorder = new Uint8Array(coordinates.length / 2)
  for (const vertex of hull) onBorder[vertex] = 1
  const isOuter = (edge: number): boolean => {
    const twin = halfedges[edge] as number
    return twin < 0 || removed[Math.floor(twin / 3)] === 1
  }
  // longest edges first
  const queue = new FlatQueue<number>()
  for (let edge = 0; edge < triangles.length; edge++) if (isOuter(edge)) queue.push(edge, -lengthOf(edge))
  for (;;) {
    const edge = queue.pop()
    if (edge === undefined || lengthOf(edge) < limit) break
    const triangle = Math.floor(edge / 3)
    const [second, third] = [next(edge), next(next(edge))]
    const apex = triangles[third] as number
    if (removed[triangle] === 1 || isOuter(second) || isOuter(third) || onBorder[apex] === 1) continue
    removed[triangle] = 1
    onBorder[apex] = 1
    for (const inner of [second, third]) {
      const outer = halfedges[inner] as number
      queue.push(outer, -lengthOf(outer))
    }
  }
  return polygonWkb([ringOf(triangles, coordinates, removed, isOuter)])
}

const next = (edge: number): number => (edge % 3 === 2 ? edge - 2 : edge + 1)

function coordinatesOf(wkbs: readonly Wkb[]): Float64Array {
  let count = 0
  for (const wkb of wkbs)
    forEachRun(wkb, (_view, _offset, vertices) => {
      count += vertices
    })
  const coordinates = new Float64Array(count * 2)
  let at = 0
  for (const wkb of wkbs)
    forEachRun(wkb, (view, offset, vertices, stride) => {
      for (let i = 0, from = offset; i < vertices; i++, from += stride) {
        coordinates[at++] = view.getFloat64(from, true)
        coordinates[at++] = view.getFloat64(from + 8, true)
      }
    })
  return coordinates
}

function limitOf(edges: number, lengthOf: (edge: number) => number, ratio: number): number {
  let [shortest, longest] = [Number.POSITIVE_INFINITY, 0]
  for (let edge = 0; edge < edges; edge++) {
    const length = lengthOf(edge)
    if (length < shortest) shortest = length
    if (length > longest) longest = length
  }
  // no edge exceeds the limit, so nothing is removed
  return ratio >= 1 ? Number.POSITIVE_INFINITY : shortest + ratio * (longest - shortest)
}

/** The border of the remaining triangles: exactly one outer edge starts at each vertex on it. */
function ringOf(
  triangles: Uint32Array,
  coordinates: Float64Array,
  removed: Uint8Array,
  isOuter: (edge: number) => boolean,
): number[] {
  const following = new Map<number, number>()
  for (let edge = 0; edge < triangles.length; edge++)
    if (removed[Math.floor(edge / 3)] === 0 && isOuter(edge))
      following.set(triangles[edge] as number, triangles[next(edge)] as number)
  const [start] = following.keys()
  const ring: number[] = []
  let vertex = start as number
  do {
    ring.push(coordinates[2 * vertex] as number, coordinates[2 * vertex + 1] as number)
    vertex = following.get(vertex) as number
  } while (vertex !== start)
  ring.push(ring[0] as number, ring[1] as number)
  return ring
}
