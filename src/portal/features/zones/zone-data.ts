/** Rules of zones, and the polygons of their layers. */
import type { Feature, FeatureCollection, MultiPolygon, Polygon } from 'geojson'
import { api, dataOf } from '../../api/client.ts'
import { areaOf } from '../map/engine/area.ts'
import type { Label } from '../map/engine/overlay.ts'
import type { Zone } from '../map/track/track-summary.ts'
import { loadRules, type Rule, type When } from '../rules/rule-data.ts'

export type ZoneRule = Rule & { layerId: string; when: When }
export type ZoneFeature = Feature<Polygon | MultiPolygon>
export type Layer = { id: string; name: string; version: number; featureCount: number }

const PAGE = 1_000
/** With more polygons, a map becomes unreadable. */
const MAX_FEATURES = 5_000
const MAX_LABELS = 60

export async function loadZoneRules(signal?: AbortSignal): Promise<ZoneRule[]> {
  const rules = await loadRules(signal)
  return rules.filter((rule): rule is ZoneRule => rule.kind === 'zone')
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

/** The feature's own name, or the layer's for its only polygon; otherwise the layer's with the id of the feature. */
export function zoneName({ id, properties }: ZoneFeature, layerName: string, isOnly: boolean): string {
  const own = properties?.name
  if (typeof own === 'number' || (typeof own === 'string' && own.trim() !== '')) return String(own)
  return isOnly || id === undefined ? layerName : `${layerName} · ${id}`
}

/** A name at the upper edge of each zone. */
export function zoneLabels(features: readonly ZoneFeature[], layerName: string): Label[] {
  if (features.length > MAX_LABELS) return []
  return features.map((feature) => {
    const [west, , east, north] = boxOf([feature]) ?? [0, 0, 0, 0]
    const text = zoneName(feature, layerName, features.length === 1)
    return { longitude: (west + east) / 2, latitude: north, text }
  })
}

/** Zones with their names, to find those around a position. */
export const namedZones = (features: readonly ZoneFeature[], layerName: string): Zone[] =>
  features.map((feature) => ({
    name: zoneName(feature, layerName, features.length === 1),
    area: areaOf(polygonsOf(feature)),
  }))
