/** Geometries as the parts that can be drawn and moved: points, lines and rings; and the way back. */
import type { Geometry, Position } from 'geojson'

export type Part = { kind: 'Point' | 'LineString' | 'Polygon'; positions: Position[] }

/** More corners than a person would move by hand. */
export const MAX_POSITIONS = 2_000

/** Each ring of a polygon is a part. Undefined for geometries that cannot be moved: heights would get lost. */
export function partsOf(geometry: Geometry): Part[] | undefined {
  const parts = allParts(geometry)
  const count = parts?.reduce((sum, { positions }) => sum + positions.length, 0) ?? 0
  const isFlat = parts?.every(({ positions }) => positions.every((position) => position.length === 2))
  return isFlat && count > 0 && count <= MAX_POSITIONS ? parts : undefined
}

function allParts(geometry: Geometry): Part[] | undefined {
  switch (geometry.type) {
    case 'Point':
      return [{ kind: 'Point', positions: [geometry.coordinates] }]
    case 'MultiPoint':
      return geometry.coordinates.map((position) => ({ kind: 'Point', positions: [position] }))
    case 'LineString':
      return [{ kind: 'LineString', positions: geometry.coordinates }]
    case 'MultiLineString':
      return geometry.coordinates.map((positions) => ({ kind: 'LineString', positions }))
    case 'Polygon':
      return geometry.coordinates.map((positions) => ({ kind: 'Polygon', positions }))
    case 'MultiPolygon':
      return geometry.coordinates.flat().map((positions) => ({ kind: 'Polygon', positions }))
    case 'GeometryCollection':
      return undefined
  }
}

/** The geometry with moved parts, in the order of `partsOf`. */
export function withParts(geometry: Geometry, parts: readonly Part[]): Geometry {
  let next = 0
  const take = (): Position[] => parts[next++]?.positions ?? []
  switch (geometry.type) {
    case 'Point':
      return { ...geometry, coordinates: take()[0] ?? geometry.coordinates }
    case 'MultiPoint':
      return { ...geometry, coordinates: geometry.coordinates.map(() => take()[0] as Position) }
    case 'LineString':
      return { ...geometry, coordinates: take() }
    case 'MultiLineString':
    case 'Polygon':
      return { ...geometry, coordinates: geometry.coordinates.map(take) }
    case 'MultiPolygon':
      return { ...geometry, coordinates: geometry.coordinates.map((polygon) => polygon.map(take)) }
    case 'GeometryCollection':
      return geometry
  }
}
