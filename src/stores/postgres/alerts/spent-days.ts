/** Days on which enterprises spent their readings, for rules about silence. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

/** The longest time that a rule may ask for is 31 days. */
const KEPT_DAYS = 32

const today = sql`(now() AT TIME ZONE 'UTC')::date`

/**
 * Notes which of these enterprises have spent their readings of today, and whose limit was raised after that.
 * @returns by the enterprise's number, until when days were spent, in milliseconds since 1970, ascending
 */
export async function spentDaysOf(
  db: Database,
  enterpriseIds: readonly string[],
): Promise<{ enterprise: number; untilMs: number[] }[]> {
  const ids = sql`${sql.param(enterpriseIds)}::text[]`
  await db.execute(sql`
    WITH spent AS (
      SELECT e.id FROM enterprises e JOIN tiers t ON t.name = e.tier
      JOIN reading_days d ON d.enterprise_id = e.id AND d.day = ${today}
      WHERE e.id = ANY(${ids})
      GROUP BY e.id, t.readings_per_day HAVING sum(d.readings) >= coalesce(e.readings_per_day, t.readings_per_day)
    ), raised AS (
      UPDATE spent_days SET until = now()
      WHERE enterprise_id = ANY(${ids}) AND day = ${today} AND until IS NULL AND enterprise_id NOT IN (SELECT id FROM spent)
    )
    INSERT INTO spent_days (enterprise_id, day) SELECT id, ${today} FROM spent
    ON CONFLICT (enterprise_id, day) DO UPDATE SET until = NULL WHERE spent_days.until IS NOT NULL`)
  return rowsOf(
    await db.execute(sql`
      SELECT e.number AS enterprise, array_agg(floor(extract(epoch FROM
        coalesce(s.until, (s.day + 1)::timestamp AT TIME ZONE 'UTC')) * 1000)::float8 ORDER BY s.day) AS "untilMs"
      FROM spent_days s JOIN enterprises e ON e.id = s.enterprise_id
      WHERE s.enterprise_id = ANY(${ids}) AND s.day >= ${today} - ${KEPT_DAYS}::integer GROUP BY e.number`),
  )
}
