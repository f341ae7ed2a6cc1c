/** Accounts that operate the server. */

import { and, asc, eq, gt, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { lockOperators } from '../accounts/account-roles.ts'
import { accounts } from '../accounts/account-schema.ts'
import { updateAccount } from '../accounts/accounts.ts'
import { recordChange } from '../accounts/audit.ts'
import { revokeOfOperator } from '../accounts/revocations.ts'
import type { Database } from '../client.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'

export type Operator = { id: string; email: string; name: string; createdAt: Date; lastUsedAt: Date | null }

export async function listOperators(db: Database, { limit, cursor }: PageQuery): Promise<Page<Operator>> {
  const rows = await db
    .select({
      id: accounts.id,
      email: accounts.email,
      name: accounts.name,
      createdAt: accounts.createdAt,
      // unqualified column names would both refer to the inner table
      lastUsedAt: sql<
        string | Date | null
      >`(SELECT max(sessions.updated_at) FROM sessions WHERE sessions.account_id = accounts.id)`,
    })
    .from(accounts)
    .where(and(eq(accounts.isOperator, true), cursor === undefined ? undefined : gt(accounts.id, cursor)))
    .orderBy(asc(accounts.id))
    .limit(limit + 1)
  return pageOf(
    rows.map((row) => ({ ...row, lastUsedAt: row.lastUsedAt === null ? null : new Date(row.lastUsedAt) })),
    limit,
  )
}

/**
 * Removes the role from an account, and revokes the links and tokens that it made as operator; its other roles stay.
 * @throws AppError NOT_FOUND, CONFLICT when no other operator would be left
 */
export async function removeOperator(db: Database, actor: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    // two operators could remove each other at the same time
    await lockOperators(tx)
    const operators = await tx.select({ id: accounts.id }).from(accounts).where(eq(accounts.isOperator, true)).limit(2)
    const [found] = await tx
      .select()
      .from(accounts)
      .where(and(eq(accounts.id, id), eq(accounts.isOperator, true)))
    if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchOperator') })
    if (operators.length < 2) throw new AppError('CONFLICT', { message: fieldText('lastOperator') })
    await revokeOfOperator(tx, actor, id)
    await updateAccount(tx, id, { isOperator: false })
    const change = { actor, action: 'update', kind: 'account', id } as const
    await recordChange(tx, { ...change, before: { isOperator: true }, after: { isOperator: false } })
  })
}
