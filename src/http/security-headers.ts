/** Headers of every answer: it is data, and a browser must not guess its type, run it or show it in a frame. */
const SECURITY_HEADERS = [
  ['x-content-type-options', 'nosniff'],
  ['x-frame-options', 'DENY'],
  ['referrer-policy', 'no-referrer'],
] as const
const POLICY = 'content-security-policy'
const NO_PAGE = "default-src 'none'; frame-ancestors 'none'"

/** Keeps the policy of an answer that is a page. */
export function addSecurityHeaders(headers: Headers): void {
  // answers of `respond` have them already
  if (headers.has(SECURITY_HEADERS[0][0])) return
  for (const [name, value] of SECURITY_HEADERS) headers.set(name, value)
  if (!headers.has(POLICY)) headers.set(POLICY, NO_PAGE)
}
