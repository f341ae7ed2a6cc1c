/** Who calls with an organization's key pair, and for which of its members. */
import { AppError } from '../errors.ts'
import { findByPublicKey } from '../stores/postgres/applications.ts'
import type { Database } from '../stores/postgres/client.ts'
import { findMemberByEmail, findOwner } from '../stores/postgres/members.ts'
import { bearerToken, sameDigest, sha256, untilRefusalIsDue } from './keys.ts'

export type Organization = {
  enterprise: { id: string; number: number; tier: string; assetsHeld: boolean }
  application: { id: string; tools: 'all' | string[] }
  /** Whom the call is attributed to; undefined while the enterprise has no owner. */
  memberId: string | undefined
}

/** From the header pair, or from `Authorization: Bearer <public>:<secret>`. */
function keyPair(headers: Headers): { publicKey: string; secretKey: string } | undefined {
  const publicKey = headers.get('x-api-key')
  const secretKey = headers.get('x-api-secret')
  if (publicKey !== null && secretKey !== null) return { publicKey: publicKey.trim(), secretKey: secretKey.trim() }
  const [first, second, ...rest] = bearerToken(headers)?.split(':') ?? []
  return first && second && rest.length === 0 ? { publicKey: first, secretKey: second } : undefined
}

/**
 * @throws AppError API_KEY_INVALID (missing, wrong or revoked: one answer, in one time), ENTERPRISE_SUSPENDED,
 *   API_USER_UNKNOWN
 */
export async function authenticateOrganization(db: Database, headers: Headers): Promise<Organization> {
  const startedMs = performance.now()
  const pair = keyPair(headers)
  const found = pair === undefined ? undefined : await findByPublicKey(db, pair.publicKey)
  const expected = found === undefined ? sha256('') : Buffer.from(found.secretSha256, 'hex')
  const matches = sameDigest(sha256(pair?.secretKey ?? 'none'), expected)
  if (found === undefined || !matches) {
    await untilRefusalIsDue(startedMs)
    throw new AppError('API_KEY_INVALID')
  }
  const { enterprise, application } = found
  if (enterprise.status !== 'active') throw new AppError('ENTERPRISE_SUSPENDED')
  const email = headers.get('x-api-user')?.trim()
  const member = email ? await findMemberByEmail(db, enterprise.id, email) : await findOwner(db, enterprise.id)
  if (email && member === undefined) throw new AppError('API_USER_UNKNOWN')
  return {
    enterprise: {
      id: enterprise.id,
      number: enterprise.number,
      tier: enterprise.tier,
      assetsHeld: enterprise.assetsHeld,
    },
    application: { id: application.id, tools: application.tools },
    memberId: member?.id,
  }
}
