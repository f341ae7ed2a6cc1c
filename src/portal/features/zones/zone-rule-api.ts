/** The input for a zone rule, and how it is saved. */
import { ApiError, api, dataOf } from '../../api/client.ts'
import type { Drawn } from '../map/engine/draw.ts'
import type { ZoneRule } from './zone-data.ts'

export const WHENS = ['enter', 'leave', 'inside', 'outside'] as const
export type When = ZoneRule['when']

export type ZoneValues = {
  name: string
  source: 'draw' | 'layer'
  layerId: string
  polygons: Drawn[]
  /** Version of the layer whose shape is being changed. */
  shapeTag?: string | undefined
  when: When
  targets: 'all' | 'chosen'
  sensors: { id: string; name: string }[]
  enabled: boolean
}

export const NEW_ZONE: ZoneValues = {
  name: '',
  source: 'draw',
  layerId: '',
  polygons: [],
  when: 'enter',
  targets: 'all',
  sensors: [],
  enabled: true,
}

export const valuesOf = (rule: ZoneRule, sensors: { id: string; name: string }[]): ZoneValues => ({
  name: rule.name,
  source: 'layer',
  layerId: rule.layerId,
  polygons: [],
  when: rule.when,
  targets: rule.sensorIds === 'all' ? 'all' : 'chosen',
  sensors,
  enabled: rule.enabled,
})

const ruleOf = ({ name, when, targets, sensors, enabled }: ZoneValues, layerId: string) => ({
  name: name.trim(),
  layerId,
  when,
  enabled,
  sensorIds: targets === 'all' ? ('all' as const) : sensors.map(({ id }) => id),
})

/** Whether only the shape of a saved rule was changed. */
export const isSameRule = (values: ZoneValues, saved: ZoneValues, layerId: string): boolean =>
  JSON.stringify(ruleOf(values, layerId)) === JSON.stringify(ruleOf(saved, saved.layerId))

/** GeoJSON without properties of the drawing tool. */
const collectionOf = (polygons: readonly Drawn[]) => ({
  type: 'FeatureCollection' as const,
  features: polygons.map(({ geometry }, i) => ({ type: 'Feature' as const, id: `${i + 1}`, properties: {}, geometry })),
})

export async function createLayer(
  ownerId: string,
  name: string,
  polygons: readonly Drawn[],
  key: string,
): Promise<string> {
  const layer = await dataOf(
    api.POST('/manage/v1/owners/{ownerId}/layers', {
      params: { path: { ownerId } },
      headers: { 'idempotency-key': `${key}-layer` },
      body: { name, geojson: collectionOf(polygons) },
    }),
  )
  return layer.id
}

/** Somebody else changed the polygons of a zone meanwhile. */
export class ShapeConflict extends ApiError {
  constructor({ status, code, message, ...details }: ApiError) {
    super(status, code, message, details)
  }
}

/**
 * @param etag of the version that the person saw; undefined overwrites
 * @throws ShapeConflict
 */
export async function replacePolygons(
  ownerId: string,
  id: string,
  polygons: readonly Drawn[],
  etag: string | undefined,
): Promise<void> {
  try {
    await dataOf(
      api.PUT('/manage/v1/owners/{ownerId}/layers/{id}/features', {
        params: { path: { ownerId, id } },
        ...(etag !== undefined && { headers: { 'if-match': etag } }),
        body: collectionOf(polygons),
      }),
    )
  } catch (error) {
    throw error instanceof ApiError && error.status === 412 ? new ShapeConflict(error) : error
  }
}

export const createRule = (values: ZoneValues, layerId: string, key: string): Promise<{ id: string }> =>
  dataOf(
    api.POST('/enterprise/v1/assets/rules', {
      headers: { 'idempotency-key': key },
      body: ruleOf(values, layerId),
    }),
  )

/** @param etag of the version that the person saw; undefined overwrites */
export const changeRule = (
  id: string,
  change: Partial<ReturnType<typeof ruleOf>>,
  etag?: string,
): Promise<{ id: string }> =>
  dataOf(
    api.PATCH('/enterprise/v1/assets/rules/{id}', {
      params: { path: { id } },
      ...(etag !== undefined && { headers: { 'if-match': etag } }),
      body: change,
    }),
  )

export const saveRule = (id: string, values: ZoneValues, layerId: string, etag?: string): Promise<{ id: string }> =>
  changeRule(id, ruleOf(values, layerId), etag)

/** How many sensors are inside now: of a layer, or of the drawing. */
export async function countInside(
  zone: { layerId: string } | { polygons: readonly Drawn[] },
  signal: AbortSignal,
): Promise<{ total: number; sensorIds: string[] }> {
  const body = 'layerId' in zone ? { layerId: zone.layerId } : { polygon: collectionOf(zone.polygons) }
  return dataOf(api.POST('/enterprise/v1/assets/inside', { body, signal }))
}
