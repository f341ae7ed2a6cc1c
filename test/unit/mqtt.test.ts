/** Parts of the MQTT listener: the body of a message, and what doctor and the configuration say of certificates. */
import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '../../src/config.ts'
import { mqttFindings } from '../../src/doctor/mqtt.ts'
import { bodyOf } from '../../src/ingest/mqtt/message.ts'
import { makeCertificates } from '../support/stores/certificates.ts'

const dir = mkdtempSync(join(tmpdir(), 'groundwave-mqtt-'))
const { good, otherName } = makeCertificates(dir)
afterAll(() => rmSync(dir, { recursive: true }))

const bodyOfText = (text: string): string => new TextDecoder().decode(bodyOf(new TextEncoder().encode(text)))

test('a single reading becomes a list of one, and everything else stays as it is', () => {
  const reading = { at: '2026-01-31T12:00:00Z', values: { 'a"}': 1, readings: 2 }, note: '}{"readings":' }
  for (const text of [JSON.stringify(reading), ` ${JSON.stringify(reading, undefined, 2)}\n`])
    expect(JSON.parse(bodyOfText(text))).toEqual({ readings: [reading] })
  for (const text of [
    '',
    '[]',
    '5',
    '{"readings":[]}',
    '{"device":"x", "readings" : [{}]}',
    '{}],"x":[{}',
    '{},{}',
    '{}]}',
    '{"a":"',
    '{"a":1',
    '{"a":"\\',
  ])
    expect(bodyOfText(text)).toBe(text)
})

test('doctor says when a certificate ends, and when keys cross the network without TLS', () => {
  const [cert, key] = [good.cert, good.key].map((path) => readFileSync(path, 'utf8')) as [string, string]
  const mqtt = { port: 8883, tls: { cert, key }, messagesPerMinute: 1, connectionsPerAddress: 1 }
  const stateAt = (days: number): unknown =>
    mqttFindings({ mqtt, host: '0.0.0.0' }, Date.now() + days * 86_400_000).map(({ state }) => state)
  // it is valid for five days from now
  expect([-30, -15, 0, 4, 6].map(stateAt)).toEqual([['problem'], ['problem'], ['warning'], ['warning'], ['problem']])
  const open = { ...mqtt, tls: undefined }
  expect(mqttFindings({ mqtt: open, host: '0.0.0.0' })[0]?.state).toBe('warning')
  expect(mqttFindings({ mqtt: open, host: '127.0.0.1' })[0]?.state).toBe('ok')
  expect(mqttFindings({ mqtt: undefined, host: '0.0.0.0' })[0]?.state).toBe('skipped')
})

test('the certificate and its key must be there, and fit', () => {
  const read = (cert: string, key: string) => () =>
    readConfig({ MQTT_PORT: '8883', MQTT_TLS_CERT: cert, MQTT_TLS_KEY: key })
  expect(read(good.cert, good.key)().mqtt?.tls?.cert).toContain('BEGIN CERTIFICATE')
  expect(read(good.cert, '')).toThrow('require each other')
  expect(read(good.cert, otherName.key)).toThrow('are no certificate and its private key')
  expect(read(join(dir, 'none.pem'), good.key)).toThrow('there is no such file')
})
