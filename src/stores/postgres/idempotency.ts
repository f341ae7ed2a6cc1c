/** Idempotency keys: the first request with a key runs, later ones get its response. */
import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { pack, unpack } from './packed-text.ts'
import { idempotencyKeys } from './schema.ts'

export const REMEMBERED_HOURS = 24
const oldest = sql`now() - interval '${sql.raw(String(REMEMBERED_HOURS))} hours'`

/** Whose keys they are; `keySpaceOf` alone makes one. */
export type KeySpace = string & { readonly space: unique symbol }
/** With the instance that works on the request. */
export type IdempotencyKey = { keyPairId: KeySpace; route: string; key: string; instanceId: string }
export type StoredResponse = { status: number; headers: Record<string, string>; body: Uint8Array }
export type Claim =
  | { state: 'first' }
  | { state: 'underWay' }
  | { state: 'otherRequest' }
  | { state: 'answered'; answer: StoredResponse }

/**
 * The same key of another caller, or of one caller for another enterprise, is another key.
 * @param callerId a key pair, an account or an operator token
 * @param ownerId the enterprise or person that the request is about; undefined for requests about the server
 */
export const keySpaceOf = (callerId: string, ownerId: string | undefined): KeySpace =>
  `${callerId} ${ownerId ?? 'server'}` as KeySpace

const where = ({ keyPairId, route, key }: IdempotencyKey) =>
  and(eq(idempotencyKeys.keyPairId, keyPairId), eq(idempotencyKeys.route, route), eq(idempotencyKeys.key, key))

const held = (key: IdempotencyKey) =>
  and(where(key), eq(idempotencyKeys.instanceId, key.instanceId), isNull(idempotencyKeys.status))

/** @param requestSha256 SHA-256 of the whole request, in hex */
export async function claimKey(db: Database, key: IdempotencyKey, requestSha256: string): Promise<Claim> {
  await db.delete(idempotencyKeys).where(and(where(key), lt(idempotencyKeys.createdAt, oldest)))
  const [claimed] = await db
    .insert(idempotencyKeys)
    .values({ ...key, requestSha256 })
    .onConflictDoNothing()
    .returning({ key: idempotencyKeys.key })
  if (claimed !== undefined) return { state: 'first' }
  const [known] = await db.select().from(idempotencyKeys).where(where(key))
  // released between the two statements: the retry will be the first request
  if (known === undefined) return { state: 'underWay' }
  if (known.requestSha256 !== requestSha256) return { state: 'otherRequest' }
  if (known.status === null) return { state: 'underWay' }
  const body = await unpack(known.body ?? '')
  return { state: 'answered', answer: { status: known.status, headers: known.headers ?? {}, body } }
}

/**
 * Stores the answer that repeated requests get. In the transaction that stores what the request has done, so that neither
 * is there without the other.
 * @returns false if the key was released meanwhile: another process has taken its instance for lost
 */
export async function storeResponse(tx: Database, key: IdempotencyKey, answer: StoredResponse): Promise<boolean> {
  const body = await pack(answer.body)
  const stored = await tx
    .update(idempotencyKeys)
    .set({ ...answer, body })
    .where(held(key))
    .returning({ key: idempotencyKeys.key })
  return stored.length > 0
}

/** Releases the key of a request that did no work, so that it can be repeated. */
export async function releaseKey(db: Database, key: IdempotencyKey): Promise<void> {
  await db.delete(idempotencyKeys).where(held(key))
}

/** Releases keys that an instance held when it was interrupted. */
export async function releaseKeys(db: Database, instanceId: string): Promise<void> {
  await db
    .delete(idempotencyKeys)
    .where(and(eq(idempotencyKeys.instanceId, instanceId), isNull(idempotencyKeys.status)))
}

export async function deleteExpiredKeys(db: Database): Promise<void> {
  await db.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, oldest))
}
