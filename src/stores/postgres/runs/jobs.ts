/**
 * Jobs: tool runs that outlive their request. A process takes a job with a lease and renews it; if the process dies,
 * the lease expires and another process takes the job.
 */

import { and, eq, getTableColumns, inArray, sql } from 'drizzle-orm'
import { AppError, type Code } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { recordJobEnd } from '../events/job-events.ts'
import { pack, unpack } from '../packed-text.ts'
import { jobs } from '../schema.ts'
import { type RunScope, within } from './run-scope.ts'

/** A job without its results, which may have many megabytes. */
export type Job = Omit<typeof jobs.$inferSelect, 'call' | 'result' | 'resultText'>
/** A job to work on, with its caller's input. */
export type TakenJob = Job & { call: Record<string, unknown> }
export type NewJob = Pick<
  TakenJob,
  'id' | 'enterpriseId' | 'personId' | 'applicationId' | 'memberId' | 'toolId' | 'toolVersion' | 'call' | 'callback'
>

const { call, result, resultText, ...facts } = getTableColumns(jobs)
/** The columns of a job without its input and results. */
export const FACTS = facts

const LEASE_S = 30
/** After this many deaths of its process, the job itself is assumed to be the cause. */
const MAX_ATTEMPTS = 3

export async function addJob(db: Database, job: NewJob): Promise<Job> {
  const [added] = await db
    .insert(jobs)
    .values({ ...job, status: 'accepted' })
    .returning(FACTS)
  return added as Job
}

