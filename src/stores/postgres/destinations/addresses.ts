/** Addresses of destinations that send mails: who confirmed, and who left (sql/postgres/0052-mails.sql). */
import { sql } from 'drizzle-orm'
import { recordChange } from '../accounts/audit.ts'
import type { Database } from '../client.ts'
import { newId } from '../ids.ts'
import { rowsOf } from '../rows.ts'
import { lockDestination } from './destination-health.ts'

/** `unreachable`: not confirmed, and the mail with the newest link could not be sent. */
export const ADDRESS_STATES = ['unconfirmed', 'unreachable', 'confirmed', 'unsubscribed'] as const
export type Address = { email: string; state: (typeof ADDRESS_STATES)[number] }
export const LANGUAGES = ['en', 'ar'] as const
export type Language = (typeof LANGUAGES)[number]
/** An address with its destination, as its own pages show it. */
export type OwnAddress = Address & { destinationId: string; destinationName: string; language: Language }

/** Of destinations of an enterprise, by the id of the destination, in the order in which they were added. */
export async function addressesOf(db: Database, destinationIds: readonly string[]): Promise<Map<string, Address[]>> {
  const rows = rowsOf<Address & { id: string }>(
    await db.execute(sql`SELECT destination_id AS id, email,
        CASE WHEN state = 'unconfirmed' AND first_failed_at IS NOT NULL THEN 'unreachable' ELSE state END AS state
      FROM destination_addresses
      WHERE destination_id = ANY(${sql.param([...destinationIds])}::text[]) ORDER BY id, destination_addresses.id`),
  )
  const found = Map.groupBy(rows, ({ id }) => id)
  return new Map(destinationIds.map((id) => [id, (found.get(id) ?? []).map(({ email, state }) => ({ email, state }))]))
}

/**
 * Makes these the addresses of the destination. Members who can sign in are confirmed at once; but an address that left
 * must confirm, and is kept when it is no longer among them.
 */
export async function setAddresses(
  tx: Database,
  { id, enterpriseId }: { id: string; enterpriseId: string },
  emails: readonly string[],
): Promise<void> {
  const given = sql`${sql.param([...emails])}::text[]`
  await tx.execute(sql`UPDATE deliveries SET status = 'failed', failure = 'removed', next_attempt_at = NULL
    WHERE destination_id = ${id} AND status = 'pending' AND recipient IS NOT NULL AND recipient <> ALL(${given})`)
  await tx.execute(sql`DELETE FROM destination_addresses
    WHERE destination_id = ${id} AND state <> 'unsubscribed' AND email <> ALL(${given})`)
  const ids = sql`${sql.param(emails.map(() => newId('adr')))}::text[]`
  await tx.execute(sql`
    INSERT INTO destination_addresses (id, destination_id, enterprise_id, email, state)
    SELECT given.id, ${id}, ${enterpriseId}, given.email, CASE WHEN EXISTS (
      SELECT FROM members m WHERE m.enterprise_id = ${enterpriseId} AND lower(m.email) = given.email AND m.account_id IS NOT NULL
    ) THEN 'confirmed' ELSE 'unconfirmed' END
    FROM unnest(${ids}, ${given}) AS given (id, email)
    ON CONFLICT (destination_id, email) DO UPDATE SET state = 'unconfirmed', first_failed_at = NULL
    WHERE destination_addresses.state = 'unsubscribed'`)
}

const CONFIRM_WITHIN = sql`interval '7 days'`

/** Only the newest link of an address works. */
export async function setConfirmation(tx: Database, id: string, email: string, tokenSha256: string): Promise<void> {
  await tx.execute(sql`UPDATE destination_addresses
    SET token_sha256 = ${tokenSha256}, token_expires_at = now() + ${CONFIRM_WITHIN}, first_failed_at = NULL
    WHERE destination_id = ${id} AND email = ${email} AND state = 'unconfirmed'`)
}

/** The mail with this link could not be sent. */
export async function noteUnreachable(db: Database, tokenSha256: string): Promise<void> {
  await db.execute(sql`UPDATE destination_addresses SET first_failed_at = now()
    WHERE token_sha256 = ${tokenSha256} AND state = 'unconfirmed'`)
}

const OWN = sql`SELECT a.email, a.state, a.destination_id AS "destinationId", d.name AS "destinationName", d.language
  FROM destination_addresses a JOIN destinations d ON d.id = a.destination_id`

/** @returns undefined for a link that has expired or is unknown */
export async function addressToConfirm(db: Database, tokenSha256: string): Promise<OwnAddress | undefined> {
  const [found] = rowsOf<OwnAddress>(
    await db.execute(sql`${OWN} WHERE a.token_sha256 = ${tokenSha256} AND a.token_expires_at > now()`),
  )
  return found
}

export async function findAddress(db: Database, id: string): Promise<OwnAddress | undefined> {
  const [found] = rowsOf<OwnAddress>(await db.execute(sql`${OWN} WHERE a.id = ${id}`))
  return found
}

/** A link can be used again until it expires, but not after the address has left. */
export function confirmAddress(db: Database, tokenSha256: string): Promise<OwnAddress | undefined> {
  return db.transaction(async (tx) => {
    const changed = await tx.execute(sql`UPDATE destination_addresses SET state = 'confirmed', first_failed_at = NULL
      WHERE token_sha256 = ${tokenSha256} AND token_expires_at > now() AND state = 'unconfirmed'
      RETURNING destination_id AS id, enterprise_id AS "enterpriseId", email`)
    await recordState(tx, rowsOf<Changed>(changed)[0], 'unconfirmed', 'confirmed')
    return addressToConfirm(tx, tokenSha256)
  })
}

/** What has not been sent is sent no more. Does nothing for an address that has left, or is gone. */
export function unsubscribeAddress(db: Database, addressId: string): Promise<void> {
  return db.transaction(async (tx) => {
    const known = await findAddress(tx, addressId)
    if (known === undefined) return
    await lockDestination(tx, known.destinationId)
    const changed = await tx.execute(sql`UPDATE destination_addresses
      SET state = 'unsubscribed', token_sha256 = NULL, token_expires_at = NULL
      WHERE id = ${addressId} AND state <> 'unsubscribed'
      RETURNING destination_id AS id, enterprise_id AS "enterpriseId", email`)
    const [address] = rowsOf<Changed>(changed)
    if (address === undefined) return
    await tx.execute(sql`UPDATE deliveries SET status = 'failed', failure = 'unsubscribed', next_attempt_at = NULL
      WHERE destination_id = ${address.id} AND recipient = ${address.email} AND status = 'pending'`)
    await recordState(tx, address, known.state, 'unsubscribed')
  })
}

type Changed = { id: string; enterpriseId: string; email: string }

async function recordState(
  tx: Database,
  address: Changed | undefined,
  before: Address['state'],
  after: Address['state'],
): Promise<void> {
  if (address === undefined) return
  const { id, enterpriseId, email } = address
  await recordChange(tx, {
    actor: 'system',
    action: 'update',
    kind: 'destination',
    id,
    before: { enterpriseId, email, state: before },
    after: { enterpriseId, email, state: after },
  })
}
