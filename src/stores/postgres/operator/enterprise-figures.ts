/** Figures by which the operator's list of enterprises is sorted, written by servers for enterprises that changed. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

/** Readings that an instance accepted today, by the number of the enterprise. */
export async function storeReadingsToday(
  db: Database,
  instanceId: string,
  day: string,
  readings: ReadonlyMap<number, number>,
): Promise<void> {
  if (readings.size === 0) return
  const given = JSON.stringify([...readings].map(([number, count]) => ({ number, count })))
  // rows are locked in the order of their ids: instances write at the same time
  await db.execute(sql`
    WITH given AS (
      SELECT enterprises.id, given.count
      FROM jsonb_to_recordset(${given}::text::jsonb) AS given (number integer, count bigint)
      JOIN enterprises ON enterprises.number = given.number ORDER BY enterprises.id
    ), own AS (
      INSERT INTO enterprise_readings (enterprise_id, instance_id, day, readings)
      SELECT id, ${instanceId}, ${day}::date, count FROM given
      ON CONFLICT (enterprise_id, instance_id) DO UPDATE SET day = excluded.day, readings = excluded.readings
    ), locked AS (
      SELECT enterprise_id FROM enterprise_figures WHERE enterprise_id IN (SELECT id FROM given)
      ORDER BY enterprise_id FOR UPDATE
    )
    UPDATE enterprise_figures AS figures SET day = ${day}::date, last_active_at = now(),
      readings = given.count + coalesce((
        SELECT sum(others.readings) FROM enterprise_readings AS others
        WHERE others.enterprise_id = given.id AND others.day = ${day}::date AND others.instance_id <> ${instanceId}), 0)
    FROM given JOIN locked ON locked.enterprise_id = given.id WHERE figures.enterprise_id = given.id`)
}

/** Recomputes the stored bytes of enterprises. @param ids of enterprises that ran a tool since the last call */
export async function refreshStored(db: Database, ids: readonly string[]): Promise<void> {
  for (const id of ids)
    await db.execute(sql`
      UPDATE enterprise_figures SET last_active_at = now(), ${storedNow} WHERE enterprise_id = ${id}`)
}

/**
 * Recomputes the stored bytes of the enterprises that were refreshed longest ago, since files also expire. @returns how
 * many
 */
export async function refreshOldest(db: Database, olderThan: Date, limit: number): Promise<number> {
  const rows = await db.execute(sql`
    UPDATE enterprise_figures SET ${storedNow} WHERE enterprise_id IN (
      SELECT enterprise_id FROM enterprise_figures WHERE stored_at < ${olderThan.toISOString()}::timestamptz
      ORDER BY stored_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
    RETURNING enterprise_id`)
  return rowsOf(rows).length
}

const storedNow = sql`stored_at = now(), stored_bytes =
  coalesce((SELECT sum(bytes) FROM stored_files WHERE stored_files.enterprise_id = enterprise_figures.enterprise_id), 0)
  + coalesce((SELECT sum(versions.bytes) FROM owner_files AS files
      JOIN owner_file_versions AS versions ON versions.file_id = files.id
      WHERE files.owner_id = enterprise_figures.enterprise_id), 0)
  + coalesce((SELECT sum(bytes) FROM layers WHERE layers.owner_id = enterprise_figures.enterprise_id), 0)`
