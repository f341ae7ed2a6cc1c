/** Keys: shown once, stored as SHA-256 and last four characters, compared in constant time. */
import { timingSafeEqual } from 'node:crypto'

export const KEY_PREFIXES = {
  sensor: 'svcsn_',
  public: 'svc_pk_',
  secret: 'svc_sk_',
  toolApi: 'svcapi_',
  personal: 'svcpa_',
  operator: 'svcop_',
  share: 'svcsh_',
  fleet: 'svcfl_',
} as const

/** A prefix and 256 random bits in base64url. */
export function makeKey(kind: keyof typeof KEY_PREFIXES): string {
  return KEY_PREFIXES[kind] + Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
}

/** Whether a text can be a public key: other texts are refused without a lookup. */
export const isPublicKey = (text: string): boolean => /^svc_pk_[\w-]{43}$/.test(text)

/** Whether a text can be an id of this kind: a prefix, and at most 60 letters and digits. */
export const isId = (text: string, prefix: 'sen' | 'tap'): boolean =>
  text.startsWith(`${prefix}_`) && /^[a-z]+_[0-9a-zA-Z]{1,60}$/.test(text)

export function sha256(text: string): Buffer {
  return new Bun.CryptoHasher('sha256').update(text).digest()
}

export function sha256Hex(text: string): string {
  return sha256(text).toString('hex')
}

export const lastFour = (key: string): string => key.slice(-4)

/** A new key that is shown once, and what is stored of it. */
export function newKey(kind: keyof typeof KEY_PREFIXES): {
  key: string
  digest: { keySha256: string; lastFour: string }
} {
  const key = makeKey(kind)
  return { key, digest: { keySha256: sha256Hex(key), lastFour: lastFour(key) } }
}

export function sameDigest(a: Buffer, b: Buffer): boolean {
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The token of an `Authorization: Bearer` header. */
export function bearerToken(headers: Pick<Headers, 'get'>): string | undefined {
  const value = headers.get('authorization')
  return value !== null && /^bearer /i.test(value) ? value.slice(7).trim() : undefined
}

/**
 * The token of an `Authorization` header as Bearer or Token, or the password of Basic: clients of other products can send
 * a key in one of these forms only.
 */
export function tokenOfAnyScheme(headers: Pick<Headers, 'get'>): string | undefined {
  const bearer = bearerToken(headers)
  if (bearer !== undefined) return bearer
  const [, scheme = '', sent = ''] = /^(token|basic) +(.*)$/is.exec(headers.get('authorization') ?? '') ?? []
  if (scheme === '') return undefined
  if (scheme.toLowerCase() !== 'basic') return sent.trim()
  const pair = Buffer.from(sent, 'base64').toString()
  const colon = pair.indexOf(':')
  return colon < 0 ? undefined : pair.slice(colon + 1)
}

/** Whether a request carries the key of a person, or a text with its prefix. */
export const sendsPersonalKey = (headers: Pick<Headers, 'get'>): boolean =>
  bearerToken(headers)?.startsWith(KEY_PREFIXES.personal) ?? false

/** Minimum time of an answer to a rejected key, in milliseconds. */
const REFUSAL_MS = 50

/**
 * Delays a 401 to its minimum time. The time must not reveal whether an id exists or a store was queried, and guessing
 * becomes slow.
 */
export async function delayRefusal(startedMs: number): Promise<void> {
  const restMs = startedMs + REFUSAL_MS - performance.now()
  if (restMs > 0) await Bun.sleep(restMs)
}
