/** Request schemas of /manage/v1. */

import { type TObject, Type } from '@sinclair/typebox'
import { MAX_PASSWORD, MIN_PASSWORD } from '../../access/sign-in/password-hashing.ts'
import { invalidField } from '../../errors.ts'
import { operationsOf } from '../../http/openapi/openapi-schemas.ts'
import { MAX_CHANNELS } from '../../ingest/batch.ts'
import { findOwner, type Owner } from '../../stores/postgres/accounts/owners.ts'
import type { Database } from '../../stores/postgres/client.ts'

// a number with multipleOf instead of an integer: Elysia converts query text to numbers only
const pageLimit = Type.Optional(Type.Number({ minimum: 1, maximum: 1000, multipleOf: 1, default: 100 }))

export const closed = { additionalProperties: false } as const
const security: Record<string, string[]>[] = [{ operatorToken: [] }, { session: [] }]
export const operation = operationsOf((summary, description) => ({ tags: ['Manage'], summary, security, description }))

export const name = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '\\S',
  description: 'Must not consist of spaces only',
})
const email = Type.String({
  minLength: 3,
  maxLength: 254,
  pattern: '^[^\\s@]+@[^\\s@]+$',
  description: 'E-mail address',
})
const nullable = <T extends ReturnType<typeof Type.Integer> | ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()])
export const reason = nullable(Type.String({ maxLength: 1000 }))
const limit = (maximum: number, description: string) => nullable(Type.Integer({ minimum: 0, maximum, description }))

/** A time in a query. */
export const moment = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

export const pageQuery = Type.Object(
  {
    limit: pageLimit,
    cursor: Type.Optional(Type.String({ maxLength: 64, description: 'nextCursor of the previous page' })),
  },
  closed,
)

export const sensorQuery = Type.Object(
  {
    ...pageQuery.properties,
    tag: Type.Optional(Type.String({ maxLength: 50, description: 'Only sensors with this tag' })),
    q: Type.Optional(
      Type.String({
        maxLength: 200,
        description: "Part of the sensor's name, its asset's name or its id, in any case",
      }),
    ),
  },
  closed,
)

export const enterpriseInput = Type.Object(
  { name, tier: Type.String({ description: 'Enterprise tier, for example starter, business or scale' }) },
  closed,
)

const storedDays = nullable(
  Type.Integer({
    minimum: 1,
    maximum: 36_500,
    description:
      'Days for which stored files of tools are kept; null for the limit of the server. A change deletes no file before STORED_GRACE_DAYS have passed.',
  }),
)

export const enterpriseChange = Type.Partial(
  Type.Object({
    name,
    tier: Type.String(),
    status: Type.Union([Type.Literal('active'), Type.Literal('suspended')]),
    assetsHeld: Type.Boolean(),
    heldReason: reason,
    // 50 years: ClickHouse calculates TTLs in seconds since 1970, in 32 bits
    retentionDays: nullable(
      Type.Integer({
        minimum: 1,
        maximum: 18_250,
        description: 'Days for which readings are kept; null for the limit of the tier',
      }),
    ),
    readingsPerDay: limit(1e15, 'Readings per UTC day; null for the limit of the tier'),
    apiRequestsPerDay: limit(2_000_000_000, 'API requests per UTC day; null for the limit of the tier'),
    credits: limit(1e15, 'Credits per month; null for the limit of the tier'),
    storedMb: limit(2_000_000_000, 'Megabytes of stored files; null for the limit of the server'),
    storedDays,
  }),
  closed,
)

const role = Type.Union([Type.Literal('owner'), Type.Literal('admin'), Type.Literal('member')])
export const tierChange = Type.Partial(
  Type.Object({
    apiRequestsPerDay: limit(2_000_000_000, 'API requests per UTC day; null if not included'),
    readingsPerDay: limit(1e15, 'Readings per UTC day; null if not included'),
    retentionDays: nullable(
      Type.Integer({ minimum: 1, maximum: 18_250, description: 'Days for which readings are kept' }),
    ),
    creditsPerMonth: limit(1e15, 'Credits per month; null if not included'),
    toolApis: Type.Boolean({ description: 'Whether the tier includes Tool APIs' }),
  }),
  closed,
)

