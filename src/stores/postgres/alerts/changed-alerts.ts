/** What streams of alerts look for, once a second for each watched enterprise. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { heldSilences } from './silences.ts'

export type ChangedAlerts = {
  /** The time of the database, for `since` of the next look. */
  now: string
  /** Id and time of the change, newest first. */
  changed: [id: string, changedAt: string][]
  /** A text that changes when a silence begins to hold or ends. */
  silences: string
}

/** @param since `now` of the previous look; the first one begins with the overlap alone */
export async function changedAlerts(
  db: Database,
  enterpriseId: string,
  { since, overlapS, limit }: { since: string | undefined; overlapS: number; limit: number },
): Promise<ChangedAlerts> {
  const rows = rowsOf<{ now: string; silences: string; changed: string }>(
    await db.execute(sql`
      SELECT now()::text AS now, ${heldSilences(enterpriseId)} AS silences, coalesce((
        SELECT json_agg(json_build_array(id, changed_at) ORDER BY changed_at DESC) FROM (
          SELECT id, changed_at FROM alerts
          WHERE enterprise_id = ${enterpriseId}
            AND changed_at >= coalesce(${since ?? null}::timestamptz, now()) - make_interval(secs => ${overlapS})
          ORDER BY changed_at DESC, id DESC LIMIT ${limit}) AS newest), '[]')::text AS changed`),
  )
  const [row] = rows
  if (row === undefined) throw new Error('a statement without FROM returned no row')
  return { ...row, changed: JSON.parse(row.changed) as ChangedAlerts['changed'] }
}
