/**
 * Revocations that accompany a change of rights, in the same transaction: links that open the account, links for its
 * addresses, and links and tokens that it made, links to dashboards too. Accounts are locked first, then links, as where a link is used
 * (access/mail/one-time-links.ts).
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from '../client.ts'
import { rowsOf } from '../rows.ts'
import { recordChange } from './audit.ts'

type Owned = { id: string; accountId: string | null }

/** Changes of one account, and uses of links for it, wait for each other. */
export async function lockAccount(tx: Database, of: { id: string } | { email: string }): Promise<void> {
  const where = 'id' in of ? sql`id = ${of.id}` : sql`email = ${of.email}`
  await tx.execute(sql`SELECT FROM accounts WHERE ${where} FOR NO KEY UPDATE`)
}

const resets = (accountId: string | null): SQL => sql`(kind = 'reset' AND account_id = ${accountId})`

async function revoke(tx: Database, accountId: string | null, which: SQL): Promise<void> {
  if (accountId !== null) await lockAccount(tx, { id: accountId })
  await tx.execute(sql`
    UPDATE one_time_links SET revoked_at = now() WHERE used_at IS NULL AND revoked_at IS NULL AND (${which})`)
}

/** Revokes password resets of an account whose way to sign in changes, or that gets a right. */
export const revokeResets = (tx: Database, accountId: string): Promise<void> => revoke(tx, accountId, resets(accountId))

/** For a member who is removed or gets another role or address. */
export async function revokeOfMember(
  tx: Database,
  { accountId, enterpriseId, email }: Owned & { enterpriseId: string; email: string },
): Promise<void> {
  await revokeShareLinks(tx, sql`maker_id = ${accountId} AND enterprise_id = ${enterpriseId}`)
  await revoke(
    tx,
    accountId,
    sql`${resets(accountId)}
      OR (kind = 'invitation' AND enterprise_id = ${enterpriseId}
        AND email IN (lower(${email}), (SELECT email FROM accounts WHERE id = ${accountId})))
      OR (maker_id = ${accountId} AND maker_role <> 'operator'
        AND (enterprise_id = ${enterpriseId} OR member_id IN (SELECT id FROM members WHERE enterprise_id = ${enterpriseId})))`,
  )
}

/** For a person who is removed, suspended or gets another address. */
export const revokeOfPerson = (tx: Database, { id, accountId }: Owned): Promise<void> =>
  revoke(tx, accountId, sql`${resets(accountId)} OR person_id = ${id}`)

/** For an account that is no longer an operator. */
export async function revokeOfOperator(tx: Database, actor: string, accountId: string): Promise<void> {
  await revoke(
    tx,
    accountId,
    sql`${resets(accountId)} OR (maker_id = ${accountId} AND maker_role = 'operator')
      OR (kind = 'operator' AND email = (SELECT email FROM accounts WHERE id = ${accountId}))`,
  )
  await revokeTokens(tx, actor, accountId)
  await revokeShareLinks(tx, sql`maker_id = ${accountId}`)
}

/** For an account that somebody else may have used: revokes everything that it made. */
export async function revokeOfAccount(tx: Database, actor: string, accountId: string): Promise<void> {
  await revoke(tx, accountId, sql`${resets(accountId)} OR maker_id = ${accountId}`)
  await revokeTokens(tx, actor, accountId)
  await revokePersonalKeys(tx, actor, accountId)
  await revokeShareLinks(tx, sql`maker_id = ${accountId}`)
}

async function revokeShareLinks(tx: Database, which: SQL): Promise<void> {
  await tx.execute(sql`UPDATE share_links SET revoked_at = now() WHERE revoked_at IS NULL AND ${which}`)
}

/** A token made with another token belongs to the account that made the first one. */
async function revokeTokens(tx: Database, actor: string, accountId: string): Promise<void> {
  const revoked = await tx.execute(sql`
    UPDATE operator_tokens SET revoked_at = now() WHERE maker_id = ${accountId} AND revoked_at IS NULL RETURNING id, name`)
  for (const { id, name } of rowsOf<{ id: string; name: string }>(revoked))
    await recordChange(tx, { actor, action: 'revoke', kind: 'operator-token', id, before: { name }, after: null })
}

/** The keys of the account's person. */
async function revokePersonalKeys(tx: Database, actor: string, accountId: string): Promise<void> {
  const revoked = await tx.execute(sql`
    UPDATE personal_keys AS keys SET revoked_at = now() FROM people
    WHERE people.account_id = ${accountId} AND keys.person_id = people.id AND keys.revoked_at IS NULL
    RETURNING keys.id, keys.name, keys.person_id`)
  for (const { id, name, person_id: ownerId } of rowsOf<{ id: string; name: string; person_id: string }>(revoked))
    await recordChange(tx, {
      actor,
      action: 'revoke',
      kind: 'personal-key',
      id,
      before: { name },
      after: null,
      ownerId,
    })
}

/** For an operator token that is revoked. Tokens made with it stay, because tokens are rotated that way. */
export const revokeOfToken = (tx: Database, tokenId: string): Promise<void> =>
  revoke(tx, null, sql`maker_token_id = ${tokenId}`)
