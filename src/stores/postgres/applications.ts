import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import { recordChange } from './audit.ts'
import type { Database } from './client.ts'
import { newId } from './ids.ts'
import { type Page, type PageQuery, pageOf } from './page.ts'
import { applicationKeys, applications, enterprises, retentions, tiers } from './schema.ts'

export type ApplicationKey = {
  id: string
  publicKey: string
  lastFour: string
  createdAt: Date
  revokedAt: Date | null
}
export type Application = typeof applications.$inferSelect & { keys: ApplicationKey[] }
export type ApplicationInput = { name: string; tools: 'all' | string[]; assets?: boolean | undefined }
/** The stored part of a key pair. */
export type KeyPairDigest = { publicKey: string; secretSha256: string; lastFour: string }

const keyColumns = {
  id: applicationKeys.id,
  publicKey: applicationKeys.publicKey,
  lastFour: applicationKeys.lastFour,
  createdAt: applicationKeys.createdAt,
  revokedAt: applicationKeys.revokedAt,
}

async function withKeys(db: Database, application: typeof applications.$inferSelect): Promise<Application> {
  const keys = await db
    .select(keyColumns)
    .from(applicationKeys)
    .where(eq(applicationKeys.applicationId, application.id))
    .orderBy(asc(applicationKeys.id))
  return { ...application, keys }
}

export async function createApplication(
  db: Database,
  actor: string,
  enterpriseId: string,
  input: ApplicationInput,
  digest: KeyPairDigest,
): Promise<Application> {
  return db.transaction(async (tx) => {
    const id = newId('app')
    const [created] = await tx
      .insert(applications)
      .values({ id, enterpriseId, ...input })
      .returning()
    await tx.insert(applicationKeys).values({ id: newId('key'), applicationId: id, ...digest })
    const application = await withKeys(tx, created as typeof applications.$inferSelect)
    await recordChange(tx, { actor, action: 'create', kind: 'application', id, before: null, after: application })
    return application
  })
}

/** @throws AppError NOT_FOUND */
export async function getApplication(db: Database, id: string): Promise<Application> {
  const [found] = await db.select().from(applications).where(eq(applications.id, id))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such application.' })
  return withKeys(db, found)
}

export async function listApplications(
  db: Database,
  enterpriseId: string,
  { limit, cursor }: PageQuery,
): Promise<Page<Application>> {
  const rows = await db
    .select()
    .from(applications)
    .where(
      and(eq(applications.enterpriseId, enterpriseId), cursor === undefined ? undefined : gt(applications.id, cursor)),
    )
    .orderBy(asc(applications.id))
    .limit(limit + 1)
  const page = pageOf(rows, limit)
  return { ...page, items: await Promise.all(page.items.map((application) => withKeys(db, application))) }
}

export async function updateApplication(
  db: Database,
  actor: string,
  id: string,
  change: Partial<ApplicationInput>,
): Promise<Application> {
  return db.transaction(async (tx) => {
    const before = await getApplication(tx, id)
    await tx
      .update(applications)
      .set({ ...change, updatedAt: sql`now()` })
      .where(eq(applications.id, id))
    const after = await getApplication(tx, id)
    await recordChange(tx, { actor, action: 'update', kind: 'application', id, before, after })
    return after
  })
}

export async function deleteApplication(db: Database, actor: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await getApplication(tx, id)
    await tx.delete(applications).where(eq(applications.id, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'application', id, before, after: null })
  })
}

export async function addApplicationKey(
  db: Database,
  actor: string,
  applicationId: string,
  digest: KeyPairDigest,
): Promise<ApplicationKey> {
  return db.transaction(async (tx) => {
    const { enterpriseId: ownerId } = await getApplication(tx, applicationId)
    const values = { id: newId('key'), applicationId, ...digest }
    const [created] = await tx.insert(applicationKeys).values(values).returning(keyColumns)
    const key = created as ApplicationKey
    await recordChange(tx, {
      actor,
      action: 'create',
      kind: 'application-key',
      id: key.id,
      before: null,
      after: key,
      ownerId,
    })
    return key
  })
}

/** @throws AppError NOT_FOUND if the application has no such active key */
export async function revokeApplicationKey(
  db: Database,
  actor: string,
  applicationId: string,
  keyId: string,
): Promise<void> {
  await db.transaction(async (tx) => {
    const { enterpriseId: ownerId } = await getApplication(tx, applicationId)
    const [revoked] = await tx
      .update(applicationKeys)
      .set({ revokedAt: sql`now()` })
      .where(
        and(
          eq(applicationKeys.applicationId, applicationId),
          eq(applicationKeys.id, keyId),
          isNull(applicationKeys.revokedAt),
        ),
      )
      .returning(keyColumns)
    if (revoked === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such active key.' })
    const before = { ...revoked, revokedAt: null }
    await recordChange(tx, {
      actor,
      action: 'revoke',
      kind: 'application-key',
      id: keyId,
      before,
      after: revoked,
      ownerId,
    })
  })
}

/** The application of an active public key, its enterprise and tier, and the digest of the secret. */
export async function findByPublicKey(db: Database, publicKey: string) {
  const [found] = await db
    .select({
      application: applications,
      enterprise: enterprises,
      tier: tiers,
      retention: retentions,
      keyPairId: applicationKeys.id,
      secretSha256: applicationKeys.secretSha256,
    })
    .from(applicationKeys)
    .innerJoin(applications, eq(applications.id, applicationKeys.applicationId))
    .innerJoin(enterprises, eq(enterprises.id, applications.enterpriseId))
    .innerJoin(tiers, eq(tiers.name, enterprises.tier))
    .leftJoin(retentions, eq(retentions.enterpriseId, enterprises.id))
    .where(and(eq(applicationKeys.publicKey, publicKey), isNull(applicationKeys.revokedAt)))
  return found
}
