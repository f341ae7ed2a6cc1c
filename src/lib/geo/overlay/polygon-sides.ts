/**
 * Which polygons of a set hold a position, and which are near it. Positions are looked up in the cells of a grid, and
 * where there are edges in smaller and smaller parts of it. A part knows the polygons that hold all of it and those that
 * are near all of it, so only positions next to an edge, or next to the end of its buffer, are measured.
 *
 * Edges are straight in longitude and latitude. They are cut into pieces that are straight in space to a centimetre, so
 * a distance is that of a point and a chord: poles and the antimeridian are ordinary places. Up to 10 km a chord is a
 * millimetre shorter than the geodesic.
 */
import { envelopeOf, forEachRun } from '../geometry/wkb.ts'
import type { GeometrySet } from './geometry-set.ts'

/**
 * Indexes in the set, ascending. `near`: outside, but not farther than the buffer. Not to be changed: positions in the
 * same place mostly get the same object.
 */
export type Sides = { readonly inside: readonly number[]; readonly near: readonly number[] }

/** A polygon, and the pieces of its edges that matter: x, y, z of both ends, in metres from the centre of the earth. */
type Edged = {
  index: number
  west: number
  south: number
  east: number
  north: number
  pieces: Float64Array
}
/** `common`: the answer for all positions, without the polygons of `edged`. `parts`: of a cell with edges, by number. */
type Cell = { common: Sides; edged: readonly Edged[]; parts: (Cell | undefined)[] }
type Point = { x: number; y: number; z: number }
/** The middle of a cell, and the distance to its farthest position. */
type Round = Point & { radiusM: number }

const CELL_DEGREES = 1 / 16
const COLUMNS = 360 / CELL_DEGREES + 1
/** Parts of a cell along each side, each of which has parts again, down to about 430 m. */
const PARTS = 4
const SMALLEST_DEGREES = CELL_DEGREES / 16
/** Memory of the cells of a set, counted roughly, above which all are dropped. */
const MAX_BYTES = 16 * 2 ** 20
const CELL_BYTES = 100

