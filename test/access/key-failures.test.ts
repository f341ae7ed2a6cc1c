/** Throttling of calls with invalid keys, and where a call comes from. */
import { expect, test } from 'bun:test'
import { createKeyFailures, type KeyKind, type Peer } from '../../src/access/key-failures.ts'
import { makeKey } from '../../src/access/keys.ts'
import { createOperatorGate } from '../../src/access/operator.ts'
import { createSensorGate } from '../../src/access/sensors.ts'
import { addressOf } from '../../src/http/address.ts'
import { requestContextOf } from '../../src/http/request-context.ts'

const peer = (address: string, token = 'wrong'): Peer => ({
  headers: new Headers({ authorization: `Bearer ${token}` }),
  address: () => address,
})
const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'admitted',
    (error: { code: string; retryAfterS?: number }) => error.code,
  )

test('an address that made too many calls with invalid keys waits for the next minute, others do not', async () => {
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

test('ids that cannot exist are refused without a lookup, and a throttled address looks nothing up', async () => {
  const lookups: string[] = []
  const failures = createKeyFailures({ perMinute: 2, onFailure: () => undefined })
  const gate = createSensorGate<object>({
    find: async (ids) => {
      lookups.push(...ids)
      return new Map()
    },
    failures,
    assetsLicensed: true,
    callsPerMinute: 10,
  })
  const admit = async (id: string, address: string): Promise<unknown> =>
    codeOf(Promise.resolve(gate.admit(id, peer(address), 0)))
  for (const id of [`sen_${'x'.repeat(15_000)}`, 'sen_', 'tap_1', '../sen_1', 'sen_%00', ''])
    expect(await admit(id, `192.0.2.${id.length % 250}`)).toBe('SENSOR_KEY_INVALID')
  expect(lookups).toEqual([])
  expect(await admit('sen_1', '198.51.100.1')).toBe('SENSOR_KEY_INVALID')
  expect(await admit('sen_2', '198.51.100.1')).toBe('SENSOR_KEY_INVALID')
  expect(await admit('sen_3', '198.51.100.1')).toBe('KEY_FAILURES_LIMITED')
  expect(lookups).toEqual(['sen_1', 'sen_2'])
})

test.each([
  ['10.0.0.1', undefined, '10.0.0.1'],
  ['::ffff:10.0.0.1', undefined, '10.0.0.1'],
  ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
  ['2001:db8::6', undefined, '2001:db8:0:0::/64'],
  // nobody else may say where a call comes from
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
