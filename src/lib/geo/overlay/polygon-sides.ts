/**
 * Which polygons of a set hold a position, and which are near it. Positions are looked up in the cells of a grid. A cell
 * knows the polygons that cover it and the edges near enough to matter; most positions take one look at a map.
 *
 * Edges are straight in longitude and latitude. They are cut into pieces that are straight in space to a centimetre, so
 * a distance is that of a point and a chord: poles and the antimeridian are ordinary places. Up to 10 km a chord is a
 * millimetre shorter than the geodesic.
 */
import { envelopeOf, forEachRun } from '../geometry/wkb.ts'
import type { GeometrySet } from './geometry-set.ts'

/** Indexes in the set, ascending. `near`: outside, but not farther than the buffer. */
export type Sides = { inside: readonly number[]; near: readonly number[] }

/** A polygon with edges in a cell or around it. */
type Edged = {
  index: number
  west: number
  south: number
  east: number
  north: number
  /** x, y, z of both ends of each piece, in metres from the centre of the earth. */
  pieces: Float64Array
}
/** `covering`: the answer without the polygons of `edged`. */
type Cell = { covering: Sides; edged: readonly Edged[] }
/** The middle of a cell, and how far edges matter from there. */
type Reach = { x: number; y: number; z: number; reachM: number }
type Point = { x: number; y: number; z: number }

const CELL_DEGREES = 1 / 32
const COLUMNS = 360 / CELL_DEGREES + 1
/** Memory of the cells of a set, counted roughly, above which all are dropped. */
const MAX_BYTES = 16 * 2 ** 20
const CELL_BYTES = 64

const NOWHERE: Sides = { inside: [], near: [] }
const EMPTY: Cell = { covering: NOWHERE, edged: [] }

const A = 6378137
const E2 = (2 - 1 / 298.257223563) / 298.257223563
const RADIANS = Math.PI / 180
/** Least metres of a degree of latitude; of longitude at the equator. */
const LATITUDE_M = 110_574
const LONGITUDE_M = 111_319
/** Most metres of a degree in any direction. */
const DEGREE_M = 111_700
/** Beyond this latitude all longitudes are near. */
const POLAR_LATITUDE = 89
/** Makes positions on the antimeridian near both sides of it. */
const TOUCH_DEGREES = 1e-9
const MAX_DEVIATION_M = 0.01

export class PolygonSides {
  private readonly set: GeometrySet
  /** Cells by their number, for each buffer. */
  private readonly cells = new Map<number, Map<number, Cell>>()
  bytes = 0

  /** @param set in degrees within ±180 */
  constructor(set: GeometrySet) {
    this.set = set
  }

  at(longitude: number, latitude: number, bufferM: number): Sides {
    const { covering, edged } = this.cellAt(longitude, latitude, bufferM)
    if (edged.length === 0) return covering
    const inside = [...covering.inside]
    const near: number[] = []
    const point = bufferM > 0 ? inSpace(longitude, latitude) : undefined
    for (const one of edged)
      if (this.holds(one, longitude, latitude)) inside.push(one.index)
      else if (point !== undefined && isWithin(one.pieces, point, bufferM)) near.push(one.index)
    if (inside.length + near.length === 0) return NOWHERE
    if (covering.inside.length > 0) inside.sort((a, b) => a - b)
    return { inside, near }
  }

  private cellAt(longitude: number, latitude: number, bufferM: number): Cell {
    let cells = this.cells.get(bufferM)
    if (cells === undefined) {
      cells = new Map()
      this.cells.set(bufferM, cells)
    }
    const column = Math.floor((longitude + 180) / CELL_DEGREES)
    const row = Math.floor((latitude + 90) / CELL_DEGREES)
    const key = row * COLUMNS + column
    let cell = cells.get(key)
    if (cell === undefined) {
      cell = this.cellOf(column * CELL_DEGREES - 180, row * CELL_DEGREES - 90, bufferM, longitude, latitude)
      if (this.bytes > MAX_BYTES) {
        for (const other of this.cells.values()) other.clear()
        this.bytes = 0
      }
      this.bytes += CELL_BYTES + cell.edged.reduce((sum, { pieces }) => sum + CELL_BYTES + pieces.byteLength, 0)
      cells.set(key, cell)
    }
    return cell
  }

  /** @param longitude of a position in the cell, to look at polygons without edges there */
  private cellOf(west: number, south: number, bufferM: number, longitude: number, latitude: number): Cell {
    const near = this.near(west, south, bufferM)
    if (near.length === 0) return EMPTY
    const reach = reachOf(west, south, bufferM)
    const inside: number[] = []
    const edged: Edged[] = []
    for (const index of near) {
      const wkb = this.set.validAt(index)
      const pieces: number[] = []
      forEachRun(wkb, (view, offset, count, stride, role) => {
        for (let i = role === 0 ? 0 : 1, at = offset + i * stride; i < count; i++, at += stride) {
          const from = role === 0 ? at : at - stride
          const [x1, y1] = [view.getFloat64(from, true), view.getFloat64(from + 8, true)]
          addPieces(pieces, reach, x1, y1, view.getFloat64(at, true), view.getFloat64(at + 8, true))
        }
      })
      const [minX, minY, maxX, maxY] = envelopeOf(wkb)
      const one = { index, west: minX, south: minY, east: maxX, north: maxY, pieces: Float64Array.from(pieces) }
      if (pieces.length > 0) edged.push(one)
      else if (this.holds(one, longitude, latitude)) inside.push(index)
    }
    return { covering: inside.length === 0 ? NOWHERE : { inside, near: [] }, edged }
  }

