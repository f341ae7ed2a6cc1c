/** Any GeoJSON geometry, and the same as well-known binary of every variant, written by hand. */
import fc from 'fast-check'

export type Position = number[]
export type AnyGeometry =
  | { type: 'Point'; coordinates: Position }
  | { type: 'LineString' | 'MultiPoint'; coordinates: Position[] }
  | { type: 'Polygon' | 'MultiLineString'; coordinates: Position[][] }
  | { type: 'MultiPolygon'; coordinates: Position[][][] }
  | { type: 'GeometryCollection'; geometries: AnyGeometry[] }

/** Numbers with up to nine decimals, which all programs write and read in the same way. */
const coordinate = (limit: number): fc.Arbitrary<number> =>
  fc.integer({ min: -limit * 1e9, max: limit * 1e9 }).map((billionths) => billionths / 1e9)

type Options = {
  /** Axes of a position. */
  axes: 2 | 3
  /** Whether parts and rings may be missing. */
  empty: boolean
  depth?: number
}

/** @returns geometries whose rings are closed and have four positions, but may intersect themselves */
export function anyGeometry({ axes, empty, depth = 2 }: Options): fc.Arbitrary<AnyGeometry> {
  const xy: fc.Arbitrary<Position> = fc.tuple(coordinate(180), coordinate(90))
  const position = axes === 2 ? xy : fc.tuple(xy, coordinate(9_000)).map(([p, z]) => [...p, z])
  const several = <T>(item: fc.Arbitrary<T>, min: number): fc.Arbitrary<T[]> =>
    fc.array(item, { minLength: min, maxLength: min + 3 })
  const least = empty ? 0 : 1
  const path = empty ? fc.oneof(several(position, 2), fc.constant([])) : several(position, 2)
  const ring = several(position, 3).map((list) => [...list, list[0] as Position])
  const rings = several(ring, least)
  const point = empty ? fc.oneof({ weight: 5, arbitrary: position }, fc.constant([])) : position
  const simple = fc.oneof(
    fc.record({ type: fc.constant('Point' as const), coordinates: point }),
    fc.record({ type: fc.constant('LineString' as const), coordinates: path }),
    fc.record({ type: fc.constant('Polygon' as const), coordinates: rings }),
    fc.record({ type: fc.constant('MultiPoint' as const), coordinates: several(position, least) }),
    fc.record({ type: fc.constant('MultiLineString' as const), coordinates: several(path, least) }),
    fc.record({ type: fc.constant('MultiPolygon' as const), coordinates: several(rings, least) }),
  ) as fc.Arbitrary<AnyGeometry>
  if (depth === 0) return simple
  const members = fc.array(anyGeometry({ axes, empty, depth: depth - 1 }), { minLength: least, maxLength: 3 })
  const collection = members.map((geometries): AnyGeometry => ({ type: 'GeometryCollection', geometries }))
  return fc.oneof({ weight: 6, arbitrary: simple }, { weight: 1, arbitrary: collection })
}

/** Every position, in the order in which it is written. */
export function positionsOf(geometry: AnyGeometry): Position[] {
  if (geometry.type === 'GeometryCollection') return geometry.geometries.flatMap(positionsOf)
  const depth = { Point: 0, LineString: 1, MultiPoint: 1, Polygon: 2, MultiLineString: 2, MultiPolygon: 3 }
  const list = (geometry.coordinates as unknown[]).flat(depth[geometry.type] - 1) as never
  return geometry.type === 'Point' ? (geometry.coordinates.length === 0 ? [] : [geometry.coordinates]) : list
}

const CODES = {
  Point: 1,
  LineString: 2,
  Polygon: 3,
  MultiPoint: 4,
  MultiLineString: 5,
  MultiPolygon: 6,
  GeometryCollection: 7,
}
const SINGLE: Record<string, string> = { MultiPoint: 'Point', MultiLineString: 'LineString', MultiPolygon: 'Polygon' }

export type WkbVariant = {
  little: boolean
  /** How three dimensions are encoded: in thousands (ISO) or in the highest bit (the older variant). */
  z: 'iso' | 'bit'
  /** Whether every position has a measure, which our readers ignore. */
  m: boolean
  /** PostGIS puts the number of the reference system first. */
  srid: boolean
}

/** Well-known binary as OGC 06-103r4 and PostGIS' manual describe it. */
export function wkbOf(geometry: AnyGeometry, axes: 2 | 3, variant: WkbVariant): Uint8Array {
  const chunks: Buffer[] = []
  const { little, m } = variant
  const uint = (value: number): void => {
    const buffer = Buffer.alloc(4)
    if (little) buffer.writeUInt32LE(value >>> 0)
    else buffer.writeUInt32BE(value >>> 0)
    chunks.push(buffer)
  }
  const position = (values: Position): void => {
    const filled = values.length === 0 ? Array(axes).fill(Number.NaN) : values
    for (const value of [...filled, ...(m ? [7] : [])]) {
      const buffer = Buffer.alloc(8)
      if (little) buffer.writeDoubleLE(value)
      else buffer.writeDoubleBE(value)
      chunks.push(buffer)
    }
  }
  const positions = (list: readonly Position[]): void => {
    uint(list.length)
    for (const one of list) position(one)
  }
  const write = (one: AnyGeometry, outermost: boolean): void => {
    chunks.push(Buffer.of(little ? 1 : 0))
    const code = CODES[one.type]
    const withSrid = outermost && variant.srid
    const thousands = 1000 * ((axes === 3 ? 1 : 0) + (m ? 2 : 0))
    const bits = (axes === 3 ? 0x8000_0000 : 0) + (m ? 0x4000_0000 : 0)
    uint(code + (variant.z === 'iso' ? thousands : bits) + (withSrid ? 0x2000_0000 : 0))
    if (withSrid) uint(4326)
    if (one.type === 'Point') position(one.coordinates)
    else if (one.type === 'LineString') positions(one.coordinates)
    else if (one.type === 'Polygon') {
      uint(one.coordinates.length)
      for (const ring of one.coordinates) positions(ring)
    } else {
      const parts =
        one.type === 'GeometryCollection'
          ? one.geometries
          : one.coordinates.map((coordinates) => ({ type: SINGLE[one.type], coordinates }) as AnyGeometry)
      uint(parts.length)
      for (const part of parts) write(part, false)
    }
  }
  write(geometry, true)
  return new Uint8Array(Buffer.concat(chunks))
}
