/**
 * Decides whether a call of a Tool API may run: key, states, rate, the owner's daily allowance, in this order. Tool
 * APIs are cached until they or their owners change.
 */

import { AppError, type Code } from '../errors.ts'
import { fieldText } from '../field-texts/field-text.ts'
import { createChangeCache } from '../stores/change-cache.ts'
import type { Changes } from '../stores/changes.ts'
import type { Database } from '../stores/postgres/client.ts'
import { findToolApi, type ToolApiFacts } from '../stores/postgres/runs/tool-apis.ts'
import { gateKeyOf, opensWith } from './keys/gate-keys.ts'
import type { KeyFailures, Peer } from './keys/key-failures.ts'
import { bearerToken, isId } from './keys/keys.ts'
import { mayRunTool, mayUseToolApis, type Plan } from './plans.ts'
import type { RateWindows } from './rate-windows.ts'
import { countInDay } from './request-days.ts'

export type ToolApiGateOptions = {
  db: Database
  changes: Changes
  failures: KeyFailures
  windows: RateWindows
  callsPerMinute: number
  /** The lowest plan that may run a tool; undefined when every plan may. */
  tierOf(toolId: string): Plan | undefined
  /** Called for each key that is in use, once an hour. */
  onKeyUse?(keyId: string, nowMs: number): void
}

export type ToolApiGate = {
  /**
   * The Tool API of a valid key, if its state allows calls.
   * @throws AppError TOOL_API_KEY_INVALID (unknown, missing, revoked, wrong: one answer, in one time);
   * TOOL_API_SUSPENDED, TOOL_API_HELD, TOOL_API_DISABLED, TOOL_API_PLAN, GIS_TIER_REQUIRED, KEY_FAILURES_LIMITED
   */
  authenticate(id: string, peer: Peer): Promise<ToolApiFacts & { expiresMs: number }>
  /**
   * The Tool API for a caller without a key, whose right to use it was checked before.
   * @throws AppError NOT_FOUND, and the codes of states
   */
  admit(id: string): Promise<ToolApiFacts>
  /** Whether an id is known to be a Tool API's, from earlier calls. */
  knows(id: string): boolean
  /** Counts a call against the limit per minute. @throws AppError TOOL_API_RATE_LIMITED */
  countInMinute(facts: ToolApiFacts): Promise<void>
  /**
   * Counts a call against the allowance per day.
   * @throws AppError API_KEY_QUOTA, ENTERPRISE_API_DAILY_LIMIT
   */
  countInDay(facts: ToolApiFacts, nowMs: number): Promise<void>
}

const MAX_CACHED = 20_000
const MINUTE_MS = 60_000

/** Why a Tool API answers no calls at all, in the order of the checks; undefined if it does. */
export function toolApiRefusal({ api, owner }: ToolApiFacts, toolTier: Plan | undefined): Code | undefined {
  if (!owner.isActive) return 'TOOL_API_SUSPENDED'
  if (api.held) return 'TOOL_API_HELD'
  if (!api.enabled) return 'TOOL_API_DISABLED'
  if (!mayUseToolApis(owner)) return 'TOOL_API_PLAN'
  if (!mayRunTool(owner, toolTier)) return 'GIS_TIER_REQUIRED'
  return undefined
}

export function createToolApiGate(options: ToolApiGateOptions): ToolApiGate {
  const { db, changes, failures, windows, callsPerMinute, tierOf, onKeyUse } = options
  const toolApis = createChangeCache({
    load: async (id: string) => {
      const facts = await findToolApi(db, id)
      return facts && { ...facts, keys: facts.keys.map(gateKeyOf) }
    },
    maxSize: MAX_CACHED,
    invalidatedBy: {
      changes,
      kinds: ['tool-api', 'enterprise', 'person', 'tiers', 'missed'],
      concerns: (ids, facts, id) => ids.includes(id) || ids.includes(facts?.owner.id ?? ''),
    },
  })

  function answering(facts: ToolApiFacts): ToolApiFacts {
    const refusal = toolApiRefusal(facts, tierOf(facts.api.toolId))
    if (refusal !== undefined) throw new AppError(refusal)
    return facts
  }

  return {
    async authenticate(id, peer) {
      const startedMs = performance.now()
      const facts = isId(id, 'tap') ? await toolApis.get(id) : undefined
      const key = opensWith(facts?.keys ?? [], bearerToken(peer.headers), Date.now(), onKeyUse)
      if (facts === undefined || key === undefined)
        return failures.refuse('tool-api-key', peer, startedMs, 'TOOL_API_KEY_INVALID')
      return { ...answering(facts), expiresMs: key.expiresMs }
    },
    async admit(id) {
      const facts = isId(id, 'tap') ? await toolApis.get(id) : undefined
      if (facts === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchToolApi') })
      return answering(facts)
    },
    knows: (id) => toolApis.peek(id) !== undefined,
    async countInMinute({ api }) {
      const waitMs = await windows.take(`tool-api:${api.id}`, 1, callsPerMinute, MINUTE_MS)
      if (waitMs > 0) throw new AppError('TOOL_API_RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
    },
    countInDay: ({ owner }, nowMs) => countInDay(db, owner, nowMs),
  }
}
