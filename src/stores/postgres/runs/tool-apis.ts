/** Tools saved as APIs: their records and keys. */

import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import {
  type IssuedKey,
  insertKey,
  type KeyDigest,
  type KeyInput,
  keyColumnsOf,
  revokeKey,
} from '../accounts/issued-keys.ts'
import { findOwner, type Owner, ownedBy } from '../accounts/owners.ts'
import type { Database } from '../client.ts'
import { recordHold } from '../events/tool-api-events.ts'
import { newId } from '../ids.ts'
import { toolApiKeys, toolApis } from '../layers/owned-schema.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'

export type { Binding, InsideRule } from '../layers/owned-schema.ts'

export type ToolApiRecord = typeof toolApis.$inferSelect
export type ToolApi = ToolApiRecord & { keys: IssuedKey[] }
export type ToolApiInput = Pick<ToolApiRecord, 'name' | 'toolId' | 'settings' | 'binding' | 'rule' | 'referenceFields'>
export type ToolApiChange = Partial<
  Omit<ToolApiInput, 'toolId'> & Pick<ToolApiRecord, 'enabled' | 'held' | 'heldReason'>
>

const keyColumns = keyColumnsOf('tool-api-key')

/** Two queries for any number of Tool APIs. */
export async function withKeysOf(db: Database, records: readonly ToolApiRecord[]): Promise<ToolApi[]> {
  const ids = records.map(({ id }) => id)
  if (ids.length === 0) return []
  const keys = await db
    .select({ toolApiId: toolApiKeys.toolApiId, ...keyColumns })
    .from(toolApiKeys)
    .where(inArray(toolApiKeys.toolApiId, ids))
    .orderBy(asc(toolApiKeys.id))
  const keysOf = Map.groupBy(keys, ({ toolApiId }) => toolApiId)
  return records.map((record) => ({
    ...record,
    keys: (keysOf.get(record.id) ?? []).map(({ toolApiId: _, ...key }) => key),
  }))
}

async function withKeys(db: Database, record: ToolApiRecord): Promise<ToolApi> {
  const [api] = await withKeysOf(db, [record])
  return api as ToolApi
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
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchToolApi') })
  return withKeys(db, found)
}

export async function listToolApis(db: Database, ownerId: string, query: PageQuery): Promise<Page<ToolApi>> {
  const page = await pageOfTable(db, toolApis, eq(toolApis.ownerId, ownerId), query)
  return { ...page, items: await withKeysOf(db, page.items) }
}

/** All Tool APIs of an owner, without their keys. */
export const allToolApis = (db: Database, ownerId: string): Promise<ToolApiRecord[]> =>
  db.select().from(toolApis).where(eq(toolApis.ownerId, ownerId)).orderBy(asc(toolApis.id))

export async function updateToolApi(db: Database, actor: string, id: string, change: ToolApiChange): Promise<ToolApi> {
  return db.transaction(async (tx) => {
    const before = await getToolApi(tx, id)
    await tx
      .update(toolApis)
      .set({ ...change, updatedAt: sql`now()` })
      .where(eq(toolApis.id, id))
    const after = await getToolApi(tx, id)
    await recordChange(tx, { actor, action: 'update', kind: 'tool-api', id, before, after })
    if (before.held !== after.held) await recordHold(tx, id)
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

export async function addToolApiKey(
  db: Database,
  actor: string,
  id: string,
  digest: KeyDigest,
  input: KeyInput = {},
): Promise<IssuedKey> {
  return db.transaction(async (tx) => {
    const { ownerId } = await getToolApi(tx, id)
    return insertKey(tx, 'tool-api-key', actor, { id, ownerId }, digest, input)
  })
}

/** @throws AppError NOT_FOUND if the Tool API has no such active key */
export async function revokeToolApiKey(db: Database, actor: string, id: string, keyId: string): Promise<void> {
  await db.transaction(async (tx) => {
    const { ownerId } = await getToolApi(tx, id)
    await revokeKey(tx, 'tool-api-key', actor, { id, ownerId }, keyId)
  })
}

/** The facts that the gate needs for a call of a Tool API. */
export type ToolApiFacts = { api: ToolApiRecord; owner: Owner }

/** A Tool API with its keys that were not revoked, including expired ones. */
export async function findToolApi(db: Database, id: string) {
  const [api] = await db.select().from(toolApis).where(eq(toolApis.id, id))
  if (api === undefined) return undefined
  const keys = await db
    .select({
      id: toolApiKeys.id,
      keySha256: toolApiKeys.keySha256,
      expiresAt: toolApiKeys.expiresAt,
      lastUsedAt: toolApiKeys.lastUsedAt,
    })
    .from(toolApiKeys)
    .where(and(eq(toolApiKeys.toolApiId, id), isNull(toolApiKeys.revokedAt)))
  const owner = await findOwner(db, api.ownerId)
  // deleted meanwhile, and the Tool API with it
  if (owner === undefined) return undefined
  return { api, owner, keys }
}
