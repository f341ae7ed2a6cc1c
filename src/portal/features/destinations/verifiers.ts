/** Lines of a receiver that check a signature of Standard Webhooks, without a library. */
import type { Snippet } from '../../ui/snippets.ts'

const python = (secret: string): string => `import base64, hashlib, hmac, time

SECRET = "${secret}"


def is_ours(headers, body: bytes) -> bool:
    """headers: of the request; body: its bytes as they arrived"""
    event_id, at = headers["webhook-id"], headers["webhook-timestamp"]
    if abs(time.time() - int(at)) > 300:
        return False
    key = base64.b64decode(SECRET.removeprefix("whsec_"))
    mac = hmac.new(key, f"{event_id}.{at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(mac)
    signatures = headers["webhook-signature"].encode().split()
    return any(hmac.compare_digest(one, expected) for one in signatures)`

const javaScript = (secret: string): string => `import { createHmac, timingSafeEqual } from 'node:crypto'

const SECRET = '${secret}'

/** headers: of the request, with names in lower case; body: its bytes as they arrived */
export function isOurs(headers, body) {
  const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signatures } = headers
  if (Math.abs(Date.now() / 1000 - Number(at)) > 300) return false
  const key = Buffer.from(SECRET.slice('whsec_'.length), 'base64')
  const mac = createHmac('sha256', key).update(\`\${id}.\${at}.\`).update(body).digest('base64')
  const expected = Buffer.from(\`v1,\${mac}\`)
  return signatures.split(' ').some((one) => {
    const given = Buffer.from(one)
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}`

export const verifiers = (secret: string): Snippet[] => [
  { language: 'Python', code: python(secret) },
  { language: 'JavaScript', code: javaScript(secret) },
]
