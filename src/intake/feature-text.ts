/** Writes stored features of a map layer as GeoJSON text; the reverse of intake/features.ts. */
import { GeoJsonWriter } from '../lib/geo/formats/geojson/geojson-write.ts'

export type FeatureParts = { featureId: string; properties: string | null; geometry: Uint8Array | null }

/** A writer whose buffer grew beyond this is discarded. */
const MAX_KEPT_BUFFER_BYTES = 1 << 20
/** A buffer for each feature would cost more time than its text. */
let kept: GeoJsonWriter | undefined

function writeFeature(writer: GeoJsonWriter, { featureId, properties, geometry }: FeatureParts): void {
  writer.json(`{"type":"Feature","id":${JSON.stringify(featureId)},"properties":${properties ?? '{}'},"geometry":`)
  writer.geometry(geometry)
  writer.json('}')
}

export function featureText(parts: FeatureParts): string {
  const writer = kept ?? new GeoJsonWriter()
  // a writer that failed halfway is not reused
  kept = undefined
  writeFeature(writer, parts)
  const bytes = writer.take()
  if (bytes.length <= MAX_KEPT_BUFFER_BYTES) kept = writer
  return bytes.toString()
}

/** Features as a GeoJSON text sequence (RFC 8142): each between a record separator and a line feed. */
export function createFeatureSequence() {
  const writer = new GeoJsonWriter()
  return {
    add(parts: FeatureParts): void {
      writer.json('\u001e')
      writeFeature(writer, parts)
      writer.json('\n')
    },
    /** The text written since the last call. */
    take: (): Uint8Array => writer.take(),
  }
}
