/** Statistics of Tool APIs as their owners see them: calls, refusals by code, failures and durations. */
import { CODES, type Code } from '../errors.ts'
import type { Database } from '../stores/postgres/client.ts'
import {
  refusalsOf,
  type Step,
  type StoredStatistics,
  statisticsBetween,
} from '../stores/postgres/runs/tool-api-statistics.ts'
import { addCounts, percentile } from './latency.ts'

export const STEP_MS: Record<Step, number> = { hour: 3_600_000, day: 86_400_000 }

export type CallCounts = {
  /** Calls with a key: results, refusals and failures. */
  calls: number
  results: number
  /** Answered with a status of 400 to 499: something that the caller or the owner can change. */
  refused: number
  /** Answered with a status of 500 or more. */
  failed: number
  /** Features in the results. */
  features: number
  /** Refusals and failures by code. */
  codes: Record<string, number>
  /** Latency of calls with a result; null without any. */
  latency: { p50Ms: number; p95Ms: number; maxMs: number } | null
  /** Calls from the portal; not included in the other figures. */
  trials: number
}
export type StatisticsBucket = CallCounts & { start: string }

/** Also accepts codes of earlier releases. */
const statusOf = (code: string): number => (CODES as Record<string, (typeof CODES)[Code]>)[code]?.status ?? 500

/** Sums the counts of instances, hours or days. */
export function countsOf(rows: readonly StoredStatistics[]): CallCounts {
  const sum: CallCounts = {
    calls: 0,
    results: 0,
    refused: 0,
    failed: 0,
    features: 0,
    codes: {},
    latency: null,
    trials: 0,
  }
  const durations: number[] = []
  let longestMs = 0
  for (const row of rows) {
    if (row.isTrial) {
      sum.trials += row.calls
      continue
    }
    const status = statusOf(row.code)
    sum.calls += row.calls
    sum.features += row.features
    if (status < 400) {
      sum.results += row.calls
      addCounts(durations, row.durations)
      longestMs = Math.max(longestMs, row.longestMs)
      continue
    }
    if (status < 500) sum.refused += row.calls
    else sum.failed += row.calls
    sum.codes[row.code] = (sum.codes[row.code] ?? 0) + row.calls
  }
  const [p50Ms, p95Ms] = [percentile(durations, 0.5, longestMs), percentile(durations, 0.95, longestMs)]
  if (p50Ms !== undefined && p95Ms !== undefined) sum.latency = { p50Ms, p95Ms, maxMs: longestMs }
  return sum
}

/**
 * Every step from one time (inclusive) until another (exclusive), including steps without calls.
 * @param fromMs start of a step
 */
export async function toolApiStatistics(db: Database, id: string, step: Step, fromMs: number, toMs: number) {
  const rows = await statisticsBetween(db, [id], step, fromMs, toMs)
  const byStart = Map.groupBy(rows, ({ startsAt }) => startsAt.getTime())
  const items: StatisticsBucket[] = []
  for (let startMs = fromMs; startMs < toMs; startMs += STEP_MS[step])
    items.push({ start: new Date(startMs).toISOString(), ...countsOf(byStart.get(startMs) ?? []) })
  const refusals = await refusalsOf(db, id)
  return {
    step,
    from: new Date(fromMs).toISOString(),
    to: new Date(toMs).toISOString(),
    items,
    total: countsOf(rows),
    refusals: refusals.map(({ toolApiId: _, ...refusal }) => refusal),
  }
}
