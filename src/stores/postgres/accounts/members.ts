import { and, asc, eq, ne, type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { members } from '../schema.ts'
import { throwOnUniqueViolation } from '../unique-violation.ts'
import { recordChange } from './audit.ts'
import { revokeOfMember } from './revocations.ts'

export type Member = typeof members.$inferSelect
export type MemberInput = Pick<Member, 'email' | 'role'>

/** @throws AppError CONFLICT if the enterprise has a member with that address */
export async function createMember(
  db: Database,
  actor: string,
  enterpriseId: string,
  input: MemberInput,
): Promise<Member> {
  return throwOnUniqueViolation('email', () =>
    db.transaction(async (tx) => {
      const [created] = await tx
        .insert(members)
        .values({ id: newId('mem'), enterpriseId, ...input })
        .returning()
      const member = created as Member
      await recordChange(tx, { actor, action: 'create', kind: 'member', id: member.id, before: null, after: member })
      return member
    }),
  )
}

export async function findMember(db: Database, id: string): Promise<Member | undefined> {
  const [found] = await db.select().from(members).where(eq(members.id, id))
  return found
}

/** @throws AppError NOT_FOUND */
export async function getMember(db: Database, id: string): Promise<Member> {
  const found = await findMember(db, id)
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchMember') })
  return found
}

/** Finds a member by address, ignoring case. */
export async function findMemberByEmail(
  db: Database,
  enterpriseId: string,
  email: string,
): Promise<Member | undefined> {
  const [found] = await db
    .select()
    .from(members)
    .where(and(eq(members.enterpriseId, enterpriseId), sql`lower(${members.email}) = lower(${email})`))
  return found
}

/** The enterprise's first owner. */
export async function findOwner(db: Database, enterpriseId: string): Promise<Member | undefined> {
  const [found] = await db
    .select()
    .from(members)
    .where(and(eq(members.enterpriseId, enterpriseId), eq(members.role, 'owner')))
    .orderBy(asc(members.id))
    .limit(1)
  return found
}

export const listMembers = (db: Database, enterpriseId: string, query: PageQuery): Promise<Page<Member>> =>
  pageOfTable(db, members, eq(members.enterpriseId, enterpriseId), query)

/** @throws AppError CONFLICT when no other owner would be left. The rows are locked: owners could remove each other. */
async function requireOtherOwner(tx: Database, { id, enterpriseId }: Member): Promise<void> {
  const owners = await tx
    .select({ id: members.id })
    .from(members)
    .where(and(eq(members.enterpriseId, enterpriseId), eq(members.role, 'owner')))
    .orderBy(asc(members.id))
    .for('update')
  if (!owners.some((owner) => owner.id !== id)) throw new AppError('CONFLICT', { message: fieldText('lastOwner') })
}

/**
 * The role of a member's changer: only operators may remove the last owner, and only owners and operators may change
 * owners.
 */
export type MemberChanger = 'operator' | Member['role']

/** Checked in the statement, because the member may have become an owner since the changer's rights were checked. */
const changeable = (id: string, by: MemberChanger): SQL | undefined =>
  and(eq(members.id, id), by === 'operator' || by === 'owner' ? undefined : ne(members.role, 'owner'))

/** @throws AppError NOT_FOUND, FORBIDDEN */
async function refuseChange(tx: Database, id: string): Promise<never> {
  await getMember(tx, id)
  throw new AppError('FORBIDDEN')
}

export async function updateMember(
  db: Database,
  actor: string,
  id: string,
  change: Partial<MemberInput>,
  by: MemberChanger,
): Promise<Member> {
  return throwOnUniqueViolation('email', () =>
    db.transaction(async (tx) => {
      const before = await getMember(tx, id)
      const { role = before.role, email = before.email } = change
      if (role !== before.role || email !== before.email) await revokeOfMember(tx, before)
      if (by !== 'operator' && before.role === 'owner' && role !== 'owner') await requireOtherOwner(tx, before)
      const [updated] = await tx
        .update(members)
        .set({ ...change, updatedAt: sql`now()` })
        .where(changeable(id, by))
        .returning()
      const after = updated ?? (await refuseChange(tx, id))
      await recordChange(tx, { actor, action: 'update', kind: 'member', id, before, after })
      return after
    }),
  )
}

/** @returns the enterprise that it belonged to */
export async function deleteMember(db: Database, actor: string, id: string, by: MemberChanger): Promise<string> {
  return db.transaction(async (tx) => {
    const before = await getMember(tx, id)
    await revokeOfMember(tx, before)
    if (by !== 'operator' && before.role === 'owner') await requireOtherOwner(tx, before)
    const [deleted] = await tx.delete(members).where(changeable(id, by)).returning({ id: members.id })
    if (deleted === undefined) await refuseChange(tx, id)
    await recordChange(tx, { actor, action: 'delete', kind: 'member', id, before, after: null })
    return before.enterpriseId
  })
}
