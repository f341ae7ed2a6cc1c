/** Objects of the file store that are being written and have no record yet (sql/postgres/0038-ledger.sql). */
import { type SQL, sql } from 'drizzle-orm'
import { AppError } from '../../../errors.ts'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

export const amongWrites = (keys: readonly string[]): SQL =>
  sql`key IN (${sql.join(
    keys.map((key) => sql`${key}`),
    sql`, `,
  )})`

export async function announceWrites(db: Database, instanceId: string, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const rows = keys.map((key) => sql`(${key}, ${instanceId})`)
  await db.execute(sql`INSERT INTO file_writes (key, instance_id) VALUES ${sql.join(rows, sql`, `)}`)
}

/**
 * To be called in the transaction that stores the records of the objects.
 * @throws AppError STORE_UNAVAILABLE if they were given up because this instance was taken for lost: the objects may be
 *   removed
 */
export async function endWrites(tx: Database, keys: readonly string[]): Promise<void> {
  if (keys.length === 0) return
  const rows = await tx.execute(sql`DELETE FROM file_writes WHERE ${amongWrites(keys)} RETURNING key`)
  if (rowsOf(rows).length < keys.length) throw new AppError('STORE_UNAVAILABLE')
}

const giveUp = (db: Database, which: SQL): Promise<unknown> =>
  db.execute(sql`
    WITH gone AS (DELETE FROM file_writes WHERE ${which} RETURNING key)
    INSERT INTO file_removals (key) SELECT key FROM gone ON CONFLICT DO NOTHING`)

/** Schedules the removal of objects without a record. */
export async function giveUpWrites(db: Database, keys: readonly string[]): Promise<void> {
  if (keys.length > 0) await giveUp(db, amongWrites(keys))
}

/** Abandons all writes of an interrupted instance. */
export async function giveUpWritesOf(db: Database, instanceId: string): Promise<void> {
  await giveUp(db, sql`instance_id = ${instanceId}`)
}
