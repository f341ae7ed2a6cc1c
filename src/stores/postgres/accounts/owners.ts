/** Owners of layers, files and Tool APIs: enterprises and people. */

import { eq, inArray } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { enterprises, people, tiers } from '../schema.ts'
import type { Tier } from './enterprises.ts'

export type Owner = {
  kind: 'enterprise' | 'person'
  id: string
  isActive: boolean
  /** The plan of a person or the tier of an enterprise; access/plans.ts defines its grants. */
  tier: Tier
  /** Set for an enterprise with its own limit. */
  ownApiRequestsPerDay: number | null
}

export const isPerson = (ownerId: string): boolean => ownerId.startsWith('per_')

export function findOwner(db: Database, id: string): Promise<Owner | undefined> {
  return isPerson(id) ? findPerson(db, id) : findEnterprise(db, id)
}

/** @throws AppError NOT_FOUND */
export async function getOwner(db: Database, id: string): Promise<Owner> {
  const found = await findOwner(db, id)
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchOwner') })
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
  tier: Tier,
  ownApiRequestsPerDay: number | null,
): Owner {
  return { kind, id, isActive: status === 'active', tier, ownApiRequestsPerDay }
}

/** Values of the columns that name the owner. */
export const ownedBy = ({ kind, id }: Pick<Owner, 'kind' | 'id'>) => ({
  enterpriseId: kind === 'enterprise' ? id : null,
  personId: kind === 'person' ? id : null,
})

/** Names of enterprises and addresses of people; other ids are left out. */
export async function namesOfOwners(db: Database, ids: readonly string[]): Promise<{ id: string; name: string }[]> {
  if (ids.length === 0) return []
  const [named, addressed] = await Promise.all([
    db
      .select({ id: enterprises.id, name: enterprises.name })
      .from(enterprises)
      .where(inArray(enterprises.id, [...ids])),
    db
      .select({ id: people.id, name: people.email })
      .from(people)
      .where(inArray(people.id, [...ids])),
  ])
  return [...named, ...addressed]
}