const NOWHERE: Sides = { inside: [], near: [] }
const EMPTY: Cell = { common: NOWHERE, edged: [], parts: [] }

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
  /** The size of the square of the grid in which all positions have the last answer; 0 when only that position has it. */
  steadyDegrees = 0

  /** @param set in degrees within ±180 */
  constructor(set: GeometrySet) {
    this.set = set
  }

  at(longitude: number, latitude: number, bufferM: number): Sides {
    let cell = this.cellAt(longitude, latitude, bufferM)
    let degrees = CELL_DEGREES
    while (cell.edged.length > 0 && degrees > SMALLEST_DEGREES) {
      degrees /= PARTS
      cell = this.partAt(cell, degrees, longitude, latitude, bufferM)
    }
    const { common, edged } = cell
    this.steadyDegrees = edged.length === 0 ? degrees : 0
    if (edged.length === 0) return common
    const inside: number[] = []
    const near: number[] = []
    const point = inSpace(longitude, latitude)
    for (const one of edged)
      if (this.holds(one, longitude, latitude)) inside.push(one.index)
      else if (bufferM > 0 && squareToNearest(one.pieces, point) <= bufferM * bufferM) near.push(one.index)
    return together(common, inside, near)
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
      cells.set(key, cell)
    }
    return cell
  }

  private partAt(cell: Cell, degrees: number, longitude: number, latitude: number, bufferM: number): Cell {
    const column = Math.floor((longitude + 180) / degrees)
    const row = Math.floor((latitude + 90) / degrees)
    const key = (row % PARTS) * PARTS + (column % PARTS)
    let part = cell.parts[key]
    if (part === undefined) {
      const round = roundOf(column * degrees - 180, row * degrees - 90, degrees)
      part = this.narrowed(cell.common, cell.edged, round, bufferM, longitude, latitude)
      cell.parts[key] = part
    }
    return part
  }

  /** @param longitude of a position in the cell, to look at polygons without edges there */
  private cellOf(west: number, south: number, bufferM: number, longitude: number, latitude: number): Cell {
    const found = this.near(west, south, bufferM)
    if (found.length === 0) return EMPTY
    const round = roundOf(west, south, CELL_DEGREES)
    const polygons = found.map((index): Edged => {
      const wkb = this.set.validAt(index)
      const pieces: number[] = []
      forEachRun(wkb, (view, offset, count, stride, role) => {
        for (let i = role === 0 ? 0 : 1, at = offset + i * stride; i < count; i++, at += stride) {
          const from = role === 0 ? at : at - stride
          const [x1, y1] = [view.getFloat64(from, true), view.getFloat64(from + 8, true)]
          const [x2, y2] = [view.getFloat64(at, true), view.getFloat64(at + 8, true)]
          addPieces(pieces, round, round.radiusM + bufferM + MAX_DEVIATION_M, x1, y1, x2, y2)
        }
      })
      const [minX, minY, maxX, maxY] = envelopeOf(wkb)
      return { index, west: minX, south: minY, east: maxX, north: maxY, pieces: Float64Array.from(pieces) }
    })
    return this.narrowed(NOWHERE, polygons, round, bufferM, longitude, latitude)
  }

  /** What remains of a larger cell. @param longitude of a position in the cell */
  private narrowed(
    outer: Sides,
    polygons: readonly Edged[],
    round: Round,
    bufferM: number,
    longitude: number,
    latitude: number,
  ): Cell {
    const inside: number[] = []
    const near: number[] = []
    const edged: Edged[] = []
    const radiusM = round.radiusM + MAX_DEVIATION_M
    for (const polygon of polygons) {
      const nearestM = Math.sqrt(squareToNearest(polygon.pieces, round))
      if (nearestM <= radiusM) edged.push(within(polygon, round, radiusM + bufferM))
      else if (this.holds(polygon, longitude, latitude)) inside.push(polygon.index)
      else if (nearestM <= bufferM - radiusM) near.push(polygon.index)
      else if (nearestM <= bufferM + radiusM) edged.push(within(polygon, round, radiusM + bufferM))
    }
    if (this.bytes > MAX_BYTES) {
      for (const cells of this.cells.values()) cells.clear()
      this.bytes = 0
    }
    this.bytes += CELL_BYTES + edged.reduce((sum, { pieces }) => sum + CELL_BYTES + pieces.byteLength, 0)
    return { common: together(outer, inside, near), edged, parts: [] }
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

function roundOf(west: number, south: number, size: number): Round {
  const middle = inSpace(west + size / 2, south + size / 2)
  const cornerM = (latitude: number): number => distance(middle, inSpace(west, latitude))
  return { ...middle, radiusM: Math.max(cornerM(south), cornerM(south + size)) }
}

const ascending = (a: readonly number[], b: readonly number[]): readonly number[] =>
  a.length === 0 ? b : b.length === 0 ? a : [...a, ...b].sort((one, other) => one - other)

function together(common: Sides, inside: readonly number[], near: readonly number[]): Sides {
  if (inside.length + near.length === 0) return common
  return { inside: ascending(common.inside, inside), near: ascending(common.near, near) }
}

const distance = (a: Point, b: Point): number => Math.hypot(a.x - b.x, a.y - b.y, a.z - b.z)

/** Appends the pieces of an edge that are within a distance of a point. */
function addPieces(
  pieces: number[],
  point: Point,
  mostM: number,
  x1: number,
  y1: number,
  x2: number,
  y2: number,
): void {
  const [x, y] = [(x1 + x2) / 2, (y1 + y2) / 2]
  const middle = inSpace(x, y)
  const longestM = (Math.abs(x2 - x1) + Math.abs(y2 - y1)) * DEGREE_M
  if (distance(middle, point) > mostM + longestM / 2) return
  const [a, b] = [inSpace(x1, y1), inSpace(x2, y2)]
  const deviation = Math.hypot(middle.x - (a.x + b.x) / 2, middle.y - (a.y + b.y) / 2, middle.z - (a.z + b.z) / 2)
  if (deviation > MAX_DEVIATION_M) {
    addPieces(pieces, point, mostM, x1, y1, x, y)
    addPieces(pieces, point, mostM, x, y, x2, y2)
  } else if (squareTo(point, a.x, a.y, a.z, b.x, b.y, b.z) <= mostM * mostM) pieces.push(a.x, a.y, a.z, b.x, b.y, b.z)
}

/** The polygon with its pieces within a distance of a point. */
function within(polygon: Edged, point: Point, mostM: number): Edged {
  const { pieces } = polygon
  const kept = new Float64Array(pieces.length)
  let length = 0
  for (let i = 0; i < pieces.length; i += 6)
    if (squareToPiece(pieces, i, point) <= mostM * mostM) {
      kept.set(pieces.subarray(i, i + 6), length)
      length += 6
    }
  return length === pieces.length ? polygon : { ...polygon, pieces: kept.slice(0, length) }
}

function squareToNearest(pieces: Float64Array, point: Point): number {
  let nearest = Number.POSITIVE_INFINITY
  for (let i = 0; i < pieces.length; i += 6) nearest = Math.min(nearest, squareToPiece(pieces, i, point))
  return nearest
}

function squareToPiece(pieces: Float64Array, at: number, point: Point): number {
  return squareTo(
    point,
    pieces[at] as number,
    pieces[at + 1] as number,
    pieces[at + 2] as number,
    pieces[at + 3] as number,
    pieces[at + 4] as number,
    pieces[at + 5] as number,
  )
}

/** The square of the distance of a point from a segment from a to b. */
function squareTo({ x, y, z }: Point, ax: number, ay: number, az: number, bx: number, by: number, bz: number): number {
  const [dx, dy, dz] = [bx - ax, by - ay, bz - az]
  const [px, py, pz] = [x - ax, y - ay, z - az]
  const length = dx * dx + dy * dy + dz * dz
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, (px * dx + py * dy + pz * dz) / length))
  return (px - along * dx) ** 2 + (py - along * dy) ** 2 + (pz - along * dz) ** 2
}
