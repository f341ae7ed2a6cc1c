/** Owners of layers, files and Tool APIs: enterprises and people. */
import { eq } from 'drizzle-orm'
import { AppError } from '../../errors.ts'
import type { Database } from './client.ts'
import { enterprises, people, tiers } from './schema.ts'

export type Owner = {
  kind: 'enterprise' | 'person'
  id: string
  isActive: boolean
  /** A person's plan or an enterprise's tier. */
  tier: string
  /** Whether the plan or tier includes Tool APIs. */
  toolApis: boolean
  apiRequestsPerDay: number
}

export function findOwner(db: Database, id: string): Promise<Owner | undefined> {
  return id.startsWith('per_') ? findPerson(db, id) : findEnterprise(db, id)
}

/** @throws AppError NOT_FOUND */
export async function getOwner(db: Database, id: string): Promise<Owner> {
  const found = await findOwner(db, id)
  if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such enterprise or person.' })
  return found
}

async function findPerson(db: Database, id: string): Promise<Owner | undefined> {
  const [found] = await db
    .select({ status: people.status, tier: tiers })
    .from(people)
    .innerJoin(tiers, eq(tiers.name, people.plan))
    .where(eq(people.id, id))
  return found && ownerOf('person', id, found.status, found.tier, null)
}

async function findEnterprise(db: Database, id: string): Promise<Owner | undefined> {
  const [found] = await db
    .select({ status: enterprises.status, own: enterprises.apiRequestsPerDay, tier: tiers })
    .from(enterprises)
    .innerJoin(tiers, eq(tiers.name, enterprises.tier))
    .where(eq(enterprises.id, id))
  return found && ownerOf('enterprise', id, found.status, found.tier, found.own)
}

function ownerOf(
  kind: Owner['kind'],
  id: string,
  status: string,
  tier: typeof tiers.$inferSelect,
  own: number | null,
): Owner {
  const { name, toolApis, apiRequestsPerDay } = tier
  return {
    ...{ kind, id, toolApis, tier: name },
    isActive: status === 'active',
    apiRequestsPerDay: own ?? apiRequestsPerDay ?? 0,
  }
}

/** Values of the columns that name the owner. */
export const ownedBy = ({ kind, id }: Pick<Owner, 'kind' | 'id'>) => ({
  enterpriseId: kind === 'enterprise' ? id : null,
  personId: kind === 'person' ? id : null,
})
