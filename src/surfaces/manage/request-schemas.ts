/** Request schemas of /manage/v1 that several files of routes share. */

import { type TObject, Type } from '@sinclair/typebox'
import { invalidField } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { findOwner, type Owner } from '../../stores/postgres/accounts/owners.ts'
import type { Database } from '../../stores/postgres/client.ts'

// a number with multipleOf instead of an integer: Elysia converts query text to numbers only
const pageLimit = Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 }))

export const closed = { additionalProperties: false } as const

export const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Must not consist of spaces only',
})
export const email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@]+@[^\\s@]+$',
  description: 'E-mail address',
})
export const orNull = <T extends ReturnType<typeof Type.Integer> | ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()])
export const reason = orNull(Type.String({ maxLength: 1000 }))

/** A time in a query. */
export const moment = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

export const pageQuery = Type.Object(
  {
    limit: pageLimit,
    cursor: Type.Optional(Type.String({ maxLength: 64, description: 'nextCursor of the previous page' })),
  },
  closed,
)

export const storedDays = orNull(
  Type.Integer({
    minimum: 1,
    maximum: 36_500,
    description:
      'Days for which stored files of tools are kept; null for the limit of the server. A change deletes no file before STORED_GRACE_DAYS have passed.',
  }),
)

export const role = Type.Union([Type.Literal('owner'), Type.Literal('admin'), Type.Literal('member')])

export const memberInput = Type.Object({ email, role }, closed)

/** A page query with its default limit. */
export function pageOf(query: { limit?: number | undefined; cursor?: string | undefined }) {
  return { limit: query.limit ?? 100, cursor: query.cursor }
}

export const ownerId = Type.String({ maxLength: 64, description: 'Id of the new owner, an enterprise or a person' })

export const versionNumber = { minimum: 1, maximum: 2_147_483_647 }
const versionParts = { id: Type.String(), version: Type.Number({ ...versionNumber, multipleOf: 1 }) }

/** Includes the owner's id, which a handler gets from the check (subject-paths.ts). */
export const versionParams = Type.Object({ ownerId: Type.String(), ...versionParts }) as unknown as TObject<
  typeof versionParts
>

/** The new owner of a transferred item. @throws AppError VALIDATION_FAILED */
export async function ownerInBody(db: Database, id: string): Promise<Owner> {
  const owner = await findOwner(db, id)
  if (owner === undefined) throw invalidField('body.ownerId', 'exists', fieldText('ownerMissing'))
  return owner
}
