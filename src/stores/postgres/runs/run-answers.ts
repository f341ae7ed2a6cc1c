/** Answers of runs to signed-in people, and the names and folders that people gave to runs. */

import { and, eq, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { expiryOf, type Lifetimes, ownersOf } from '../files/stored-files.ts'
import { rowsOf } from '../rows.ts'
import { type RunAnswer, runAnswers, runs } from '../schema.ts'
import { type RunScope, within } from './run-scope.ts'
import type { RunRecord } from './runs.ts'

export type KeptAnswer = { status: number; answer: RunAnswer }

export async function keepAnswer(db: Database, runId: string, { status, answer }: KeptAnswer): Promise<void> {
  await db.insert(runAnswers).values({ runId, status, answer }).onConflictDoNothing()
}

export async function findAnswer(db: Database, runId: string): Promise<KeptAnswer | undefined> {
  const [found] = await db.select().from(runAnswers).where(eq(runAnswers.runId, runId))
  return found
}

/** Whether there is an answer, without reading it. */
export async function hasAnswer(db: Database, { id, jobId }: RunRecord): Promise<boolean> {
  const rows = await db.execute(sql`
    SELECT 1 FROM run_answers WHERE run_id = ${id}
    UNION ALL SELECT 1 FROM jobs WHERE id = ${jobId} AND run_id = ${id} AND result_status IS NOT NULL`)
  return rowsOf(rows).length > 0
}

/** Deletes answers of runs whose files would expire now. @returns how many were deleted, at most `limit` */
export async function forgetOldAnswers(db: Database, lifetimes: Lifetimes, limit: number): Promise<number> {
  const rows = await db.execute(sql`
    DELETE FROM run_answers WHERE run_id IN (
      SELECT answers.run_id FROM run_answers AS answers
      JOIN runs ON runs.id = answers.run_id ${ownersOf(sql`runs`)}
      WHERE ${expiryOf(sql`answers.created_at`, lifetimes)} < now()
      ORDER BY answers.created_at LIMIT ${limit})
    RETURNING 1`)
  return rowsOf(rows).length
}

/** @throws AppError NOT_FOUND, also for a run outside the scope */
export async function fileRun(
  db: Database,
  scope: RunScope,
  id: string,
  place: { name?: string | null; folder?: string | null },
): Promise<RunRecord> {
  const [named] = await db
    .update(runs)
    .set(place)
    .where(and(eq(runs.id, id), within(runs, scope)))
    .returning()
  if (named === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchRun') })
  return named
}
