/**
 * Calls with invalid keys: counted by address, and rejected before any lookup once an address has made too many in a
 * clock minute. Callers whose key is cached and valid are never delayed, even if others share their address.
 */
import { AppError, type Code } from '../errors.ts'
import { delayRefusal } from './keys.ts'

/** Who calls. The address is looked up only when it is needed. */
export type Peer = { headers: Headers; address(): string }
type Addressed = Pick<Peer, 'address'>
export type KeyKind = 'sensor-key' | 'application-key' | 'tool-api-key' | 'operator-token' | 'sign-in'

export type KeyFailures = {
  /** To be called before an unknown key is looked up. @throws AppError KEY_FAILURES_LIMITED */
  check(peer: Addressed): void
  /** Counts a failure, and throws the code after the time that every refusal takes. */
  refuse(kind: KeyKind, peer: Addressed, startedMs: number, code: Code): Promise<never>
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

  function keyOf(address: string): string {
    const thisMinute = Math.floor(now() / MINUTE_MS)
    if (thisMinute !== minute) {
      minute = thisMinute
      counts.clear()
    }
    return counts.has(address) || counts.size < MAX_ADDRESSES ? address : OTHERS
  }

  return {
    check(peer) {
      const count = counts.get(keyOf(peer.address())) ?? 0
      if (count < perMinute) return
      const retryAfterS = Math.max(1, Math.ceil(((minute + 1) * MINUTE_MS - now()) / 1000))
      throw new AppError('KEY_FAILURES_LIMITED', { retryAfterS })
    },
    async refuse(kind, peer, startedMs, code) {
      const address = peer.address()
      const key = keyOf(address)
      counts.set(key, (counts.get(key) ?? 0) + 1)
      onFailure(kind, address)
      await delayRefusal(startedMs)
      throw new AppError(code)
    },
  }
}
