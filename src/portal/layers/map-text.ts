/** The geometries of a layer as GeoJSON text for the map, in parts, with the box around them. */
import type { Geometry } from 'geojson'
import type { LayerFeature } from './layer-store.ts'

const PART_FEATURES = 2_000

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

/** Attributes stay in the worker: the map needs ids only. */
export function mapText(features: readonly LayerFeature[]): { parts: string[]; box: Box | undefined } {
  const parts = ['{"type":"FeatureCollection","features":[']
  let part: string[] = []
  let isFirst = true
  const flush = (): void => {
    if (part.length > 0) parts.push((isFirst ? '' : ',') + part.join(','))
    isFirst = isFirst && part.length === 0
    part = []
  }
  for (const { id, geometry } of features) {
    if (geometry === null) continue
    part.push(`{"type":"Feature","properties":{"id":${JSON.stringify(id)}},"geometry":${JSON.stringify(geometry)}}`)
    if (part.length === PART_FEATURES) flush()
  }
  flush()
  parts.push(']}')
  return { parts, box: boxOfGeometries(features.map(({ geometry }) => geometry)) }
}
