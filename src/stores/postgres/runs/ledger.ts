/**
 * The rules by which runs, credits, counts, jobs and records of files must agree, and the rows that violate them. Each
 * rule is one statement, which sees one snapshot. Runs and jobs are kept as long as their owner; files are deleted at
 * any time, so no rule expects a run to have files.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { firstIdAt } from '../ids.ts'
import { rowsOf } from '../rows.ts'

export const LEDGER_RULES = [
  'credits',
  'usage',
  'charged-failure',
  'abandoned-run',
  'run-of-job',
  'job-without-run',
  'abandoned-job',
  'artifact',
  'upload',
  // rules checked against the file store (stores/ledger.ts)
  'file-missing',
  'file-unrecorded',
]
export type LedgerRule = (typeof LEDGER_RULES)[number]

export type Disagreement = {
  rule: LedgerRule
  count: number
  /** The first rows, each with its id and the disagreement. */
  rows: string[]
}

export const MAX_SHOWN_ROWS = 10
const DAY_MS = 86_400_000
/** Twice the lease of an instance. */
const TWO_LEASES = sql`interval '2 minutes'`
/** For a record that must end soon after another one. */
const SOON = sql`interval '10 minutes'`
/** A job whose process was lost may wait until another one has time for it. */
const TURN = sql`interval '1 hour'`
/** Longer than the maximum of JOB_TIMEOUT_S. */
const LONGEST_RUN = sql`interval '8 days'`

/** A longer write means that its instance was lost unnoticed, for example because a backup was restored elsewhere. */
const LONGEST_WRITE = sql`interval '1 day'`

/** Start of the checked period: whole days and months, because sums are per day and month. */
type Since = { time: SQL; day: SQL; month: SQL; firstRun: string }

function sinceOf(from: Date): Since {
  const ms = Math.max(0, Math.floor(from.getTime() / DAY_MS) * DAY_MS - DAY_MS)
  const iso = new Date(ms).toISOString()
  return {
    time: sql`${iso}::timestamptz`,
    day: sql`${iso.slice(0, 10)}::date`,
    month: sql`${`${iso.slice(0, 7)}-01T00:00:00Z`}::timestamptz`,
    // the clock of the server that made the id may be behind
    firstRun: firstIdAt('run', ms - DAY_MS),
  }
}

