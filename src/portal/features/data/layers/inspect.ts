/** Looks into a GeoJSON file before it is sent: how many features, of which types, with which columns. */
import type { Inspected } from './protocol.ts'

const MAX_FIELDS = 200
const SHOWN_CHARS = 300

/** @param feature the index of a feature, from 0, whose text is returned as `problem` */
export async function inspect(file: Blob, feature?: number): Promise<Inspected> {
  let root: unknown
  try {
    root = JSON.parse(await file.text())
  } catch (error) {
    return { count: 0, types: [], fields: [], problem: (error as Error).message.slice(0, SHOWN_CHARS) }
  }
  const features = featuresIn(root)
  const types = new Set<string>()
  const fields = new Set<string>()
  for (const { properties, geometry } of features) {
    if (typeof geometry?.type === 'string') types.add(geometry.type.slice(0, 40))
    if (fields.size < MAX_FIELDS) for (const name in properties) fields.add(name)
  }
  const wanted = feature === undefined ? undefined : features[feature]
  return {
    count: features.length,
    types: [...types],
    fields: [...fields].slice(0, MAX_FIELDS),
    ...(wanted && { problem: JSON.stringify(wanted).slice(0, SHOWN_CHARS) }),
  }
}

type Loose = { properties?: Record<string, unknown> | null; geometry?: { type?: unknown } | null }

function featuresIn(root: unknown): Loose[] {
  if (typeof root !== 'object' || root === null) return []
  const { type, features } = root as { type?: unknown; features?: unknown }
  if (Array.isArray(features)) return features.filter((one): one is Loose => typeof one === 'object' && one !== null)
  return type === 'Feature' ? [root as Loose] : [{ geometry: root as { type?: unknown } }]
}
