/** Request schemas of the routes that are for the operator alone. */
import { Type } from '@sinclair/typebox'
import { invalidField } from '../../../errors.ts'
import { JOB_STATES, type JobState } from '../../../stores/postgres/operator/operator-jobs.ts'
import { pageQuery } from '../model.ts'

const closed = { additionalProperties: false } as const
const { limit } = pageQuery.properties
const cursor = Type.Optional(Type.String({ maxLength: 4096, description: 'nextCursor of the previous page' }))
const order = Type.Optional(Type.Union([Type.Literal('asc'), Type.Literal('desc')], { default: 'asc' }))
const status = Type.Optional(Type.Union([Type.Literal('active'), Type.Literal('suspended')]))
const word = (description: string) => Type.Optional(Type.String({ maxLength: 200, description }))

export const enterpriseList = Type.Object(
  {
    limit,
    cursor,
    order,
    status,
    q: word('Part of the name or the id, in any case'),
    tier: word('Only enterprises of this tier'),
    held: Type.Optional(
      Type.Union([Type.Literal('true'), Type.Literal('false')], {
        description: 'Whether the assets product is on hold',
      }),
    ),
    sort: Type.Optional(
      Type.Union(
        (['id', 'name', 'sensors', 'readings', 'stored', 'active'] as const).map((name) => Type.Literal(name)),
        {
          default: 'id',
          description:
            'By creation, name, number of sensors, readings accepted today, bytes stored, or the newest activity',
        },
      ),
    ),
  },
  closed,
)

export const personList = Type.Object(
  {
    limit,
    cursor,
    order,
    status,
    q: word('Part of the address or the id, in any case'),
    plan: word('Only people on this plan'),
    sort: Type.Optional(
      Type.Union([Type.Literal('id'), Type.Literal('email')], { default: 'id', description: 'By creation or address' }),
    ),
  },
  closed,
)

const time = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))
const from = time('RFC 3339 time; 24 hours ago by default')
const to = time('RFC 3339 time; now by default')

export const eventQuery = Type.Object(
  { limit, cursor: pageQuery.properties.cursor, from, to, part: word('Only this part, for example `postgres`') },
  closed,
)
export const sampleQuery = Type.Object(
  {
    from,
    to,
    instance: word('Id of one instance; without it, all of them together'),
    points: Type.Optional(
      Type.Number({ minimum: 1, maximum: 2000, multipleOf: 1, default: 300, description: 'Most points of a series' }),
    ),
  },
  closed,
)

export const jobQuery = Type.Object(
  {
    ...pageQuery.properties,
    state: word(`Comma list of ${JOB_STATES.join(', ')}; without it, all`),
    owner: word('Id of an enterprise or a person'),
  },
  closed,
)

export const tokenInput = Type.Object(
  {
    name: Type.String({
      minLength: 1,
      maxLength: 100,
      pattern: '\\S',
      description: 'The holder or the purpose of the token',
    }),
    expiresAt: Type.Optional(
      Type.Union([
        Type.String({
          maxLength: 64,
          description: 'RFC 3339 time at which the token stops working; without it, never',
        }),
        Type.Null(),
      ]),
    ),
  },
  closed,
)

const LONGEST_MS = 31 * 86_400_000

/** @throws AppError VALIDATION_FAILED */
export function periodOf(query: { from?: string | undefined; to?: string | undefined }): { from: Date; to: Date } {
  const to = timeOf(query.to, 'query.to') ?? new Date()
  const from = timeOf(query.from, 'query.from') ?? new Date(to.getTime() - 86_400_000)
  if (from >= to) throw invalidField('query.from', 'before', 'must be before `to`')
  if (to.getTime() - from.getTime() > LONGEST_MS)
    throw invalidField('query.from', 'range', 'must be at most 31 days before `to`')
  return { from, to }
}

const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/

/** @throws AppError VALIDATION_FAILED */
export function timeOf(text: string | null | undefined, field: string): Date | undefined {
  if (text === undefined || text === null) return undefined
  const ms = RFC_3339.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(ms))
    throw invalidField(field, 'date-time', 'must be an RFC 3339 time, for example 2026-05-01T12:00:00Z')
  return new Date(ms)
}

/** @throws AppError VALIDATION_FAILED */
export function statesOf(text: string | undefined): JobState[] {
  const names = (text ?? '').split(',').filter((name) => name !== '')
  const unknown = names.find((name) => !JOB_STATES.includes(name as JobState))
  if (unknown !== undefined)
    throw invalidField('query.state', 'enum', `"${unknown}" is not a state; must be among ${JOB_STATES.join(', ')}`)
  return names as JobState[]
}
