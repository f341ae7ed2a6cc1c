/**
 * Personal API keys. The order of a call's checks, of which the first that fails decides the answer: key, suspension,
 * plan (`open`), route (sessions/session-rights.ts), rate, day (`count`), then the record and the input.
 */
import { AppError } from '../errors.ts'
import { createChangeCache } from '../stores/change-cache.ts'
import type { Changes } from '../stores/changes.ts'
import type { Owner } from '../stores/postgres/accounts/owners.ts'
import { findPersonalKey } from '../stores/postgres/accounts/personal-keys.ts'
import type { Database } from '../stores/postgres/client.ts'
import { gateKeyOf, opensWith } from './keys/gate-keys.ts'
import type { KeyFailures, Peer } from './keys/key-failures.ts'
import { bearerToken, sha256Hex } from './keys/keys.ts'
import { mayUsePersonalKeys } from './plans.ts'
import type { RateWindows } from './rate-windows.ts'
import { countInDay } from './request-days.ts'

export type PersonalKey = {
  id: string
  expiresMs: number
  /** The person. */
  owner: Owner
  email: string
  /** Null for a person who cannot sign in. */
  accountId: string | null
}

export type PersonalKeys = {
  /**
   * The key of a call.
   * @throws AppError API_KEY_INVALID (unknown, expired or revoked: one answer, in one time), PERSON_SUSPENDED,
   *   API_KEY_PLAN, KEY_FAILURES_LIMITED
   */
  open(peer: Peer): Promise<PersonalKey>
  /**
   * Counts a call in the minute of the key, and in the day of the person.
   * @throws AppError RATE_LIMITED, API_KEY_QUOTA
   */
  count(key: PersonalKey, nowMs: number): Promise<void>
}

export type PersonalKeysOptions = {
  db: Database
  changes: Changes
  failures: KeyFailures
  windows: RateWindows
  /** Called for each key that is in use, once an hour. */
  onKeyUse(keyId: string, nowMs: number): void
}

const SHAPE = /^svcpa_[\w-]{43}$/
const MAX_CACHED = 20_000
const CALLS_PER_MINUTE = 600
const MINUTE_MS = 60_000

export function createPersonalKeys({ db, changes, failures, windows, onKeyUse }: PersonalKeysOptions): PersonalKeys {
  const known = createChangeCache({
    load: async (keySha256: string) => {
      const found = await findPersonalKey(db, keySha256)
      return found && { ...found, key: gateKeyOf(found.key) }
    },
    maxSize: MAX_CACHED,
    invalidatedBy: {
      changes,
      kinds: ['access', 'account', 'person', 'tiers', 'missed'],
      concerns: (ids, found) => ids.includes(found?.owner.id ?? '') || ids.includes(found?.accountId ?? ''),
    },
  })

  return {
    async open(peer) {
      const startedMs = performance.now()
      const token = bearerToken(peer.headers) ?? ''
      const found = SHAPE.test(token) ? await known.get(sha256Hex(token)) : undefined
      const key = opensWith(found === undefined ? [] : [found.key], token, Date.now(), onKeyUse)
      if (found === undefined || key === undefined)
        return failures.refuse('personal-key', peer, startedMs, 'API_KEY_INVALID')
      const { owner, email, accountId } = found
      if (!owner.isActive) throw new AppError('PERSON_SUSPENDED')
      if (!mayUsePersonalKeys(owner.tier.name)) throw new AppError('API_KEY_PLAN')
      return { id: key.id, expiresMs: key.expiresMs, owner, email, accountId }
    },
    async count({ id, owner }, nowMs) {
      const waitMs = await windows.take(`personal-key:${id}`, 1, CALLS_PER_MINUTE, MINUTE_MS)
      if (waitMs > 0) throw new AppError('RATE_LIMITED', { retryAfterS: Math.ceil(waitMs / 1000) })
      await countInDay(db, owner, nowMs)
    },
  }
}
