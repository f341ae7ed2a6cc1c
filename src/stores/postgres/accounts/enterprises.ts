import { and, asc, eq, inArray, isNull, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { endAlertsOfChangedEnterprise } from '../alerts/alert-ends.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { type Page, type PageQuery, pageOfTable } from '../page.ts'
import { enterprises, retentions, tiers } from '../schema.ts'
import { requestPurge } from '../sensors/reading-deletions.ts'
import { noteRetentions } from '../sensors/retentions.ts'
import { recordChange } from './audit.ts'
import { eraseTraces } from './erasure.ts'

export type Enterprise = typeof enterprises.$inferSelect
export type EnterpriseChange = Partial<
  Pick<
    Enterprise,
    | 'name'
    | 'tier'
    | 'status'
    | 'suspendedReason'
    | 'assetsHeld'
    | 'heldReason'
    | 'retentionDays'
    | 'readingsPerDay'
    | 'apiRequestsPerDay'
    | 'credits'
    | 'storedMb'
    | 'storedDays'
  >
>
/** A tier of enterprises or a plan of people. */
export type Tier = typeof tiers.$inferSelect

/** An enterprise with the inputs of its limits. */
export type EnterpriseRecord = {
  enterprise: Enterprise
  tier: Tier
  retention: typeof retentions.$inferSelect | null
}

export async function findEnterpriseRecord(db: Database, id: string): Promise<EnterpriseRecord | undefined> {
  const [found] = await db
    .select({ enterprise: enterprises, tier: tiers, retention: retentions })
    .from(enterprises)
    .innerJoin(tiers, eq(tiers.name, enterprises.tier))
    .leftJoin(retentions, eq(retentions.enterpriseId, enterprises.id))
    .where(eq(enterprises.id, id))
  return found
}

export async function createEnterprise(
  db: Database,
  actor: string,
  input: { name: string; tier: string },
): Promise<Enterprise> {
  return db.transaction(async (tx) => {
    const [created] = await tx
      .insert(enterprises)
      .values({ id: newId('ent'), ...input })
      .returning()
    const enterprise = created as Enterprise
    await noteRetentions(tx, enterprise.id)
    await recordChange(tx, {
      actor,
      action: 'create',
      kind: 'enterprise',
      id: enterprise.id,
      before: null,
      after: enterprise,
    })
    return enterprise
  })
}

export async function findEnterprise(db: Database, id: string): Promise<Enterprise | undefined> {
  const [found] = await db.select().from(enterprises).where(eq(enterprises.id, id))
  return found
}

/** @throws AppError NOT_FOUND */
export async function getEnterprise(db: Database, id: string): Promise<Enterprise> {
  const found = await findEnterprise(db, id)
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchEnterprise') })
  return found
}

/** @param ids of the enterprises that the caller may see; undefined for all */
export const listEnterprises = (db: Database, query: PageQuery, ids?: readonly string[]): Promise<Page<Enterprise>> =>
  pageOfTable(db, enterprises, ids === undefined ? undefined : inArray(enterprises.id, [...ids]), query)

export async function updateEnterprise(
  db: Database,
  actor: string,
  id: string,
  change: EnterpriseChange,
): Promise<Enterprise> {
  return db.transaction(async (tx) => {
    const before = await getEnterprise(tx, id)
    const [updated] = await tx
      .update(enterprises)
      .set({ ...change, ...(change.status === 'active' && { suspendedReason: null }), updatedAt: sql`now()` })
      .where(eq(enterprises.id, id))
      .returning()
    const after = updated as Enterprise
    await noteRetentions(tx, id)
    await endAlertsOfChangedEnterprise(tx, before, after)
    await recordChange(tx, { actor, action: 'update', kind: 'enterprise', id, before, after })
    return after
  })
}

export async function deleteEnterprise(db: Database, actor: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const before = await getEnterprise(tx, id)
    await requestPurge(tx, actor, id, undefined)
    await eraseTraces(tx, id)
    await tx.execute(sql`DELETE FROM sensors WHERE enterprise_id = ${id}`)
    await tx.delete(enterprises).where(eq(enterprises.id, id))
    await recordChange(tx, { actor, action: 'delete', kind: 'enterprise', id, before, after: null })
  })
}

/** Names of the tiers for enterprises, or of the plans for people. */
export async function tierNames(db: Database, kind: 'enterprise' | 'person'): Promise<string[]> {
  const rows = await db.select({ name: tiers.name }).from(tiers).where(eq(tiers.kind, kind)).orderBy(asc(tiers.name))
  return rows.map(({ name }) => name)
}

export async function listTiers(db: Database) {
  return db.select().from(tiers).orderBy(asc(tiers.kind), asc(tiers.name))
}

export type TierChange = Partial<Omit<Tier, 'name' | 'kind'>>

/** @throws AppError NOT_FOUND */
export async function updateTier(
  db: Database,
  actor: string,
  name: string,
  change: TierChange,
): Promise<{ before: Tier; after: Tier }> {
  return db.transaction(async (tx) => {
    const [before] = await tx.select().from(tiers).where(eq(tiers.name, name))
    if (before === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchPlan') })
    if (Object.keys(change).length === 0) return { before, after: before }
    const [updated] = await tx.update(tiers).set(change).where(eq(tiers.name, name)).returning()
    const after = updated as Tier
    await noteRetentions(tx)
    await recordChange(tx, { actor, action: 'update', kind: 'tier', id: name, before, after })
    return { before, after }
  })
}

/** Undefined for a name that no tier has. */
export async function findTier(db: Database, name: string): Promise<Tier | undefined> {
  const [tier] = await db.select().from(tiers).where(eq(tiers.name, name))
  return tier
}

/** Numbers of the enterprises that have the retention of a tier. */
export async function enterprisesWithRetentionOf(db: Database, tier: string): Promise<number[]> {
  const rows = await db
    .select({ number: enterprises.number })
    .from(enterprises)
    .where(and(eq(enterprises.tier, tier), isNull(enterprises.retentionDays)))
  return rows.map(({ number }) => number)
}
