/**
 * The cookie of a session, in the form that better-auth writes: `<token>.<HMAC-SHA256 in base64>`, percent-encoded. A
 * forged cookie is recognized by its signature, without a lookup.
 */
import { randomBytes } from 'node:crypto'
import { sameDigest } from '../keys/keys.ts'

const SESSION_COOKIE = 'groundwave_session'
/** Cookie that identifies a browser in which somebody has signed in to an account. */
const DEVICE_COOKIE = 'groundwave_device'
export const SESSION_DAYS = 30
/** The longest lifetime of a cookie in browsers. */
const DEVICE_DAYS = 400
const NONCE = /^[\w-]{43}$/
const MAX_COOKIE_LENGTH = 200

const hmac = (secret: string, text: string): Buffer => new Bun.CryptoHasher('sha256', secret).update(text).digest()

/** 256 random bits. */
export const newSecretText = (): string => randomBytes(32).toString('base64url')

/** Browsers accept this prefix over TLS and from this host only, so that no other host of the domain can set the cookie. */
const nameOf = (name: string, isSecure: boolean): string => (isSecure ? `__Host-${name}` : name)
export const sessionCookieName = (isSecure: boolean): string => nameOf(SESSION_COOKIE, isSecure)

/** The part of a cookie before its last dot. @returns undefined without the cookie, and for a forged one */
function signedValue(headers: Headers, wanted: string, macOf: (text: string) => Buffer): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name !== wanted || value === undefined || value.length > MAX_COOKIE_LENGTH) continue
    const text = decoded(value)
    const dot = text.indexOf('.')
    if (dot < 1) return undefined
    const content = text.slice(0, dot)
    return sameDigest(Buffer.from(text.slice(dot + 1), 'base64'), macOf(content)) ? content : undefined
  }
  return undefined
}

/**
 * The token of the session that a request names. Cookies without TLS and cookies of earlier releases have the name
 * without a prefix.
 */
export function sessionTokenOf(headers: Headers, secret: string): string | undefined {
  const macOf = (token: string): Buffer => hmac(secret, token)
  return (
    signedValue(headers, nameOf(SESSION_COOKIE, true), macOf) ??
    signedValue(headers, nameOf(SESSION_COOKIE, false), macOf)
  )
}

const deviceMac = (secret: string, email: string, nonce: string): Buffer => hmac(secret, `device ${nonce} ${email}`)

/** The id of the browser, if somebody has signed in to the account in it before. */
export function deviceOf(headers: Headers, email: string, { secret, isSecure }: CookieOptions): string | undefined {
  const nonce = signedValue(headers, nameOf(DEVICE_COOKIE, isSecure), (text) => deviceMac(secret, email, text))
  return nonce !== undefined && NONCE.test(nonce) ? nonce : undefined
}

function decoded(value: string): string {
  try {
    return decodeURIComponent(value)
  } catch {
    // not percent-encoded, so this server did not write it
    return ''
  }
}

export type CookieOptions = { secret: string; isSecure: boolean }

const signed = (text: string, mac: Buffer): string => encodeURIComponent(`${text}.${mac.toString('base64')}`)

/** `Set-Cookie` for a session. */
export const sessionCookies = (token: string, { secret, isSecure }: CookieOptions): string[] =>
  inPlaceOfEarlier(signed(token, hmac(secret, token)), SESSION_DAYS, isSecure)

/** `Set-Cookie` that removes it. */
export const noSessionCookies = (isSecure: boolean): string[] => inPlaceOfEarlier('', 0, isSecure)

/** Removes the cookie that an earlier release set, which had no prefix. */
const inPlaceOfEarlier = (value: string, days: number, isSecure: boolean): string[] => [
  cookieText(nameOf(SESSION_COOKIE, isSecure), value, days, isSecure),
  ...(isSecure ? [cookieText(SESSION_COOKIE, '', 0, isSecure)] : []),
]

/** `Set-Cookie` for the browser in which somebody has signed in. */
export function deviceCookie(headers: Headers, email: string, options: CookieOptions): string {
  const nonce = deviceOf(headers, email, options) ?? newSecretText()
  const value = signed(nonce, deviceMac(options.secret, email, nonce))
  return cookieText(nameOf(DEVICE_COOKIE, options.isSecure), value, DEVICE_DAYS, options.isSecure)
}

const cookieText = (name: string, value: string, days: number, isSecure: boolean): string =>
  `${name}=${value}; Max-Age=${days * 86_400}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

/** The CSRF token, which the page sends with changes; other sites cannot read it. */
export const csrfTokenOf = (sessionId: string, secret: string): string =>
  hmac(secret, `csrf ${sessionId}`).toString('base64url')
