/** Writes stored features of a map layer as GeoJSON text; the reverse of intake/features.ts. */
import { GeoJsonWriter } from '../lib/geo/geojson-write.ts'

export type FeatureParts = { featureId: string; properties: string | null; geometry: Uint8Array | null }

export function featureText({ featureId, properties, geometry }: FeatureParts): string {
  const writer = new GeoJsonWriter()
  writer.geometry(geometry)
  return `{"type":"Feature","id":${JSON.stringify(featureId)},"properties":${properties ?? '{}'},"geometry":${writer.take().toString('latin1')}}`
}
