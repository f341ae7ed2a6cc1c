/** Routes for the usage of Tool APIs: an owner's days, statistics of one Tool API, and calls from the portal. */

import { Type } from '@sinclair/typebox'
import { Elysia } from 'elysia'
import { KEEPERS } from '../../../access/authorization.ts'
import { invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { succeed } from '../../../http/envelope.ts'
import {
  boolean,
  both,
  dateTime,
  integer,
  list,
  nullable,
  number,
  object,
  oneOf,
  ref,
  string,
} from '../../../http/openapi/openapi-schemas.ts'
import { subjectOf } from '../../../http/request-context.ts'
import { parseQueryTimestamp } from '../../../ingest/timestamp.ts'
import { getOwner } from '../../../stores/postgres/accounts/owners.ts'
import { type ToolApiDay, toolApiDaysBetween, toolApiIdsOf } from '../../../stores/postgres/runs/api-requests.ts'
import type { Step } from '../../../stores/postgres/runs/tool-api-statistics.ts'
import * as toolApis from '../../../stores/postgres/runs/tool-apis.ts'
import { STEP_MS, toolApiStatistics } from '../../../tool-apis/statistics.ts'
import { KEPT_DAYS, KEPT_HOURS } from '../../../tool-apis/usage.ts'
import { allowancesOf } from '../allowances.ts'
import { daysOf, usageQuery } from '../days.ts'
import type { ManageDeps } from '../deps.ts'
import { operation } from '../operation.ts'
import { closed, moment } from '../request-schemas.ts'
import { calendarDay } from '../response-schemas.ts'
import { OWNER, TOOL_API } from '../subject-paths.ts'

const statisticsQuery = Type.Object(
  {
    from: moment('Calendar day (UTC) or RFC 3339 date-time'),
    to: moment('Calendar day (UTC) or RFC 3339 date-time'),
    step: Type.Optional(Type.Union([Type.Literal('hour'), Type.Literal('day')])),
  },
  closed,
)

const callTotals = { calls: integer, failures: integer, durationMs: number, meanDurationMs: nullable(number) }
const callDays = list(object({ toolApiId: string, day: calendarDay, ...callTotals }))
const usedOfDay = object({ day: calendarDay, used: integer, allowance: integer })

const DEFAULT_DAYS = 30

/** Number of steps in an answer: the limit, and the default for a query without a range. */
const STEPS: Record<Step, { most: number; usual: number }> = {
  hour: { most: KEPT_HOURS, usual: KEPT_HOURS },
  day: { most: KEPT_DAYS, usual: DEFAULT_DAYS },
}

export function toolApiUsageRoutes(deps: ManageDeps) {
  const { db, usage } = deps
  return new Elysia({ name: 'manage-tool-api-usage' })
    .get(
      `${OWNER}/usage`,
      async ({ request, query }) => {
        const owner = await getOwner(db, subjectOf(request))
        const { from, to } = daysOf(query)
        await usage.flush()
        const days = await toolApiDaysBetween(db, await toolApiIdsOf(db, owner.id), from, to)
        return succeed(request, {
          from,
          to,
          ...sumsOf(days),
          days: days.map(dayToJson),
          ...(await allowancesOf(deps, owner)),
        })
      },
      operation({
        summary: 'Get API usage of an owner',
        description:
          "Returns the current use of each allowance (API requests and readings of the day, credits of the month, stored bytes), and the calls, failures and durations of the owner's Tool APIs by day. The range defaults to the last 30 days.",
        rights: { of: 'owner', for: KEEPERS, personalKeys: true },
        query: usageQuery,
        result: object({
          from: calendarDay,
          to: calendarDay,
          ...callTotals,
          days: callDays,
          requests: usedOfDay,
          readings: nullable(usedOfDay),
          credits: nullable(object({ periodStart: dateTime, periodEnd: dateTime, used: integer, allowance: integer })),
          storage: object({
            bytes: integer,
            quotaBytes: integer,
            expiring: object({ files: integer, bytes: integer, firstAt: nullable(dateTime) }),
          }),
        }),
      }),
    )
    .get(
      `${TOOL_API}/usage`,
      async ({ request, query }) => {
        const api = await toolApis.getToolApi(db, subjectOf(request))
        const { from, to } = daysOf(query)
        await usage.flush()
        const days = await toolApiDaysBetween(db, [api.id], from, to)
        return succeed(request, { from, to, ...sumsOf(days), days: days.map(dayToJson) })
      },
      operation({
        summary: 'Get usage of a Tool API',
        description: 'Returns calls, failures and durations by day. The range defaults to the last 30 days.',
        rights: { of: 'tool-api', for: KEEPERS, personalKeys: true },
        query: usageQuery,
        result: object({ from: calendarDay, to: calendarDay, ...callTotals, days: callDays }),
      }),
    )
    .get(
      `${TOOL_API}/statistics`,
      async ({ request, query }) => {
        const api = await toolApis.getToolApi(db, subjectOf(request))
        const { step = 'day' } = query
        const { fromMs, toMs } = rangeOf(step, query)
        await usage.flush()
        return succeed(request, await toolApiStatistics(db, api.id, step, fromMs, toMs))
      },
      operation({
        summary: 'Get statistics of a Tool API',
        description: `Returns calls, results, refusals by code, failures, features in results and durations for every step from \`from\` until before \`to\`, also without calls, and the newest refusal of each code. Durations are measured for calls with a result. Steps begin at whole hours or days (UTC). Hours are kept for ${KEPT_HOURS} hours, days for ${KEPT_DAYS} days; the default is the last ${KEPT_HOURS} hours or the last ${DEFAULT_DAYS} days.`,
        rights: { of: 'tool-api', for: KEEPERS, personalKeys: true },
        query: statisticsQuery,
        result: object({
          step: oneOf('hour', 'day'),
          from: dateTime,
          to: dateTime,
          total: ref('ToolApiCounts'),
          items: list(both(ref('ToolApiCounts'), object({ start: dateTime }))),
          refusals: list(object({ code: string, at: dateTime, message: string, requestId: string, isTrial: boolean })),
        }),
      }),
    )
}

/** Whole steps that contain a range. @throws AppError VALIDATION_FAILED */
function rangeOf(
  step: Step,
  query: { from?: string | undefined; to?: string | undefined },
): { fromMs: number; toMs: number } {
  const stepMs = STEP_MS[step]
  const { most, usual } = STEPS[step]
  const msOf = (field: 'from' | 'to'): number | undefined => {
    const text = query[field]
    if (text === undefined) return undefined
    const ms = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : parseQueryTimestamp(text)
    if (Number.isNaN(ms)) throw invalidField(`query.${field}`, 'dateTime', fieldText('dayOrDateTime'))
    return ms
  }
  const toMs = Math.ceil((msOf('to') ?? Date.now() + 1) / stepMs) * stepMs
  const from = msOf('from')
  const fromMs = from === undefined ? toMs - usual * stepMs : Math.floor(from / stepMs) * stepMs
  if (fromMs >= toMs) throw invalidField('query.from', 'order', fieldText('earlier', { field: 'query.to' }))
  if (toMs - fromMs > most * stepMs)
    throw invalidField('query.from', 'range', fieldText(step === 'day' ? 'daysEarlier' : 'hoursEarlier', { most }))
  return { fromMs, toMs }
}

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0)

/** Durations in milliseconds. */
function sumsOf(days: readonly ToolApiDay[]) {
  const calls = sum(days.map((day) => day.calls))
  const durationMs = sum(days.map((day) => day.durationMs))
  return {
    calls,
    failures: sum(days.map((day) => day.failures)),
    durationMs,
    meanDurationMs: calls === 0 ? null : durationMs / calls,
  }
}

const dayToJson = (day: ToolApiDay) => ({ ...day, meanDurationMs: day.durationMs / day.calls })
