/**
 * Requests that change something and rely on a cookie must come from our own pages: another site can make a browser send
 * the cookie, but cannot read the token of the session.
 */

import { AppError } from '../../errors.ts'
import { fieldText } from '../../field-texts/field-text.ts'
import { sameDigest, sha256 } from '../keys/keys.ts'
import type { Session } from '../sessions/session.ts'

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a page of this server sent a request. Browsers send Sec-Fetch-Site over TLS and on localhost, and otherwise
 * Origin, for which a proxy must forward Host unchanged. Programs send neither.
 */
function isFromOwnPage(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  const origin = headers.get('origin')
  if (origin === null) return true
  return URL.canParse(origin) && new URL(origin).host === headers.get('host')
}

/**
 * The same check for requests that only read, which have no Origin: browsers that do not send Sec-Fetch-Site name the
 * page in Referer (the portal's policy allows it for this server).
 */
export function isLinkOfOwnPage(headers: Headers): boolean {
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin' || site === 'none'
  const referer = headers.get('referer')
  return referer !== null && URL.canParse(referer) && new URL(referer).host === headers.get('host')
}

/** To be called for requests that start a session too. @throws AppError CSRF_TOKEN_INVALID */
export function requireOwnPage(method: string, headers: Headers): void {
  if (!SAFE_METHODS.has(method) && !isFromOwnPage(headers))
    throw new AppError('CSRF_TOKEN_INVALID', { message: fieldText('otherSite') })
}

/** @throws AppError CSRF_TOKEN_INVALID */
export function requireCsrfToken(method: string, headers: Headers, session: Pick<Session, 'csrfToken'>): void {
  requireOwnPage(method, headers)
  if (SAFE_METHODS.has(method)) return
  if (!sameDigest(sha256(headers.get('x-csrf-token') ?? ''), sha256(session.csrfToken)))
    throw new AppError('CSRF_TOKEN_INVALID')
}
