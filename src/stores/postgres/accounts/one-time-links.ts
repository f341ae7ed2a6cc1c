/** One-time links: invitations, sign-ups and resets of passwords. Only the SHA-256 of a link's token is stored. */

import { and, desc, eq, gt, isNull, type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { oneTimeLinks } from './account-schema.ts'
import { recordChange } from './audit.ts'

export type OneTimeLink = Omit<typeof oneTimeLinks.$inferSelect, 'tokenSha256'>
export type LinkKind = OneTimeLink['kind']
/** The rights on which a link or token is made. */
export type Maker = {
  /** The maker's name in the audit log. */
  actor: string
  /** `server`: its own token, the server itself, or a person who can read the mail of an address. */
  role: NonNullable<OneTimeLink['makerRole']>
  accountId?: string | undefined
  /** The operator token that was used. */
  tokenId?: string | undefined
}
export type LinkInput = {
  kind: LinkKind
  email: string | null
  enterpriseId?: string
  role?: 'owner' | 'admin' | 'member'
  personId?: string
  accountId?: string
  memberId?: string
  mailedOnly?: boolean
  expiresAt: Date
}

const columns = {
  id: oneTimeLinks.id,
  kind: oneTimeLinks.kind,
  email: oneTimeLinks.email,
  enterpriseId: oneTimeLinks.enterpriseId,
  role: oneTimeLinks.role,
  personId: oneTimeLinks.personId,
  accountId: oneTimeLinks.accountId,
  mailedOnly: oneTimeLinks.mailedOnly,
  memberId: oneTimeLinks.memberId,
  createdBy: oneTimeLinks.createdBy,
  makerRole: oneTimeLinks.makerRole,
  makerId: oneTimeLinks.makerId,
  makerTokenId: oneTimeLinks.makerTokenId,
  createdAt: oneTimeLinks.createdAt,
  expiresAt: oneTimeLinks.expiresAt,
  usedAt: oneTimeLinks.usedAt,
  revokedAt: oneTimeLinks.revokedAt,
}
const usable = and(isNull(oneTimeLinks.usedAt), isNull(oneTimeLinks.revokedAt), gt(oneTimeLinks.expiresAt, sql`now()`))

export async function createLink(
  tx: Database,
  { actor, role, accountId, tokenId }: Maker,
  tokenSha256: string,
  input: LinkInput,
): Promise<OneTimeLink> {
  const maker = { createdBy: actor, makerRole: role, makerId: accountId, makerTokenId: tokenId }
  const [created] = await tx
    .insert(oneTimeLinks)
    .values({ id: newId('lnk'), tokenSha256, ...maker, ...input })
    .returning(columns)
  const link = created as OneTimeLink
  await recordChange(tx, { actor, action: 'create', kind: 'one-time-link', id: link.id, before: null, after: link })
  return link
}

/** Undefined for a link that is unknown, used, revoked or expired. */
export async function findUsableLink(db: Database, tokenSha256: string): Promise<OneTimeLink | undefined> {
  const [found] = await db
    .select(columns)
    .from(oneTimeLinks)
    .where(and(eq(oneTimeLinks.tokenSha256, tokenSha256), usable))
  return found
}

/**
 * Consumes a link in the transaction of its effect: of two concurrent uses, the second waits for the first and finds
 * the link used. @throws AppError LINK_INVALID
 */
export async function useLink(tx: Database, tokenSha256: string): Promise<OneTimeLink> {
  const [used] = await tx
    .update(oneTimeLinks)
    .set({ usedAt: sql`now()` })
    .where(and(eq(oneTimeLinks.tokenSha256, tokenSha256), usable))
    .returning(columns)
  if (used === undefined) throw new AppError('LINK_INVALID')
  return used
}

/** Links of the kind that can still be used, newest first. */
export async function listLinks(
  db: Database,
  of: { enterpriseId: string } | { personId: string } | { kind: LinkKind },
): Promise<OneTimeLink[]> {
  return db
    .select(columns)
    .from(oneTimeLinks)
    .where(and(condition(of), usable))
    .orderBy(desc(oneTimeLinks.id))
    .limit(1000)
}

function condition(of: { enterpriseId: string } | { personId: string } | { kind: LinkKind }): SQL {
  if ('enterpriseId' in of) return eq(oneTimeLinks.enterpriseId, of.enterpriseId)
  return 'personId' in of ? eq(oneTimeLinks.personId, of.personId) : eq(oneTimeLinks.kind, of.kind)
}

/** @throws AppError NOT_FOUND */
export async function getLink(db: Database, id: string): Promise<OneTimeLink> {
  const [found] = await db.select(columns).from(oneTimeLinks).where(eq(oneTimeLinks.id, id))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchLink') })
  return found
}

/** @throws AppError NOT_FOUND, also for a link that is used, revoked or expired */
export async function revokeLink(db: Database, actor: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [revoked] = await tx
      .update(oneTimeLinks)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(oneTimeLinks.id, id), usable))
      .returning(columns)
    if (revoked === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchUsableLink') })
    const before = { ...revoked, revokedAt: null }
    await recordChange(tx, { actor, action: 'revoke', kind: 'one-time-link', id, before, after: revoked })
  })
}
