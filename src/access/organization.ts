/** Authenticates an organization's key pair, and finds the member that the call is attributed to. */
import { AppError } from '../errors.ts'
import { createChangeCache } from '../stores/change-cache.ts'
import type { Changes } from '../stores/changes.ts'
import { findByPublicKey } from '../stores/postgres/accounts/applications.ts'
import type { EnterpriseRecord } from '../stores/postgres/accounts/enterprises.ts'
import { findMemberByEmail, findOwner } from '../stores/postgres/accounts/members.ts'
import type { Database } from '../stores/postgres/client.ts'
import { type KeySpace, keySpaceOf } from '../stores/postgres/runs/idempotency.ts'
import type { ActingRole } from './authorization.ts'
import { gateKeyOf, opensWith } from './keys/gate-keys.ts'
import type { KeyFailures, Peer } from './keys/key-failures.ts'
import { bearerToken, isPublicKey, sendsPersonalKey } from './keys/keys.ts'
import { creditsPerMonth, limitsOf } from './plans.ts'

/** A caller that acts for an enterprise or a person. */
export type OrganizationCaller = {
  /** Id of the application, account or personal key, for which calls are limited and counted. */
  id: string
  /** The caller's name in the audit log. */
  actor: string
  /** When the caller's key or session ends. */
  expiresMs: number
  /** The application; undefined for an account and for a personal key. */
  applicationId: string | undefined
  tools: 'all' | string[]
  /** Whether it may read sensors and readings. */
  assets: boolean
  keySpace: KeySpace
  /** The member to whom the call is attributed; undefined for the operator, and while the enterprise has no owner. */
  memberId: string | undefined
  /** The role of a session; undefined for an application and for a personal key. */
  role: ActingRole | undefined
  /** Whether the call was counted by its personal key. */
  isCounted: boolean
  /** Whether the caller sees only the runs of `memberId`. */
  ownRunsOnly: boolean
}

export type Organization = {
  enterprise: {
    id: string
    number: number
    tier: string
    assetsHeld: boolean
    heldReason: string | null
    creditsPerMonth: number
    /** Megabytes that it may store; null for the limit of the server. */
    storedMb: number | null
    /** How long the owner's readings are retained. */
    retentionDays: number
  }
  caller: OrganizationCaller
}

export type OrganizationGate = {
  /**
   * @throws AppError API_KEY_INVALID (missing, wrong, expired or revoked: one answer, in one time), ENTERPRISE_SUSPENDED,
   *   API_USER_UNKNOWN, KEY_FAILURES_LIMITED
   */
  authenticate(peer: Peer): Promise<Organization>
}

export const enterpriseFacts = ({ enterprise, tier, retention }: EnterpriseRecord): Organization['enterprise'] => ({
  id: enterprise.id,
  number: enterprise.number,
  tier: enterprise.tier,
  assetsHeld: enterprise.assetsHeld,
  heldReason: enterprise.heldReason,
  creditsPerMonth: creditsPerMonth(enterprise, tier),
  storedMb: enterprise.storedMb,
  retentionDays: limitsOf(enterprise, tier, retention).retentionDays,
})

/** Whether a request carries a key pair, or a part of one. */
export const sendsKeyPair = (headers: Headers): boolean =>
  headers.has('x-api-key') ||
  headers.has('x-api-secret') ||
  (/^bearer\b/i.test(headers.get('authorization') ?? '') && !sendsPersonalKey(headers))

/** Reads the key pair from its two headers, or from `Authorization: Bearer <public>:<secret>`. */
function keyPair(headers: Headers): { publicKey: string; secretKey: string } | undefined {
  const publicKey = headers.get('x-api-key')
  const secretKey = headers.get('x-api-secret')
  if (publicKey !== null && secretKey !== null) return { publicKey: publicKey.trim(), secretKey: secretKey.trim() }
  const [first, second, ...rest] = bearerToken(headers)?.split(':') ?? []
  return first && second && rest.length === 0 ? { publicKey: first, secretKey: second } : undefined
}

/** A call whose key and member are cached needs no query. */
const MAX_CACHED = 20_000

/** Callbacks that note facts about calls. */
export type OrganizationObserver = {
  /** Once an hour for a key pair that is in use. */
  onKeyUse?(keyId: string, nowMs: number): void
  onRequest?(applicationId: string, nowMs: number): void
}

export function createOrganizationGate(
  db: Database,
  changes: Changes,
  failures: KeyFailures,
  observer: OrganizationObserver = {},
): OrganizationGate {
  const kinds = ['access', 'enterprise', 'tiers', 'missed'] as const
  const keys = createChangeCache({
    load: async (publicKey: string) => {
      const found = await findByPublicKey(db, publicKey)
      return found && { ...found, key: gateKeyOf(found.key) }
    },
    maxSize: MAX_CACHED,
    invalidatedBy: {
      changes,
      kinds,
      concerns: (ids, known) => known !== undefined && ids.includes(known.enterprise.id),
    },
  })
  const memberIds = createChangeCache({
    // "<enterprise> <email>", or "<enterprise> " for the owner
    load: async (key: string) => {
      const space = key.indexOf(' ')
      const [enterpriseId, email] = [key.slice(0, space), key.slice(space + 1)]
      const member = email ? await findMemberByEmail(db, enterpriseId, email) : await findOwner(db, enterpriseId)
      return member?.id
    },
    maxSize: MAX_CACHED,
    invalidatedBy: { changes, kinds, concerns: (ids, _, key) => ids.some((id) => key.startsWith(`${id} `)) },
  })

  return {
    async authenticate(peer) {
      const startedMs = performance.now()
      const { headers } = peer
      const pair = keyPair(headers)
      const canExist = pair !== undefined && isPublicKey(pair.publicKey)
      const found = canExist ? await keys.get(pair.publicKey) : undefined
      const nowMs = Date.now()
      const isOpen = opensWith(found === undefined ? [] : [found.key], pair?.secretKey, nowMs, observer.onKeyUse)
      if (found === undefined || isOpen === undefined)
        return failures.refuse('application-key', peer, startedMs, 'API_KEY_INVALID')
      const { enterprise, application, tier, retention, key } = found
      if (enterprise.status !== 'active') throw new AppError('ENTERPRISE_SUSPENDED')
      const email = headers.get('x-api-user')?.trim() ?? ''
      const memberId = await memberIds.get(`${enterprise.id} ${email}`)
      if (email !== '' && memberId === undefined) throw new AppError('API_USER_UNKNOWN')
      observer.onRequest?.(application.id, nowMs)
      return {
        enterprise: enterpriseFacts({ enterprise, tier, retention }),
        caller: {
          id: application.id,
          actor: application.id,
          applicationId: application.id,
          tools: application.tools,
          assets: application.assets ?? application.tools === 'all',
          keySpace: keySpaceOf(key.id, enterprise.id),
          memberId,
          role: undefined,
          isCounted: false,
          ownRunsOnly: false,
          expiresMs: key.expiresMs,
        },
      }
    },
  }
}