/** @throws AppError NOT_FOUND, also for a job outside the scope */
export async function getJob(db: Database, scope: RunScope, id: string): Promise<Job> {
  const [found] = await db
    .select(FACTS)
    .from(jobs)
    .where(and(eq(jobs.id, id), within(jobs, scope)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchJob') })
  return found
}

/** The envelope of a finished job as JSON text. */
export async function resultOf(db: Database, id: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  const text = sql<string | null>`coalesce(${resultText}, ${result}::text)`
  const [found] = await db.select({ text }).from(jobs).where(eq(jobs.id, id))
  return found?.text ? unpack(found.text) : undefined
}

const lease = sql`now() + interval '${sql.raw(String(LEASE_S))} seconds'`

/**
 * Candidates: the oldest jobs of each owner, and jobs of ended leases. Several, so that takers do not all wait for the
 * same one.
 */
const CANDIDATES = 8

/**
 * Takes a waiting job for this process; undefined if there is none. Owners take turns: the owner whose newest start is
 * longest ago comes first, with its oldest job. Its cost depends on the number of waiting owners, not of their jobs.
 */
export async function takeJob(db: Database, instanceId: string): Promise<TakenJob | undefined> {
  // PostgreSQL tests this again on a row that another taker has changed since this statement began. The LIMIT of each
  // subquery keeps the planner to one look-up a candidate, in their order: with a join it read the whole table
  const isOpen = sql`(jobs.status = 'accepted' OR (jobs.status = 'running' AND jobs.leased_until < now()))`
  const next = sql`(
    WITH RECURSIVE owners AS (
      (SELECT owner_id FROM jobs WHERE status = 'accepted' ORDER BY owner_id, created_at, id LIMIT 1)
      UNION ALL
      SELECT (
        SELECT owner_id FROM jobs WHERE status = 'accepted' AND owner_id > owners.owner_id
        ORDER BY owner_id, created_at, id LIMIT 1
      ) FROM owners WHERE owners.owner_id IS NOT NULL
    ), open AS (
      SELECT oldest.* FROM owners CROSS JOIN LATERAL (
        SELECT id, owner_id, created_at FROM jobs WHERE status = 'accepted' AND jobs.owner_id = owners.owner_id
        ORDER BY created_at, id LIMIT ${CANDIDATES}
      ) AS oldest
      UNION ALL
      (SELECT id, owner_id, created_at FROM jobs WHERE status = 'running' AND leased_until < now()
       ORDER BY leased_until LIMIT ${CANDIDATES})
    ), turns AS MATERIALIZED (
      SELECT owner_id, (
        SELECT started_at FROM jobs WHERE jobs.owner_id = waiting.owner_id AND started_at IS NOT NULL
        ORDER BY started_at DESC LIMIT 1
      ) AS last_start
      FROM (SELECT DISTINCT owner_id FROM open) AS waiting
    ), candidates AS MATERIALIZED (
      SELECT id FROM open JOIN turns USING (owner_id) ORDER BY last_start NULLS FIRST, created_at, id
    )
    SELECT free.id FROM candidates CROSS JOIN LATERAL (
      SELECT jobs.id FROM jobs WHERE jobs.id = candidates.id AND ${isOpen} LIMIT 1 FOR UPDATE SKIP LOCKED
    ) AS free LIMIT 1)`
  const [taken] = await db
    .update(jobs)
    .set({
      status: 'running',
      instanceId,
      leasedUntil: lease,
      attempts: sql`${jobs.attempts} + 1`,
      startedAt: sql`coalesce(${jobs.startedAt}, now())`,
      updatedAt: sql`now()`,
    })
    .where(eq(jobs.id, next))
    .returning({ ...FACTS, call })
  return taken
}

export const hasExhaustedAttempts = (job: Job): boolean => job.attempts > MAX_ATTEMPTS

/**
 * Identifies an attempt at a job. A later attempt has a higher number, and then this one can no longer change the job.
 */
export type Attempt = Pick<Job, 'id' | 'instanceId' | 'attempts'>
const held = ({ id, instanceId, attempts }: Attempt) =>
  and(
    eq(jobs.id, id),
    eq(jobs.instanceId, instanceId as string),
    eq(jobs.attempts, attempts),
    eq(jobs.status, 'running'),
  )

/** Renews the lease and stores the progress. @returns false if the job no longer belongs to this attempt */
export async function renewJob(db: Database, attempt: Attempt, progress: number): Promise<boolean> {
  const renewed = await db
    .update(jobs)
    .set({ leasedUntil: lease, progress, updatedAt: sql`now()` })
    .where(held(attempt))
    .returning({ id: jobs.id })
  return renewed.length > 0
}

/** Records that a run of the job begins; it represents the job in lists once it is over. */
export async function noteRun(db: Database, attempt: Attempt, runId: string): Promise<void> {
  await db.update(jobs).set({ runId }).where(held(attempt))
}

export type JobEnd = {
  status: 'successful' | 'failed'
  resultStatus: number
  code: Code
  /** The envelope as JSON text in UTF-8. */
  result: Uint8Array
}

/** Stores the end, and its event. @returns false if the job no longer belongs to this attempt, or was dismissed */
export const finishJob = (db: Database, attempt: Attempt, end: JobEnd): Promise<boolean> =>
  db.transaction(async (tx) => {
    const isFinished = await storeJobEnd(tx, attempt, end)
    if (isFinished) await recordJobEnd(tx, attempt.id, end.code)
    return isFinished
  })

/**
 * Without the event, which is the last step of a transaction.
 * @returns false if the job no longer belongs to this attempt, or was dismissed
 */
export async function storeJobEnd(tx: Database, attempt: Attempt, end: JobEnd): Promise<boolean> {
  const { status, resultStatus } = end
  const resultText = await pack(end.result)
  const finished = await tx
    .update(jobs)
    .set({
      status,
      resultStatus,
      resultText,
      // an interrupted run without credits has no record, so the job forgets it; the record of a successful run is stored next
      ...(status === 'failed' && { runId: sql`(SELECT id FROM runs WHERE id = ${jobs.runId})` }),
      progress: 100,
      leasedUntil: null,
      finishedAt: sql`now()`,
      updatedAt: sql`now()`,
    })
    .where(held(attempt))
    .returning({ id: jobs.id })
  return finished.length > 0
}

/** Releases the jobs of this process, when it stops or starts after an interruption. */
export async function releaseJobs(db: Database, instanceId: string): Promise<void> {
  await db
    .update(jobs)
    .set({ status: 'accepted', instanceId: null, leasedUntil: null, updatedAt: sql`now()` })
    .where(and(eq(jobs.instanceId, instanceId), eq(jobs.status, 'running')))
}

/** @returns the updated job; a finished job does not change */
export async function dismissJob(db: Database, scope: RunScope, id: string): Promise<Job> {
  return db.transaction(async (tx) => {
    const dismissed = await tx
      .update(jobs)
      .set({ status: 'dismissed', leasedUntil: null, finishedAt: sql`now()`, updatedAt: sql`now()` })
      .where(and(eq(jobs.id, id), within(jobs, scope), inArray(jobs.status, ['accepted', 'running'])))
      .returning({ id: jobs.id })
    for (const job of dismissed) await recordJobEnd(tx, job.id)
    return getJob(tx, scope, id)
  })
}

/** Open jobs: the number waiting, with the age of the oldest, and the number running. */
export async function countOpenJobs(
  db: Database,
): Promise<{ waiting: number; running: number; oldestSeconds: number }> {
  const [found] = await db
    .select({
      waiting: sql<string>`count(*) FILTER (WHERE status = 'accepted')`,
      running: sql<string>`count(*) FILTER (WHERE status = 'running')`,
      oldestSeconds: sql<string>`coalesce(extract(epoch FROM now() - min(created_at) FILTER (WHERE status = 'accepted')), 0)`,
    })
    .from(jobs)
    .where(inArray(jobs.status, ['accepted', 'running']))
  const { waiting = 0, running = 0, oldestSeconds = 0 } = found ?? {}
  return { waiting: Number(waiting), running: Number(running), oldestSeconds: Math.max(0, Number(oldestSeconds)) }
}
