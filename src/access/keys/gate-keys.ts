/** Keys as gates hold them in memory: which one a call carries, whether it is still valid, and when it was last used. */
import { sameDigest, sha256 } from './keys.ts'

/** `notedMs`: when its use was last noted, also by an earlier process. */
export type GateKey = { id: string; digest: Buffer; expiresMs: number; notedMs: number }

/** A key as the database has it. */
export type StoredKey = { id: string; keySha256: string; expiresAt: Date | null; lastUsedAt: Date | null }

export const gateKeyOf = ({ id, keySha256, expiresAt, lastUsedAt }: StoredKey): GateKey => ({
  id,
  digest: Buffer.from(keySha256, 'hex'),
  expiresMs: expiresAt?.getTime() ?? Number.POSITIVE_INFINITY,
  notedMs: lastUsedAt?.getTime() ?? 0,
})

/** Callers use their keys all the time, and each note is a write to the database. */
const NOTE_USE_MS = 3_600_000
const NO_DIGEST = sha256('')

/**
 * The one of the keys that is the token of a call. An expired key opens nothing, like a key that does not exist.
 * @param note called once an hour for a key that is in use
 */
export function opensWith(
  keys: readonly GateKey[],
  token: string | undefined,
  nowMs: number,
  note: ((keyId: string, nowMs: number) => void) | undefined,
): GateKey | undefined {
  const digest = sha256(token ?? '')
  // the same work as with a key
  if (keys.length === 0) sameDigest(digest, NO_DIGEST)
  let used: GateKey | undefined
  // all of them, so that the time does not tell which one is right
  for (const key of keys) if (sameDigest(digest, key.digest)) used = key
  if (used === undefined || nowMs >= used.expiresMs) return undefined
  if (nowMs - used.notedMs >= NOTE_USE_MS) {
    used.notedMs = nowMs
    note?.(used.id, nowMs)
  }
  return used
}
