/**
 * Calls with invalid keys: counted by kind of key and address, and refused with another code once an address has made
 * too many in a clock minute. A key is looked up first, so a valid key is never refused because of failures of others
 * at its address; behind an untrusted proxy, everybody shares one address.
 */
import { AppError, type Code } from '../../errors.ts'
import { delayRefusal } from './keys.ts'

/** The caller. The address is computed only when it is needed. */
export type Peer = { headers: Headers; address(): string }
export type KeyKind =
  | 'sensor-key'
  | 'fleet-key'
  | 'application-key'
  | 'tool-api-key'
  | 'personal-key'
  | 'operator-token'
  | 'sign-in'
  | 'share-link'

export type KeyFailures = {
  /** Counts a failure, and throws the code after the fixed time of a refusal, or KEY_FAILURES_LIMITED. */
  refuse(kind: KeyKind, peer: Pick<Peer, 'address'>, startedMs: number, code: Code): Promise<never>
}

export type KeyFailuresOptions = {
  perMinute: number
  onFailure(kind: KeyKind, address: string): void
  now?: () => number
}

const MINUTE_MS = 60_000
/** Further addresses of a minute share one count. */
const MAX_ADDRESSES = 50_000
const OTHERS = 'others'

export function createKeyFailures({ perMinute, onFailure, now = Date.now }: KeyFailuresOptions): KeyFailures {
  let minute = 0
  const counts = new Map<string, number>()

  function keyOf(kind: KeyKind, address: string): string {
    const thisMinute = Math.floor(now() / MINUTE_MS)
    if (thisMinute !== minute) {
      minute = thisMinute
      counts.clear()
    }
    const key = `${kind} ${address}`
    return counts.has(key) || counts.size < MAX_ADDRESSES ? key : `${kind} ${OTHERS}`
  }

  return {
    async refuse(kind, peer, startedMs, code) {
      const address = peer.address()
      const key = keyOf(kind, address)
      const count = counts.get(key) ?? 0
      if (count >= perMinute) {
        const retryAfterS = Math.max(1, Math.ceil(((minute + 1) * MINUTE_MS - now()) / 1000))
        throw new AppError('KEY_FAILURES_LIMITED', { retryAfterS })
      }
      counts.set(key, count + 1)
      onFailure(kind, address)
      await delayRefusal(startedMs)
      throw new AppError(code)
    },
  }
}