const RULES: Partial<Record<LedgerRule, (since: Since) => SQL>> = {
  credits: ({ month }) => sql`
    SELECT enterprise_id || ' ' || to_char(starts_at AT TIME ZONE 'UTC', 'YYYY-MM') AS id,
      'charged ' || coalesce(used, 0) || ' credits, its runs cost ' || coalesce(credits, 0) AS detail
    FROM (SELECT enterprise_id, starts_at, used FROM credit_periods WHERE starts_at >= ${month}) AS charged
    FULL JOIN (
      SELECT enterprise_id, starts_at, sum(credits) AS credits
      FROM (
        SELECT enterprise_id, date_trunc('month', day::timestamp) AT TIME ZONE 'UTC' AS starts_at, credits
        FROM run_days WHERE enterprise_id IS NOT NULL AND day >= (${month} AT TIME ZONE 'UTC')::date
        UNION ALL
        SELECT enterprise_id, period_start, credits
        FROM runs WHERE status = 'running' AND enterprise_id IS NOT NULL AND period_start >= ${month}
      ) AS costs GROUP BY enterprise_id, starts_at
    ) AS cost USING (enterprise_id, starts_at)
    WHERE coalesce(used, 0) <> coalesce(credits, 0)`,

  usage: ({ day, firstRun }) => sql`
    SELECT concat_ws(' ', owner_id, day, tool_id, application_id) AS id,
      format('counted %s runs, %s failures, %s credits; there are %s, %s, %s', coalesce(counted.runs, 0),
        coalesce(counted.failures, 0), coalesce(counted.credits, 0), coalesce(found.runs, 0), coalesce(found.failures, 0),
        coalesce(found.credits, 0)) AS detail
    FROM (SELECT owner_id, day, tool_id, application_id, runs, failures, credits FROM run_days WHERE day >= ${day}) AS counted
    FULL JOIN (
      SELECT owner_id, day_of_run(started_at, period_start) AS day, tool_id, coalesce(application_id, '') AS application_id,
        count(*) AS runs, count(*) FILTER (WHERE status = 'failed') AS failures, sum(credits) AS credits
      FROM runs WHERE id >= ${firstRun} AND status <> 'running' AND day_of_run(started_at, period_start) >= ${day}
      GROUP BY 1, 2, 3, 4
    ) AS found USING (owner_id, day, tool_id, application_id)
    WHERE (counted.runs, counted.failures, counted.credits) IS DISTINCT FROM (found.runs, found.failures, found.credits)`,

  'charged-failure': ({ firstRun }) => sql`
    SELECT id, 'failed, and cost ' || credits || ' credits' AS detail
    FROM runs WHERE id >= ${firstRun} AND status = 'failed' AND credits <> 0`,

  'abandoned-run': () => sql`
    SELECT runs.id, 'is running since ' || runs.started_at || ' on an instance that is lost: ' || runs.instance_id AS detail
    FROM runs LEFT JOIN instance_leases AS leases ON leases.instance_id = runs.instance_id
    WHERE runs.status = 'running' AND runs.started_at < now() - ${SOON}
      AND (coalesce(leases.leased_until, '-infinity') < now() - ${TWO_LEASES} OR runs.started_at < now() - ${LONGEST_RUN})`,

  'run-of-job': ({ firstRun }) => sql`
    SELECT runs.id, 'is successful, and its job ' || runs.job_id || ' is ' || coalesce(jobs.status, 'missing')
      || coalesce(' with ' || jobs.run_id, '') AS detail
    FROM runs LEFT JOIN jobs ON jobs.id = runs.job_id
    WHERE runs.id >= ${firstRun} AND runs.job_id IS NOT NULL AND runs.status = 'successful'
      AND (jobs.status IS DISTINCT FROM 'successful' OR jobs.run_id IS DISTINCT FROM runs.id)`,

  'job-without-run': ({ time }) => sql`
    SELECT jobs.id, 'is ' || jobs.status || ', and its run ' || coalesce(jobs.run_id || ' ', '') || 'is '
      || coalesce(runs.status, 'missing') AS detail
    FROM jobs LEFT JOIN runs ON runs.id = jobs.run_id AND runs.job_id = jobs.id
    WHERE jobs.finished_at >= ${time} AND (
      (jobs.status = 'successful' AND runs.status IS DISTINCT FROM 'successful')
      OR (jobs.status = 'failed' AND jobs.run_id IS NOT NULL AND runs.id IS NULL)
      OR (runs.status = 'running' AND jobs.finished_at < now() - ${SOON}))`,

  'abandoned-job': () => sql`
    SELECT id, 'is running, and its lease ended at ' || coalesce(leased_until::text, 'no time') AS detail
    FROM jobs WHERE status = 'running' AND (leased_until IS NULL OR leased_until < now() - ${TURN})`,

  artifact: ({ time }) => sql`
    SELECT files.id, 'is a file of role ' || files.role || coalesce(' of ' || files.run_id, '') || ', which is '
      || coalesce(runs.status, jobs.status, 'missing') || coalesce(' and belongs to ' || coalesce(runs.owner_id, jobs.owner_id), '')
      AS detail
    FROM stored_files AS files LEFT JOIN runs ON runs.id = files.run_id LEFT JOIN jobs ON jobs.id = files.run_id
    WHERE files.created_at >= ${time} AND (
      coalesce(runs.owner_id, jobs.owner_id, files.owner_id) <> files.owner_id
      OR CASE files.role
        WHEN 'upload' THEN files.run_id IS NOT NULL
        WHEN 'input' THEN runs.id IS NULL AND jobs.id IS NULL
        ELSE runs.status IS DISTINCT FROM 'successful' END)`,

  upload: () => sql`
    SELECT uploads.id, 'has received ' || received || ' bytes, in pieces of ' || coalesce(sum(pieces.bytes), 0) AS detail
    FROM uploads LEFT JOIN upload_pieces AS pieces ON pieces.upload_id = uploads.id AND pieces.is_received
    WHERE uploads.state = 'open' GROUP BY uploads.id, received HAVING received <> coalesce(sum(pieces.bytes), 0)`,
}

/**
 * Rows that violate a rule, among the rows that changed since a given time.
 * @param timeoutMs for each statement
 */
export async function disagreementsSince(db: Database, from: Date, timeoutMs: number): Promise<Disagreement[]> {
  const since = sinceOf(from)
  const found: Disagreement[] = []
  for (const [rule, wrong] of Object.entries(RULES) as [LedgerRule, (since: Since) => SQL][]) {
    const rows = await db.transaction(async (tx) => {
      await tx.execute(sql.raw(`SET LOCAL statement_timeout = ${timeoutMs}`))
      return rowsOf<{ id: string; detail: string; count: number }>(
        await tx.execute(sql`
          SELECT id, detail, count(*) OVER ()::integer AS count FROM (${wrong(since)}) AS wrong ORDER BY id LIMIT ${MAX_SHOWN_ROWS}`),
      )
    })
    const [first] = rows
    if (first !== undefined)
      found.push({ rule, count: first.count, rows: rows.map(({ id, detail }) => `${id}: ${detail}`) })
  }
  return found
}

const listOf = (keys: readonly string[]): SQL => sql`jsonb_array_elements_text(${JSON.stringify(keys)}::text::jsonb)`

