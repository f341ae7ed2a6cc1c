/**
 * Mails that are for people rather than for destinations, until they are sent: events of people, and for owners of an
 * enterprise that a destination was switched off (sql/postgres/0052-mails.sql, 0053-event-types.sql). A server without
 * SMTP_URL sends none of them.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

const SOURCES = ['person_events', 'owner_mails'] as const
type Source = (typeof SOURCES)[number]
const EMAIL: Record<Source, SQL> = {
  person_events: sql`(SELECT email FROM people WHERE people.id = person_id)`,
  owner_mails: sql`email`,
}
export type PersonalMail = {
  source: Source
  id: string
  email: string
  type: string
  data: Record<string, unknown>
  /** With this one. */
  attempts: number
  storedMs: number
}

/** The longest time that an attempt takes. */
const LEASE = sql`interval '5 minutes'`
const KEPT = sql`interval '30 days'`
/** What waited for longer, such as for SMTP_URL, would only confuse. */
const NEWS = sql`interval '3 days'`

/** Adds a mail for each owner who can sign in, in the transaction of what makes it. */
export async function addOwnerMails(
  tx: Database,
  enterpriseId: string,
  { type, data }: { type: string; data: object },
): Promise<void> {
  await tx.execute(sql`
    INSERT INTO owner_mails (id, enterprise_id, email, type, data)
    SELECT 'oml_' || replace(gen_random_uuid()::text, '-', ''), enterprise_id, email, ${type}, ${JSON.stringify(data)}::text::jsonb
    FROM members WHERE enterprise_id = ${enterpriseId} AND role = 'owner' AND account_id IS NOT NULL`)
}

/** Takes a mail that is due. An instance that dies leaves it to the next one. */
export async function takePersonalMail(db: Database): Promise<PersonalMail | undefined> {
  for (const source of SOURCES) {
    const table = sql.raw(source)
    const [found] = rowsOf<Omit<PersonalMail, 'source'>>(
      await db.execute(sql`
        UPDATE ${table} SET attempts = attempts + 1, next_attempt_at = now() + ${LEASE}
        WHERE id = (SELECT id FROM ${table} WHERE next_attempt_at <= now() AND stored_at > now() - ${NEWS}
          ORDER BY next_attempt_at LIMIT 1 FOR UPDATE SKIP LOCKED)
        RETURNING id, ${EMAIL[source]} AS email, type, data, attempts, (extract(epoch FROM stored_at) * 1000)::float8 AS "storedMs"`),
    )
    if (found !== undefined) return { source, ...found }
  }
  return undefined
}

/** @param next of a mail that could not be sent; undefined if it was sent or never can be */
export async function endPersonalMail(
  db: Database,
  { source, id }: PersonalMail,
  next: Date | undefined,
): Promise<void> {
  await db.execute(
    sql`UPDATE ${sql.raw(source)} SET next_attempt_at = ${next?.toISOString() ?? null}::timestamptz WHERE id = ${id}`,
  )
}

export async function deleteOldOwnerMails(db: Database): Promise<void> {
  await db.execute(sql`DELETE FROM owner_mails WHERE stored_at < now() - ${KEPT}`)
}