  /** Polygons whose envelopes are near a cell. */
  private near(west: number, south: number, bufferM: number): number[] {
    const up = bufferM / LATITUDE_M + TOUCH_DEGREES
    const [minY, maxY] = [south - up, south + CELL_DEGREES + up]
    const farthest = Math.max(Math.abs(minY), Math.abs(maxY))
    if (farthest > POLAR_LATITUDE) return this.set.inBox(-180, minY, 180, maxY)
    const along = bufferM / (LONGITUDE_M * Math.cos(farthest * RADIANS)) + TOUCH_DEGREES
    const [minX, maxX] = [west - along, west + CELL_DEGREES + along]
    const found = this.set.inBox(minX, minY, maxX, maxY)
    if (minX > -180 && maxX < 180) return found
    const turn = minX <= -180 ? 360 : -360
    const others = this.set.inBox(minX + turn, minY, maxX + turn, maxY)
    return [...new Set([...found, ...others])].sort((a, b) => a - b)
  }

  private holds({ index, west, south, east, north }: Edged, longitude: number, latitude: number): boolean {
    if (latitude < south || latitude > north) return false
    if (Math.abs(longitude) === 180)
      return this.set.holds(index, longitude, latitude) || this.set.holds(index, -longitude, latitude)
    return longitude >= west && longitude <= east && this.set.holds(index, longitude, latitude)
  }
}

function inSpace(longitude: number, latitude: number): Point {
  const [lon, lat] = [longitude * RADIANS, latitude * RADIANS]
  const sin = Math.sin(lat)
  const across = A / Math.sqrt(1 - E2 * sin * sin)
  const flat = across * Math.cos(lat)
  return { x: flat * Math.cos(lon), y: flat * Math.sin(lon), z: across * (1 - E2) * sin }
}

function reachOf(west: number, south: number, bufferM: number): Reach {
  const middle = inSpace(west + CELL_DEGREES / 2, south + CELL_DEGREES / 2)
  const cornerM = (latitude: number): number => distance(middle, inSpace(west, latitude))
  const radiusM = Math.max(cornerM(south), cornerM(south + CELL_DEGREES))
  return { ...middle, reachM: radiusM + bufferM + 2 * MAX_DEVIATION_M }
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z)

/** Appends the pieces of an edge that are within reach. */
function addPieces(pieces: number[], reach: Reach, x1: number, y1: number, x2: number, y2: number): void {
  const middle = inSpace((x1 + x2) / 2, (y1 + y2) / 2)
  const longestM = (Math.abs(x2 - x1) + Math.abs(y2 - y1)) * DEGREE_M
  if (distance(middle, reach) > reach.reachM + longestM / 2) return
  const [a, b] = [inSpace(x1, y1), inSpace(x2, y2)]
  const deviation = Math.hypot(middle.x - (a.x + b.x) / 2, middle.y - (a.y + b.y) / 2, middle.z - (a.z + b.z) / 2)
  if (deviation > MAX_DEVIATION_M) {
    const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2]
    addPieces(pieces, reach, x1, y1, x, y)
    addPieces(pieces, reach, x, y, x2, y2)
  } else if (squareTo(reach, a.x, a.y, a.z, b.x, b.y, b.z) <= reach.reachM ** 2)
    pieces.push(a.x, a.y, a.z, b.x, b.y, b.z)
}

function isWithin(pieces: Float64Array, point: Point, bufferM: number): boolean {
  const most = bufferM * bufferM
  for (let i = 0; i < pieces.length; i += 6) {
    const [ax, ay, az] = [pieces[i] as number, pieces[i + 1] as number, pieces[i + 2] as number]
    const [bx, by, bz] = [pieces[i + 3] as number, pieces[i + 4] as number, pieces[i + 5] as number]
    if (squareTo(point, ax, ay, az, bx, by, bz) <= most) return true
  }
  return false
}

/** The square of the distance of a point from a segment from a to b. */
function squareTo({ x, y, z }: Point, ax: number, ay: number, az: number, bx: number, by: number, bz: number): number {
  const [dx, dy, dz] = [bx - ax, by - ay, bz - az]
  const [px, py, pz] = [x - ax, y - ay, z - az]
  const length = dx * dx + dy * dy + dz * dz
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy + pz * dz) / length))
  return (px - along * dx) ** 2 + (py - along * dy) ** 2 + (pz - along * dz) ** 2
}
