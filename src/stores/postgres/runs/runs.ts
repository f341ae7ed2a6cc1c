/** Runs of tools, with their files and credits. */

import { and, asc, eq, inArray, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { recordCredits, recordRunFailure } from '../events/run-events.ts'
import { amongWrites } from '../files/file-writes.ts'
import { rowsOf } from '../rows.ts'
import { type RunInput, runs, storedFiles } from '../schema.ts'
import { type RunScope, within } from './run-scope.ts'

export type RunRecord = typeof runs.$inferSelect
export type StoredFile = typeof storedFiles.$inferSelect
export type NewStoredFile = Omit<StoredFile, 'createdAt' | 'ownerId'>
export type NewRun = Pick<
  RunRecord,
  | 'id'
  | 'enterpriseId'
  | 'personId'
  | 'ownerId'
  | 'applicationId'
  | 'memberId'
  | 'toolId'
  | 'toolVersion'
  | 'requestId'
  | 'jobId'
  | 'settings'
  | 'credits'
  | 'periodStart'
  | 'fileCount'
  | 'inputBytes'
  | 'instanceId'
>
export type RunEnd = Pick<RunRecord, 'status' | 'outputBytes' | 'code' | 'inputs'> & {
  durationMs: number
  /** The server's fault. */
  isFault?: boolean
}

const inputsOf = (inputs: RunInput[] | null | undefined) =>
  inputs ? sql`${JSON.stringify(inputs)}::text::jsonb` : sql`NULL::jsonb`

const values = (run: NewRun, status: string, end?: RunEnd) => sql`
  ${run.id}, ${run.enterpriseId}, ${run.personId}, ${run.applicationId}, ${run.memberId}, ${run.toolId}, ${run.toolVersion},
  ${run.requestId}, ${run.jobId}, ${status}, ${JSON.stringify(run.settings)}::text::jsonb, ${run.credits}::integer,
  ${run.periodStart.toISOString()}::timestamptz, ${run.fileCount}::integer, ${run.inputBytes}::bigint, ${run.instanceId},
  ${end?.outputBytes ?? 0}::bigint, ${end?.code ?? null}, ${end ? sql`now()` : sql`NULL::timestamptz`},
  ${end?.durationMs ?? null}::double precision, ${inputsOf(end?.inputs)}`

const COLUMNS = sql.raw(
  'id, enterprise_id, person_id, application_id, member_id, tool_id, tool_version, request_id, job_id, status, settings, credits, period_start, file_count, input_bytes, instance_id, output_bytes, code, finished_at, duration_ms, inputs',
)

/**
 * Records the start of a run and charges its credits, in one transaction.
 * @returns credits used in the period, including this run; undefined if they would exceed `allowance`
 */
export async function beginRun(db: Database, run: NewRun, allowance: number): Promise<number | undefined> {
  const { enterpriseId, credits } = run
  if (enterpriseId === null || credits > allowance) return undefined
  return db.transaction(async (tx) => {
    const used = await charge(tx, run, allowance)
    if (used !== undefined) await recordCredits(tx, { ...run, enterpriseId, used, allowance })
    return used
  })
}

async function charge(tx: Database, run: NewRun, allowance: number): Promise<number | undefined> {
  const rows = rowsOf<{ used: string | number }>(
    await tx.execute(sql`
      WITH charged AS (
        INSERT INTO credit_periods (enterprise_id, starts_at, used)
        VALUES (${run.enterpriseId}, ${run.periodStart.toISOString()}::timestamptz, ${run.credits}::bigint)
        ON CONFLICT (enterprise_id, starts_at) DO UPDATE SET used = credit_periods.used + EXCLUDED.used
          WHERE credit_periods.used + EXCLUDED.used <= ${allowance}::bigint
        RETURNING used
      ), begun AS (
        INSERT INTO runs (${COLUMNS}) SELECT ${values(run, 'running')} FROM charged RETURNING id
      )
      SELECT used FROM charged, begun`),
  )
  return rows[0] === undefined ? undefined : Number(rows[0].used)
}

const fileValues = (file: NewStoredFile) => sql`(
  ${file.id}, ${file.enterpriseId}, ${file.personId}, ${file.memberId}, ${file.runId}, ${file.artifactId}, ${file.role}, ${file.field},
  ${file.filename}, ${file.mediaType}, ${file.crs}, ${file.bytes}::bigint)`

const FILE_COLUMNS = sql.raw(
  'id, enterprise_id, person_id, member_id, run_id, artifact_id, role, field, filename, media_type, crs, bytes',
)
const valuesOf = (files: readonly NewStoredFile[]) => sql`VALUES ${sql.join(files.map(fileValues), sql`, `)}`

/** Records the files of a run with its end, `ended`; both only if all of the files are still announced (file-writes.ts). */
function withFiles(files: readonly NewStoredFile[]) {
  if (files.length === 0) return { announced: sql``, areAnnounced: sql`true`, stored: sql`` }
  const ofFiles = amongWrites(files.map(({ id }) => id))
  return {
    announced: sql`announced AS (SELECT key FROM file_writes WHERE ${ofFiles} FOR UPDATE), `,
    areAnnounced: sql`(SELECT count(*) FROM announced) = ${files.length}`,
    stored: sql`, stored AS (
      INSERT INTO stored_files (${FILE_COLUMNS})
      SELECT * FROM (${valuesOf(files)}) AS added WHERE EXISTS (SELECT FROM ended)
    ), written AS (DELETE FROM file_writes WHERE ${ofFiles} AND EXISTS (SELECT FROM ended))`,
  }
}

/**
 * Records the outcome and the files of a run; a failed run is refunded.
 * @returns false if the run or its files were given up
 */
export const endRun = (
  db: Database,
  run: Pick<NewRun, 'id'>,
  end: RunEnd,
  files: readonly NewStoredFile[],
): Promise<boolean> => withFailure(db, run, end, (tx) => storeEnd(tx, run, end, files))

/** @param store @returns whether the end was stored */
async function withFailure(
  db: Database,
  { id }: Pick<NewRun, 'id'>,
  { isFault = false }: RunEnd,
  store: (tx: Database) => Promise<boolean>,
): Promise<boolean> {
  if (!isFault) return store(db)
  return db.transaction(async (tx) => {
    const isStored = await store(tx)
    if (isStored) await recordRunFailure(tx, id)
    return isStored
  })
}

async function storeEnd(
  db: Database,
  run: Pick<NewRun, 'id'>,
  end: RunEnd,
  files: readonly NewStoredFile[],
): Promise<boolean> {
  const { announced, areAnnounced, stored } = withFiles(files)
  const rows = await db.execute(sql`
    WITH ${announced}ended AS (
      UPDATE runs SET status = ${end.status}, output_bytes = ${end.outputBytes}::bigint, code = ${end.code},
        duration_ms = ${end.durationMs}::double precision, finished_at = now(), inputs = ${inputsOf(end.inputs)},
        credits = CASE WHEN ${end.status} = 'failed' THEN 0 ELSE credits END
      WHERE id = ${run.id} AND status = 'running' AND ${areAnnounced}
      RETURNING enterprise_id, period_start
    ), refunded AS (
      UPDATE credit_periods SET used = credit_periods.used - before.credits
      FROM ended, (SELECT credits FROM runs WHERE id = ${run.id}) AS before
      WHERE ${end.status} = 'failed' AND credit_periods.enterprise_id = ended.enterprise_id
        AND credit_periods.starts_at = ended.period_start
    )${stored}
    SELECT enterprise_id FROM ended`)
  return rowsOf(rows).length > 0
}

/**
 * Records a run that is over and was charged no credits when it began, once, unless its owner was deleted meanwhile.
 * @returns whether it was recorded
 */
export const recordRun = (db: Database, run: NewRun, end: RunEnd, files: readonly NewStoredFile[]): Promise<boolean> =>
  withFailure(db, run, end, (tx) => storeRun(tx, run, end, files))

async function storeRun(db: Database, run: NewRun, end: RunEnd, files: readonly NewStoredFile[]): Promise<boolean> {
  const { announced, areAnnounced, stored } = withFiles(files)
  const rows = await db.execute(sql`
    WITH ${announced}ended AS (
      INSERT INTO runs (${COLUMNS}, started_at)
      SELECT ${values(run, end.status, end)}, now() - ${end.durationMs}::double precision * interval '1 millisecond'
      WHERE ${areAnnounced} AND (EXISTS (SELECT FROM enterprises WHERE id = ${run.enterpriseId})
        OR EXISTS (SELECT FROM people WHERE id = ${run.personId}))
      ON CONFLICT (id) DO NOTHING
      RETURNING id
    )${stored}
    SELECT id FROM ended`)
  return rowsOf(rows).length > 0
}

export async function creditsUsed(db: Database, enterpriseId: string, periodStart: Date): Promise<number> {
  const rows = rowsOf<{ used: string | number }>(
    await db.execute(
      sql`SELECT used FROM credit_periods WHERE enterprise_id = ${enterpriseId} AND starts_at = ${periodStart.toISOString()}::timestamptz`,
    ),
  )
  return Number(rows[0]?.used ?? 0)
}

/** Marks a run whose process was lost as failed, if it is still running. */
export async function giveUpRun(db: Database, id: string): Promise<void> {
  const end = {
    status: 'failed',
    outputBytes: 0,
    code: 'TOOL_FAILED',
    durationMs: 0,
    inputs: null,
    isFault: true,
  } as const
  await endRun(db, { id }, end, [])
}

/** Marks runs that this process left unfinished as failed. @returns how many */
export async function endInterruptedRuns(db: Database, instanceId: string): Promise<number> {
  const open = await db
    .select({ id: runs.id })
    .from(runs)
    .where(and(eq(runs.instanceId, instanceId), eq(runs.status, 'running')))
  for (const { id } of open) await giveUpRun(db, id)
  return open.length
}

/** Files that an owner sent since a given time, by the start of their runs. */
export async function filesSentSince(
  db: Database,
  ownerId: string,
  since: Date,
): Promise<{ ms: number; files: number }[]> {
  const rows = rowsOf<{ ms: string | number; files: number }>(
    await db.execute(sql`
      SELECT extract(epoch FROM started_at) * 1000 AS ms, file_count AS files FROM runs
      WHERE owner_id = ${ownerId} AND file_count > 0 AND started_at > ${since.toISOString()}::timestamptz`),
  )
  return rows.map(({ ms, files }) => ({ ms: Number(ms), files: Number(files) }))
}

export async function addStoredFiles(db: Database, files: readonly NewStoredFile[]): Promise<void> {
  if (files.length > 0) await db.execute(sql`INSERT INTO stored_files (${FILE_COLUMNS}) ${valuesOf(files)}`)
}

/** @throws AppError NOT_FOUND, also for a run outside the scope */
export async function getRun(db: Database, scope: RunScope, id: string): Promise<RunRecord> {
  const [found] = await db
    .select()
    .from(runs)
    .where(and(eq(runs.id, id), within(runs, scope)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchRun') })
  return found
}

/** The files of a run, with the input files stored by its job. */
export async function filesOfRun(db: Database, { id, jobId }: Pick<RunRecord, 'id' | 'jobId'>): Promise<StoredFile[]> {
  const owners = jobId === null ? [id] : [id, jobId]
  return db.select().from(storedFiles).where(inArray(storedFiles.runId, owners)).orderBy(asc(storedFiles.id))
}

const ofKey = (scope: RunScope, key: string) => and(eq(storedFiles.id, key), within(storedFiles, scope))

function required(file: StoredFile | undefined): StoredFile {
  if (file === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchFile') })
  return file
}

/** @throws AppError NOT_FOUND, also for a file outside the scope */
export async function getStoredFile(db: Database, scope: RunScope, key: string): Promise<StoredFile> {
  const [found] = await db.select().from(storedFiles).where(ofKey(scope, key))
  return required(found)
}

/**
 * Until the transaction ends, the file cannot be deleted, and no job that needs it is accepted. @throws AppError
 * NOT_FOUND
 */
export async function lockStoredFile(tx: Database, scope: RunScope, key: string): Promise<StoredFile> {
  const [found] = await tx.select().from(storedFiles).where(ofKey(scope, key)).for('update')
  return required(found)
}

/** @throws AppError NOT_FOUND */
export async function getArtifact(
  db: Database,
  scope: RunScope,
  runId: string,
  artifactId: string,
): Promise<StoredFile> {
  const [found] = await db
    .select()
    .from(storedFiles)
    .where(and(eq(storedFiles.artifactId, artifactId), eq(storedFiles.runId, runId), within(storedFiles, scope)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchArtifact') })
  return found
}
