/** Imports of sensors: how far each import has come, and the parts that wait (sql/postgres/0066-sensor-imports.sql). */

import { and, eq, getTableColumns, ne, sql } from 'drizzle-orm'
import { integer, pgTable, text } from 'drizzle-orm/pg-core'
import { AppError, invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { createdAt, jsonb, timestampColumn } from '../columns.ts'
import { newId } from '../ids.ts'
import { rowsOf } from '../rows.ts'
import { enterprises } from '../schema.ts'
import type { ImportCounts, RowError } from './import-rows.ts'

const sensorImports = pgTable('sensor_imports', {
  id: text('id').primaryKey(),
  enterpriseId: text('enterprise_id').notNull(),
  requestedBy: text('requested_by').notNull(),
  status: text('status', { enum: ['waiting', 'running', 'done'] })
    .notNull()
    .default('waiting'),
  created: integer('created').notNull().default(0),
  updated: integer('updated').notNull().default(0),
  refused: integer('refused').notNull().default(0),
  errors: jsonb('errors').$type<RowError[]>().notNull().default([]),
  createdAt: createdAt(),
  finishedAt: timestampColumn('finished_at'),
})
const { enterpriseId: _, requestedBy: __, ...shown } = getTableColumns(sensorImports)

/** An import as the API returns it. */
export type ImportRecord = Omit<typeof sensorImports.$inferSelect, 'enterpriseId' | 'requestedBy'>

/** Finished imports are kept for this long. */
const KEPT = sql`interval '30 days'`
/** Errors of an import that are kept. */
export const MAX_ERRORS = 1_000
/** Imports of an enterprise that are not done. */
export const MAX_UNFINISHED = 5
/** Parts that are stored with one statement. */
const PARTS_AT_ONCE = 8

/**
 * @param tx a transaction
 * @param parts lists of rows, as JSON
 * @throws AppError VALIDATION_FAILED for too many unfinished imports
 */
export async function requestImport(
  tx: Database,
  requestedBy: string,
  enterpriseId: string,
  parts: readonly string[],
): Promise<ImportRecord> {
  // serializes new imports of an enterprise
  await tx.select().from(enterprises).where(eq(enterprises.id, enterpriseId)).for('no key update')
  const own = eq(sensorImports.enterpriseId, enterpriseId)
  await tx.delete(sensorImports).where(and(own, sql`${sensorImports.finishedAt} < now() - ${KEPT}`))
  if ((await tx.$count(sensorImports, and(own, ne(sensorImports.status, 'done')))) >= MAX_UNFINISHED)
    throw invalidField('body', 'maxItems', fieldText('importsAtMost', { most: MAX_UNFINISHED }))
  const id = newId('imp')
  const [made] = await tx.insert(sensorImports).values({ id, enterpriseId, requestedBy }).returning(shown)
  for (let first = 0; first < parts.length; first += PARTS_AT_ONCE) {
    const values = parts
      .slice(first, first + PARTS_AT_ONCE)
      .map((rows, i) => sql`(${id}, ${first + i}::integer, ${rows})`)
    await tx.execute(sql`INSERT INTO sensor_import_parts (import_id, number, rows) VALUES ${sql.join(values, sql`, `)}`)
  }
  return made as ImportRecord
}

/** @throws AppError NOT_FOUND */
export async function getImport(db: Database, enterpriseId: string, id: string): Promise<ImportRecord> {
  const [found] = await db
    .select(shown)
    .from(sensorImports)
    .where(and(eq(sensorImports.id, id), eq(sensorImports.enterpriseId, enterpriseId)))
  if (found === undefined) throw new AppError('NOT_FOUND', { message: fieldText('noSuchImport') })
  return found
}

export type ImportPart = { importId: string; enterpriseId: string; requestedBy: string; rows: string }

/**
 * Takes the next part of the import that waits longest, and locks the import until the transaction ends. The lock of its
 * enterprise comes with it: a deletion of the enterprise would otherwise wait for the import, and the import's sensors for
 * the enterprise.
 */
export async function takePart(tx: Database): Promise<ImportPart | undefined> {
  const [next] = rowsOf<{ id: string }>(
    await tx.execute(sql`
      SELECT i.id FROM sensor_imports i JOIN enterprises e ON e.id = i.enterprise_id
      WHERE i.status <> 'done' AND i.next_at <= now() ORDER BY i.next_at LIMIT 1
      FOR UPDATE OF i SKIP LOCKED FOR KEY SHARE OF e SKIP LOCKED`),
  )
  if (next === undefined) return undefined
  // a statement after the lock sees which parts are left
  const [part] = rowsOf<ImportPart>(
    await tx.execute(sql`
      DELETE FROM sensor_import_parts p USING sensor_imports i
      WHERE i.id = ${next.id} AND p.import_id = i.id
        AND p.number = (SELECT min(number) FROM sensor_import_parts WHERE import_id = i.id)
      RETURNING i.id AS "importId", i.enterprise_id AS "enterpriseId", i.requested_by AS "requestedBy", p.rows`),
  )
  return part
}

/** Notes what was done with the rows of a part, in the transaction that took it. Other imports come next. */
export async function notePart(tx: Database, id: string, counts: ImportCounts): Promise<void> {
  const { created, updated, refused, errors } = counts
  await tx.execute(sql`
    UPDATE sensor_imports SET
      created = created + ${created}::integer, updated = updated + ${updated}::integer,
      refused = refused + ${refused}::integer,
      errors = CASE WHEN jsonb_array_length(errors) < ${MAX_ERRORS}::integer
        THEN jsonb_path_query_array(errors || ${JSON.stringify(errors)}::text::jsonb, ${`$[0 to ${MAX_ERRORS - 1}]`}::jsonpath)
        ELSE errors END,
      next_at = now(),
      status = CASE WHEN left_over THEN 'running' ELSE 'done' END,
      finished_at = CASE WHEN left_over THEN NULL ELSE now() END
    FROM (SELECT EXISTS (SELECT FROM sensor_import_parts WHERE import_id = ${id}) AS left_over) AS parts
    WHERE id = ${id}`)
}

/** Lets other imports go first, after a failure. */
export async function postponeImport(db: Database, id: string): Promise<void> {
  await db.execute(sql`UPDATE sensor_imports SET next_at = now() + interval '1 minute' WHERE id = ${id}`)
}