export const memberInput = Type.Object({ email, role }, closed)
/** Normalized by the route. */
export const operatorInvitation = Type.Object({ email }, closed)
export const memberChange = Type.Partial(Type.Object({ email, role }), closed)

const personStatus = Type.Union([Type.Literal('active'), Type.Literal('suspended')])
const person = {
  email,
  plan: Type.String({ description: 'Plan, for example free, plus, pro or max' }),
  status: Type.Optional(personStatus),
  storedDays: Type.Optional(storedDays),
  password: Type.Optional(Type.String({ minLength: MIN_PASSWORD, maxLength: MAX_PASSWORD })),
}
export const personInput = Type.Object(person, closed)
export const personChange = Type.Partial(Type.Object(person), closed)

const tools = Type.Union([
  Type.Literal('all'),
  Type.Array(Type.String({ pattern: '^[a-z]+\\.[a-z0-9-]+$', description: 'Process id, for example vector.buffer' }), {
    maxItems: 500,
    uniqueItems: true,
  }),
])
const assets = Type.Boolean({
  description: 'Whether it may read sensors and readings; by default only if it may run all tools.',
})
export const applicationInput = Type.Object(
  { name, tools: Type.Optional(tools), assets: Type.Optional(assets) },
  closed,
)
export const applicationChange = Type.Partial(Type.Object({ name, tools, assets }), closed)

export const assetInput = Type.Object({ name }, closed)

const channel = Type.Object(
  {
    name,
    measurement: Type.Union([Type.Literal('number'), Type.Literal('whole'), Type.Literal('boolean')]),
    unit: Type.Optional(Type.String({ maxLength: 50 })),
  },
  closed,
)
const channels = Type.Array(channel, { maxItems: MAX_CHANNELS })
const tags = Type.Array(Type.String({ minLength: 1, maxLength: 50 }), {
  maxItems: 20,
  uniqueItems: true,
  description: 'Words by which lists are filtered',
})
export const sensorInput = Type.Object(
  { channels, name: Type.Optional(name), assetName: Type.Optional(name), tags: Type.Optional(tags) },
  closed,
)
export const sensorChange = Type.Partial(
  Type.Object({
    enabled: Type.Boolean(),
    held: Type.Boolean(),
    heldReason: reason,
    channels,
    name,
    assetName: name,
    tags,
  }),
  closed,
)
export const keyInput = Type.Partial(
  Type.Object({
    name,
    expiresAt: Type.String({
      maxLength: 64,
      description: 'RFC 3339 time at which the key stops working; without it, never',
    }),
  }),
  closed,
)

/** A page query with its default limit. */
export function pageOf(query: { limit?: number | undefined; cursor?: string | undefined }) {
  return { limit: query.limit ?? 100, cursor: query.cursor }
}

const ownerId = Type.String({ maxLength: 64, description: 'Id of the new owner, an enterprise or a person' })
export const ownedChange = Type.Partial(Type.Object({ name, ownerId }), closed)

const scanStatus = Type.Union([
  Type.Literal('pending'),
  Type.Literal('clean'),
  Type.Literal('infected'),
  Type.Literal('failed'),
])
export const fileChange = Type.Partial(Type.Object({ name, ownerId, scanStatus }), closed)
export const versionChange = Type.Object({ scanStatus }, closed)

export const versionNumber = { minimum: 1, maximum: 2_147_483_647 }
const versionParts = { id: Type.String(), version: Type.Number({ ...versionNumber, multipleOf: 1 }) }
/** Includes the owner's id, which a handler gets from the check (subject-paths.ts). */
export const versionParams = Type.Object({ ownerId: Type.String(), ...versionParts }) as unknown as TObject<
  typeof versionParts
>

/** The new owner of a transferred item. @throws AppError VALIDATION_FAILED */
export async function ownerInBody(db: Database, id: string): Promise<Owner> {
  const owner = await findOwner(db, id)
  if (owner === undefined) throw invalidField('body.ownerId', 'exists', 'must be the id of an enterprise or a person')
  return owner
}
