/** Throttling of calls with invalid keys, and the address of a call. */
import { expect, test } from 'bun:test'
import { createKeyFailures, type KeyKind, type Peer } from '../../../src/access/keys/key-failures.ts'
import { makeKey, sha256 } from '../../../src/access/keys/keys.ts'
import { createOperatorGate } from '../../../src/access/operator.ts'
import { createOrganizationGate } from '../../../src/access/organization.ts'
import { createSensorGate } from '../../../src/access/sensor-gate.ts'
import { addressOf } from '../../../src/http/address.ts'
import { requestContextOf } from '../../../src/http/request-context.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import { countingDatabase } from '../../support/stores/counting-database.ts'

const peer = (address: string, token = 'wrong'): Peer => ({
  headers: new Headers({ authorization: `Bearer ${token}` }),
  address: () => address,
})
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'admitted',
    (error: { code: string; retryAfterS?: number }) => error.code,
  )

test('an address with too many invalid keys waits for the next minute, other addresses do not', async () => {
  let nowMs = 60_000_000 + 15_000
  const counted: [KeyKind, string][] = []
  const failures = createKeyFailures({ perMinute: 3, onFailure: (...call) => counted.push(call), now: () => nowMs })
  const token = makeKey('operator')
  const gate = createOperatorGate(token, failures, { find: async () => undefined })
  const codes = []
  for (let i = 0; i < 5; i++) codes.push(await codeOf(gate(peer('192.0.2.1'))))
  expect(codes).toEqual([...Array(3).fill('OPERATOR_TOKEN_INVALID'), ...Array(2).fill('KEY_FAILURES_LIMITED')])
  expect(counted).toEqual(Array(3).fill(['operator-token', '192.0.2.1']))
  expect(await codeOf(gate(peer('192.0.2.2')))).toBe('OPERATOR_TOKEN_INVALID')
  // a valid token from the same address still works
  expect(await codeOf(gate(peer('192.0.2.1', token)))).toBe('admitted')
  await gate(peer('192.0.2.1')).catch((error) => expect(error.retryAfterS).toBe(45))
  nowMs += 45_000
  expect(await codeOf(gate(peer('192.0.2.1')))).toBe('OPERATOR_TOKEN_INVALID')
})

test('ids that cannot exist are refused without a lookup, and a valid key is admitted from a throttled address', async () => {
  const lookups: string[] = []
  const failures = createKeyFailures({ perMinute: 2, onFailure: () => undefined })
  const gate = createSensorGate<object>({
    find: async (ids) => {
      lookups.push(...ids)
      const keys = [{ id: 'key_1', digest: sha256('right'), expiresMs: Number.POSITIVE_INFINITY, notedMs: 0 }]
      const named = { sensorId: 'sen_4', enterpriseId: 'ent_1', externalId: null, tags: [] }
      const facts = { ...named, keys, enabled: true, held: false, assetsHeld: false }
      return new Map([['sen_4', { ...facts, enterpriseActive: true, readingsPerDay: 1, profile: {} }]])
    },
    failures,
    assetsLicensed: true,
    callsPerMinute: 10,
  })
  const admit = async (id: string, address: string, token?: string): Promise<unknown> =>
    codeOf(Promise.resolve(gate.admit(id, peer(address, token), 0)))
  for (const id of [`sen_${'x'.repeat(15_000)}`, 'sen_', 'tap_1', '../sen_1', 'sen_%00', ''])
    expect(await admit(id, `192.0.2.${id.length % 250}`)).toBe('SENSOR_KEY_INVALID')
  expect(lookups).toEqual([])
  expect(await admit('sen_1', '198.51.100.1')).toBe('SENSOR_KEY_INVALID')
  expect(await admit('sen_2', '198.51.100.1')).toBe('SENSOR_KEY_INVALID')
  expect(await admit('sen_3', '198.51.100.1')).toBe('KEY_FAILURES_LIMITED')
  expect(await admit('sen_4', '198.51.100.1', 'right')).toBe('admitted')
  expect(lookups).toEqual(['sen_1', 'sen_2', 'sen_3', 'sen_4'])
})

