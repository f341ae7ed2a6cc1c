/** Personal API keys, which act for their person alone. */
import { and, asc, count, eq, isNull, sql } from 'drizzle-orm'
import { invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { lockRecord } from '../record-lock.ts'
import { rowsOf } from '../rows.ts'
import { people, personalKeys } from '../schema.ts'
import { recordChange } from './audit.ts'
import { type IssuedKey, insertKey, type KeyDigest, type KeyInput, keyColumnsOf, revokeKey } from './issued-keys.ts'
import { findOwner } from './owners.ts'
import { getPerson } from './people.ts'

const MAX_KEYS = 20
const notRevoked = (personId: string) => and(eq(personalKeys.personId, personId), isNull(personalKeys.revokedAt))

/** @throws AppError NOT_FOUND, VALIDATION_FAILED for one key too many */
export async function addPersonalKey(
  db: Database,
  actor: string,
  personId: string,
  digest: KeyDigest,
  input: KeyInput,
): Promise<IssuedKey> {
  return db.transaction(async (tx) => {
    // serializes new keys of a person
    await lockRecord(tx, 'person', personId)
    await getPerson(tx, personId)
    const [existing] = await tx.select({ keys: count() }).from(personalKeys).where(notRevoked(personId))
    if ((existing?.keys ?? 0) >= MAX_KEYS)
      throw invalidField('body', 'maxItems', fieldText('keysAtMost', { most: MAX_KEYS }))
    return insertKey(tx, 'personal-key', actor, { id: personId, ownerId: personId }, digest, input)
  })
}

/** The keys of a person that are not revoked, the oldest first. @throws AppError NOT_FOUND */
export async function listPersonalKeys(db: Database, personId: string): Promise<IssuedKey[]> {
  await getPerson(db, personId)
  return db
    .select(keyColumnsOf('personal-key'))
    .from(personalKeys)
    .where(notRevoked(personId))
    .orderBy(asc(personalKeys.id))
}

/** @throws AppError NOT_FOUND */
export const revokePersonalKey = (db: Database, actor: string, personId: string, keyId: string): Promise<void> =>
  db.transaction((tx) => revokeKey(tx, 'personal-key', actor, { id: personId, ownerId: personId }, keyId))

/** For an account that somebody else may have used: revokes the keys of its person. */
export async function revokePersonalKeys(tx: Database, actor: string, accountId: string): Promise<void> {
  const revoked = await tx.execute(sql`
    UPDATE personal_keys SET revoked_at = now() FROM people
    WHERE people.account_id = ${accountId} AND person_id = people.id AND revoked_at IS NULL
    RETURNING personal_keys.id, personal_keys.name, person_id`)
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

/** The key that is not revoked, and its person. */
export async function findPersonalKey(db: Database, keySha256: string) {
  const { id, expiresAt, lastUsedAt, personId } = personalKeys
  const { email, accountId } = people
  const [found] = await db
    .select({ key: { id, keySha256: personalKeys.keySha256, expiresAt, lastUsedAt }, personId, email, accountId })
    .from(personalKeys)
    .innerJoin(people, eq(people.id, personId))
    .where(and(eq(personalKeys.keySha256, keySha256), isNull(personalKeys.revokedAt)))
  const owner = found && (await findOwner(db, found.personId))
  return owner && { ...found, owner }
}
