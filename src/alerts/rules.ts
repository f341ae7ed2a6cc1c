/** Rules of all kinds: making, changing and deleting them, and the ends of their alerts. */
import { isDeepStrictEqual } from 'node:util'
import type { Changes } from '../stores/changes.ts'
import { resolveAlerts } from '../stores/postgres/alerts/alert-changes.ts'
import * as store from '../stores/postgres/alerts/rules.ts'
import type { Database } from '../stores/postgres/client.ts'
import { lockRecord } from '../stores/postgres/record-lock.ts'
import type { Warning } from '../warnings/warning.ts'
import { type CheckedRule, checkRule, type RuleFields } from './rule-fields.ts'
import { definitionOf } from './stored-rule.ts'

/** Throws if the rule's state does not allow a change. The rule is locked meanwhile. */
type RequireState = (rule: store.Rule) => void
export type ChangedRule = { rule: store.Rule; warnings: Warning[] }

export type Rules = {
  /**
   * @param tx `created` follows when it is committed
   * @throws AppError VALIDATION_FAILED, also when the enterprise has the maximum number of rules
   */
  create(tx: Database, actor: string, enterpriseId: string, fields: RuleFields): Promise<ChangedRule>
  /** Announces a rule. */
  created(rule: store.Rule): Promise<void>
  /** @throws AppError NOT_FOUND, VALIDATION_FAILED, and what `require` throws */
  change(
    actor: string,
    enterpriseId: string,
    id: string,
    fields: RuleFields,
    require?: RequireState,
  ): Promise<ChangedRule>
  /** @throws AppError NOT_FOUND, and what `require` throws */
  delete(actor: string, enterpriseId: string, id: string, require?: RequireState): Promise<void>
}

const MAX_NAME_LENGTH = 200
const ZONE_NAMES = { enter: 'Entering', leave: 'Leaving', inside: 'Inside', outside: 'Outside', dwell: 'Staying in' }

export function createRules(db: Database, changes: Changes): Rules {
  const changed = (id: string): Promise<void> => changes.publish({ kind: 'zone-rule', id })
  return {
    async create(tx, actor, enterpriseId, fields) {
      const checked = await checkRule(tx, enterpriseId, fields, undefined)
      const name = fields.name ?? defaultName(checked)
      const rule = await store.createRule(tx, actor, enterpriseId, { ...checked.values, name })
      return { rule, warnings: checked.warnings }
    },
    created: ({ id }) => changed(id),
    async change(actor, enterpriseId, id, fields, require) {
      const done = await db.transaction(async (tx) => {
        await lockRecord(tx, 'zone-rule', id)
        const before = await store.getRule(tx, enterpriseId, id)
        require?.(before)
        const { values, warnings } = await checkRule(tx, enterpriseId, fields, before)
        return { rule: await saveChange(tx, actor, before, values), warnings }
      })
      await changed(id)
      return done
    },
    async delete(actor, enterpriseId, id, require) {
      await db.transaction(async (tx) => {
        await lockRecord(tx, 'zone-rule', id)
        const before = await store.getRule(tx, enterpriseId, id)
        require?.(before)
        await store.deleteRule(tx, actor, before)
        await resolveAlerts(tx, enterpriseId, { ruleIds: [id] }, 'rule-deleted')
      })
      await changed(id)
    },
  }
}

const meaningOf = ({
  layerId,
  event,
  ...rule
}: Pick<store.RuleValues, 'kind' | 'layerId' | 'event' | 'definition'>) => ({
  layerId,
  event,
  definition: definitionOf(rule),
})

/**
 * A rule that means something else, or is switched on, starts again with readings received from now on. Its alerts end
 * then, and when it is switched off. Other targets end the alerts of sensors that are no longer among them.
 */
async function saveChange(
  tx: Database,
  actor: string,
  before: store.Rule,
  values: store.RuleValues,
): Promise<store.Rule> {
  const isSame = isDeepStrictEqual(meaningOf(before), meaningOf(values)) && before.enabled === values.enabled
  const since = isSame || !values.enabled ? undefined : new Date()
  const rule = await store.updateRule(tx, actor, before, values, since)
  const ending = { ruleIds: [rule.id], onlyUnwatched: isSame }
  await resolveAlerts(tx, rule.enterpriseId, ending, 'rule-changed')
  return rule
}

function defaultName({ values, layer }: CheckedRule): string {
  const { kind, event, definition } = values
  const [condition] = definition.conditions ?? []
  const name = {
    threshold: () => `${condition?.channel} ${condition?.op} ${condition?.value}`,
    silence: () => `Silence ${definition.channel ?? ''}`,
    change: () => `Change of ${definition.channel}`,
    zone: () => `${ZONE_NAMES[event ?? 'enter']} ${layer?.name ?? ''}`,
  }[kind]()
  return name.trim().slice(0, MAX_NAME_LENGTH)
}
