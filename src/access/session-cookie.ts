/**
 * The cookie of a session, in the form that better-auth writes: `<token>.<HMAC-SHA256 in base64>`, percent-encoded. A
 * cookie that was made up is recognized by its signature, without a lookup.
 */
import { randomBytes } from 'node:crypto'
import { sameDigest } from './keys.ts'

export const SESSION_COOKIE = 'groundwave_session'
export const SESSION_DAYS = 30
const MAX_COOKIE_LENGTH = 200

const hmac = (secret: string, text: string): Buffer => new Bun.CryptoHasher('sha256', secret).update(text).digest()

/** 256 random bits. */
export const newSecretText = (): string => randomBytes(32).toString('base64url')

/** The token of the session that a request names. @returns undefined without a cookie, and for a forged one */
export function sessionTokenOf(headers: Headers, secret: string): string | undefined {
  for (const part of (headers.get('cookie') ?? '').split(';')) {
    const [name, value] = part.trim().split('=', 2)
    if (name !== SESSION_COOKIE || value === undefined || value.length > MAX_COOKIE_LENGTH) continue
    const text = decoded(value)
    const dot = text.indexOf('.')
    if (dot < 1) return undefined
    const token = text.slice(0, dot)
    return sameDigest(Buffer.from(text.slice(dot + 1), 'base64'), hmac(secret, token)) ? token : undefined
  }
  return undefined
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

/** `Set-Cookie` for a session. */
export function sessionCookie(token: string, { secret, isSecure }: CookieOptions): string {
  const value = encodeURIComponent(`${token}.${hmac(secret, token).toString('base64')}`)
  return cookieText(value, SESSION_DAYS * 86_400, isSecure)
}

/** `Set-Cookie` that removes it. */
export const noSessionCookie = (isSecure: boolean): string => cookieText('', 0, isSecure)

const cookieText = (value: string, maxAgeS: number, isSecure: boolean): string =>
  `${SESSION_COOKIE}=${value}; Max-Age=${maxAgeS}; Path=/; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`

/** What the page has to send with changes; other sites cannot read it. */
export const csrfTokenOf = (sessionId: string, secret: string): string =>
  hmac(secret, `csrf ${sessionId}`).toString('base64url')
