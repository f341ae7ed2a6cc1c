/**
 * Whether a call of a Tool API is taken on: its key, its states, its rate, its owner's daily allowance, in this order.
 * What is known of a Tool API is kept in memory until something of it or its owner changes.
 */
import { AppError, type Code } from '../errors.ts'
import type { Change, Changes } from '../stores/changes.ts'
import { dayOf, takeRequest } from '../stores/postgres/api-requests.ts'
import type { Database } from '../stores/postgres/client.ts'
import type { Owner } from '../stores/postgres/owners.ts'
import { findToolApi, type ToolApiFacts } from '../stores/postgres/tool-apis.ts'
import { bearerToken, delayRefusal, sameDigest, sha256 } from './keys.ts'
import type { RateWindows } from './rate-windows.ts'

export type ToolApiGateOptions = {
  db: Database
  changes: Changes
  windows: RateWindows
  callsPerMinute: number
  /** Whether the plan or tier of an owner that has Tool APIs is enough for a tool. */
  tierAllows(toolId: string, owner: Owner): boolean
}

export type ToolApiGate = {
  /**
   * The Tool API that a key opens, in a state that answers.
   * @throws AppError TOOL_API_KEY_INVALID (unknown, missing, revoked, wrong: one answer, in one time);
   *   TOOL_API_SUSPENDED, TOOL_API_HELD, TOOL_API_DISABLED, TOOL_API_PLAN, GIS_TIER_REQUIRED
   */
  authenticate(id: string, headers: Headers): Promise<ToolApiFacts>
  /**
   * Counts a call that is going to run.
   * @throws AppError TOOL_API_RATE_LIMITED; API_KEY_QUOTA, ENTERPRISE_API_DAILY_LIMIT
   */
  count(facts: ToolApiFacts, nowMs: number): Promise<void>
}

const MAX_KNOWN = 10_000
const INVALIDATING = new Set<Change['kind']>(['tool-api', 'enterprise', 'person', 'tiers', 'missed'])
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
const NO_DIGEST = sha256('')

export function createToolApiGate(options: ToolApiGateOptions): ToolApiGate {
  const { db, changes, windows, callsPerMinute, tierAllows } = options
  let known = new Map<string, ToolApiFacts>()

  changes.subscribe(({ kind }) => {
    if (INVALIDATING.has(kind)) known = new Map()
  })

  /** What a lookup that began before a change brings goes into a map that nobody reads any more. */
  async function find(id: string): Promise<ToolApiFacts | undefined> {
    const facts = known
    const found = facts.get(id) ?? (await findToolApi(db, id))
    if (found !== undefined && facts.size < MAX_KNOWN) facts.set(id, found)
    return found
  }

  function opens(facts: ToolApiFacts | undefined, headers: Headers): facts is ToolApiFacts {
    const digest = sha256(bearerToken(headers) ?? '')
    if (facts === undefined || facts.keyDigests.length === 0) {
      sameDigest(digest, NO_DIGEST)
      return false
    }
    let matches = false
    for (const expected of facts.keyDigests) if (sameDigest(digest, expected)) matches = true
    return matches
  }

  function refusalOf({ api, owner }: ToolApiFacts): Code | undefined {
    if (!owner.isActive) return 'TOOL_API_SUSPENDED'
    if (api.held) return 'TOOL_API_HELD'
    if (!api.enabled) return 'TOOL_API_DISABLED'
    if (!owner.toolApis) return 'TOOL_API_PLAN'
    if (!tierAllows(api.toolId, owner)) return 'GIS_TIER_REQUIRED'
    return undefined
  }

  return {
    async authenticate(id, headers) {
      const startedMs = performance.now()
      const facts = await find(id)
      if (!opens(facts, headers)) {
        await delayRefusal(startedMs)
        throw new AppError('TOOL_API_KEY_INVALID')
      }
      const refusal = refusalOf(facts)
      if (refusal !== undefined) throw new AppError(refusal)
      return facts
    },
    async count({ api, owner }, nowMs) {
      const waitMs = await windows.take(`tool-api:${api.id}`, 1, callsPerMinute, MINUTE_MS)
      if (waitMs > 0) throw new AppError('TOOL_API_RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
      if (await takeRequest(db, owner.id, dayOf(nowMs), owner.apiRequestsPerDay)) return
      const retryAfterS = Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000)
      throw new AppError(owner.kind === 'person' ? 'API_KEY_QUOTA' : 'ENTERPRISE_API_DAILY_LIMIT', { retryAfterS })
    },
  }
}
