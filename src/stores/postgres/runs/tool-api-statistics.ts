/** Statistics of calls of Tool APIs: by the code of their answer, per hour and day (UTC), and the newest refusals. */
import { and, asc, desc, eq, gte, inArray, lt, or, sql } from 'drizzle-orm'
import { CODES, type Code } from '../../../errors.ts'
import type { Database } from '../client.ts'
import { toolApiRefusals, toolApiStatistics } from '../layers/owned-schema.ts'
import { rowsOf } from '../rows.ts'

/** Calls of one Tool API in one hour that were answered with one code. */
export type StatisticsRow = {
  toolApiId: string
  isTrial: boolean
  wasAdmitted: boolean
  hourMs: number
  code: string
  calls: number
  features: number
  durationMs: number
  longestMs: number
  /** Counts per bucket of tool-apis/latency.ts. */
  durations: number[]
  lastMs: number
}
export type RefusalRow = {
  toolApiId: string
  code: string
  atMs: number
  message: string
  requestId: string
  isTrial: boolean
}

// as text first: the driver would encode a parameter of type jsonb a second time
const json = (value: unknown) => sql`${JSON.stringify(value)}::text::jsonb`

/** Codes of refused calls. Strangers without a key make a Tool API neither refuse nor recover, so 401 counts in nothing. */
const statusOf = (code: string): number => CODES[code as Code].status
const UNCOUNTED = Object.keys(CODES).filter((code) => statusOf(code) === 401)
const REFUSALS = Object.keys(CODES).filter((code) => statusOf(code) >= 400 && statusOf(code) < 500)

/**
 * Adds counts to the minutes, the hours, the days and the usage, and keeps the newest refusal of each code: atomically. Rows are
 * written in a fixed order, so that instances cannot deadlock. Counts of deleted Tool APIs are dropped.
 */
export async function writeToolApiCounts(
  db: Database,
  rows: readonly StatisticsRow[],
  refusals: readonly RefusalRow[],
): Promise<void> {
  await db.execute(sql`
    WITH sent AS MATERIALIZED (
      SELECT s.*, to_timestamp(s."hourMs" / 1000) AS hour, to_timestamp(s."lastMs" / 1000) AS last_at
      FROM jsonb_to_recordset(${json(rows)}) AS s ("toolApiId" text, "isTrial" boolean, "wasAdmitted" boolean,
        "hourMs" float8, code text, calls bigint, features bigint, "durationMs" float8, "longestMs" float8,
        durations integer[], "lastMs" float8)
      JOIN tool_apis ON tool_apis.id = s."toolApiId"
    ), steps AS (
      SELECT "toolApiId", 'hour' AS step, "isTrial", hour AS starts_at, code, calls, features, "longestMs", durations, last_at
      FROM sent
      UNION ALL
      SELECT "toolApiId", 'day', "isTrial", date_trunc('day', hour, 'UTC'), code, calls, features, "longestMs", durations, last_at
      FROM sent
    ), buckets AS (
      SELECT "toolApiId", step, "isTrial", starts_at, code, i, sum(count) AS count
      FROM steps, unnest(durations) WITH ORDINALITY AS bucket (count, i)
      GROUP BY "toolApiId", step, "isTrial", starts_at, code, i
    ), sums AS (
      SELECT "toolApiId", step, "isTrial", starts_at, code, sum(calls)::bigint AS calls, sum(features)::bigint AS features,
        max("longestMs") AS longest_ms, max(last_at) AS last_at
      FROM steps GROUP BY "toolApiId", step, "isTrial", starts_at, code
    ), statistics AS (
      INSERT INTO tool_api_statistics AS stored
        (tool_api_id, step, is_trial, starts_at, code, calls, features, longest_ms, durations, last_at)
      SELECT "toolApiId", step, "isTrial", starts_at, code, calls, features, longest_ms,
        ARRAY(SELECT count::integer FROM buckets b WHERE (b."toolApiId", b.step, b."isTrial", b.starts_at, b.code) =
          (sums."toolApiId", sums.step, sums."isTrial", sums.starts_at, sums.code) ORDER BY i),
        last_at
      FROM sums ORDER BY "toolApiId", step, "isTrial", starts_at, code
      ON CONFLICT (tool_api_id, step, is_trial, starts_at, code) DO UPDATE SET
        calls = stored.calls + EXCLUDED.calls,
        features = stored.features + EXCLUDED.features,
        longest_ms = greatest(stored.longest_ms, EXCLUDED.longest_ms),
        durations = ARRAY(SELECT coalesce(a, 0) + coalesce(b, 0)
          FROM unnest(stored.durations, EXCLUDED.durations) WITH ORDINALITY AS both_sides (a, b, i) ORDER BY i),
        last_at = greatest(stored.last_at, EXCLUDED.last_at)
    ), refusals AS (
      INSERT INTO tool_api_refusals AS stored (tool_api_id, code, at, message, request_id, is_trial)
      SELECT r."toolApiId", r.code, to_timestamp(r."atMs" / 1000), r.message, r."requestId", r."isTrial"
      FROM jsonb_to_recordset(${json(refusals)}) AS r ("toolApiId" text, code text, "atMs" float8, message text,
        "requestId" text, "isTrial" boolean)
      JOIN tool_apis ON tool_apis.id = r."toolApiId"
      ORDER BY r."toolApiId", r.code
      ON CONFLICT (tool_api_id, code) DO UPDATE SET at = EXCLUDED.at, message = EXCLUDED.message,
        request_id = EXCLUDED.request_id, is_trial = EXCLUDED.is_trial
        WHERE stored.at <= EXCLUDED.at
    ), minutes AS (
      INSERT INTO tool_api_minutes AS stored (tool_api_id, minute, calls, refused)
      SELECT "toolApiId", date_trunc('minute', last_at) AS minute, sum(calls),
        coalesce(sum(calls) FILTER (WHERE code = ANY(${sql.param(REFUSALS)}::text[])), 0)
      FROM sent WHERE NOT "isTrial" AND code <> ALL(${sql.param(UNCOUNTED)}::text[]) GROUP BY 1, 2 ORDER BY 1, 2
      ON CONFLICT (tool_api_id, minute) DO UPDATE
        SET calls = stored.calls + EXCLUDED.calls, refused = stored.refused + EXCLUDED.refused
    )
    INSERT INTO tool_api_days AS stored (tool_api_id, day, calls, failures, duration_ms)
    SELECT "toolApiId", (hour AT TIME ZONE 'UTC')::date AS day, sum(calls)::integer,
      coalesce(sum(calls) FILTER (WHERE code <> 'TOOL_API_RESULT'), 0)::integer, sum("durationMs")
    FROM sent WHERE "wasAdmitted" GROUP BY 1, 2 ORDER BY 1, 2
    ON CONFLICT (tool_api_id, day) DO UPDATE SET calls = stored.calls + EXCLUDED.calls,
      failures = stored.failures + EXCLUDED.failures, duration_ms = stored.duration_ms + EXCLUDED.duration_ms`)
}

