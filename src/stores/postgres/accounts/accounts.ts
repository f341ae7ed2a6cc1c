/** Accounts, how they sign in, and their sessions. better-auth creates sessions; everything else is here. */
import { and, desc, eq, gt, lt, ne, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { enterprises, members, people } from '../schema.ts'
import { accountLogins, accounts, oneTimeLinks, type Preferences, sessions } from './account-schema.ts'
import { revokeResets } from './revocations.ts'

export type Account = typeof accounts.$inferSelect
export const PASSWORD = 'credential'

export async function findAccountByEmail(db: Database, email: string): Promise<Account | undefined> {
  const [found] = await db.select().from(accounts).where(eq(accounts.email, email))
  return found
}

export async function findAccount(db: Database, id: string): Promise<Account | undefined> {
  const [found] = await db.select().from(accounts).where(eq(accounts.id, id))
  return found
}

/** Undefined for an account without a password. */
export async function findPasswordHash(db: Database, accountId: string): Promise<string | undefined> {
  const [found] = await db
    .select({ password: accountLogins.password })
    .from(accountLogins)
    .where(and(eq(accountLogins.userId, accountId), eq(accountLogins.providerId, PASSWORD)))
  return found?.password ?? undefined
}

/** Other links that set a password end. */
export async function setPasswordHash(tx: Database, accountId: string, password: string): Promise<void> {
  await revokeResets(tx, accountId)
  const login = { userId: accountId, providerId: PASSWORD, accountId, password }
  await tx
    .insert(accountLogins)
    .values({ id: newId('log'), ...login })
    .onConflictDoUpdate({
      target: [accountLogins.providerId, accountLogins.accountId],
      set: { password, updatedAt: sql`now()` },
    })
}

export async function deletePassword(tx: Database, accountId: string): Promise<void> {
  await tx.delete(accountLogins).where(and(eq(accountLogins.userId, accountId), eq(accountLogins.providerId, PASSWORD)))
}

export async function createAccount(
  db: Database,
  input: Pick<Account, 'email' | 'name' | 'emailVerified'>,
): Promise<Account> {
  const [created] = await db
    .insert(accounts)
    .values({ id: newId('acc'), ...input })
    .returning()
  return created as Account
}

export async function updateAccount(
  db: Database,
  id: string,
  change: Partial<Pick<Account, 'name' | 'emailVerified' | 'isOperator'>>,
): Promise<Account | undefined> {
  const [updated] = await db
    .update(accounts)
    .set({ ...change, updatedAt: sql`now()` })
    .where(eq(accounts.id, id))
    .returning()
  return updated
}

/** Changes the given preferences and keeps the others. */
export async function updatePreferences(db: Database, id: string, change: Preferences): Promise<void> {
  // as text: the driver would encode a parameter of type jsonb a second time
  const text = JSON.stringify(change)
  await db
    .update(accounts)
    .set({ preferences: sql`${accounts.preferences} || ${text}::text::jsonb`, updatedAt: sql`now()` })
    .where(eq(accounts.id, id))
}

export async function hasOperator(db: Database): Promise<boolean> {
  const [found] = await db.select({ id: accounts.id }).from(accounts).where(eq(accounts.isOperator, true)).limit(1)
  return found !== undefined
}

export type StoredSession = {
  id: string
  expiresAt: Date
  updatedAt: Date
  account: Pick<Account, 'id' | 'email' | 'name' | 'isOperator' | 'preferences'>
  /** The person's id, unless suspended. */
  personId: string | null
  /** Of the person. */
  suspension: { reason: string | null } | undefined
  memberships: { enterpriseId: string; memberId: string; role: 'owner' | 'admin' | 'member' }[]
}

/** A session with its account's roles, read in one snapshot. */
export async function findSession(db: Database, tokenSha256: string): Promise<StoredSession | undefined> {
  const rows = await db
    .select({
      id: sessions.id,
      expiresAt: sessions.expiresAt,
      updatedAt: sessions.updatedAt,
      account: {
        id: accounts.id,
        email: accounts.email,
        name: accounts.name,
        isOperator: accounts.isOperator,
        preferences: accounts.preferences,
      },
      person: { id: people.id, status: people.status, reason: people.suspendedReason },
      membership: { enterpriseId: members.enterpriseId, memberId: members.id, role: members.role },
    })
    .from(sessions)
    .innerJoin(accounts, eq(accounts.id, sessions.userId))
    .leftJoin(people, eq(people.accountId, accounts.id))
    .leftJoin(members, eq(members.accountId, accounts.id))
    .where(and(eq(sessions.token, tokenSha256), gt(sessions.expiresAt, sql`now()`)))
    .orderBy(members.id)
  const [first] = rows
  if (first === undefined) return undefined
  const { membership: _, person, ...session } = first
  const isSuspended = person?.status === 'suspended'
  return {
    ...session,
    personId: isSuspended ? null : (person?.id ?? null),
    suspension: isSuspended ? { reason: person.reason } : undefined,
    memberships: rows.flatMap(({ membership }) => (membership === null ? [] : [membership])),
  }
}

/** Names and states of the enterprises that an account is a member of. */
export async function enterprisesOfAccount(db: Database, accountId: string) {
  return db
    .select({ id: enterprises.id, name: enterprises.name, status: enterprises.status })
    .from(members)
    .innerJoin(enterprises, eq(enterprises.id, members.enterpriseId))
    .where(eq(members.accountId, accountId))
}

export async function extendSession(db: Database, id: string, expiresAt: Date): Promise<void> {
  await db.update(sessions).set({ expiresAt, updatedAt: sql`now()` }).where(eq(sessions.id, id))
}

export async function listSessions(db: Database, accountId: string) {
  return db
    .select({
      id: sessions.id,
      address: sessions.ipAddress,
      userAgent: sessions.userAgent,
      createdAt: sessions.createdAt,
      lastUsedAt: sessions.updatedAt,
      expiresAt: sessions.expiresAt,
    })
    .from(sessions)
    .where(and(eq(sessions.userId, accountId), gt(sessions.expiresAt, sql`now()`)))
    .orderBy(desc(sessions.updatedAt))
}

export async function hasSession(db: Database, id: string): Promise<boolean> {
  const [found] = await db.select({ id: sessions.id }).from(sessions).where(eq(sessions.id, id))
  return found !== undefined
}

/** @returns whether the account had that session */
export async function deleteSession(db: Database, accountId: string, id: string): Promise<boolean> {
  const gone = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, accountId), eq(sessions.id, id)))
    .returning({ id: sessions.id })
  return gone.length > 0
}

/** @param exceptId a session that stays */
export async function deleteSessions(db: Database, accountId: string, exceptId?: string): Promise<number> {
  const gone = await db
    .delete(sessions)
    .where(and(eq(sessions.userId, accountId), exceptId === undefined ? undefined : ne(sessions.id, exceptId)))
    .returning({ id: sessions.id })
  return gone.length
}

/** Deletes sessions that have ended, and links a month after their end. */
export async function deleteExpired(db: Database): Promise<void> {
  await db.delete(sessions).where(lt(sessions.expiresAt, sql`now()`))
  await db.delete(oneTimeLinks).where(lt(oneTimeLinks.expiresAt, sql`now() - interval '30 days'`))
}
