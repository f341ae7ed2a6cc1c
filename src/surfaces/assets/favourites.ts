/** Who has favourites, and lists that are limited to them or show them. */

import { Type } from '@sinclair/typebox'
import type { Organization } from '../../access/organization.ts'
import { AppError } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import type { Database } from '../../stores/postgres/client.ts'
import { favouritesOf } from '../../stores/postgres/sensors/favourites.ts'

type Caller = Organization['caller']

export const favouriteFilter = Type.Optional(
  Type.Union([Type.Literal('true'), Type.Literal('false')], {
    description: 'true for favourites of the signed-in member only; applications have none',
  }),
)

/** The member whose favourites a caller sees: an application can name any member, so favourites are for sessions only. */
const memberOf = ({ role, memberId }: Caller): string | undefined => (role === undefined ? undefined : memberId)

/** @throws AppError FORBIDDEN */
export function requireMember(caller: Caller): string {
  const memberId = memberOf(caller)
  if (memberId === undefined)
    throw new AppError('FORBIDDEN', {
      message: fieldText('favouritesOfMembers'),
    })
  return memberId
}

/** Ids of the sensors to which a query is limited; undefined for no limit. @throws AppError FORBIDDEN */
export const wantedFavourites = async (
  db: Database,
  caller: Caller,
  favourite: 'true' | 'false' | undefined,
): Promise<ReadonlySet<string> | undefined> =>
  favourite === 'true' ? favouritesOf(db, requireMember(caller)) : undefined

/** Adds `favourite` to sensors for a caller who has favourites. */
export async function withFavourites<T extends { id: string }>(
  db: Database,
  caller: Caller,
  items: readonly T[],
): Promise<readonly (T & { favourite?: boolean })[]> {
  const memberId = memberOf(caller)
  if (memberId === undefined) return items
  const ids = items.map(({ id }) => id)
  const marked = await favouritesOf(db, memberId, ids)
  return items.map((item) => ({ ...item, favourite: marked.has(item.id) }))
}