export async function deleteStatisticsBefore(db: Database, hoursMs: number, daysMs: number): Promise<void> {
  const { step, startsAt } = toolApiStatistics
  const older = (name: 'hour' | 'day', ms: number) => and(eq(step, name), lt(startsAt, new Date(ms)))
  await db.delete(toolApiStatistics).where(or(older('hour', hoursMs), older('day', daysMs)))
}

export type Step = 'hour' | 'day'
export type StoredStatistics = typeof toolApiStatistics.$inferSelect

/** Statistics of Tool APIs from one time (inclusive) until another (exclusive), oldest first. */
export function statisticsBetween(
  db: Database,
  toolApiIds: readonly string[],
  step: Step,
  fromMs: number,
  toMs: number,
): Promise<StoredStatistics[]> {
  const { toolApiId, startsAt } = toolApiStatistics
  if (toolApiIds.length === 0) return Promise.resolve([])
  return db
    .select()
    .from(toolApiStatistics)
    .where(
      and(
        inArray(toolApiId, [...toolApiIds]),
        eq(toolApiStatistics.step, step),
        gte(startsAt, new Date(fromMs)),
        lt(startsAt, new Date(toMs)),
      ),
    )
    .orderBy(asc(startsAt))
}

export type StoredRefusal = typeof toolApiRefusals.$inferSelect

/** The newest refusal of each code, newest first. */
export const refusalsOf = (db: Database, toolApiId: string): Promise<StoredRefusal[]> =>
  db.select().from(toolApiRefusals).where(eq(toolApiRefusals.toolApiId, toolApiId)).orderBy(desc(toolApiRefusals.at))

/** When each Tool API was last called with a key, as far as statistics reach. */
export async function lastCallsOf(db: Database, toolApiIds: readonly string[]): Promise<Map<string, Date>> {
  if (toolApiIds.length === 0) return new Map()
  // the newest day of each, by the primary key
  const rows = rowsOf<{ id: string; last_at: Date }>(
    await db.execute(sql`
      SELECT wanted.id, newest.last_at FROM unnest(${sql.param([...toolApiIds])}::text[]) AS wanted (id),
      LATERAL (
        SELECT max(last_at) AS last_at FROM tool_api_statistics
        WHERE tool_api_id = wanted.id AND step = 'day' AND NOT is_trial AND starts_at = (
          SELECT max(starts_at) FROM tool_api_statistics
          WHERE tool_api_id = wanted.id AND step = 'day' AND NOT is_trial)
      ) AS newest WHERE newest.last_at IS NOT NULL`),
  )
  return new Map(rows.map(({ id, last_at }) => [id, new Date(last_at)]))
}
