/** Tools saved as APIs: their records and keys. */
import { and, asc, eq, gt, isNull, sql } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import { recordChange } from './audit.ts'
import type { Database } from './client.ts'
import { newId } from './ids.ts'
import { toolApiKeys, toolApis } from './owned-schema.ts'
import { findOwner, type Owner, ownedBy } from './owners.ts'
import { type Page, type PageQuery, pageOf } from './page.ts'

export type { Binding, InsideRule } from './owned-schema.ts'

export type ToolApiKey = { id: string; lastFour: string; createdAt: Date; revokedAt: Date | null }
export type ToolApiRecord = typeof toolApis.$inferSelect
export type ToolApi = ToolApiRecord & { keys: ToolApiKey[] }
export type ToolApiInput = Pick<ToolApiRecord, 'name' | 'toolId' | 'settings' | 'binding' | 'rule' | 'referenceFields'>
export type ToolApiChange = Partial<
  Omit<ToolApiInput, 'toolId'> & Pick<ToolApiRecord, 'enabled' | 'held' | 'heldReason'>
>
export type KeyDigest = { keySha256: string; lastFour: string }

const keyColumns = {
  id: toolApiKeys.id,
  lastFour: toolApiKeys.lastFour,
  createdAt: toolApiKeys.createdAt,
  revokedAt: toolApiKeys.revokedAt,
}

async function withKeys(db: Database, record: ToolApiRecord): Promise<ToolApi> {
  const keys = await db
    .select(keyColumns)
    .from(toolApiKeys)
    .where(eq(toolApiKeys.toolApiId, record.id))
    .orderBy(asc(toolApiKeys.id))
  return { ...record, keys }
}

export async function createToolApi(
  db: Database,
  actor: string,
  owner: Owner,
  input: ToolApiInput,
  digest: KeyDigest,
): Promise<ToolApi> {
  return db.transaction(async (tx) => {
    const id = newId('tap')
    const [created] = await tx
      .insert(toolApis)
      .values({ id, ...ownedBy(owner), ...input })
      .returning()
    await tx.insert(toolApiKeys).values({ id: newId('key'), toolApiId: id, ...digest })
    const api = await withKeys(tx, created as ToolApiRecord)
    await recordChange(tx, { actor, action: 'create', kind: 'tool-api', id, before: null, after: api })
    return api
  })
}

/** @throws AppError NOT_FOUND */
export async function getToolApi(db: Database, id: string): Promise<ToolApi> {
  const [found] = await db.select().from(toolApis).where(eq(toolApis.id, id))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such Tool API.' })
  return withKeys(db, found)
}

export async function listToolApis(
  db: Database,
  ownerId: string,
  { limit, cursor }: PageQuery,
): Promise<Page<ToolApi>> {
  const rows = await db
    .select()
    .from(toolApis)
    .where(and(eq(toolApis.ownerId, ownerId), cursor === undefined ? undefined : gt(toolApis.id, cursor)))
    .orderBy(asc(toolApis.id))
    .limit(limit + 1)
  const page = pageOf(rows, limit)
  return { ...page, items: await Promise.all(page.items.map((record) => withKeys(db, record))) }
}

export async function updateToolApi(db: Database, actor: string, id: string, change: ToolApiChange): Promise<ToolApi> {
  return db.transaction(async (tx) => {
    const before = await getToolApi(tx, id)
    await tx
      .update(toolApis)
      .set({ ...change, updatedAt: sql`now()` })
      .where(eq(toolApis.id, id))
    const after = await getToolApi(tx, id)
    await recordChange(tx, { actor, action: 'update', kind: 'tool-api', id, before, after })
    return after
  })
}

export async function deleteToolApi(db: Database, actor: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await getToolApi(tx, id)
    await tx.delete(toolApis).where(eq(toolApis.id, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'tool-api', id, before, after: null })
  })
}

export async function addToolApiKey(db: Database, actor: string, id: string, digest: KeyDigest): Promise<ToolApiKey> {
  return db.transaction(async (tx) => {
    const { ownerId } = await getToolApi(tx, id)
    const values = { id: newId('key'), toolApiId: id, ...digest }
    const [created] = await tx.insert(toolApiKeys).values(values).returning(keyColumns)
    const key = created as ToolApiKey
    await recordChange(tx, {
      actor,
      action: 'create',
      kind: 'tool-api-key',
      id: key.id,
      before: null,
      after: key,
      ownerId,
    })
    return key
  })
}

/** @throws AppError NOT_FOUND if the Tool API has no such active key */
export async function revokeToolApiKey(db: Database, actor: string, id: string, keyId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { ownerId } = await getToolApi(tx, id)
    const [revoked] = await tx
      .update(toolApiKeys)
      .set({ revokedAt: sql`now()` })
      .where(and(eq(toolApiKeys.toolApiId, id), eq(toolApiKeys.id, keyId), isNull(toolApiKeys.revokedAt)))
      .returning(keyColumns)
    if (revoked === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such active key.' })
    const before = { ...revoked, revokedAt: null }
    await recordChange(tx, {
      actor,
      action: 'revoke',
      kind: 'tool-api-key',
      id: keyId,
      before,
      after: revoked,
      ownerId,
    })
  })
}

/** What the gate needs to decide on a call of a Tool API. */
export type ToolApiFacts = { api: ToolApiRecord; owner: Owner; keyDigests: Buffer[] }

export async function findToolApi(db: Database, id: string): Promise<ToolApiFacts | undefined> {
  const [api] = await db.select().from(toolApis).where(eq(toolApis.id, id))
  if (api === undefined) return undefined
  const keys = await db
    .select({ keySha256: toolApiKeys.keySha256 })
    .from(toolApiKeys)
    .where(and(eq(toolApiKeys.toolApiId, id), isNull(toolApiKeys.revokedAt)))
  const owner = await findOwner(db, api.ownerId)
  // deleted meanwhile, and the Tool API with it
  if (owner === undefined) return undefined
  return { api, owner, keyDigests: keys.map(({ keySha256 }) => Buffer.from(keySha256, 'hex')) }
}
