/** Decodes well-known binary (ISO, little-endian) for comparisons: outer rings are counter-clockwise, as in RFC 7946. */
import type { AnyGeometry, Position } from '../formats/any-geometry.ts'

const TYPES = ['Point', 'LineString', 'Polygon', 'MultiPoint', 'MultiLineString', 'MultiPolygon', 'GeometryCollection']

/** @param hex null for no geometry */
export function plainGeometry(hex: string | null): AnyGeometry | null {
  if (hex === null) return null
  const bytes = Buffer.from(hex, 'hex')
  let at = 0
  const skip = (length: number): number => {
    at += length
    return at - length
  }
  const count = (): number => bytes.readUInt32LE(skip(4))
  const list = <T>(item: () => T): T[] => Array.from({ length: count() }, item)
  function geometry(): AnyGeometry {
    skip(1)
    const code = count()
    const axes = code > 1000 ? 3 : 2
    const position = (): Position => Array.from({ length: axes }, () => bytes.readDoubleLE(skip(8)))
    const ring = (first: boolean): Position[] => {
      const positions = list(position)
      return area(positions) > 0 === first ? positions : positions.reverse()
    }
    const type = TYPES[(code % 1000) - 1]
    if (type === 'Point') {
      const coordinates = position()
      return { type, coordinates: Number.isNaN(coordinates[0]) ? [] : coordinates }
    }
    if (type === 'LineString') return { type, coordinates: list(position) }
    if (type === 'Polygon') {
      let rings = 0
      return { type, coordinates: list(() => ring(rings++ === 0)) }
    }
    const parts = list(geometry)
    if (type === 'GeometryCollection') return { type, geometries: parts }
    return { type, coordinates: parts.map((part) => (part as { coordinates: unknown }).coordinates) } as AnyGeometry
  }
  return geometry()
}

const area = (ring: readonly Position[]): number =>
  ring.reduce((sum, [x = 0, y = 0], i) => {
    const [nextX = 0, nextY = 0] = ring[(i + 1) % ring.length] as Position
    return sum + x * nextY - nextX * y
  }, 0)
