/**
 * Geometries as flat arrays in Mercator units, with an index of their boxes. Drawing and clicks read these arrays only, so
 * a hundred thousand features cost a few megabytes and no objects.
 */
import Flatbush from 'flatbush'
import type { Geometry, Position } from 'geojson'
import { mercatorX, mercatorY } from '../../features/map/engine/asset-index.ts'

export const POINT = 0
export const LINE = 1
export const POLYGON = 2

export type Shapes = {
  count: number
  /** POINT, LINE or POLYGON of each shape: a geometry of several parts has a shape for each. */
  kinds: Uint8Array
  /** Which geometry a shape belongs to. */
  owners: Uint32Array
  /** The rings of a shape are `shapeRings[i]` to `shapeRings[i + 1]`. */
  shapeRings: Uint32Array
  /** The corners of a ring are `ringCorners[i]` to `ringCorners[i + 1]`. */
  ringCorners: Uint32Array
  /** x and y of each corner. */
  corners: Float64Array
  /** West, north, east, south of each shape. */
  boxes: Float64Array
  index: Flatbush | undefined
}

function growing<T extends Float64Array | Uint32Array>(make: (length: number) => T) {
  let values = make(1024)
  let length = 0
  return {
    push(value: number): void {
      if (length === values.length) {
        const larger = make(length * 2)
        larger.set(values)
        values = larger
      }
      values[length++] = value
    },
    length: () => length,
    values: () => values.subarray(0, length) as T,
    at: (i: number) => values[i] as number,
    cut(to: number): void {
      length = to
    },
    swap(i: number, k: number): void {
      const kept = values[i] as number
      values[i] = values[k] as number
      values[k] = kept
    },
  }
}

/** Twice the area; its sign is the direction of the ring. */
function turn(ring: readonly Position[]): number {
  let sum = 0
  for (let i = 0, k = ring.length - 1; i < ring.length; k = i++) {
    const [a, b] = [ring[k], ring[i]]
    if (isPlace(a) && isPlace(b)) sum += (a[0] - b[0]) * (a[1] + b[1])
  }
  return sum
}

const isPlace = (position: Position | undefined): position is [number, number] =>
  Number.isFinite(position?.[0]) && Number.isFinite(position?.[1])
/** A file may contain anything where a list should be. */
const list = <T>(value: readonly T[]): readonly T[] => (Array.isArray(value) ? value : [])

/** Shapes of features that arrive one after the other. Features without a place are left out. */
export function collectShapes() {
  const uint32 = () => growing((length) => new Uint32Array(length))
  const float64 = () => growing((length) => new Float64Array(length))
  const [kinds, owners, shapeRings, ringCorners] = [uint32(), uint32(), uint32(), uint32()]
  const [corners, boxes] = [float64(), float64()]
  let owner = 0
  let made: Shapes | undefined
  ringCorners.push(0)
  shapeRings.push(0)

  function addRing(ring: readonly Position[], isTurned: boolean): void {
    const first = corners.length()
    for (const position of ring) {
      if (!isPlace(position)) continue
      corners.push(mercatorX(position[0]))
      corners.push(mercatorY(position[1]))
    }
    ringCorners.push(corners.length() / 2)
    if (!isTurned) return
    for (let i = first, k = corners.length() - 2; i < k; i += 2, k -= 2) {
      corners.swap(i, k)
      corners.swap(i + 1, k + 1)
    }
  }
  /** Outer rings run one way and holes the other, so that areas can be filled many at a time. */
  function addShape(kind: number, rings: readonly (readonly Position[])[]): void {
    const from = corners.length()
    const firstRing = ringCorners.length()
    let isHole = false
    for (const ring of list(rings).map(list)) {
      addRing(ring, kind === POLYGON && turn(ring) < 0 !== isHole)
      isHole = true
    }
    if (corners.length() === from) {
      ringCorners.cut(firstRing)
      return
    }
    kinds.push(kind)
    owners.push(owner)
    shapeRings.push(ringCorners.length() - 1)
    let [west, north, east, south] = [Infinity, Infinity, -Infinity, -Infinity]
    for (let i = from; i < corners.length(); i += 2) {
      const [x, y] = [corners.at(i), corners.at(i + 1)]
      if (x < west) west = x
      if (x > east) east = x
      if (y < north) north = y
      if (y > south) south = y
    }
    for (const edge of [west, north, east, south]) boxes.push(edge)
  }
  function add(geometry: Geometry | null): void {
    if (geometry?.type === 'Point') addShape(POINT, [[geometry.coordinates]])
    else if (geometry?.type === 'MultiPoint') for (const point of list(geometry.coordinates)) addShape(POINT, [[point]])
    else if (geometry?.type === 'LineString') addShape(LINE, [geometry.coordinates])
    else if (geometry?.type === 'MultiLineString') for (const line of list(geometry.coordinates)) addShape(LINE, [line])
    else if (geometry?.type === 'Polygon') addShape(POLYGON, geometry.coordinates)
    else if (geometry?.type === 'MultiPolygon')
      for (const polygon of list(geometry.coordinates)) addShape(POLYGON, polygon)
    else if (geometry?.type === 'GeometryCollection') for (const part of list(geometry.geometries)) add(part)
  }
  /** All shapes so far; later ones do not change them. */
  function shapes(): Shapes {
    const count = kinds.length()
    const allBoxes = boxes.values()
    const index = count === 0 ? undefined : new Flatbush(count)
    for (let i = 0; i < count; i++)
      index?.add(
        allBoxes[i * 4] as number,
        allBoxes[i * 4 + 1] as number,
        allBoxes[i * 4 + 2] as number,
        allBoxes[i * 4 + 3] as number,
      )
    index?.finish()
    return {
      count,
      kinds: Uint8Array.from(kinds.values()),
      owners: owners.values(),
      boxes: allBoxes,
      index,
      shapeRings: shapeRings.values(),
      ringCorners: ringCorners.values(),
      corners: corners.values(),
    }
  }
  return {
    /** The next feature. */
    add(geometry: Geometry | null): void {
      add(geometry)
      owner++
      made = undefined
    },
    shapes(): Shapes {
      made ??= shapes()
      return made
    },
  }
}

export function shapesOf(geometries: Iterable<Geometry | null>): Shapes {
  const collected = collectShapes()
  for (const geometry of geometries) collected.add(geometry)
  return collected.shapes()
}
