/** Keys in the memory of gates: finds the key of a call, checks its expiry, and notes its use. */
import { sameDigest, sha256 } from './keys.ts'

/** `notedMs`: when its use was last noted, by any process. */
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
 * Finds the key that matches a call's token. An expired key opens nothing, like a key that does not exist.
 * @param note called once an hour for a key that is in use
 */
export function opensWith(
  keys: readonly GateKey[],
  token: string | undefined,
  nowMs: number,
  note: ((keyId: string, nowMs: number) => void) | undefined,
): GateKey | undefined {
  const digest = sha256(token ?? '')
  // the same work as with a key, so that the time does not differ
  if (keys.length === 0) sameDigest(digest, NO_DIGEST)
  let used: GateKey | undefined
  // compares all keys, so that the time does not reveal which one matches
  for (const key of keys) if (sameDigest(digest, key.digest)) used = key
  if (used === undefined || nowMs >= used.expiresMs) return undefined
  if (nowMs - used.notedMs >= NOTE_USE_MS) {
    used.notedMs = nowMs
    note?.(used.id, nowMs)
  }
  return used
}
