/** Signatures, verified by the library of Standard Webhooks and by OpenSSL's primitives. */
import { describe, expect, test } from 'bun:test'
import { createPublicKey, verify } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { newKeyPair, newSecret, signedHeaders } from '../../../src/destinations/signature.ts'

const body = new TextEncoder().encode('{"type":"alert.firing","data":{"sensorName":"عدّاد 7 🌊"}}')
const { privateKey, publicKey } = newKeyPair()
const signed = (secrets: readonly string[], at = new Date()) =>
  signedHeaders({ id: 'evt_01', at, body, secrets, privateKey })

/** A public key in the form of RFC 8410. */
function publicKeyOf(text: string) {
  const prefix = Buffer.from('302a300506032b6570032100', 'hex')
  const raw = Buffer.from(text.replace('whpk_', ''), 'base64')
  return createPublicKey({ key: Buffer.concat([prefix, raw]), format: 'der', type: 'spki' })
}

describe('with a secret', () => {
  const secret = newSecret()

  test('the library accepts the body, and no changed one', () => {
    const headers = signed([secret])
    const text = new TextDecoder().decode(body)
    expect(new Webhook(secret).verify(text, headers)).toEqual(JSON.parse(text))
    expect(() => new Webhook(secret).verify(`${text} `, headers)).toThrow()
    expect(() => new Webhook(secret).verify(text, { ...headers, 'webhook-id': 'evt_02' })).toThrow()
    expect(() => new Webhook(newSecret()).verify(text, headers)).toThrow()
  })

  test('while a secret is being replaced, both are accepted', () => {
    const newer = newSecret()
    const headers = signed([newer, secret])
    const text = new TextDecoder().decode(body)
    for (const one of [newer, secret]) expect(new Webhook(one).verify(text, headers)).toEqual(JSON.parse(text))
    expect(headers['webhook-signature']?.split(' ').map((one) => one.split(',')[0])).toEqual(['v1', 'v1', 'v1a'])
  })

  test('the timestamp is that of the attempt, in whole seconds', () => {
    expect(signed([secret], new Date('2026-03-01T12:00:00.999Z'))['webhook-timestamp']).toBe('1772366400')
    const old = signed([secret], new Date(Date.now() - 600_000))
    expect(() => new Webhook(secret).verify(new TextDecoder().decode(body), old)).toThrow()
  })

  test('secrets are random, of 32 bytes', () => {
    expect(newSecret()).not.toBe(newSecret())
    expect(Buffer.from(secret.replace('whsec_', ''), 'base64').length).toBe(32)
  })
})

test('the example of the specification has its two signatures', () => {
  // the ed25519 signature stands in the specification, the other one in the tests of Svix, which have the keys and the body
  const headers = signedHeaders({
    id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
    at: new Date(1_614_265_330_000),
    body: new TextEncoder().encode('{"test": 2432232314}'),
    secrets: ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
    privateKey: 'whsk_6Xb/dCcHpPea21PS1N9VY/NZW723CEc77N4rJCubMbfVKIDij2HKpMKkioLlX0dRqSKJp4AJ6p9lMicMFs6Kvg==',
  })
  expect(headers['webhook-signature']).toBe(
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE= v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5BdqzCInXqYXFymVJaA7AZdpXwVLPo3mNl8EM+m7TBAg==',
  )
})

test('the public key verifies the second kind of signature', () => {
  const headers = signed([])
  const [version, signature = ''] = headers['webhook-signature']!.split(',')
  expect(version).toBe('v1a')
  const content = Buffer.concat([Buffer.from(`evt_01.${headers['webhook-timestamp']}.`), body])
  const bytes = Buffer.from(signature, 'base64')
  expect(verify(null, content, publicKeyOf(publicKey), bytes)).toBe(true)
  expect(verify(null, Buffer.concat([content, Buffer.from(' ')]), publicKeyOf(publicKey), bytes)).toBe(false)
  expect(verify(null, content, publicKeyOf(newKeyPair().publicKey), bytes)).toBe(false)
  expect(Buffer.from(privateKey.replace('whsk_', ''), 'base64').length).toBe(64)
})

test('wrong keys, and ids that could take a part of the body, are refused', () => {
  const sign =
    (id: string, secret: string, key = privateKey) =>
    () =>
      signedHeaders({ id, at: new Date(), body, secrets: [secret], privateKey: key })
  expect(sign('evt.1', newSecret())).toThrow('letters, digits')
  expect(sign('evt_1\r\nx: y', newSecret())).toThrow('letters, digits')
  expect(sign('evt_1', 'whsec_c2hvcnQ=')).toThrow('24 to 64 bytes')
  expect(sign('evt_1', newSecret().replace('whsec_', ''))).toThrow('must start with whsec_')
  expect(sign('evt_1', newSecret(), publicKey)).toThrow('must start with whsk_')
})
