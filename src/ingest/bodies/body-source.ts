/** Bodies of a sensor's readings, by content type. */
import type { ReadingsSource } from '../validate.ts'
import { csvSource } from './csv.ts'
import { ndjsonSource } from './ndjson.ts'
import { senmlSource } from './senml.ts'

const SOURCES: ReadonlyMap<string, (body: Uint8Array) => ReadingsSource> = new Map([
  ['application/x-ndjson', ndjsonSource],
  ['text/csv', csvSource],
  ['application/senml+json', senmlSource],
])

/**
 * What reads the body; undefined for JSON, which is also what a body without a known content type is taken for.
 * @param mediaType in lower case, without parameters
 */
export const sourceOf = (mediaType: string, body: Uint8Array): ReadingsSource | undefined =>
  SOURCES.get(mediaType)?.(body)
