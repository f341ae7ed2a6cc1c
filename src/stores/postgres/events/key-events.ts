/** Events of keys that end: 14 and 3 days before, and at the end. */
import { type SQL, sql } from 'drizzle-orm'
import type { KeyKind } from '../accounts/issued-keys.ts'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { jsonTime } from './events.ts'
import { recordOwnerEvents } from './owner-events.ts'

/** The table of each kind, its holder `h`, and the columns of the holder: its enterprise, its person and its name. */
const KINDS: Record<KeyKind, { table: SQL; holder: SQL; columns: SQL }> = {
  'sensor-key': {
    table: sql`sensor_keys`,
    holder: sql`sensors h ON h.id = k.sensor_id`,
    columns: sql`h.enterprise_id, NULL::text AS person_id, h.name AS holder_name, h.id AS sensor_id`,
  },
  'fleet-key-secret': {
    table: sql`fleet_key_secrets`,
    // a rotated one ends as it should
    holder: sql`fleet_keys h ON h.id = k.fleet_key_id AND NOT EXISTS (
      SELECT FROM fleet_key_secrets newer WHERE newer.fleet_key_id = k.fleet_key_id AND newer.id > k.id)`,
    columns: sql`h.enterprise_id, NULL::text AS person_id, h.name AS holder_name, NULL::text AS sensor_id`,
  },
  'application-key': {
    table: sql`application_keys`,
    holder: sql`applications h ON h.id = k.application_id`,
    columns: sql`h.enterprise_id, NULL::text AS person_id, h.name AS holder_name, NULL::text AS sensor_id`,
  },
  'tool-api-key': {
    table: sql`tool_api_keys`,
    holder: sql`tool_apis h ON h.id = k.tool_api_id`,
    columns: sql`h.enterprise_id, h.person_id, h.name AS holder_name, NULL::text AS sensor_id`,
  },
  'personal-key': {
    table: sql`personal_keys`,
    holder: sql`people h ON h.id = k.person_id`,
    columns: sql`NULL::text AS enterprise_id, h.id AS person_id, h.email AS holder_name, NULL::text AS sensor_id`,
  },
}

/** Days before the end, and days before it at the next event of the key. */
const STAGES = [
  { daysLeft: 14, next: 3 },
  { daysLeft: 3, next: 0 },
  { daysLeft: 0, next: undefined },
]
const DAY_H = 24
const days = (count: number): SQL => sql`make_interval(hours => ${count * DAY_H}::integer)`

/** Keys that were `daysLeft` days from their end after `until` and by now. If the next event is due too, it comes alone. */
const reached = (kind: KeyKind, { daysLeft, next }: (typeof STAGES)[number], until: SQL): SQL => {
  const { table, holder, columns } = KINDS[kind]
  return sql`
    SELECT ${kind}::text AS kind, ${daysLeft}::integer AS days_left, k.id, k.name, k.last_four, k.expires_at,
      k.expires_at - ${days(daysLeft)} AS at, h.id AS holder_id, ${columns}
    FROM ${table} k JOIN ${holder}
    WHERE k.revoked_at IS NULL AND k.expires_at > ${until} + ${days(daysLeft)} AND k.expires_at <= now() + ${days(daysLeft)}
      AND k.expires_at - ${days(daysLeft)} > k.created_at ${next === undefined ? sql`` : sql`AND k.expires_at > now() + ${days(next)}`}`
}

/** Records what is due since the last look of any instance. */
export async function recordKeyEnds(db: Database): Promise<void> {
  await db.transaction(async (tx) => {
    const [checked] = rowsOf<{ until: string }>(
      await tx.execute(sql`SELECT until::text AS until FROM key_ends_checked FOR UPDATE SKIP LOCKED`),
    )
    // another instance looks
    if (checked === undefined) return
    const until = sql`${checked.until}::timestamptz`
    const kinds = Object.keys(KINDS) as KeyKind[]
    const all = kinds.flatMap((kind) => STAGES.map((stage) => reached(kind, stage, until)))
    await tx.execute(sql`UPDATE key_ends_checked SET until = now()`)
    await recordOwnerEvents(
      tx,
      sql`SELECT enterprise_id, person_id, 'key.expiring' AS type, id || ' ' || days_left AS key, id AS subject,
        NULL::text AS severity, NULL::text AS rule_id, sensor_id, row_number() OVER (ORDER BY at, id) AS ordinal,
        jsonb_build_object('keyId', id, 'kind', kind, 'name', name, 'lastFour', last_four, 'daysLeft', days_left,
          'expiresAt', ${jsonTime(sql`expires_at`)}, 'at', ${jsonTime(sql`at`)})
          || CASE WHEN sensor_id IS NULL THEN jsonb_build_object('holderId', holder_id, 'holderName', holder_name)
             ELSE jsonb_build_object('sensorId', holder_id, 'sensorName', holder_name) END AS data
        FROM (${sql.join(all, sql` UNION ALL `)}) AS due`,
    )
  })
}
