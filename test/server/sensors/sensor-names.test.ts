/** Names and tags of sensors, the filters of their list, and keys with a name, an expiry and a last use. */
import { expect, test } from 'bun:test'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const instance = await sharedInstance()

type Sensor = { id: string; key: string; name: string; assetName: string; tags: string[] }
type Key = { id: string; key: string; name: string; expiresAt: string | null; lastUsedAt: string | null }

const NUMBER = [{ name: 'a', measurement: 'number' }]
const READINGS = { readings: [{ at: new Date().toISOString(), values: { a: 1 } }] }

async function enterprise(): Promise<string> {
  return (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Acme', tier: 'business' })).id
}
const create = (enterpriseId: string, input: object): Promise<Sensor> =>
  instance.manage('POST', `/enterprises/${enterpriseId}/sensors`, { channels: NUMBER, ...input })

async function named(enterpriseId: string, query: Record<string, string>): Promise<string[]> {
  const path = `/enterprises/${enterpriseId}/sensors?${new URLSearchParams(query)}`
  const { items } = await instance.manage<{ items: Sensor[] }>('GET', path)
  return items.map(({ name }) => name).sort()
}

test('a sensor is named after its asset unless it has a name', async () => {
  const id = await enterprise()
  expect(await create(id, { assetName: 'Pump' })).toMatchObject({ name: 'Pump', assetName: 'Pump', tags: [] })
  expect(await create(id, { name: 'Inlet', assetName: 'Pump' })).toMatchObject({ name: 'Inlet', assetName: 'Pump' })
  expect(await create(id, { name: 'Outlet' })).toMatchObject({ name: 'Outlet', assetName: 'Outlet' })
  const bare = await create(id, {})
  expect([bare.name, bare.assetName]).toEqual([bare.id, bare.id])
  const changed = await instance.manage('PATCH', `/sensors/${bare.id}`, { name: 'مضخة 1', tags: ['north', 'القاهرة'] })
  expect(changed).toMatchObject({ name: 'مضخة 1', tags: ['north', 'القاهرة'], assetName: bare.id })
})

test('lists are filtered by tag and by part of a name, page by page', async () => {
  const id = await enterprise()
  await create(id, { name: 'North 1', tags: ['north', 'pump'] })
  await create(id, { name: 'North 2', tags: ['north'] })
  await create(id, { name: 'South 100%', assetName: 'Valve_7', tags: ['south', 'pump'] })
  expect(await named(id, { tag: 'north' })).toEqual(['North 1', 'North 2'])
  expect(await named(id, { tag: 'nor' })).toEqual([])
  expect(await named(id, { q: 'nORTH' })).toEqual(['North 1', 'North 2'])
  expect(await named(id, { q: 'valve' })).toEqual(['South 100%'])
  expect(await named(id, { q: 'north', tag: 'pump' })).toEqual(['North 1'])
  // special characters of patterns stand for themselves
  expect(await named(id, { q: '0%' })).toEqual(['South 100%'])
  expect(await named(id, { q: '%' })).toEqual(['South 100%'])
  expect(await named(id, { q: 'e_7' })).toEqual(['South 100%'])
  expect(await named(id, { q: '_' })).toContain('South 100%')
  expect(await named(id, { q: '\\' })).toEqual([])
  const first = await instance.manage<{ items: Sensor[]; nextCursor: string }>(
    'GET',
    `/enterprises/${id}/sensors?tag=pump&limit=1`,
  )
  const second = await named(id, { tag: 'pump', limit: '1', cursor: first.nextCursor })
  expect([...first.items.map(({ name }) => name), ...second].sort()).toEqual(['North 1', 'South 100%'])
  const own = await instance.organization()
  await create(own.id, { name: 'Own', tags: ['x'] })
  const seen = await instance.query<{ items: Sensor[] }>(own, '/sensors')
  expect(seen.data.items).toMatchObject([{ name: 'Own', tags: ['x'] }])
})

test.each([
  [{ name: '' }, 'body.name'],
  [{ name: 'x'.repeat(201) }, 'body.name'],
  [{ tags: [''] }, 'body.tags.0'],
  [{ tags: Array.from({ length: 21 }, (_, i) => `t${i}`) }, 'body.tags'],
  [{ tags: ['a', 'a'] }, 'body.tags'],
])('%j is rejected', async (input, field) => {
  const id = await enterprise()
  await expect(create(id, input)).rejects.toThrow(field)
})

test('a sensor has several named keys, which stop working when they expire', async () => {
  const sensor = await create(await enterprise(), { name: 'Keys' })
  const inAMoment = new Date(Date.now() + 2_500).toISOString()
  const short = await instance.manage<Key>('POST', `/sensors/${sensor.id}/keys`, {
    name: 'Trial',
    expiresAt: inAMoment,
  })
  expect(short).toMatchObject({ name: 'Trial', expiresAt: inAMoment, lastUsedAt: null })
  const send = async (key: string): Promise<number> => (await instance.send({ id: sensor.id, key }, READINGS)).status
  expect(await Promise.all([send(sensor.key), send(short.key)])).toEqual([200, 200])
  await Bun.sleep(Math.max(0, Date.parse(inAMoment) - Date.now()) + 50)
  expect(await Promise.all([send(sensor.key), send(short.key)])).toEqual([200, 401])
  for (const expiresAt of ['yesterday', '2020-01-01T00:00:00Z', '2030-01-01'])
    await expect(instance.manage('POST', `/sensors/${sensor.id}/keys`, { expiresAt })).rejects.toThrow('body.expiresAt')
})

test('the first use of a key is in its list at once', async () => {
  const sensor = await create(await enterprise(), { name: 'First use' })
  const used = async () => {
    const { items } = await instance.manage<{ items: Key[] }>('GET', `/sensors/${sensor.id}/keys`)
    return items[0]?.lastUsedAt ?? null
  }
  expect(await used()).toBeNull()
  expect((await instance.send(sensor, READINGS)).status).toBe(200)
  expect(await used()).not.toBeNull()
})

test('the last use of a key is noted, also by a server that is about to stop', async () => {
  const sensor = await create(await enterprise(), { name: 'Used' })
  const beforeMs = Date.now()
  expect((await instance.send(sensor, READINGS)).status).toBe(200)
  await instance.kill('SIGTERM')
  await instance.restart()
  const lastUsedMs = async (): Promise<number> => {
    const { items } = await instance.manage<{ items: Key[] }>('GET', `/sensors/${sensor.id}/keys`)
    return Date.parse(items[0]?.lastUsedAt ?? '')
  }
  const notedMs = await lastUsedMs()
  expect(notedMs).toBeGreaterThanOrEqual(beforeMs)
  expect(notedMs).toBeLessThanOrEqual(Date.now())
  // a fleet that continues after a restart is not noted again at once
  expect((await instance.send(sensor, READINGS)).status).toBe(200)
  await instance.kill('SIGTERM')
  await instance.restart()
  expect(await lastUsedMs()).toBe(notedMs)
}, 60_000)
