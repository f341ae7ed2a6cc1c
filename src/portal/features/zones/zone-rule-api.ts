/** The input for a zone rule, and how it is saved. */
import { ApiError, api, dataOf } from '../../api/client.ts'
import { changeRecord } from '../../api/record.ts'
import type { Drawn } from '../map/engine/draw.ts'
import type { EdgeValues } from '../rules/form/kind-parts.tsx'
import { createRule, type Rule, type RuleFields, rulePath, type When } from '../rules/rule-data.ts'
import { checkedRule, newRule, valuesOf as ruleValues } from '../rules/rule-values.ts'
import type { ZoneRule } from './zone-data.ts'

export type ZoneValues = EdgeValues & {
  name: string
  source: 'draw' | 'layer'
  layerId: string
  polygons: Drawn[]
  /** Version of the layer whose shape is being changed. */
  shapeTag?: string | undefined
  when: When
  dwell: string
  targets: 'all' | 'chosen'
  sensors: { id: string; name: string }[]
  tags: string[]
  enabled: boolean
}

export const NEW_ZONE: ZoneValues = {
  name: '',
  source: 'draw',
  layerId: '',
  polygons: [],
  when: 'enter',
  dwell: '',
  minReadings: '',
  minSpan: '',
  bufferM: '',
  targets: 'all',
  sensors: [],
  tags: [],
  enabled: true,
}

export function valuesOf(rule: ZoneRule, sensors: { id: string; name: string }[]): ZoneValues {
  const { name, layerId, when, dwell, minReadings, minSpan, bufferM, targets, tags, enabled } = ruleValues(
    rule,
    sensors,
  )
  const shape = { source: 'layer' as const, layerId, polygons: [] }
  return { name, ...shape, when, dwell, minReadings, minSpan, bufferM, targets, sensors, tags, enabled }
}

/** The rule as the API has it, without the fields that only the form of rules has, and the fields at fault. */
export function checkedZone(values: ZoneValues, layerId: string) {
  const { rule, faults } = checkedRule({ ...newRule(), ...values, kind: 'zone', layerId }, () => false)
  const { severity: _severity, note: _note, schedule: _schedule, ...own } = rule
  return { rule: own, faults }
}
const ruleOf = (values: ZoneValues, layerId: string) => checkedZone(values, layerId).rule

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

export const createZoneRule = (values: ZoneValues, layerId: string, key: string): Promise<Rule> =>
  createRule(ruleOf(values, layerId), key)

/** @param etag of the version that the person saw; undefined overwrites */
export async function changeRule(id: string, change: Partial<RuleFields>, etag?: string): Promise<Rule> {
  return (await changeRecord<Rule>(rulePath(id), etag, change)).record
}

export function saveRule(id: string, values: ZoneValues, layerId: string, etag?: string): Promise<Rule> {
  // the kind of a rule is fixed
  const { kind: _kind, ...change } = ruleOf(values, layerId)
  return changeRule(id, change, etag)
}

/** How many sensors are inside now: of a layer, or of the drawing. */
export async function countInside(
  zone: { layerId: string } | { polygons: readonly Drawn[] },
  signal: AbortSignal,
): Promise<{ total: number; sensorIds: string[] }> {
  const body = 'layerId' in zone ? { layerId: zone.layerId } : { polygon: collectionOf(zone.polygons) }
  return dataOf(api.POST('/enterprise/v1/assets/inside', { body, signal }))
}
