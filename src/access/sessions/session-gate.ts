/** Finds the session of a request: from memory, until a change of the account, its roles or its sessions. */
import { createChangeCache } from '../../stores/change-cache.ts'
import type { Changes } from '../../stores/changes.ts'
import { extendSession, findSession } from '../../stores/postgres/accounts/accounts.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { sha256Hex } from '../keys/keys.ts'
import type { Session, SessionGate } from './session.ts'
import { csrfTokenOf, SESSION_DAYS, sessionTokenOf } from './session-cookie.ts'

type Known = { session: Session; extendedMs: number }

const DAY_MS = 86_400_000
const MAX_CACHED = 20_000

/** @param id of an account, an enterprise or a person */
const isAbout = ({ accountId, personId, memberships }: Session, id: string): boolean =>
  id === accountId || id === personId || memberships.some(({ enterpriseId }) => enterpriseId === id)

export type SessionGateDeps = {
  db: Database
  changes: Changes
  secret: string
  /** Called when the use of a session could not be noted, so that the session ends earlier. */
  onError(error: unknown): void
}

export function createSessionGate({ db, changes, secret, onError }: SessionGateDeps): SessionGate {
  const known = createChangeCache({
    load: async (tokenSha256: string): Promise<Known | undefined> => {
      const found = await findSession(db, tokenSha256)
      if (found === undefined) return undefined
      const { id, account, personId, suspension, memberships, expiresAt, updatedAt } = found
      const session: Session = {
        id,
        expiresMs: expiresAt.getTime(),
        accountId: account.id,
        email: account.email,
        name: account.name,
        isOperator: account.isOperator,
        preferences: account.preferences,
        personId: personId ?? undefined,
        suspension,
        memberships,
        csrfToken: csrfTokenOf(id, secret),
      }
      return { session, extendedMs: updatedAt.getTime() }
    },
    maxSize: MAX_CACHED,
    invalidatedBy: {
      changes,
      kinds: ['account', 'access', 'enterprise', 'person', 'missed'],
      concerns: (ids, entry) => entry !== undefined && ids.some((id) => isAbout(entry.session, id)),
    },
  })

  /** A session ends 30 days after its last use, which is noted once a day. */
  function extend(entry: Known, nowMs: number): void {
    entry.extendedMs = nowMs
    entry.session.expiresMs = nowMs + SESSION_DAYS * DAY_MS
    extendSession(db, entry.session.id, new Date(entry.session.expiresMs)).catch(onError)
  }

  return async (headers) => {
    const token = sessionTokenOf(headers, secret)
    if (token === undefined) return undefined
    const entry = await known.get(sha256Hex(token))
    const nowMs = Date.now()
    if (entry === undefined || entry.session.expiresMs <= nowMs) return undefined
    if (nowMs - entry.extendedMs > DAY_MS) extend(entry, nowMs)
    return entry.session
  }
}
