/** Routes for the daily usage of owners. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { KEEPERS } from '../../access/authorization.ts'
import { succeed } from '../../http/envelope.ts'
import { integer, list, nullable, object, oneOf, string } from '../../http/openapi/openapi-schemas.ts'
import { subjectOf } from '../../http/request-context.ts'
import { getOwner } from '../../stores/postgres/accounts/owners.ts'
import * as usage from '../../stores/postgres/runs/usage-days.ts'
import { readingDaysBetween, uncountedDays } from '../../stores/postgres/sensors/reading-days.ts'
import { everyDayOf, usageQuery } from './days.ts'
import type { ManageDeps } from './deps.ts'
import { operation } from './operation.ts'
import { closed } from './request-schemas.ts'
import { calendarDay, runCounts } from './response-schemas.ts'
import { OWNER } from './subject-paths.ts'

const dailyUsageQuery = Type.Object(
  {
    ...usageQuery.properties,
    by: Type.Optional(Type.Union([Type.Literal('tool'), Type.Literal('application')], { default: 'tool' })),
  },
  closed,
)

const MAX_GROUPS = 1_000
/** Most groups with daily figures: as many as a chart can show. */
const GROUPS_BY_DAY = 6
const MONTHS = 13

export function usageRoutes({ db, flushUsage }: ManageDeps) {
  return new Elysia({ name: 'manage-usage' }).get(
    `${OWNER}/usage/daily`,
    async ({ request, query }) => {
      const { id, kind } = await getOwner(db, subjectOf(request))
      const by = query.by ?? 'tool'
      const days = everyDayOf(query)
      const [from, to] = [days[0] as string, days.at(-1) as string]
      await flushUsage()
      const isEnterprise = kind === 'enterprise'
      const [runs, groups, requests, readings, uncounted, months] = await Promise.all([
        usage.runDaysBetween(db, id, from, to),
        usage.runGroupsBetween(db, id, from, to, by, MAX_GROUPS),
        usage.requestDaysBetween(db, id, from, to),
        isEnterprise ? readingDaysBetween(db, id, from, to) : [],
        isEnterprise ? uncountedDays(db, id) : undefined,
        isEnterprise ? usage.creditMonths(db, id, MONTHS) : [],
      ])
      const shown = groups.slice(0, GROUPS_BY_DAY)
      const ids = shown.map((group) => group.id)
      const groupDays = await usage.runGroupDaysBetween(db, id, from, to, by, ids)
      return succeed(request, {
        from,
        to,
        by,
        months,
        days: daysWith({ days, runs, requests, readings: isEnterprise ? readings : undefined, uncounted }),
        groups: groups.map((group, i) => ({
          ...group,
          id: group.id === '' ? null : group.id,
          daily: i < GROUPS_BY_DAY ? dailyOf(days, groupDays, group.id) : null,
        })),
      })
    },
    operation({
      summary: 'Get daily usage of an owner',
      description:
        'Returns runs, credits, counted API requests and readings of every day (UTC), at most 400 days; and the same runs by tool or by application, the largest users first, with the first six day by day (`daily`). A group without `id` has the runs of accounts in the portal. `readings` is null for people and for days before readings were counted. `months` has the credits of the newest calendar months. The range defaults to the last 30 days.',
      rights: { of: 'owner', for: KEEPERS, personalKeys: true },
      query: dailyUsageQuery,
      result: object({
        from: calendarDay,
        to: calendarDay,
        by: oneOf('tool', 'application'),
        days: list(object({ day: calendarDay, ...runCounts, requests: integer, readings: nullable(integer) })),
        groups: list(
          object({
            id: nullable(string),
            name: nullable(string),
            ...runCounts,
            daily: nullable(object({ runs: list(integer), credits: list(integer) })),
          }),
        ),
        months: list(object({ month: string, credits: integer })),
      }),
    }),
  )
}

function daysWith(known: {
  days: readonly string[]
  runs: readonly usage.RunDay[]
  requests: readonly { day: string; used: number }[]
  /** Undefined for people. */
  readings: readonly { day: string; readings: number }[] | undefined
  uncounted: { from: string; before: string } | undefined
}) {
  const runsOf = new Map(known.runs.map(({ day, ...counts }) => [day, counts]))
  const requestsOf = new Map(known.requests.map(({ day, used }) => [day, used]))
  const readingsOf = new Map(known.readings?.map(({ day, readings }) => [day, readings]))
  const { uncounted } = known
  const isUncounted = (day: string): boolean =>
    uncounted !== undefined && day >= uncounted.from && day < uncounted.before
  return known.days.map((day) => ({
    day,
    ...(runsOf.get(day) ?? { runs: 0, failures: 0, credits: 0 }),
    requests: requestsOf.get(day) ?? 0,
    readings: known.readings === undefined || isUncounted(day) ? null : (readingsOf.get(day) ?? 0),
  }))
}

/** Figures of a group in the order of the days. */
function dailyOf(days: readonly string[], groupDays: readonly (usage.RunDay & { id: string })[], id: string) {
  const own = new Map(groupDays.filter((one) => one.id === id).map((one) => [one.day, one]))
  return {
    runs: days.map((day) => own.get(day)?.runs ?? 0),
    credits: days.map((day) => own.get(day)?.credits ?? 0),
  }
}
