/** Rules of zones, and the polygons of their layers. */
import type { Feature, FeatureCollection, MultiPolygon, Polygon } from 'geojson'
import { api, dataOf } from '../../api/client.ts'
import type { components } from '../../api/schema.d.ts'
import type { Label } from '../map/engine/overlay.ts'

export type ZoneRule = components['schemas']['ZoneRule']
export type ZoneFeature = Feature<Polygon | MultiPolygon>
export type Layer = { id: string; name: string; version: number; featureCount: number }

const PAGE = 1_000
/** With more polygons, a map becomes unreadable. */
const MAX_FEATURES = 5_000
const MAX_LABELS = 60

export async function loadRules(signal?: AbortSignal): Promise<ZoneRule[]> {
  const items: ZoneRule[] = []
  for (let cursor: string | undefined; ; ) {
    const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) }
    const page = await dataOf(api.GET('/enterprise/v1/assets/rules', { params: { query }, ...(signal && { signal }) }))
    items.push(...page.items)
    if (page.nextCursor === null) return items
    cursor = page.nextCursor
  }
}

/** The shape of a layer with its version, to be sent with a change. */
export async function shapeTag(ownerId: string, layerId: string): Promise<string | undefined> {
  const path = { ownerId, id: layerId }
  const { response } = await api.GET('/manage/v1/owners/{ownerId}/layers/{id}', { params: { path } })
  return response.headers.get('etag') ?? undefined
}

/** @returns the polygons, and whether the layer has more than are shown */
export async function loadZones(
  ownerId: string,
  layerId: string,
  signal?: AbortSignal,
): Promise<{ features: ZoneFeature[]; hasMore: boolean }> {
  const features: ZoneFeature[] = []
  for (let cursor: string | undefined; ; ) {
    const query = { limit: PAGE, ...(cursor !== undefined && { cursor }) }
    const page = (await dataOf(
      api.GET('/manage/v1/owners/{ownerId}/layers/{id}/features', {
        params: { path: { ownerId, id: layerId }, query },
        ...(signal && { signal }),
      }),
    )) as unknown as { items: Feature[]; nextCursor: string | null }
    features.push(...(page.items.filter(isZone) as ZoneFeature[]))
    if (page.nextCursor === null) return { features, hasMore: false }
    if (features.length >= MAX_FEATURES) return { features, hasMore: true }
    cursor = page.nextCursor
  }
}

const isZone = ({ geometry }: Feature): boolean => geometry?.type === 'Polygon' || geometry?.type === 'MultiPolygon'

export const polygonsOf = ({ geometry }: ZoneFeature): Polygon['coordinates'][] =>
  geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates

/** As the map draws them. */
export function zoneCollection(
  features: readonly ZoneFeature[],
  { enabled = true, selected = false }: { enabled?: boolean; selected?: boolean } = {},
): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: features.map((feature) => ({ ...feature, properties: { enabled, selected } })),
  }
}

/** Box of all polygons: west, south, east, north. */
export function boxOf(features: readonly ZoneFeature[]): [number, number, number, number] | undefined {
  let box: [number, number, number, number] | undefined
  for (const feature of features)
    for (const [ring = []] of polygonsOf(feature))
      for (const [x = 0, y = 0] of ring) {
        box ??= [x, y, x, y]
        box = [Math.min(box[0], x), Math.min(box[1], y), Math.max(box[2], x), Math.max(box[3], y)]
      }
  return box
}

/** A name at the upper edge of each zone; the feature's own, else the given one. */
export function zoneLabels(features: readonly ZoneFeature[], name: string): Label[] {
  if (features.length > MAX_LABELS) return []
  return features.map((feature) => {
    const [west, , east, north] = boxOf([feature]) ?? [0, 0, 0, 0]
    const own = feature.properties?.name
    return { longitude: (west + east) / 2, latitude: north, text: typeof own === 'string' && own !== '' ? own : name }
  })
}
