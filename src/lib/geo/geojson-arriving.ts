/** Reads GeoJSON text while it arrives: each feature of a collection is parsed as soon as its text is there. */
import { isUtf8 } from 'node:buffer'
import { open } from 'node:fs/promises'
import type { Arrivals } from '../arrivals.ts'
import { FeatureReader, type GeoJsonContent } from './geojson-read.ts'
import { FeatureList, featureListStart, splitFeatures } from './geojson-scan.ts'

/** Parsing so much takes 40 ms, after which the process can be needed for something else. */
const STEP_BYTES = 4 * 2 ** 20

/**
 * Returns what `readGeoJson` returns for the whole file, or undefined for a text that is not a FeatureCollection with a
 * list of objects.
 * @throws InputError or SyntaxError for a feature that is invalid, and what `arrivals` throws
 */
export async function readArrivingGeoJson(
  path: string,
  arrivals: Arrivals,
  maxFeatures: number,
): Promise<GeoJsonContent | undefined> {
  const file = await open(path)
  try {
    // the system provides the memory as it is filled
    const all = Buffer.allocUnsafeSlow(arrivals.maxBytes)
    const reader = new FeatureReader(maxFeatures)
    let list: FeatureList | undefined
    let next = 0
    let length = 0
    let isWhole = false
    /** An incomplete feature is scanned from its beginning again, once there is twice as much of it. */
    let enough = 0
    while (!isWhole) {
      const arrived = await arrivals.after(Math.max(length, enough))
      const to = Math.min(arrived.bytes, length + STEP_BYTES)
      isWhole = arrived.isWhole && to === arrived.bytes
      while (length < to) {
        const { bytesRead } = await file.read(all, length, to - length, length)
        if (bytesRead === 0) return undefined
        length += bytesRead
      }
      if (length <= enough && !isWhole) continue
      const bytes = all.subarray(0, length)
      if (list === undefined) {
        const start = featureListStart(bytes)
        if (start !== undefined) list = new FeatureList(start)
      }
      list?.scan(bytes, isWhole)
      for (const { offsets } = list ?? { offsets: [] }; next < offsets.length; next += 2)
        reader.add(JSON.parse(bytes.toString('utf8', offsets[next], offsets[next + 1])))
      const at = list?.at ?? 0
      enough = at + 2 * (length - at)
    }
    const bytes = all.subarray(0, length)
    if (!list?.isComplete(bytes) || !isUtf8(bytes)) return undefined
    const split = splitFeatures(bytes, list)
    const root: unknown = split && JSON.parse(split.rest)
    return isCollection(root) ? reader.content(root.crs) : undefined
  } finally {
    await file.close()
  }
}

const isCollection = (root: unknown): root is { crs?: unknown } =>
  typeof root === 'object' &&
  root !== null &&
  'type' in root &&
  root.type === 'FeatureCollection' &&
  'features' in root &&
  Array.isArray(root.features)
