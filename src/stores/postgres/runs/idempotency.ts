/** Idempotency keys: the first request with a key runs, later ones get its response. */
import { and, eq, isNull, lt, sql } from 'drizzle-orm'
import { IDEMPOTENCY_HOURS } from '../../../errors.ts'
import type { Database } from '../client.ts'
import { pack, unpack } from '../packed-text.ts'
import { idempotencyKeys } from '../schema.ts'

const oldest = sql`now() - interval '${sql.raw(String(IDEMPOTENCY_HOURS))} hours'`

/** The namespace of a caller's keys; only `keySpaceOf` creates one. */
export type KeySpace = string & { readonly space: unique symbol }
/** A key that a request claims, with the instance that works on the request. Each request has another `claimId`. */
export type KeyClaim = { keyPairId: KeySpace; route: string; key: string; instanceId: string; claimId: string }
export type StoredResponse = { status: number; headers: Record<string, string>; body: Uint8Array<ArrayBuffer> }
export type Claimed =
  | { state: 'first' }
  | { state: 'underWay' }
  | { state: 'otherRequest' }
  | { state: 'answered'; answer: StoredResponse }

/**
 * The same key of another caller, or of the same caller for another enterprise, is a different key.
 * @param callerId a key pair, an account, an operator token or a Tool API
 * @param ownerId the enterprise or person of the request; undefined for requests about the server
 */
export const keySpaceOf = (callerId: string, ownerId: string | undefined): KeySpace =>
  `${callerId} ${ownerId ?? 'server'}` as KeySpace

const where = ({ keyPairId, route, key }: KeyClaim) =>
  and(eq(idempotencyKeys.keyPairId, keyPairId), eq(idempotencyKeys.route, route), eq(idempotencyKeys.key, key))

const own = (claim: KeyClaim) => and(where(claim), eq(idempotencyKeys.claimId, claim.claimId))

/** @param requestSha256 SHA-256 of the whole request, in hex */
export async function claimKey(db: Database, claim: KeyClaim, requestSha256: string): Promise<Claimed> {
  const begun = { ...claim, requestSha256, status: null, headers: null, body: null, createdAt: sql`now()` }
  const [claimed] = await db
    .insert(idempotencyKeys)
    .values(begun)
    .onConflictDoUpdate({
      target: [idempotencyKeys.keyPairId, idempotencyKeys.route, idempotencyKeys.key],
      set: begun,
      setWhere: lt(idempotencyKeys.createdAt, oldest),
    })
    .returning({ key: idempotencyKeys.key })
  if (claimed !== undefined) return { state: 'first' }
  const [known] = await db.select().from(idempotencyKeys).where(where(claim))
  // released between the two statements: the retry will be the first request
  if (known === undefined) return { state: 'underWay' }
  if (known.requestSha256 !== requestSha256) return { state: 'otherRequest' }
  if (known.status === null) return { state: 'underWay' }
  const body = await unpack(known.body ?? '')
  return { state: 'answered', answer: { status: known.status, headers: known.headers ?? {}, body } }
}

/**
 * Stores the answer that repeated requests get. To be called in the transaction that stores the result of the request,
 * so that neither exists without the other.
 * @returns false if the key was released meanwhile: another process has taken its instance for lost
 */
export async function storeResponse(tx: Database, claim: KeyClaim, answer: StoredResponse): Promise<boolean> {
  const body = await pack(answer.body)
  const stored = await tx
    .update(idempotencyKeys)
    .set({ ...answer, body })
    .where(own(claim))
    .returning({ key: idempotencyKeys.key })
  return stored.length > 0
}

/** Releases the key of a request without an answer, so that it can be repeated. */
export async function releaseKey(db: Database, claim: KeyClaim): Promise<void> {
  await db.delete(idempotencyKeys).where(and(own(claim), isNull(idempotencyKeys.status)))
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
