/** Names, expiry and last use of keys of applications and Tool APIs; sensor-names.test.ts tests the keys of sensors. */
import { expect, test } from 'bun:test'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { toolApisOf } from '../../support/server/tool-apis.ts'
import { point } from '../../support/workers/engine.ts'

type Key = { id: string; name: string; lastFour: string; expiresAt: string | null; lastUsedAt: string | null }
type NewKey = Key & { keyId: string; key: string; publicKey: string; secretKey: string }

const { save, run } = toolApisOf(() => instance)

const instance = await sharedInstance()
const organization = await instance.organization()
const api = await save(organization.id, 'vector.centroids')

const callTool = async (key: string) => (await run({ id: api.id, key }, { input: point(0, 0) })).code
const callApplication = async (pair: Pick<NewKey, 'publicKey' | 'secretKey'>) =>
  (await instance.query({ ...organization, ...pair }, '/sensors')).code
const holders = () => [`/tool-apis/${api.id}/keys`, `/applications/${organization.applicationId}/keys`] as const

test('keys have a name and may expire; an expired one is refused like an unknown one on the next call', async () => {
  const expiresAt = new Date(Date.now() + 10_000).toISOString()
  const [ofTool, ofApplication] = await Promise.all(
    holders().map((path) => instance.manage<NewKey>('POST', path, { name: 'محطة ‮<b>1</b> 🛰', expiresAt })),
  )
  for (const [i, made] of [ofTool, ofApplication].entries()) {
    expect(made).toMatchObject({ name: 'محطة ‮<b>1</b> 🛰', expiresAt, lastUsedAt: null })
    const { items } = await instance.manage<{ items: Key[] }>('GET', holders()[i] as string)
    expect(items.map(({ name }) => name)).toEqual(['Key', 'محطة ‮<b>1</b> 🛰'])
    expect(items[1]?.lastFour).toBe((made?.key ?? made?.secretKey ?? '').slice(-4))
  }
  // both are cached now
  expect(await callTool(ofTool?.key ?? '')).toBe('TOOL_API_RESULT')
  expect(await callApplication(ofApplication as NewKey)).toBe('SUCCESS')
  await Bun.sleep(Math.max(0, Date.parse(expiresAt) - Date.now()) + 50)
  expect(await callTool(ofTool?.key ?? '')).toBe('TOOL_API_KEY_INVALID')
  expect(await callApplication(ofApplication as NewKey)).toBe('API_KEY_INVALID')
  // the others stay valid
  expect(await callTool(api.key)).toBe('TOOL_API_RESULT')
  expect(await callApplication(organization)).toBe('SUCCESS')
}, 60_000)

test('an invalid name or expiry is refused with the field', async () => {
  for (const path of holders()) {
    for (const expiresAt of ['tomorrow', '2020-01-01T00:00:00Z', '2030-01-01'])
      await expect(instance.manage('POST', path, { expiresAt })).rejects.toThrow('body.expiresAt')
    for (const name of ['', '   ', 'x'.repeat(201)])
      await expect(instance.manage('POST', path, { name })).rejects.toThrow('body.name')
  }
})

test('lists show the last use at once', async () => {
  for (const [i, path] of holders().entries()) {
    const made = await instance.manage<NewKey>('POST', path, { name: 'Just used' })
    const beforeMs = Date.now()
    expect(await (i === 0 ? callTool(made.key) : callApplication(made))).toMatch(/^(TOOL_API_RESULT|SUCCESS)$/)
    const { items } = await instance.manage<{ items: Key[] }>('GET', path)
    expect(Date.parse(items.find(({ id }) => id === made.keyId)?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(beforeMs)
  }
})

test('the last use is noted for both kinds, also by a server that is about to stop', async () => {
  const made = await Promise.all(holders().map((path) => instance.manage<NewKey>('POST', path, { name: 'Used once' })))
  const unused = await Promise.all(holders().map((path) => instance.manage<NewKey>('POST', path, { name: 'Unused' })))
  const beforeMs = Date.now()
  expect(await callTool(made[0]?.key ?? '')).toBe('TOOL_API_RESULT')
  expect(await callApplication(made[1] as NewKey)).toBe('SUCCESS')
  // a wrong secret beside a valid public key opens nothing
  await callApplication({ publicKey: unused[1]?.publicKey ?? '', secretKey: 'svc_sk_wrong' })
  await instance.kill('SIGTERM')
  await instance.restart()
  for (const [i, path] of holders().entries()) {
    const { items } = await instance.manage<{ items: Key[] }>('GET', path)
    const usedMs = Date.parse(items.find(({ id }) => id === made[i]?.keyId)?.lastUsedAt ?? '')
    expect(usedMs).toBeGreaterThanOrEqual(beforeMs)
    expect(usedMs).toBeLessThanOrEqual(Date.now())
    expect(items.find(({ id }) => id === unused[i]?.keyId)?.lastUsedAt).toBeNull()
  }
}, 60_000)
