/** A person who is signed in to the portal. */
import type { Preferences } from '../../stores/postgres/accounts/account-schema.ts'

export const ROLES = ['owner', 'admin', 'member'] as const
export type Role = (typeof ROLES)[number]

export type Membership = { enterpriseId: string; memberId: string; role: Role }

export type Session = {
  id: string
  /** Extended by the next use. */
  expiresMs: number
  accountId: string
  email: string
  name: string
  preferences: Preferences
  isOperator: boolean
  /**
   * The person (`per_…`) whose Tool APIs, layers and files the account owns; undefined for an account that is only a
   * member.
   */
  personId: string | undefined
  /** The operator suspended the person. */
  suspension: { reason: string | null } | undefined
  memberships: readonly Membership[]
  /** The value that state-changing requests must send as `X-CSRF-Token`. */
  csrfToken: string
}

/** Who acts: a signed-in account, or a person by a personal key, without the rights of the account elsewhere. */
export type Principal = Pick<Session, 'accountId' | 'email' | 'expiresMs' | 'isOperator' | 'memberships'> &
  Pick<Session, 'personId' | 'suspension'> & { keyId?: string }

/**
 * Finds the session of a request's cookie. A change of roles or a revoked session takes effect on the next call.
 * @returns undefined without a cookie, and for an expired, revoked or forged one
 */
export type SessionGate = (headers: Headers) => Promise<Session | undefined>
