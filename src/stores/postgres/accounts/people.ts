import { asc, eq, gt, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'
import { people } from '../schema.ts'
import { throwOnUniqueViolation } from '../unique-violation.ts'
import { setPersonPassword } from './account-roles.ts'
import { recordChange } from './audit.ts'
import { eraseAccount, eraseAudit, eraseTraces } from './erasure.ts'
import { revokeOfPerson } from './revocations.ts'

export type Person = typeof people.$inferSelect
export type PersonInput = {
  email: string
  plan: string
  status?: Person['status']
  suspendedReason?: string | null
  storedDays?: number | null
}

const columns = {
  id: people.id,
  email: people.email,
  plan: people.plan,
  status: people.status,
  suspendedReason: people.suspendedReason,
  storedDays: people.storedDays,
  accountId: people.accountId,
  createdAt: people.createdAt,
  updatedAt: people.updatedAt,
}

/**
 * @param passwordHash of the account that the person signs in with
 * @throws AppError CONFLICT if another person, or with a password another account, has that address
 */
export async function createPerson(
  db: Database,
  actor: string,
  input: PersonInput,
  passwordHash?: string,
): Promise<Person> {
  return throwOnUniqueViolation('email', () =>
    db.transaction(async (tx) => {
      const [created] = await tx
        .insert(people)
        .values({ id: newId('per'), ...input })
        .returning(columns)
      const person = created as Person
      await recordChange(tx, { actor, action: 'create', kind: 'person', id: person.id, before: null, after: person })
      if (passwordHash !== undefined) person.accountId = await setPersonPassword(tx, actor, person, passwordHash)
      return person
    }),
  )
}

/** @throws AppError NOT_FOUND */
export async function getPerson(db: Database, id: string): Promise<Person> {
  const [found] = await db.select(columns).from(people).where(eq(people.id, id))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchPerson') })
  return found
}

export async function listPeople(db: Database, { limit, cursor }: PageQuery): Promise<Page<Person>> {
  const rows = await db
    .select(columns)
    .from(people)
    .where(cursor === undefined ? undefined : gt(people.id, cursor))
    .orderBy(asc(people.id))
    .limit(limit + 1)
  return pageOf(rows, limit)
}

export async function updatePerson(
  db: Database,
  actor: string,
  id: string,
  change: Partial<PersonInput>,
  passwordHash?: string,
): Promise<Person> {
  return throwOnUniqueViolation('email', () =>
    db.transaction(async (tx) => {
      const before = await getPerson(tx, id)
      const { email = before.email, status = before.status } = change
      if (email !== before.email || status !== before.status) await revokeOfPerson(tx, before)
      const [updated] = await tx
        .update(people)
        .set({ ...change, ...(change.status === 'active' && { suspendedReason: null }), updatedAt: sql`now()` })
        .where(eq(people.id, id))
        .returning(columns)
      const after = updated as Person
      await recordChange(tx, { actor, action: 'update', kind: 'person', id, before, after })
      if (passwordHash !== undefined) after.accountId = await setPersonPassword(tx, actor, after, passwordHash)
      return after
    }),
  )
}

/** @returns the id of the account, if it was deleted with the person because it had no other rights */
export async function deletePerson(db: Database, actor: string, id: string): Promise<string | undefined> {
  return db.transaction(async (tx) => {
    const before = await getPerson(tx, id)
    await revokeOfPerson(tx, before)
    await eraseTraces(tx, id)
    await tx.delete(people).where(eq(people.id, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'person', id, before, after: null })
    await eraseAudit(tx, id)
    const { accountId } = before
    const isAccountGone = accountId !== null && (await eraseAccount(tx, accountId))
    return isAccountGone ? accountId : undefined
  })
}
