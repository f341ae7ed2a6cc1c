/** Idempotency keys: who is first with one runs, whoever comes later gets the first one's answer. */
import { and, eq, lt, sql } from 'drizzle-orm'
import type { Database } from './client.ts'
import { idempotencyKeys } from './schema.ts'

export const REMEMBERED_HOURS = 24
const oldest = sql`now() - interval '${sql.raw(String(REMEMBERED_HOURS))} hours'`

export type IdempotencyKey = { keyPairId: string; route: string; key: string }
export type StoredResponse = { status: number; headers: Record<string, string>; body: string }
export type Claim =
  | { state: 'first' }
  | { state: 'underWay' }
  | { state: 'otherRequest' }
  | { state: 'answered'; answer: StoredResponse }

const where = ({ keyPairId, route, key }: IdempotencyKey) =>
  and(eq(idempotencyKeys.keyPairId, keyPairId), eq(idempotencyKeys.route, route), eq(idempotencyKeys.key, key))

/** @param requestSha256 of the whole request in hex */
export async function claimKey(
  db: Database,
  key: IdempotencyKey,
  requestSha256: string,
  instanceId: string,
): Promise<Claim> {
  await db.delete(idempotencyKeys).where(and(where(key), lt(idempotencyKeys.createdAt, oldest)))
  const [claimed] = await db
    .insert(idempotencyKeys)
    .values({ ...key, requestSha256, instanceId })
    .onConflictDoNothing()
    .returning({ key: idempotencyKeys.key })
  if (claimed !== undefined) return { state: 'first' }
  const [known] = await db.select().from(idempotencyKeys).where(where(key))
  // given back between the two statements: whoever comes again will be first
  if (known === undefined) return { state: 'underWay' }
  if (known.requestSha256 !== requestSha256) return { state: 'otherRequest' }
  if (known.status === null) return { state: 'underWay' }
  return { state: 'answered', answer: { status: known.status, headers: known.headers ?? {}, body: known.body ?? '' } }
}

export async function storeResponse(db: Database, key: IdempotencyKey, answer: StoredResponse): Promise<void> {
  await db.update(idempotencyKeys).set(answer).where(where(key))
}

/** For a call that did no work, so that it may come again. */
export async function releaseKey(db: Database, key: IdempotencyKey): Promise<void> {
  await db.delete(idempotencyKeys).where(where(key))
}

/** Gives back what this process held when it was cut off, and forgets what is out of date. */
export async function deleteExpiredKeys(db: Database, instanceId: string | undefined): Promise<void> {
  if (instanceId !== undefined)
    await db
      .delete(idempotencyKeys)
      .where(and(eq(idempotencyKeys.instanceId, instanceId), sql`${idempotencyKeys.status} IS NULL`))
  await db.delete(idempotencyKeys).where(lt(idempotencyKeys.createdAt, oldest))
}
