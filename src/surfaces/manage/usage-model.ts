/** Request schemas of routes for usage. */
import { Type } from '@sinclair/typebox'
import { moment } from './request-schemas.ts'

const closed = { additionalProperties: false } as const
const day = Type.String({ pattern: '^\\d{4}-\\d{2}-\\d{2}$', description: 'Day in UTC, for example 2026-05-01' })
export const usageQuery = Type.Object({ from: Type.Optional(day), to: Type.Optional(day) }, closed)
export const dailyUsageQuery = Type.Object(
  {
    ...usageQuery.properties,
    by: Type.Optional(Type.Union([Type.Literal('tool'), Type.Literal('application')], { default: 'tool' })),
  },
  closed,
)

export const statisticsQuery = Type.Object(
  {
    from: moment('Calendar day (UTC) or RFC 3339 date-time'),
    to: moment('Calendar day (UTC) or RFC 3339 date-time'),
    step: Type.Optional(Type.Union([Type.Literal('hour'), Type.Literal('day')])),
  },
  closed,
)
