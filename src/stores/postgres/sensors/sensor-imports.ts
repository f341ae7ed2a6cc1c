/** Imports of sensors: their rows, and how far each import has come (sql/postgres/0066-sensor-imports.sql). */
import { and, asc, eq, inArray, ne, sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { AppError } from '../../../errors.ts'
import type { Database } from '../client.ts'
import { createdAt, jsonb, timestampColumn } from '../columns.ts'
import { newId } from '../ids.ts'
import type { ImportCounts, RowError } from './import-rows.ts'

const sensorImports = pgTable('sensor_imports', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  requestedBy: text('requested_by').notNull(),
  status: text('status', { enum: ['waiting', 'running', 'done'] })
    .notNull()
    .default('waiting'),
  rows: text('rows'),
  position: integer('position').notNull().default(0),
  created: integer('created').notNull().default(0),
  updated: integer('updated').notNull().default(0),
  refused: integer('refused').notNull().default(0),
  errors: jsonb('errors').$type<RowError[]>().notNull().default([]),
  createdAt: createdAt(),
  finishedAt: timestampColumn('finished_at'),
  leaseUntil: timestampColumn('lease_until'),
  attempts: integer('attempts').notNull().default(0),
})

export type SensorImport = typeof sensorImports.$inferSelect

/** An import as the API returns it. */
export type ImportRecord = Pick<
  SensorImport,
  'id' | 'status' | 'created' | 'updated' | 'refused' | 'errors' | 'createdAt' | 'finishedAt'
>

const shown = {
  id: sensorImports.id,
  status: sensorImports.status,
  created: sensorImports.created,
  updated: sensorImports.updated,
  refused: sensorImports.refused,
  errors: sensorImports.errors,
  createdAt: sensorImports.createdAt,
  finishedAt: sensorImports.finishedAt,
}

/** Finished imports are kept for this long. */
const KEPT = sql`interval '30 days'`
/** Errors of an import that are kept. */
export const MAX_ERRORS = 1_000

/** @param rows each in a line, as JSON */
export async function requestImport(
  db: Database,
  requestedBy: string,
  enterpriseId: string,
  rows: string,
): Promise<ImportRecord> {
  await db
    .delete(sensorImports)
    .where(and(eq(sensorImports.enterpriseId, enterpriseId), sql`${sensorImports.finishedAt} < now() - ${KEPT}`))
  const [made] = await db
    .insert(sensorImports)
    .values({ id: newId('imp'), enterpriseId, requestedBy, rows })
    .returning(shown)
  return made as ImportRecord
}

/** @throws AppError NOT_FOUND */
export async function getImport(db: Database, enterpriseId: string, id: string): Promise<ImportRecord> {
  const [found] = await db
    .select(shown)
    .from(sensorImports)
    .where(and(eq(sensorImports.id, id), eq(sensorImports.enterpriseId, enterpriseId)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: 'There is no such import.' })
  return found
}

const lease = (leaseMs: number) => sql`now() + ${leaseMs} * interval '1 millisecond'`

/** The oldest import that no instance works on. */
export async function takeImport(db: Database, leaseMs: number): Promise<SensorImport | undefined> {
  const next = db
    .select({ id: sensorImports.id })
    .from(sensorImports)
    .where(and(ne(sensorImports.status, 'done'), sql`coalesce(${sensorImports.leaseUntil}, '-infinity') < now()`))
    .orderBy(asc(sensorImports.createdAt))
    .limit(1)
    .for('update', { skipLocked: true })
  const [taken] = await db
    .update(sensorImports)
    .set({ status: 'running', leaseUntil: lease(leaseMs), attempts: sql`${sensorImports.attempts} + 1` })
    .where(inArray(sensorImports.id, next))
    .returning()
  return taken
}

/** Lets any instance continue an import that is not done. */
export async function releaseImport(
  db: Database,
  { id, attempts }: Pick<SensorImport, 'id' | 'attempts'>,
): Promise<void> {
  await db
    .update(sensorImports)
    .set({ status: 'waiting', leaseUntil: null })
    .where(and(eq(sensorImports.id, id), eq(sensorImports.attempts, attempts), eq(sensorImports.status, 'running')))
}

/** What a part of an import has done. */
export type ImportProgress = { position: number; isDone: boolean } & ImportCounts

/**
 * Notes a part, in the transaction that stores its rows. The lease begins again.
 * @returns false if another instance has taken the import, and nothing may be stored
 */
export async function advanceImport(
  tx: Database,
  { id, attempts }: Pick<SensorImport, 'id' | 'attempts'>,
  { position, isDone, created, updated, refused, errors }: ImportProgress,
  leaseMs: number,
): Promise<boolean> {
  const { errors: kept } = sensorImports
  const advanced = await tx
    .update(sensorImports)
    .set({
      position,
      created: sql`${sensorImports.created} + ${created}`,
      updated: sql`${sensorImports.updated} + ${updated}`,
      refused: sql`${sensorImports.refused} + ${refused}`,
      errors: sql`CASE WHEN jsonb_array_length(${kept}) < ${MAX_ERRORS}
        THEN ${kept} || ${JSON.stringify(errors)}::text::jsonb ELSE ${kept} END`,
      ...(isDone
        ? { status: 'done' as const, rows: null, finishedAt: sql`now()`, leaseUntil: null }
        : { leaseUntil: lease(leaseMs) }),
    })
    .where(and(eq(sensorImports.id, id), eq(sensorImports.attempts, attempts), eq(sensorImports.status, 'running')))
    .returning({ id: sensorImports.id })
  return advanced.length > 0
}
