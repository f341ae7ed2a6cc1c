/** Jobs of all enterprises and people, for the operator. */

import { and, desc, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { type Page, type PageQuery, pageOf } from '../page.ts'
import { enterprises, jobs, people } from '../schema.ts'

const { call, result, resultText, ...FACTS } = getTableColumns(jobs)
export const JOB_STATES = ['accepted', 'running', 'successful', 'failed', 'dismissed'] as const
export type JobState = (typeof JOB_STATES)[number]

export type ListedJob = {
  id: string
  toolId: string
  status: JobState
  progress: number
  attempts: number
  ownerId: string
  /** Name of the enterprise, or address of the person. */
  ownerName: string | null
  instanceId: string | null
  createdAt: Date
  startedAt: Date | null
  finishedAt: Date | null
}

const LISTED = {
  id: FACTS.id,
  toolId: FACTS.toolId,
  status: FACTS.status,
  progress: FACTS.progress,
  attempts: FACTS.attempts,
  ownerId: sql<string>`coalesce(${jobs.enterpriseId}, ${jobs.personId})`,
  ownerName: sql<string | null>`coalesce(${enterprises.name}, ${people.email})`,
  instanceId: FACTS.instanceId,
  createdAt: FACTS.createdAt,
  startedAt: FACTS.startedAt,
  finishedAt: FACTS.finishedAt,
}

/** Newest first. */
export async function listAllJobs(
  db: Database,
  { limit, cursor }: PageQuery,
  filter: { states: readonly JobState[]; ownerId: string | undefined },
): Promise<Page<ListedJob>> {
  const rows = await db
    .select(LISTED)
    .from(jobs)
    .leftJoin(enterprises, eq(enterprises.id, jobs.enterpriseId))
    .leftJoin(people, eq(people.id, jobs.personId))
    .where(
      and(
        filter.states.length === 0 ? undefined : inArray(jobs.status, [...filter.states]),
        filter.ownerId === undefined ? undefined : sql`owner_id = ${filter.ownerId}`,
        cursor === undefined ? undefined : lt(jobs.id, cursor),
      ),
    )
    .orderBy(desc(jobs.id))
    .limit(limit + 1)
  return pageOf(rows, limit)
}

/** Stops a job of anybody. @throws AppError NOT_FOUND, CONFLICT when it has ended */
export async function cancelJob(db: Database, actor: string, id: string): Promise<void> {
  await db.transaction(async (tx) => {
    const [before] = await tx.select(FACTS).from(jobs).where(eq(jobs.id, id)).for('update')
    if (before === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchJob') })
    if (before.status !== 'accepted' && before.status !== 'running')
      throw new AppError('CONFLICT', { message: fieldText('jobEnded', { status: before.status }) })
    const [after] = await tx
      .update(jobs)
      .set({ status: 'dismissed', leasedUntil: null, finishedAt: sql`now()`, updatedAt: sql`now()` })
      .where(eq(jobs.id, id))
      .returning(FACTS)
    const ownerId = before.enterpriseId ?? before.personId ?? undefined
    await recordChange(tx, { actor, action: 'update', kind: 'job', id, before, after: after ?? null, ownerId })
  })
}
