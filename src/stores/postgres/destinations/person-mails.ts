/**
 * Mails to people about what happened, until they are sent (sql/postgres/0052-mails.sql). A server without SMTP_URL sends
 * none of them, and forgets them after three days.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'

export type PersonMail = {
  id: string
  email: string
  type: string
  data: Record<string, unknown>
  /** With this one. */
  attempts: number
  createdMs: number
}

/** The longest time that an attempt takes. */
const LEASE = sql`interval '5 minutes'`
const KEPT = sql`interval '3 days'`

/**
 * Adds a mail for each owner of an enterprise, or for a person, in the transaction of what makes it, once.
 * @param source a query of owner_id, type, key and data; `type` and `key` make the id
 */
export async function addPersonMails(tx: Database, source: SQL): Promise<void> {
  await tx.execute(sql`
    INSERT INTO person_mails (id, enterprise_id, person_id, email, type, data)
    SELECT 'pml_' || left(encode(sha256(convert_to(type || ' ' || key || ' ' || email, 'UTF8')), 'hex'), 32),
      enterprise_id, person_id, email, type, data
    FROM (${source}) AS made CROSS JOIN LATERAL (
      SELECT m.enterprise_id, NULL::text AS person_id, m.email FROM members m
        WHERE m.enterprise_id = owner_id AND m.role = 'owner' AND m.account_id IS NOT NULL
      UNION ALL SELECT NULL, p.id, p.email FROM people p WHERE p.id = owner_id
    ) AS receivers
    ON CONFLICT (id) DO NOTHING`)
}

/** Takes mails that are due. An instance that dies leaves them to the next one. */
export async function takePersonMails(db: Database, limit: number): Promise<PersonMail[]> {
  const rows = await db.execute(sql`
    UPDATE person_mails SET attempts = attempts + 1, next_attempt_at = now() + ${LEASE}
    WHERE id IN (SELECT id FROM person_mails WHERE sent_at IS NULL AND next_attempt_at <= now()
      ORDER BY next_attempt_at LIMIT ${limit}::integer FOR UPDATE SKIP LOCKED)
    RETURNING id, email, type, data, attempts, (extract(epoch FROM created_at) * 1000)::float8 AS "createdMs"`)
  return rowsOf<PersonMail>(rows).map((row) => ({ ...row }))
}

/** @param next of a mail that could not be sent; undefined if it was sent or never can be */
export async function endPersonMail(db: Database, id: string, next: Date | undefined): Promise<void> {
  await db.execute(
    next === undefined
      ? sql`UPDATE person_mails SET sent_at = now() WHERE id = ${id}`
      : sql`UPDATE person_mails SET next_attempt_at = ${next.toISOString()}::timestamptz WHERE id = ${id}`,
  )
}

/** Mails are kept for as long as they are tried, so that repeated work sends none again. */
export async function deleteOldPersonMails(db: Database): Promise<void> {
  await db.execute(sql`DELETE FROM person_mails WHERE created_at < now() - ${KEPT}`)
}
