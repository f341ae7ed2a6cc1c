/**
 * Deletes the data of an owner that no foreign key reaches: uploads, counts, repeatable answers, and personal data in
 * the audit log. The actions, their times and the ids stay in the log, because the log must show the deletion.
 */
import { sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { actorsNamed } from './audit.ts'

/** To be called in the transaction that deletes the owner, before its row is deleted. */
export async function eraseTraces(tx: Database, ownerId: string): Promise<void> {
  await tx.execute(sql`DELETE FROM uploads WHERE owner_id = ${ownerId}`)
  for (const table of ['api_request_days', 'api_request_blocks'])
    await tx.execute(sql`DELETE FROM ${sql.identifier(table)} WHERE owner_id = ${ownerId}`)
  // the owner is a part of the key space (idempotency.ts), or of the path that an operator token called
  await tx.execute(sql`
    DELETE FROM idempotency_keys
    WHERE split_part(key_pair_id, ' ', 2) = ${ownerId} OR position(${ownerId} IN route) > 0`)
}

/**
 * Removes a person's address, and the contents of the person's records, from the audit log. The contents of enterprises
 * stay.
 */
export async function eraseAudit(tx: Database, personId: string): Promise<void> {
  await tx.execute(sql`
    UPDATE audit SET before = NULL, after = NULL WHERE owner_id = ${personId} AND subject_kind <> 'person'`)
  await tx.execute(sql`
    UPDATE audit SET before = before - 'email', after = after - 'email'
    WHERE owner_id = ${personId} AND subject_kind = 'person'`)
}

/** Where an account is named by its address. */
const ACTOR_COLUMNS = [
  ['audit', 'actor'],
  ['alerts', 'acknowledged_by'],
  ['alert_silences', 'created_by'],
] as const

/**
 * Deletes the account of a person who was deleted, unless it is a member or operator too. In the audit log and in alerts,
 * its id takes the place of its address.
 * @returns whether it was deleted
 */
export async function eraseAccount(tx: Database, accountId: string): Promise<boolean> {
  const gone = rowsOf<{ email: string }>(
    await tx.execute(sql`
      DELETE FROM accounts WHERE id = ${accountId} AND NOT is_operator
        AND NOT EXISTS (SELECT FROM members WHERE account_id = ${accountId})
        AND NOT EXISTS (SELECT FROM people WHERE account_id = ${accountId})
      RETURNING email`),
  )
  const [account] = gone
  if (account === undefined) return false
  for (const actor of actorsNamed(account.email))
    for (const [table, column] of ACTOR_COLUMNS)
      await tx.execute(sql`
        UPDATE ${sql.identifier(table)} SET ${sql.identifier(column)} = ${actor.replace(account.email, accountId)}
        WHERE ${sql.identifier(column)} = ${actor}`)
  // links and attempts to sign in belong to no owner
  await tx.execute(sql`
    UPDATE audit SET before = NULL, after = NULL
    WHERE subject_id = ${accountId}
      OR (owner_id IS NULL AND (before ->> 'email' = ${account.email} OR after ->> 'email' = ${account.email}))`)
  return true
}
