import { asc, eq, gt, sql } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import { recordChange } from './audit.ts'
import type { Database } from './client.ts'
import { newId } from './ids.ts'
import { type Page, type PageQuery, pageOf } from './page.ts'
import { people } from './schema.ts'
import { throwOnUniqueViolation } from './unique-violation.ts'

/** A person without the password hash. */
export type Person = Omit<typeof people.$inferSelect, 'passwordHash'>
export type PersonInput = { email: string; plan: string; status?: Person['status']; password?: string }

const columns = {
  id: people.id,
  email: people.email,
  plan: people.plan,
  status: people.status,
  accountId: people.accountId,
  createdAt: people.createdAt,
  updatedAt: people.updatedAt,
}

async function toRow({ password, ...rest }: Partial<PersonInput>) {
  return password === undefined ? rest : { ...rest, passwordHash: await Bun.password.hash(password, 'argon2id') }
}

/** @throws AppError CONFLICT if another person has that address */
export async function createPerson(db: Database, actor: string, input: PersonInput): Promise<Person> {
  const row = await toRow(input)
  return throwOnUniqueViolation('email', () =>
    db.transaction(async (tx) => {
      const values = { id: newId('per'), ...row, email: input.email, plan: input.plan }
      const [created] = await tx.insert(people).values(values).returning(columns)
      const person = created as Person
      await recordChange(tx, { actor, action: 'create', kind: 'person', id: person.id, before: null, after: person })
      return person
    }),
  )
}

/** @throws AppError NOT_FOUND */
export async function getPerson(db: Database, id: string): Promise<Person> {
  const [found] = await db.select(columns).from(people).where(eq(people.id, id))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such person.' })
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
): Promise<Person> {
  const row = await toRow(change)
  return throwOnUniqueViolation('email', () =>
    db.transaction(async (tx) => {
      const before = await getPerson(tx, id)
      const [updated] = await tx
        .update(people)
        .set({ ...row, updatedAt: sql`now()` })
        .where(eq(people.id, id))
        .returning(columns)
      const after = updated as Person
      await recordChange(tx, { actor, action: 'update', kind: 'person', id, before, after })
      return after
    }),
  )
}

export async function deletePerson(db: Database, actor: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await getPerson(tx, id)
    await tx.delete(people).where(eq(people.id, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'person', id, before, after: null })
  })
}
