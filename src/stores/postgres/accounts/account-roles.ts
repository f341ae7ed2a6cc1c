/** Roles of accounts: links between accounts and the rows of members and people. */

import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { rowsOf } from '../rows.ts'
import { members, people } from '../schema.ts'
import type { accounts } from './account-schema.ts'
import { createAccount, deleteSessions, findAccountByEmail, setPasswordHash, updateAccount } from './accounts.ts'
import { recordChange } from './audit.ts'
import { findMemberByEmail, type Member } from './members.ts'
import type { OneTimeLink } from './one-time-links.ts'
import { revokeOfMember } from './revocations.ts'

type Account = typeof accounts.$inferSelect

/**
 * Makes the account a member: by its existing row, the row with its address, or a new row. A second row would outlive
 * the removal of the first. An owner stays an owner.
 * @throws AppError CONFLICT
 */
export async function joinEnterprise(
  tx: Database,
  account: Account,
  enterpriseId: string,
  role: Member['role'],
): Promise<void> {
  const actor = actorOf(account)
  const [own] = await tx
    .select()
    .from(members)
    .where(and(eq(members.enterpriseId, enterpriseId), eq(members.accountId, account.id)))
  const before = own ?? (await findMemberByEmail(tx, enterpriseId, account.email))
  if (before !== undefined && before.accountId !== null && before.accountId !== account.id)
    throw new AppError('CONFLICT', { message: fieldText('memberOfOther') })
  if (before?.role === 'owner' && role !== 'owner')
    throw new AppError('CONFLICT', { message: fieldText('memberIsOwner') })
  if (before === undefined) {
    const values = { id: newId('mem'), enterpriseId, email: account.email, role, accountId: account.id }
    const [after] = await tx.insert(members).values(values).returning()
    await recordChange(tx, {
      actor,
      action: 'create',
      kind: 'member',
      id: values.id,
      before: null,
      after: after ?? values,
    })
    return
  }
  if (before.role !== role) await revokeOfMember(tx, before)
  const [after] = await tx
    .update(members)
    .set({ accountId: account.id, role, updatedAt: sql`now()` })
    .where(eq(members.id, before.id))
    .returning()
  await recordChange(tx, { actor, action: 'update', kind: 'member', id: before.id, before, after: after ?? null })
}

/** Makes the account the person. @throws AppError CONFLICT when the account or the person is linked already */
export async function becomePerson(tx: Database, account: Account, personId: string): Promise<void> {
  const [other] = await tx.select({ id: people.id }).from(people).where(eq(people.accountId, account.id))
  const [linked] = await tx
    .update(people)
    .set({ accountId: account.id, updatedAt: sql`now()` })
    .where(and(eq(people.id, personId), sql`${people.accountId} IS NULL`))
    .returning({ id: people.id })
  if (other !== undefined || linked === undefined)
    throw new AppError('CONFLICT', { message: fieldText('linkedAlready') })
  const after = { accountId: account.id }
  await recordChange(tx, {
    actor: actorOf(account),
    action: 'update',
    kind: 'person',
    id: personId,
    before: { accountId: null },
    after,
  })
}

/**
 * Sets the person's password. A person without an account gets one.
 * @returns the id of the account
 * @throws AppError CONFLICT when the address belongs to an account that is not the person's
 */
export async function setPersonPassword(
  tx: Database,
  actor: string,
  person: { id: string; email: string; accountId: string | null },
  passwordHash: string,
): Promise<string> {
  if (person.accountId !== null) {
    await setPasswordHash(tx, person.accountId, passwordHash)
    await deleteSessions(tx, person.accountId)
    const change = { actor, action: 'update', kind: 'password', id: person.accountId } as const
    await recordChange(tx, { ...change, before: null, after: { by: 'the operator' } })
    return person.accountId
  }
  const email = person.email.trim().toLowerCase()
  if ((await findAccountByEmail(tx, email)) !== undefined)
    throw new AppError('CONFLICT', {
      message: fieldText('accountWithAddress'),
    })
  const account = await createAccount(tx, { email, name: email.split('@')[0] ?? email, emailVerified: false })
  await setPasswordHash(tx, account.id, passwordHash)
  const change = { actor, action: 'create', kind: 'account', id: account.id } as const
  await recordChange(tx, { ...change, before: null, after: account })
  await becomePerson(tx, account, person.id)
  return account.id
}

/** Makes a person on the free plan for an account that signed up, or links the person with its address. */
export async function createPersonOf(tx: Database, account: Account, plan: string): Promise<void> {
  const [known] = await tx.select().from(people).where(sql`lower(${people.email}) = ${account.email}`)
  if (known !== undefined) {
    if (known.accountId === null) await becomePerson(tx, account, known.id)
    return
  }
  const values = { id: newId('per'), email: account.email, plan, accountId: account.id }
  await tx.insert(people).values(values)
  await recordChange(tx, {
    actor: actorOf(account),
    action: 'create',
    kind: 'person',
    id: values.id,
    before: null,
    after: values,
  })
}

export async function becomeOperator(tx: Database, account: Account): Promise<void> {
  await updateAccount(tx, account.id, { isOperator: true })
  await recordChange(tx, {
    actor: actorOf(account),
    action: 'update',
    kind: 'account',
    id: account.id,
    before: { isOperator: account.isOperator },
    after: { isOperator: true },
  })
}

/** Taken so that only one of several first-operator links makes the first operator. */
export async function lockOperators(tx: Database): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtext('groundwave operators'))`)
}

/** The name of an account in the audit log. */
export const actorOf = ({ email }: Pick<Account, 'email'>): string => `account ${email}`

/** Whether an account is an operator, a person, or a member of another enterprise too. */
export async function hasRightsElsewhere(db: Database, accountId: string, enterpriseId: string): Promise<boolean> {
  const rows = await db.execute(sql`
    SELECT 1 FROM accounts WHERE id = ${accountId} AND is_operator
    UNION ALL SELECT 1 FROM people WHERE account_id = ${accountId}
    UNION ALL SELECT 1 FROM members WHERE account_id = ${accountId} AND enterprise_id <> ${enterpriseId}
    LIMIT 1`)
  return rowsOf(rows).length > 0
}

/** The role in which the maker of something may still act, for an enterprise or as an operator. */
export async function roleOfMaker(
  db: Database,
  { makerRole, makerId, makerTokenId }: Pick<OneTimeLink, 'makerRole' | 'makerId' | 'makerTokenId'>,
  enterpriseId: string | null,
): Promise<'operator' | Member['role'] | undefined> {
  if (makerRole === 'server') return 'operator'
  const isOperator = sql`SELECT 'operator' AS role FROM accounts WHERE id = ${makerId} AND is_operator`
  const ofMember = sql`
    SELECT members.role FROM members JOIN enterprises ON enterprises.id = members.enterprise_id
    WHERE members.account_id = ${makerId} AND enterprises.id = ${enterpriseId} AND enterprises.status = 'active'
    ORDER BY members.id`
  const withToken = sql`
    SELECT 'operator' AS role FROM operator_tokens WHERE id = ${makerTokenId} AND revoked_at IS NULL
      AND (maker_id IS NULL OR EXISTS (${isOperator}))`
  const query = makerTokenId !== null ? withToken : makerRole === 'operator' ? isOperator : ofMember
  const [found] = rowsOf<{ role: 'operator' | Member['role'] }>(await db.execute(query))
  return found?.role
}
