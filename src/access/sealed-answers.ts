/**
 * Answers that are kept for repeated requests although they contain a key that is shown once. They are encrypted with
 * the `Idempotency-Key` of the request, of which only a digest is stored, and the server's secret: the database alone
 * does not open them, and neither does the server without a caller who repeats the request.
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

export type Seal = {
  /** The name under which the answer is stored. */
  name: string
  /** A digest of the request from which its password cannot be guessed. */
  digest(text: string): string
  close(text: Uint8Array): Uint8Array<ArrayBuffer>
  /** @throws Error when the stored content was changed */
  open(sealed: Uint8Array): Uint8Array<ArrayBuffer>
}

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const IV_BYTES = 12
const TAG_BYTES = 16

/** @param place where the key is used: the same key in another place is a different key */
export function sealFor(idempotencyKey: string, place: string, secret: string): Seal {
  const derived = Buffer.from(hkdfSync('sha256', idempotencyKey, secret, `groundwave answers ${place}`, 3 * KEY_BYTES))
  const [name, digestKey, key] = [0, 1, 2].map((i) => derived.subarray(i * KEY_BYTES, (i + 1) * KEY_BYTES)) as [
    Buffer,
    Buffer,
    Buffer,
  ]
  return {
    name: name.toString('hex'),
    digest: (text) => new Bun.CryptoHasher('sha256', digestKey).update(text).digest('hex'),
    close(text) {
      const iv = randomBytes(IV_BYTES)
      const cipher = createCipheriv(CIPHER, key, iv)
      const sealed = Buffer.concat([iv, cipher.update(text), cipher.final(), cipher.getAuthTag()])
      return Buffer.from(sealed.toString('base64'))
    },
    open(sealed) {
      const bytes = Buffer.from(Buffer.from(sealed).toString(), 'base64')
      const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, IV_BYTES))
      decipher.setAuthTag(bytes.subarray(-TAG_BYTES))
      const text = [decipher.update(bytes.subarray(IV_BYTES, -TAG_BYTES)), decipher.final()]
      return new Uint8Array(Buffer.concat(text))
    },
  }
}
