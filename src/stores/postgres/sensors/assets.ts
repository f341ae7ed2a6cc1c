import { and, asc, eq, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { assets, sensors } from '../schema.ts'

export type Asset = typeof assets.$inferSelect

export async function createAsset(db: Database, actor: string, enterpriseId: string, name: string): Promise<Asset> {
  return db.transaction((tx) => insertAsset(tx, actor, enterpriseId, name))
}

/** Creates an asset within the caller's transaction. */
export async function insertAsset(tx: Database, actor: string, enterpriseId: string, name: string): Promise<Asset> {
  const [created] = await tx
    .insert(assets)
    .values({ id: newId('ass'), enterpriseId, name })
    .returning()
  const asset = created as Asset
  await recordChange(tx, { actor, action: 'create', kind: 'asset', id: asset.id, before: null, after: asset })
  return asset
}

/** @throws AppError NOT_FOUND */
export async function getAsset(db: Database, id: string): Promise<Asset> {
  const [found] = await db.select().from(assets).where(eq(assets.id, id))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchAsset') })
  return found
}

export async function findAssetByName(db: Database, enterpriseId: string, name: string): Promise<Asset | undefined> {
  const [found] = await db
    .select()
    .from(assets)
    .where(and(eq(assets.enterpriseId, enterpriseId), eq(assets.name, name)))
    .orderBy(asc(assets.id))
    .limit(1)
  return found
}

export const listAssets = (db: Database, enterpriseId: string, query: PageQuery): Promise<Page<Asset>> =>
  pageOfTable(db, assets, eq(assets.enterpriseId, enterpriseId), query)

export async function renameAsset(db: Database, actor: string, id: string, name: string): Promise<Asset> {
  return db.transaction(async (tx) => {
    const before = await getAsset(tx, id)
    const [updated] = await tx.update(assets).set({ name, updatedAt: sql`now()` }).where(eq(assets.id, id)).returning()
    const after = updated as Asset
    await recordChange(tx, { actor, action: 'update', kind: 'asset', id, before, after })
    return after
  })
}

/** @throws AppError CONFLICT while sensors belong to it */
export async function deleteAsset(db: Database, actor: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await getAsset(tx, id)
    const [sensor] = await tx.select({ id: sensors.id }).from(sensors).where(eq(sensors.assetId, id)).limit(1)
    if (sensor !== undefined) throw new AppError('CONFLICT', { message: fieldText('assetWithSensors') })
    await tx.delete(assets).where(eq(assets.id, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'asset', id, before, after: null })
  })
}
