/** Readings of enterprises per day, by the time at which they were received. */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

/** The migration with which counting began (sql/postgres/0019-console.sql). */
const COUNTED_SINCE = 19

/** `enterprise` is its number. */
export type ReadingDay = { enterprise: number; day: string; readings: number }

/** Replaces an instance's counts of some days; counts of deleted enterprises are dropped. */
export async function setReadingDays(db: Database, instanceId: string, days: readonly ReadingDay[]): Promise<void> {
  if (days.length === 0) return
  await db.execute(sql`
    INSERT INTO reading_days (enterprise_id, day, instance_id, readings)
    SELECT enterprises.id, given.day, ${instanceId}, given.readings
    FROM unnest(${sql.param(days.map(({ enterprise }) => enterprise))}::integer[],
      ${sql.param(days.map(({ day }) => day))}::date[],
      ${sql.param(days.map(({ readings }) => readings))}::float8[]) AS given (number, day, readings)
    JOIN enterprises ON enterprises.number = given.number
    ON CONFLICT (enterprise_id, day, instance_id) DO UPDATE SET readings = EXCLUDED.readings`)
}

/** Days without readings are missing. */
export async function readingDaysBetween(
  db: Database,
  enterpriseId: string,
  from: string,
  to: string,
): Promise<{ day: string; readings: number }[]> {
  return rowsOf(
    await db.execute(sql`
      SELECT to_char(day, 'YYYY-MM-DD') AS day, sum(readings)::float8 AS readings FROM reading_days
      WHERE enterprise_id = ${enterpriseId} AND day BETWEEN ${from}::date AND ${to}::date
      GROUP BY reading_days.day ORDER BY reading_days.day`),
  )
}

/** The days on which an enterprise may have sent readings that were not counted; undefined when there are none. */
export async function uncountedDays(
  db: Database,
  enterpriseId: string,
): Promise<{ from: string; before: string } | undefined> {
  const [found] = rowsOf<{ from: string; before: string }>(
    await db.execute(sql`
      SELECT to_char(enterprises.created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS from,
        to_char(migrations.applied_at AT TIME ZONE 'UTC', 'YYYY-MM-DD') AS before
      FROM enterprises, migrations WHERE enterprises.id = ${enterpriseId} AND migrations.number = ${COUNTED_SINCE}`),
  )
  return found !== undefined && found.from < found.before ? found : undefined
}
