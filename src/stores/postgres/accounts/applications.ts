import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { applicationKeys, applications, enterprises, retentions, tiers } from '../schema.ts'
import { recordChange } from './audit.ts'
import { type IssuedKey, insertKey, type KeyInput, keyColumnsOf, revokeKey } from './issued-keys.ts'

export type ApplicationKey = IssuedKey & { publicKey: string }
export type Application = typeof applications.$inferSelect & { keys: ApplicationKey[] }
export type ApplicationInput = { name: string; tools: 'all' | string[]; assets?: boolean | undefined }
/** The stored part of a key pair. */
export type KeyPairDigest = { publicKey: string; secretSha256: string; lastFour: string }

const keyColumns = { ...keyColumnsOf('application-key'), publicKey: applicationKeys.publicKey }

async function withKeys(db: Database, rows: (typeof applications.$inferSelect)[]): Promise<Application[]> {
  if (rows.length === 0) return []
  const ids = rows.map(({ id }) => id)
  const keys = await db
    .select({ applicationId: applicationKeys.applicationId, ...keyColumns })
    .from(applicationKeys)
    .where(inArray(applicationKeys.applicationId, ids))
    .orderBy(asc(applicationKeys.id))
  const keysOf = Map.groupBy(keys, ({ applicationId }) => applicationId)
  return rows.map((row) => ({
    ...row,
    keys: (keysOf.get(row.id) ?? []).map(({ applicationId: _, ...key }) => key),
  }))
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
    const [application] = (await withKeys(tx, [created as typeof applications.$inferSelect])) as [Application]
    await recordChange(tx, { actor, action: 'create', kind: 'application', id, before: null, after: application })
    return application
  })
}

/** @throws AppError NOT_FOUND */
export async function getApplication(db: Database, id: string): Promise<Application> {
  const [found] = await withKeys(db, await db.select().from(applications).where(eq(applications.id, id)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchApplication') })
  return found
}

export async function listApplications(
  db: Database,
  enterpriseId: string,
  query: PageQuery,
): Promise<Page<Application>> {
  const page = await pageOfTable(db, applications, eq(applications.enterpriseId, enterpriseId), query)
  return { ...page, items: await withKeys(db, page.items) }
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

/** @returns the enterprise that it belonged to */
export async function deleteApplication(db: Database, actor: string, id: string): Promise<string> {
  return db.transaction(async (tx) => {
    const before = await getApplication(tx, id)
    await tx.delete(applications).where(eq(applications.id, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'application', id, before, after: null })
    return before.enterpriseId
  })
}

export async function addApplicationKey(
  db: Database,
  actor: string,
  id: string,
  digest: KeyPairDigest,
  input: KeyInput = {},
): Promise<ApplicationKey> {
  return db.transaction(async (tx) => {
    const { enterpriseId: ownerId } = await getApplication(tx, id)
    const key = await insertKey(tx, 'application-key', actor, { id, ownerId }, digest, input)
    return { ...key, publicKey: digest.publicKey }
  })
}

/** @returns the application's enterprise @throws AppError NOT_FOUND if the application has no such active key */
export async function revokeApplicationKey(db: Database, actor: string, id: string, keyId: string): Promise<string> {
  return db.transaction(async (tx) => {
    const { enterpriseId: ownerId } = await getApplication(tx, id)
    await revokeKey(tx, 'application-key', actor, { id, ownerId }, keyId)
    return ownerId
  })
}

/** The application of an active public key, its enterprise and tier, and the stored digest of the secret. */
export async function findByPublicKey(db: Database, publicKey: string) {
  const [found] = await db
    .select({
      application: applications,
      enterprise: enterprises,
      tier: tiers,
      retention: retentions,
      key: {
        id: applicationKeys.id,
        keySha256: applicationKeys.secretSha256,
        expiresAt: applicationKeys.expiresAt,
        lastUsedAt: applicationKeys.lastUsedAt,
      },
    })
    .from(applicationKeys)
    .innerJoin(applications, eq(applications.id, applicationKeys.applicationId))
    .innerJoin(enterprises, eq(enterprises.id, applications.enterpriseId))
    .innerJoin(tiers, eq(tiers.name, enterprises.tier))
    .leftJoin(retentions, eq(retentions.enterpriseId, enterprises.id))
    .where(and(eq(applicationKeys.publicKey, publicKey), isNull(applicationKeys.revokedAt)))
  return found
}
