import { and, desc, eq, isNull, lt, or, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { accounts, operatorTokens } from '../accounts/account-schema.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Maker } from '../accounts/one-time-links.ts'
import { revokeOfToken } from '../accounts/revocations.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'

export type OperatorToken = Omit<typeof operatorTokens.$inferSelect, 'tokenSha256' | 'makerId'>
export type NamedToken = Pick<typeof operatorTokens.$inferSelect, 'id' | 'name' | 'expiresAt' | 'makerId'>

const columns = {
  id: operatorTokens.id,
  name: operatorTokens.name,
  lastFour: operatorTokens.lastFour,
  createdBy: operatorTokens.createdBy,
  createdAt: operatorTokens.createdAt,
  expiresAt: operatorTokens.expiresAt,
  lastUsedAt: operatorTokens.lastUsedAt,
  revokedAt: operatorTokens.revokedAt,
}

/** Undefined for a token that is unknown or revoked, or whose maker is no longer an operator. */
export async function findToken(db: Database, tokenSha256: string): Promise<NamedToken | undefined> {
  const [found] = await db
    .select({
      id: operatorTokens.id,
      name: operatorTokens.name,
      expiresAt: operatorTokens.expiresAt,
      makerId: operatorTokens.makerId,
    })
    .from(operatorTokens)
    .leftJoin(accounts, eq(accounts.id, operatorTokens.makerId))
    .where(
      and(
        eq(operatorTokens.tokenSha256, tokenSha256),
        isNull(operatorTokens.revokedAt),
        or(isNull(operatorTokens.makerId), eq(accounts.isOperator, true)),
      ),
    )
  return found
}

export async function noteTokenUse(db: Database, id: string, at: Date): Promise<void> {
  await db.update(operatorTokens).set({ lastUsedAt: at }).where(eq(operatorTokens.id, id))
}

export type NewOperatorToken = { name: string; expiresAt: Date | null; tokenSha256: string; lastFour: string }

export async function addToken(
  db: Database,
  { actor, accountId: makerId }: Maker,
  input: NewOperatorToken,
): Promise<OperatorToken> {
  return db.transaction(async (tx) => {
    const [added] = await tx
      .insert(operatorTokens)
      .values({ id: newId('otk'), createdBy: actor, makerId, ...input })
      .returning(columns)
    const token = added as OperatorToken
    await recordChange(tx, {
      actor,
      action: 'create',
      kind: 'operator-token',
      id: token.id,
      before: null,
      after: token,
    })
    return token
  })
}

/** Tokens that are not revoked, newest first. */
export async function listTokens(db: Database, { limit, cursor }: PageQuery): Promise<Page<OperatorToken>> {
  const rows = await db
    .select(columns)
    .from(operatorTokens)
    .where(and(isNull(operatorTokens.revokedAt), cursor === undefined ? undefined : lt(operatorTokens.id, cursor)))
    .orderBy(desc(operatorTokens.id))
    .limit(limit + 1)
  return pageOf(rows, limit)
}

/** @throws AppError NOT_FOUND */
export async function revokeToken(db: Database, actor: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [revoked] = await tx
      .update(operatorTokens)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(operatorTokens.id, id), isNull(operatorTokens.revokedAt)))
      .returning(columns)
    if (revoked === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchOperatorToken') })
    await revokeOfToken(tx, id)
    const before = { ...revoked, revokedAt: null }
    await recordChange(tx, { actor, action: 'revoke', kind: 'operator-token', id, before, after: revoked })
  })
}