test('failures with one kind of key do not count for another', async () => {
  const failures = createKeyFailures({ perMinute: 1, onFailure: () => undefined })
  const refuse = (kind: KeyKind) => codeOf(failures.refuse(kind, peer('192.0.2.1'), 0, 'API_KEY_INVALID'))
  expect(await refuse('application-key')).toBe('API_KEY_INVALID')
  expect(await refuse('application-key')).toBe('KEY_FAILURES_LIMITED')
  for (const kind of ['sensor-key', 'tool-api-key', 'operator-token', 'sign-in'] as const)
    expect(await refuse(kind)).toBe('API_KEY_INVALID')
})

test('valid keys that were never used are admitted from an address that has sent wrong ones', async () => {
  const failures = createKeyFailures({ perMinute: 1, onFailure: () => undefined })
  const { db } = countingDatabase({
    id: 'ent_1',
    ownerId: 'ent_1',
    toolId: 'vector.buffer',
    enabled: true,
    held: false,
    kind: 'enterprise',
    status: 'active',
    toolApis: true,
    keySha256: sha256('right').toString('hex'),
    expiresAt: null,
    lastUsedAt: null,
    enterprise: { id: 'ent_1', number: 1, tier: 'max', status: 'active', assetsHeld: false },
    application: { id: 'app_1', tools: 'all' },
    tier: { toolApis: true },
    key: { id: 'key_1', keySha256: sha256('right').toString('hex'), expiresAt: null, lastUsedAt: null },
  })
  const organizations = createOrganizationGate(db, createChanges(), failures)
  const pair = (publicKey: string, secret: string): Peer => ({
    headers: new Headers({ 'x-api-key': publicKey, 'x-api-secret': secret }),
    address: () => '192.0.2.1',
  })
  for (const code of ['API_KEY_INVALID', 'KEY_FAILURES_LIMITED'])
    expect(await codeOf(organizations.authenticate(pair('unknown', 'wrong')))).toBe(code)
  expect(await codeOf(organizations.authenticate(pair(makeKey('public'), 'right')))).toBe('admitted')
  const operators = createOperatorGate('other', failures, {
    find: async (token) =>
      token === 'right' ? { id: 'opt_1', name: 'script', expiresAt: null, makerId: null } : undefined,
  })
  for (const code of ['OPERATOR_TOKEN_INVALID', 'KEY_FAILURES_LIMITED'])
    expect(await codeOf(operators(peer('192.0.2.1')))).toBe(code)
  expect(await codeOf(operators(peer('192.0.2.1', 'right')))).toBe('admitted')
})

test.each([
  ['10.0.0.1', undefined, '10.0.0.1'],
  ['::ffff:10.0.0.1', undefined, '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
  ['2001:db8::6', undefined, '2001:db8:0:0::/64'],
  // only trusted peers may report the address of a call
  ['10.0.0.1', '203.0.113.9', '10.0.0.1'],
  ['10.0.0.9', '203.0.113.9', '203.0.113.9'],
  ['10.0.0.9', 'spoofed, 203.0.113.9', '203.0.113.9'],
  ['10.0.0.9', '203.0.113.9, 10.0.0.8', '203.0.113.9'],
  ['10.0.0.9', '', '10.0.0.9'],
])('a call from %s that was forwarded for %s counts for %s', (address, forwarded, expected) => {
  const headers: Record<string, string> = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded }
  const request = new Request('http://localhost/', { headers })
  const requestContext = requestContextOf(request)
  requestContext.connection = { address, timeout: () => undefined }
  requestContext.trustedProxies = new Set(['10.0.0.8', '10.0.0.9'])
  expect(addressOf(request)).toBe(expected)
})
