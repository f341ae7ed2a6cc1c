/** The current state and today's calls of Tool APIs, for lists. */
import { apiRequestsPerDay, type Plan } from '../access/plans.ts'
import { toolApiRefusal } from '../access/tool-apis.ts'
import type { Code } from '../errors.ts'
import type { Owner } from '../stores/postgres/accounts/owners.ts'
import type { Database } from '../stores/postgres/client.ts'
import { dayOf, requestsUsed } from '../stores/postgres/runs/api-requests.ts'
import { type BoundItem, boundItemsOf } from '../stores/postgres/runs/bound-items.ts'
import { lastCallsOf, statisticsBetween } from '../stores/postgres/runs/tool-api-statistics.ts'
import type { ToolApiRecord } from '../stores/postgres/runs/tool-apis.ts'
import type { SecondInput } from '../tools/tool.ts'
import { type CallCounts, countsOf, STEP_MS } from './statistics.ts'

export type ToolApiActivity = {
  /** `refused`: the next call is refused although its owner has it switched on. */
  state: 'on' | 'off' | 'held' | 'refused'
  /** The code that the next call with a key would get; null if it runs. */
  reason: Code | null
  /** Name of the bound layer or file; null if none is bound, or it no longer belongs to the owner. */
  boundName: string | null
  today: CallCounts
  /** Last call with a key. */
  lastCallAt: Date | null
}

/** Facts about a tool. */
export type ToolFacts = (toolId: string) => { tier: Plan | undefined; second: SecondInput | undefined } | undefined

/** Activity of Tool APIs of one owner. */
export async function activityOf(
  db: Database,
  factsOf: ToolFacts,
  owner: Owner,
  apis: readonly ToolApiRecord[],
  nowMs: number,
): Promise<Map<string, ToolApiActivity>> {
  const ids = apis.map(({ id }) => id)
  const dayMs = nowMs - (nowMs % STEP_MS.day)
  const [used, rows, lastCalls, bound] = await Promise.all([
    requestsUsed(db, owner.id, dayOf(nowMs)),
    statisticsBetween(db, ids, 'day', dayMs, dayMs + STEP_MS.day),
    lastCallsOf(db, ids),
    boundItemsOf(db, owner.id, apis),
  ])
  const rowsOfApi = Map.groupBy(rows, ({ toolApiId }) => toolApiId)
  const isSpent = used >= apiRequestsPerDay(owner)
  return new Map(
    apis.map((api) => {
      const item = bound.get(api.id)
      const facts = factsOf(api.toolId)
      const spent: Code = owner.kind === 'person' ? 'API_KEY_QUOTA' : 'ENTERPRISE_API_DAILY_LIMIT'
      const reason =
        toolApiRefusal({ api, owner }, facts?.tier) ??
        (isSpent ? spent : undefined) ??
        (facts === undefined ? 'TOOL_UNAVAILABLE' : undefined) ??
        (isUsable(facts?.second, item) ? null : 'TOOL_API_BINDING_MISSING')
      const activity: ToolApiActivity = {
        state: stateOf(reason),
        reason,
        boundName: item?.name ?? null,
        today: countsOf(rowsOfApi.get(api.id) ?? []),
        lastCallAt: lastCalls.get(api.id) ?? null,
      }
      return [api.id, activity]
    }),
  )
}

function stateOf(reason: Code | null): ToolApiActivity['state'] {
  if (reason === null) return 'on'
  if (reason === 'TOOL_API_HELD') return 'held'
  return reason === 'TOOL_API_DISABLED' ? 'off' : 'refused'
}

function isUsable(second: SecondInput | undefined, item: BoundItem | undefined): boolean {
  if (second === undefined) return true
  if (item === undefined || !item.isUsable) return false
  if (item.kind === 'file') return true
  return second.kind !== 'raster' && (second.kind !== 'polygons' || item.hasPolygonsOnly)
}
