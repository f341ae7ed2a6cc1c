/** Signatures of webhooks: Standard Webhooks 1.0.0, https://github.com/standard-webhooks/standard-webhooks. */
import { createHmac, createPrivateKey, generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'

const SECRET = 'whsec_'
const PRIVATE_KEY = 'whsk_'
const PUBLIC_KEY = 'whpk_'
const SECRET_BYTES = 32

export const newSecret = (): string => SECRET + randomBytes(SECRET_BYTES).toString('base64')

/** The private key is the seed and the public key, 64 bytes, as in libsodium. */
export function newKeyPair(): { privateKey: string; publicKey: string } {
  const { d = '', x = '' } = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]
  return {
    privateKey: PRIVATE_KEY + Buffer.concat([seed, point]).toString('base64'),
    publicKey: PUBLIC_KEY + point.toString('base64'),
  }
}

/** @throws RangeError for another prefix or length */
function bytesOf(text: string, prefix: string, least: number, most: number): Buffer {
  const bytes = Buffer.from(text.slice(prefix.length), 'base64')
  if (!text.startsWith(prefix) || bytes.length < least || bytes.length > most)
    throw new RangeError(`a key must start with ${prefix} and have ${least} to ${most} bytes in base64`)
  return bytes
}

function signingKey(privateKey: string): KeyObject {
  const bytes = bytesOf(privateKey, PRIVATE_KEY, 64, 64)
  const [d, x] = [bytes.subarray(0, 32), bytes.subarray(32)].map((half) => half.toString('base64url'))
  return createPrivateKey({ key: { kty: 'OKP', crv: 'Ed25519', d, x }, format: 'jwk' })
}

export type ToSign = {
  id: string
  /** Of the attempt. */
  at: Date
  body: Uint8Array
  /** The valid ones, the newest first. */
  secrets: readonly string[]
  privateKey: string
}

/**
 * The headers of an attempt.
 * @throws RangeError for an id with a full stop, which would let a body be moved into the id, and for a wrong key
 */
export function signedHeaders({ id, at, body, secrets, privateKey }: ToSign): Record<string, string> {
  if (!/^[\w-]+$/.test(id)) throw new RangeError('the id of a webhook must have letters, digits, _ and - only')
  const timestamp = String(Math.floor(at.getTime() / 1000))
  const content = Buffer.concat([Buffer.from(`${id}.${timestamp}.`), body])
  const signatures = [
    ...secrets.map(
      (secret) =>
        `v1,${createHmac('sha256', bytesOf(secret, SECRET, 24, 64))
          .update(content)
          .digest('base64')}`,
    ),
    `v1a,${sign(null, content, signingKey(privateKey)).toString('base64')}`,
  ]
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') }
}
