/** Who calls with an organization's key pair, and for which of its members. */
import { AppError } from '../errors.ts'
import type { Change, Changes } from '../stores/changes.ts'
import { findByPublicKey } from '../stores/postgres/applications.ts'
import type { Database } from '../stores/postgres/client.ts'
import { applyTierLimits } from '../stores/postgres/enterprises.ts'
import { findMemberByEmail, findOwner } from '../stores/postgres/members.ts'
import { bearerToken, delayRefusal, sameDigest, sha256 } from './keys.ts'

export type Organization = {
  enterprise: {
    id: string
    number: number
    tier: string
    assetsHeld: boolean
    creditsPerMonth: number
    /** How long it keeps readings. */
    retentionDays: number
  }
  application: { id: string; tools: 'all' | string[] }
  keyPairId: string
  /** Whom the call is attributed to; undefined while the enterprise has no owner. */
  memberId: string | undefined
}

export type OrganizationGate = {
  /**
   * @throws AppError API_KEY_INVALID (missing, wrong or revoked: one answer, in one time), ENTERPRISE_SUSPENDED,
   *   API_USER_UNKNOWN
   */
  authenticate(headers: Headers): Promise<Organization>
}

/** From the header pair, or from `Authorization: Bearer <public>:<secret>`. */
function keyPair(headers: Headers): { publicKey: string; secretKey: string } | undefined {
  const publicKey = headers.get('x-api-key')
  const secretKey = headers.get('x-api-secret')
  if (publicKey !== null && secretKey !== null) return { publicKey: publicKey.trim(), secretKey: secretKey.trim() }
  const [first, second, ...rest] = bearerToken(headers)?.split(':') ?? []
  return first && second && rest.length === 0 ? { publicKey: first, secretKey: second } : undefined
}

type KeyRecord = NonNullable<Awaited<ReturnType<typeof findByPublicKey>>>

/** Keys that are known stay known; a call in which nothing is new asks no store. */
const MAX_KNOWN = 10_000
const INVALIDATING = new Set<Change['kind']>(['access', 'enterprise', 'tiers', 'missed'])

export function createOrganizationGate(db: Database, changes: Changes): OrganizationGate {
  let keys = new Map<string, KeyRecord>()
  let people = new Map<string, string | undefined>()

  function invalidateAll(): void {
    keys = new Map()
    people = new Map()
  }
  changes.subscribe((change) => {
    if (INVALIDATING.has(change.kind)) invalidateAll()
  })

  /** What a lookup that began before a change brings is not kept: it goes into a map that nobody reads any more. */
  async function keyRecord(publicKey: string): Promise<KeyRecord | undefined> {
    const known = keys
    const found = known.get(publicKey) ?? (await findByPublicKey(db, publicKey))
    if (found !== undefined && known.size < MAX_KNOWN) known.set(publicKey, found)
    return found
  }

  async function memberId(enterpriseId: string, email: string | undefined): Promise<string | undefined> {
    const known = people
    const key = `${enterpriseId} ${email?.toLowerCase() ?? ''}`
    if (known.has(key)) return known.get(key)
    const member = email ? await findMemberByEmail(db, enterpriseId, email) : await findOwner(db, enterpriseId)
    if (known.size < MAX_KNOWN && (member !== undefined || !email)) known.set(key, member?.id)
    return member?.id
  }

  return {
    async authenticate(headers) {
      const startedMs = performance.now()
      const pair = keyPair(headers)
      const found = pair === undefined ? undefined : await keyRecord(pair.publicKey)
      const expected = found === undefined ? sha256('') : Buffer.from(found.secretSha256, 'hex')
      const matches = sameDigest(sha256(pair?.secretKey ?? 'none'), expected)
      if (found === undefined || !matches) {
        await delayRefusal(startedMs)
        throw new AppError('API_KEY_INVALID')
      }
      const { enterprise, application, tier, keyPairId } = found
      if (enterprise.status !== 'active') throw new AppError('ENTERPRISE_SUSPENDED')
      const email = headers.get('x-api-user')?.trim()
      const member = await memberId(enterprise.id, email || undefined)
      if (email && member === undefined) throw new AppError('API_USER_UNKNOWN')
      return {
        enterprise: {
          id: enterprise.id,
          number: enterprise.number,
          tier: enterprise.tier,
          assetsHeld: enterprise.assetsHeld,
          creditsPerMonth: enterprise.credits ?? tier.creditsPerMonth ?? 0,
          retentionDays: applyTierLimits(enterprise, tier).retentionDays,
        },
        application: { id: application.id, tools: application.tools },
        keyPairId,
        memberId: member,
      }
    },
  }
}
