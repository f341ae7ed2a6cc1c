/** The box around geometries of a layer. */
import type { Geometry } from 'geojson'

type Box = [west: number, south: number, east: number, north: number]

function widen(box: Box, coordinates: unknown): void {
  const list = coordinates as unknown[]
  if (typeof list[0] === 'number') {
    const [x, y] = list as [number, number]
    if (x < box[0]) box[0] = x
    if (y < box[1]) box[1] = y
    if (x > box[2]) box[2] = x
    if (y > box[3]) box[3] = y
  } else for (const part of list) widen(box, part)
}

export function boxOfGeometries(geometries: readonly (Geometry | null)[]): Box | undefined {
  const box: Box = [
    Number.POSITIVE_INFINITY,
    Number.POSITIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
    Number.NEGATIVE_INFINITY,
  ]
  for (const geometry of geometries)
    if (geometry !== null && geometry.type !== 'GeometryCollection') widen(box, geometry.coordinates)
  return box[0] <= box[2] ? box : undefined
}