export type RecordedFile = { key: string; bytes: number }

/** All records that have an object in the file store. */
const RECORDED = sql`
  SELECT id AS key, bytes FROM stored_files
  UNION ALL SELECT id, bytes FROM owner_file_versions
  UNION ALL SELECT key, bytes FROM data_exports WHERE status = 'done'
  UNION ALL SELECT pieces.key, pieces.bytes FROM upload_pieces AS pieces
    JOIN uploads ON uploads.id = pieces.upload_id AND uploads.state = 'open' WHERE pieces.is_received`

const recorded = async (db: Database, which: SQL): Promise<RecordedFile[]> => {
  const rows = await db.execute(sql`SELECT key, bytes FROM (${RECORDED}) AS recorded WHERE ${which}`)
  return rowsOf<{ key: string; bytes: string | number }>(rows).map(({ key, bytes }) => ({ key, bytes: Number(bytes) }))
}

/** A page of them, by key. */
export const recordedAfter = (db: Database, after: string, limit: number): Promise<RecordedFile[]> =>
  recorded(db, sql`key > ${after} ORDER BY key LIMIT ${limit}`)

export const recordedAmong = (db: Database, keys: readonly string[]): Promise<RecordedFile[]> =>
  keys.length === 0 ? Promise.resolve([]) : recorded(db, sql`key IN (SELECT ${listOf(keys)})`)

/** Keys without a record, a pending write or a pending removal. */
export async function unrecordedAmong(db: Database, keys: readonly string[]): Promise<string[]> {
  if (keys.length === 0) return []
  const rows = await db.execute(sql`
    SELECT key FROM ${listOf(keys)} AS listed (key)
    WHERE NOT EXISTS (SELECT FROM stored_files WHERE id = listed.key)
      AND NOT EXISTS (SELECT FROM owner_file_versions WHERE id = listed.key)
      AND NOT EXISTS (SELECT FROM upload_pieces WHERE upload_pieces.key = listed.key)
      AND NOT EXISTS (SELECT FROM uploads WHERE uploads.key = listed.key)
      AND NOT EXISTS (SELECT FROM data_exports WHERE data_exports.key = listed.key)
      AND NOT EXISTS (SELECT FROM file_writes WHERE file_writes.key = listed.key AND begun_at > now() - ${LONGEST_WRITE})
      AND NOT EXISTS (SELECT FROM file_removals WHERE file_removals.key = listed.key)`)
  return rowsOf<{ key: string }>(rows).map(({ key }) => key)
}

export type LedgerCheck = {
  begunAt: string
  /** Earlier changes were checked. */
  checkedTo: Date
  /** The last key of the file store that was checked; null for none. */
  listedTo: string | null
}

/** Begins a check, unless one began within the time. @returns undefined when it is not the time */
export async function takeLedgerCheck(db: Database, everyMs: number): Promise<LedgerCheck | undefined> {
  const rows = await db.execute(sql`
    UPDATE ledger_checks SET begun_at = now()
    WHERE begun_at <= now() - ${everyMs}::double precision * interval '1 millisecond'
    RETURNING begun_at::text AS begun, extract(epoch FROM checked_to) * 1000 AS ms, listed_to AS listed`)
  const [row] = rowsOf<{ begun: string; ms: string | number; listed: string | null }>(rows)
  return row && { begunAt: row.begun, checkedTo: new Date(Number(row.ms)), listedTo: row.listed }
}

/** Stores the result of the check, unless another check has begun. */
export async function endLedgerCheck(
  db: Database,
  { begunAt, listedTo }: Pick<LedgerCheck, 'begunAt' | 'listedTo'>,
  found: readonly Disagreement[],
): Promise<void> {
  const counts = Object.fromEntries(found.map(({ rule, count }) => [rule, count]))
  await db.execute(sql`
    UPDATE ledger_checks SET checked_to = begun_at, ended_at = now(), listed_to = ${listedTo},
      found = ${JSON.stringify(counts)}::text::jsonb
    WHERE begun_at = ${begunAt}::timestamptz`)
}

/** Number of violations of each rule at the last check; undefined before the first one. */
export async function lastLedgerCheck(
  db: Database,
): Promise<{ endedS: number; found: Record<LedgerRule, number> } | undefined> {
  const rows = await db.execute(sql`
    SELECT extract(epoch FROM ended_at) AS ended, found FROM ledger_checks WHERE ended_at IS NOT NULL`)
  const [row] = rowsOf<{ ended: string | number; found: Partial<Record<LedgerRule, number>> }>(rows)
  if (row === undefined) return undefined
  const found = Object.fromEntries(LEDGER_RULES.map((rule) => [rule, row.found[rule] ?? 0]))
  return { endedS: Number(row.ended), found: found as Record<LedgerRule, number> }
}
