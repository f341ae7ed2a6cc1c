/** Zone rules: validation, maximum number, and the start of a changed rule. */
import { invalidField } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import type { Changes } from '../stores/changes.ts'
import * as store from '../stores/postgres/alerts/rules.ts'
import type { Database } from '../stores/postgres/client.ts'
import { findLayer, hasPolygons, type Layer } from '../stores/postgres/layers/layers.ts'
import { lockRecord } from '../stores/postgres/record-lock.ts'
import { findSensors } from '../stores/postgres/sensors/sensors.ts'

export type ZoneRuleFields = {
  name?: string | undefined
  layerId?: string | undefined
  when?: store.ZoneEventKind | undefined
  sensorIds?: 'all' | string[] | undefined
  /** Another way to write `sensorIds: 'all'`. */
  all?: true | undefined
  enabled?: boolean | undefined
}
export type NewZoneRule = ZoneRuleFields & Required<Pick<ZoneRuleFields, 'layerId' | 'when'>>

/** Throws if the rule's state does not allow a change. The rule is locked meanwhile. */
type RequireState = (rule: store.ZoneRule) => void

export type ZoneRules = {
  /**
   * @param tx `created` follows when it is committed
   * @throws AppError VALIDATION_FAILED; CONFLICT when the enterprise has the maximum number of rules
   */
  create(tx: Database, actor: string, enterpriseId: string, fields: NewZoneRule): Promise<store.ZoneRule>
  /** Announces a rule. */
  created(rule: store.ZoneRule): Promise<void>
  /** @throws AppError NOT_FOUND, VALIDATION_FAILED, and what `require` throws */
  change(
    actor: string,
    enterpriseId: string,
    id: string,
    fields: ZoneRuleFields,
    require?: RequireState,
  ): Promise<store.ZoneRule>
  /** @throws AppError NOT_FOUND, and what `require` throws */
  delete(actor: string, enterpriseId: string, id: string, require?: RequireState): Promise<void>
}

/** Maximum rules of one enterprise. */
const MAX_RULES = 100
const MAX_NAME_LENGTH = 200
const DEFAULT_NAMES = { enter: 'Entering', leave: 'Leaving', inside: 'Inside', outside: 'Outside', dwell: 'Staying in' }

export function createZoneRules(db: Database, changes: Changes): ZoneRules {
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'zone-rule', id })
  return {
    async create(tx, actor, enterpriseId, fields) {
      if (fields.sensorIds === undefined && fields.all === undefined)
        throw invalidField('body.sensorIds', 'required', 'is required: a list of sensor ids, or "all"')
      const { change, layer } = await checkFields(tx, enterpriseId, fields)
      const name = fields.name ?? `${DEFAULT_NAMES[fields.when]} ${layer?.name ?? ''}`.trim().slice(0, MAX_NAME_LENGTH)
      const input = { enabled: true, name, ...change } as store.ZoneRuleInput
      return store.createZoneRule(tx, actor, enterpriseId, input, new Date(), MAX_RULES)
    },
    created: ({ id }) => changed(id),
    async change(actor, enterpriseId, id, fields, require) {
      const rule = await db.transaction(async (tx) => {
        await lockRecord(tx, 'zone-rule', id)
        const before = await store.getZoneRule(tx, enterpriseId, id)
        require?.(before)
        const { change } = await checkFields(tx, enterpriseId, fields)
        // a rule does not apply to readings received before its current definition
        const hasNewMeaning = ['event', 'sensorIds', 'layerId'].some((field) => field in change)
        const since = hasNewMeaning || (change.enabled === true && !before.enabled) ? new Date() : undefined
        return store.updateZoneRule(tx, actor, enterpriseId, id, change, since)
      })
      await changed(rule.id)
      return rule
    },
    async delete(actor, enterpriseId, id, require) {
      await db.transaction(async (tx) => {
        await lockRecord(tx, 'zone-rule', id)
        require?.(await store.getZoneRule(tx, enterpriseId, id))
        await store.deleteZoneRule(tx, actor, enterpriseId, id)
      })
      await changed(id)
    },
  }
}

/** @throws AppError VALIDATION_FAILED naming a layer or sensor that does not exist or belongs to another enterprise */
async function checkFields(
  db: Database,
  enterpriseId: string,
  { all, sensorIds: sentSensorIds, when, ...fields }: ZoneRuleFields,
): Promise<{ change: Partial<store.ZoneRuleInput>; layer: Layer | undefined }> {
  if (all !== undefined && sentSensorIds !== undefined && sentSensorIds !== 'all')
    throw invalidField('body.all', 'forbidden', fieldText('notTogether', { field: 'sensorIds' }))
  const sensorIds = all === undefined ? sentSensorIds : 'all'
  if (Array.isArray(sensorIds)) {
    const found = new Set((await findSensors(db, enterpriseId, sensorIds, sensorIds.length)).map(({ id }) => id))
    const unknown = sensorIds.findIndex((id) => !found.has(id))
    if (unknown >= 0)
      throw invalidField(`body.sensorIds.${unknown}`, 'exists', 'must be the id of a sensor of this enterprise')
  }
  const layer = fields.layerId === undefined ? undefined : await usableLayer(db, enterpriseId, fields.layerId)
  const change = {
    ...fields,
    ...(when !== undefined && { event: when }),
    ...(sensorIds !== undefined && { sensorIds }),
  } as Partial<store.ZoneRuleInput>
  return { change, layer }
}

async function usableLayer(db: Database, enterpriseId: string, id: string): Promise<Layer> {
  const layer = await findLayer(db, id)
  if (layer?.enterpriseId !== enterpriseId) throw invalidField('body.layerId', 'exists', fieldText('layerOfEnterprise'))
  if (!hasPolygons(layer)) throw invalidField('body.layerId', 'polygons', fieldText('polygonLayer'))
  return layer
}
