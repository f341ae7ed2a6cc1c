/** GeoJSON that people paste or draw: reading it, its extent, and where a label stands. */
import type { Feature, FeatureCollection, Geometry, Position } from 'geojson'

export type Box = [west: number, south: number, east: number, north: number]

/** The features of any GeoJSON but a GeometryCollection; undefined for other texts, whose fault the server reports. */
export function featuresIn(input: unknown): Feature[] | undefined {
  if (typeof input !== 'object' || input === null) return undefined
  const { type, features, coordinates } = input as { type?: unknown; features?: unknown; coordinates?: unknown }
  if (type === 'FeatureCollection') return Array.isArray(features) ? (features as Feature[]).filter(isShown) : undefined
  if (type === 'Feature') return isShown(input as Feature) ? [input as Feature] : []
  return Array.isArray(coordinates) ? [{ type: 'Feature', properties: {}, geometry: input as Geometry }] : undefined
}

const isShown = (feature: Feature | null): boolean =>
  Array.isArray((feature?.geometry as { coordinates?: unknown } | null | undefined)?.coordinates)

function* positionsOf(coordinates: unknown): Generator<Position> {
  if (!Array.isArray(coordinates)) return
  if (typeof coordinates[0] === 'number') yield coordinates as Position
  else for (const one of coordinates) yield* positionsOf(one)
}

const coordinatesOf = ({ geometry }: Feature): unknown => (geometry as { coordinates?: unknown } | null)?.coordinates

export function boxOf(features: readonly Feature[]): Box | undefined {
  let box: Box | undefined
  for (const feature of features)
    for (const [x = 0, y = 0] of positionsOf(coordinatesOf(feature))) {
      if (!(Math.abs(x) <= 180 && Math.abs(y) <= 90)) continue
      box ??= [x, y, x, y]
      box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)]
    }
  return box
}

export const collectionOf = (features: readonly Feature[]): FeatureCollection => ({
  type: 'FeatureCollection',
  features: [...features],
})

/**
 * A rectangle that covers the eastern half of a box and extends as far beyond it: partly inside any shape that fills
 * the box.
 */
export function exampleFor(box: Box | undefined): Feature {
  const [west, south, east, north] = box ?? [13.3, 52.4, 13.5, 52.6]
  const width = Math.max(east - west, 0.001)
  const height = Math.max(north - south, 0.001)
  const round = (degrees: number): number => Number(Math.max(-180, Math.min(180, degrees)).toFixed(6))
  const [a, b] = [round(west + width / 2), round(west + width * 1.5)]
  const [c, d] = [round(south + height / 4), round(south + (height * 3) / 4)]
  return {
    type: 'Feature',
    properties: { name: 'Example' },
    geometry: {
      type: 'Polygon',
      coordinates: [
        [
          [a, c],
          [b, c],
          [b, d],
          [a, d],
          [a, c],
        ],
      ],
    },
  }
}
