/** Tokens of operators for scripts, each with a name, so that one can be revoked without changing the others. */
import { createChangeCache } from '../../stores/change-cache.ts'
import type { Changes } from '../../stores/changes.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { findToken, type NamedToken, noteTokenUse } from '../../stores/postgres/operator/operator-tokens.ts'
import { sha256Hex } from './keys.ts'

export type OperatorTokens = {
  /** Undefined for a token that is unknown, revoked or expired. */
  find(token: string, nowMs: number): Promise<NamedToken | undefined>
}

const SHAPE = /^svcop_[\w-]{43}$/
const MAX_CACHED = 1_000
/** The last use is noted at most this often. */
const NOTE_MS = 30_000

/** @param onError when the use of a token could not be noted */
export function createOperatorTokens(
  db: Database,
  changes: Changes,
  onError: (error: unknown) => void,
): OperatorTokens {
  const known = createChangeCache({
    load: (tokenSha256: string) => findToken(db, tokenSha256),
    maxSize: MAX_CACHED,
    invalidatedBy: {
      changes,
      kinds: ['access', 'account', 'missed'],
      // a token ends with the role of the account that made it
      concerns: (ids, token) => ids.includes(token?.id ?? '') || ids.includes(token?.makerId ?? ''),
    },
  })
  const noted = new Map<string, number>()
  return {
    async find(token, nowMs) {
      if (!SHAPE.test(token)) return undefined
      const found = await known.get(sha256Hex(token))
      if (found === undefined || (found.expiresAt?.getTime() ?? Number.POSITIVE_INFINITY) <= nowMs) return undefined
      if (nowMs - (noted.get(found.id) ?? 0) > NOTE_MS) {
        noted.set(found.id, nowMs)
        noteTokenUse(db, found.id, new Date(nowMs)).catch(onError)
      }
      return found
    },
  }
}
