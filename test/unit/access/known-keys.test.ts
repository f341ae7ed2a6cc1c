/** Keys that were used before need no query, however many others were used in between. */
import { expect, test } from 'bun:test'
import { createKeyFailures } from '../../../src/access/keys/key-failures.ts'
import { sha256Hex } from '../../../src/access/keys/keys.ts'
import { createOrganizationGate } from '../../../src/access/organization.ts'
import { createToolApiGate } from '../../../src/access/tool-apis.ts'
import { createChanges } from '../../../src/stores/changes.ts'
import { countingDatabase } from '../../support/stores/counting-database.ts'

const MANY = 10_001
const failures = createKeyFailures({ perMinute: 1, onFailure: () => undefined })
const peer = (headers: Record<string, string>) => ({ headers: new Headers(headers), address: () => '192.0.2.1' })
const publicKeyOf = (i: number): string => `svc_pk_${String(i).padStart(43, '0')}`

test('an organization’s key is cached after ten thousand others were used', async () => {
  const { db, queries } = countingDatabase({
    id: 'mem_1',
    enterprise: { id: 'ent_1', number: 1, tier: 'max', status: 'active', assetsHeld: false },
    application: { id: 'app_1', tools: 'all' },
    tier: {},
    key: { id: 'key_1', keySha256: sha256Hex('secret'), expiresAt: null, lastUsedAt: null },
  })
  const gate = createOrganizationGate(db, createChanges(), failures)
  const call = (publicKey: string) => gate.authenticate(peer({ 'x-api-key': publicKey, 'x-api-secret': 'secret' }))
  for (let i = 0; i < MANY; i++) await call(publicKeyOf(i))
  const before = queries()
  for (let i = 0; i < 5; i++) await call(publicKeyOf(MANY - 1))
  expect(queries() - before).toBe(0)
})

test('a Tool API is cached after ten thousand others were called', async () => {
  const { db, queries } = countingDatabase({
    id: 'ent_1',
    ownerId: 'ent_1',
    toolId: 'vector.buffer',
    enabled: true,
    held: false,
    status: 'active',
    kind: 'enterprise',
    toolApis: true,
    keySha256: sha256Hex('key'),
    expiresAt: null,
    lastUsedAt: null,
    enterprise: { id: 'ent_1', number: 1, tier: 'max', status: 'active', assetsHeld: false },
    tier: { toolApis: true },
  })
  const windows = { take: async () => 0 }
  const requests = { take: () => true, flush: async () => undefined, stop: async () => undefined }
  const options = {
    db,
    windows,
    requests,
    failures,
    changes: createChanges(),
    callsPerMinute: 1,
    tierOf: () => undefined,
  }
  const gate = createToolApiGate(options)
  // the state of the owner may reject the call: only the lookup matters here
  const call = (id: string) =>
    gate.authenticate(id, peer({ authorization: 'Bearer key' })).catch((error: unknown) => error)
  for (let i = 0; i < MANY; i++) await call(`tap_${i}`)
  const before = queries()
  for (let i = 0; i < 5; i++) await call(`tap_${MANY - 1}`)
  expect(queries() - before).toBe(0)
})
