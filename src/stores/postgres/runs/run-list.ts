/**
 * Lists of runs and jobs, newest first. Ids sort by time, so a range of time is a range of ids, and every filter has an
 * index that ends with the id (sql/postgres/0021-run-lists.sql).
 */
import { and, desc, eq, gte, inArray, isNotNull, isNull, lt, not, notInArray, or, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { firstIdAt } from '../ids.ts'
import type { Page, PageQuery } from '../page.ts'
import { pageOf } from '../page.ts'
import { applications, jobs, members, runs, storedFiles } from '../schema.ts'
import type { Job } from './jobs.ts'
import { FACTS } from './jobs.ts'
import { type RunScope, within } from './run-scope.ts'
import type { RunRecord, StoredFile } from './runs.ts'

export const RUN_STATES = ['accepted', 'running', 'successful', 'failed', 'dismissed'] as const
export type RunState = (typeof RUN_STATES)[number]

export type RunFilter = {
  toolId?: string | undefined
  states?: readonly RunState[] | undefined
  memberId?: string | undefined
  applicationId?: string | undefined
  fromMs?: number | undefined
  /** Exclusive end. */
  toMs?: number | undefined
}
/** Jobs have no names and no folders. */
export type RunListFilter = RunFilter & {
  isNamed?: boolean | undefined
  text?: string | undefined
  folder?: string | undefined
}

/** A run, or a job without a run, which waits, is running, or was dismissed before it began. */
export type ListedRun = { kind: 'run'; run: RunRecord; isDismissed: boolean } | { kind: 'job'; job: Job }
/** Data that the ids in a list refer to. */
export type RunNames = {
  /** E-mail addresses by member. */
  members: Map<string, string>
  applications: Map<string, string>
  /** Files by run, or by job for the input of a job. */
  files: Map<string, StoredFile[]>
}

const momentOf = (id: string): string => id.slice(id.indexOf('_') + 1)

type Listed = typeof runs | typeof jobs

function matching(table: Listed, prefix: 'run' | 'job', scope: RunScope, filter: RunFilter): SQL[] {
  const { toolId, memberId, applicationId, fromMs, toMs } = filter
  return [
    within(table, scope),
    toolId === undefined ? undefined : eq(table.toolId, toolId),
    memberId === undefined ? undefined : eq(table.memberId, memberId),
    applicationId === undefined ? undefined : eq(table.applicationId, applicationId),
    fromMs === undefined ? undefined : gte(table.id, firstIdAt(prefix, fromMs)),
    toMs === undefined ? undefined : lt(table.id, firstIdAt(prefix, toMs)),
  ].filter((condition) => condition !== undefined)
}

const wasDismissed = sql<boolean>`coalesce(${jobs.status} = 'dismissed', false)`

/** A dismissed job's run has failed, because it was stopped. */
function runStates(states: readonly RunState[] | undefined): SQL | undefined {
  if (states === undefined) return undefined
  const has = (state: RunState): boolean => states.includes(state)
  const plain = (['running', 'successful'] as const).filter(has)
  return or(
    plain.length > 0 ? inArray(runs.status, [...plain]) : sql`false`,
    has('failed') ? and(eq(runs.status, 'failed'), not(wasDismissed)) : undefined,
    has('dismissed') ? and(eq(runs.status, 'failed'), wasDismissed) : undefined,
  )
}

const likeOf = (text: string): string => `%${text.replace(/[\\%_]/g, (mark) => `\\${mark}`)}%`

const OPEN: Job['status'][] = ['accepted', 'running']
/** The newest run of a job stands for it once the job is over; the two conditions exclude each other. */
const STANDS_FOR_ITSELF = or(isNull(jobs.runId), inArray(jobs.status, OPEN))
const STANDS_FOR_JOB = and(eq(jobs.runId, runs.id), notInArray(jobs.status, OPEN))

/** @param withJobs jobs are listed too, and runs that do not stand for theirs are left out */
async function runRows(db: Database, scope: RunScope, filter: RunListFilter, page: PageQuery, withJobs: boolean) {
  const { states, isNamed = false, text, folder } = filter
  const found = await db
    .select({ run: runs, isDismissed: wasDismissed })
    .from(runs)
    .leftJoin(jobs, eq(jobs.id, runs.jobId))
    .where(
      and(
        ...matching(runs, 'run', scope, filter),
        runStates(states),
        isNamed || text !== undefined ? isNotNull(runs.name) : undefined,
        folder === undefined ? undefined : eq(runs.folder, folder),
        text === undefined ? undefined : sql`${runs.name} ILIKE ${likeOf(text)}`,
        withJobs ? or(isNull(jobs.id), STANDS_FOR_JOB) : undefined,
        page.cursor === undefined ? undefined : lt(runs.id, `run_${momentOf(page.cursor)}`),
      ),
    )
    .orderBy(desc(runs.id))
    .limit(page.limit + 1)
  return found.map((row) => ({ ...row, id: row.run.id, kind: 'run' as const }))
}

const MAX_FOLDERS = 1_000

/** The folders that are not empty, by name. */
export async function listFolders(db: Database, scope: RunScope): Promise<{ name: string; runs: number }[]> {
  const found = await db
    .select({ name: runs.folder, runs: sql<number>`count(*)::int` })
    .from(runs)
    .where(and(within(runs, scope), isNotNull(runs.folder)))
    .groupBy(runs.folder)
    .orderBy(runs.folder)
    .limit(MAX_FOLDERS)
  return found.map((row) => ({ ...row, name: row.name ?? '' }))
}

export async function listRuns(
  db: Database,
  scope: RunScope,
  page: PageQuery,
  filter: RunListFilter = {},
): Promise<Page<ListedRun>> {
  return pageOf(await runRows(db, scope, filter, page, false), page.limit)
}

/** Whether a run has failed because its job was stopped. */
export async function isDismissed(db: Database, { jobId, status }: RunRecord): Promise<boolean> {
  if (jobId === null || status !== 'failed') return false
  const found = await db.select({ isDismissed: wasDismissed }).from(jobs).where(eq(jobs.id, jobId))
  return found[0]?.isDismissed ?? false
}

/** Runs, and jobs that no run stands for. The cursor is the last id, of either kind. */
export async function listRunsAndJobs(
  db: Database,
  scope: RunScope,
  page: PageQuery,
  filter: RunListFilter = {},
): Promise<Page<ListedRun>> {
  const { states, isNamed = false, text, folder } = filter
  const openJobs = async (tx: Database) => {
    if (isNamed || text !== undefined || folder !== undefined) return []
    const found = await tx
      .select(FACTS)
      .from(jobs)
      .where(
        and(
          ...matching(jobs, 'job', scope, filter),
          STANDS_FOR_ITSELF,
          states === undefined ? undefined : inArray(jobs.status, [...states]),
          page.cursor === undefined ? undefined : lt(jobs.id, `job_${momentOf(page.cursor)}`),
        ),
      )
      .orderBy(desc(jobs.id))
      .limit(page.limit + 1)
    return found.map((job) => ({ kind: 'job' as const, id: job.id, job }))
  }
  // one snapshot: a job that ends between two statements would be missing or listed twice
  const both = await db.transaction(async (tx) => [await runRows(tx, scope, filter, page, true), await openJobs(tx)], {
    isolationLevel: 'repeatable read',
    accessMode: 'read only',
  })
  const newestFirst = both.flat().sort((a, b) => (momentOf(a.id) < momentOf(b.id) ? 1 : -1))
  return pageOf(newestFirst.slice(0, page.limit + 1), page.limit)
}

export async function listJobs(
  db: Database,
  scope: RunScope,
  { limit, cursor }: PageQuery,
  filter: RunFilter = {},
): Promise<Page<Job>> {
  const { states } = filter
  const rows = await db
    .select(FACTS)
    .from(jobs)
    .where(
      and(
        ...matching(jobs, 'job', scope, filter),
        states === undefined ? undefined : inArray(jobs.status, [...states]),
        cursor === undefined ? undefined : lt(jobs.id, cursor),
      ),
    )
    .orderBy(desc(jobs.id))
    .limit(limit + 1)
  return pageOf(rows, limit)
}

/** Loads the data that the ids of a page refer to, in three statements. */
export async function namesOf(db: Database, listed: readonly ListedRun[]): Promise<RunNames> {
  const records = listed.map((one) => (one.kind === 'run' ? one.run : one.job))
  const distinct = (ids: (string | null)[]): string[] => [...new Set(ids.filter((id) => id !== null))]
  const memberIds = distinct(records.map(({ memberId }) => memberId))
  const applicationIds = distinct(records.map(({ applicationId }) => applicationId))
  const fileOwners = distinct(
    listed.flatMap((one) => (one.kind === 'run' ? [one.run.id, one.run.jobId] : [one.job.id])),
  )
  const [memberRows, applicationRows, fileRows] = await Promise.all([
    memberIds.length === 0
      ? []
      : db.select({ id: members.id, email: members.email }).from(members).where(inArray(members.id, memberIds)),
    applicationIds.length === 0
      ? []
      : db
          .select({ id: applications.id, name: applications.name })
          .from(applications)
          .where(inArray(applications.id, applicationIds)),
    fileOwners.length === 0
      ? []
      : db.select().from(storedFiles).where(inArray(storedFiles.runId, fileOwners)).orderBy(storedFiles.id),
  ])
  return {
    members: new Map(memberRows.map(({ id, email }) => [id, email])),
    applications: new Map(applicationRows.map(({ id, name }) => [id, name])),
    files: Map.groupBy(fileRows, ({ runId }) => runId ?? ''),
  }
}
