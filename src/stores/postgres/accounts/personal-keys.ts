/** Personal API keys, which act for their person alone. */
import { and, asc, count, eq, isNull } from 'drizzle-orm'
import { invalidField } from '../../../errors.ts'
import { fieldText } from '../../../field-texts/field-text.ts'
import type { Database } from '../client.ts'
import { lockRecord } from '../record-lock.ts'
import { people, personalKeys } from '../schema.ts'
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
