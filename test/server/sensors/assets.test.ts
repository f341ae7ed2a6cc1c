/** Queries of readings: /enterprise/v1/assets with an organization key pair. */
import { beforeAll, expect, test } from 'bun:test'
import { type Envelope, outcomeOf, untilStored } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { until } from '../../support/until.ts'

type Reading = { at: string; values: Record<string, number | boolean>; location?: [number, number] }
type Page = { items: Reading[]; nextCursor: string | null }

const base = Math.floor(Date.now() / 1000) * 1000 - 3_600_000
const at = (i: number): string => new Date(base + i * 1000).toISOString()
const readings: Reading[] = [
  {
    at: at(0),
    values: { temperature: 20.25, count: 9_007_199_254_740_991, open: true },
    location: [179.999999, -89.5],
  },
  { at: at(1), values: { temperature: -0.1 } },
  { at: at(2), values: {}, location: [-180, 90] },
  { at: at(3), values: { open: false, count: -3 } },
  ...Array.from({ length: 20 }, (_, i) => ({ at: at(10 + i), values: { temperature: i / 3 } })),
]

const instance = await sharedInstance()
const organization = await instance.organization()
const sensor = await instance.sensor(organization.id, [
  { name: 'temperature', measurement: 'number', unit: '°C' },
  { name: 'count', measurement: 'whole' },
  { name: 'open', measurement: 'boolean' },
])
beforeAll(async () => {
  await outcomeOf(await instance.send(sensor, { readings }))
  await untilStored(() => instance, organization, sensor, readings.length)
  // the newest values follow the readings
  const latest = async () =>
    (await instance.query<{ at: string | null }>(organization, `/sensors/${sensor.id}/latest`)).data
  await until(async () => (await latest()).at === readings.at(-1)?.at, 'the newest values')
}, 120_000)

const path = (query = ''): string => `/sensors/${sensor.id}/readings${query}`

test('readings come back exactly as they were sent', async () => {
  const { data } = await instance.query<Page>(organization, path('?limit=1000'))
  expect(data).toEqual({ items: readings, nextCursor: null })
})

test('each reading becomes readable without another one that follows', async () => {
  const other = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  for (let i = 0; i < 5; i++) {
    await outcomeOf(await instance.send(other, { readings: [{ at: at(i), values: { a: i } }] }))
    await untilStored(() => instance, organization, other, i + 1)
  }
}, 120_000)

test('from, to, channel, limit and cursor select readings', async () => {
  const items = async (query: string): Promise<Reading[]> =>
    (await instance.query<Page>(organization, path(query))).data.items
  expect(await items(`?from=${at(1)}&to=${at(3)}`)).toEqual(readings.slice(1, 3))
  const offset = encodeURIComponent(`${new Date(base + 3_600_000 + 1000).toISOString().slice(0, 19)}+01:00`)
  expect((await items(`?from=${offset}&limit=1`))[0]).toEqual(readings[1] as Reading)
  expect(await items('?channel=open,count')).toEqual([
    { ...(readings[0] as Reading), values: { count: 9_007_199_254_740_991, open: true } },
    readings[3] as Reading,
  ])
  const all: Reading[] = []
  for (let cursor = ''; ; ) {
    const { data } = await instance.query<Page>(organization, path(`?limit=7${cursor}`))
    all.push(...data.items)
    if (data.nextCursor === null) break
    expect(data.items).toHaveLength(7)
    cursor = `&cursor=${encodeURIComponent(data.nextCursor)}`
  }
  expect(all).toEqual(readings)
})

test('latest returns the newest value of each channel and the newest location', async () => {
  const { data } = await instance.query(organization, `/sensors/${sensor.id}/latest`)
  expect(data).toEqual({
    at: at(29),
    values: {
      temperature: { value: 19 / 3, at: at(29) },
      count: { value: -3, at: at(3) },
      open: { value: false, at: at(3) },
    },
    location: [-180, 90],
  })
  const silent = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  expect((await instance.query(organization, `/sensors/${silent.id}/latest`)).data).toEqual({
    at: null,
    values: {},
    location: null,
  })
})

test('a removed channel keeps its history', async () => {
  const other = await instance.sensor(organization.id, [{ name: 'a', measurement: 'number' }])
  await outcomeOf(await instance.send(other, { readings: [{ at: at(0), values: { a: 1 } }] }))
  await instance.manage('PATCH', `/sensors/${other.id}`, { channels: [{ name: 'a', measurement: 'boolean' }] })
  await outcomeOf(await instance.send(other, { readings: [{ at: at(1), values: { a: true } }] }))
  await untilStored(() => instance, organization, other, 2)
  const { data } = await instance.query<Page>(organization, `/sensors/${other.id}/readings?channel=a`)
  expect(data.items.map(({ values }) => values.a)).toEqual([1, true])
})

test.each([
  ['?limit=0', 'query.limit'],
  ['?limit=1001', 'query.limit'],
  ['?from=yesterday-at-noon-please', 'query.from'],
  ['?from=2026-01-01T00:00:00', 'query.from'],
  ['?from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'query.from'],
  ['?channel=nope', 'query.channel'],
  ['?cursor=x', 'query.cursor'],
  ['?cursor=99999999999999', 'query.cursor'],
  ["?channel=temperature'%20OR%201", 'query.channel'],
  ['?nope=1', 'query.nope'],
])('%s is rejected with the field name', async (query, field) => {
  const answer = await instance.query(organization, path(query))
  expect(answer).toMatchObject({ ok: false, statusCode: 422, code: 'VALIDATION_FAILED' })
  expect(answer.errors?.[0]?.field).toBe(field)
})

test('both forms of the key pair work, every wrong pair gets the same answer, and no pair reads other enterprises', async () => {
  const url = `${instance.url()}/enterprise/v1/assets${path('?limit=1')}`
  const ask = async (headers: Record<string, string>): Promise<Envelope> =>
    (await (await fetch(url, { headers })).json()) as Envelope
  const { publicKey, secretKey } = organization
  expect((await ask({ authorization: `Bearer ${publicKey}:${secretKey}` })).code).toBe('SUCCESS')
  expect((await ask({ 'x-api-key': publicKey, 'x-api-secret': secretKey })).code).toBe('SUCCESS')
  for (const headers of [
    {},
    { 'x-api-key': publicKey },
    { 'x-api-key': publicKey, 'x-api-secret': publicKey },
    { 'x-api-key': 'svc_pk_nobody', 'x-api-secret': secretKey },
    { authorization: `Bearer ${publicKey}` },
    { authorization: `Bearer ${publicKey}:${secretKey}:x` },
    { authorization: `Bearer ${sensor.key}` },
  ] as Record<string, string>[]) {
    const startedMs = performance.now()
    expect(await ask(headers)).toMatchObject({ ok: false, statusCode: 401, code: 'API_KEY_INVALID' })
    expect(performance.now() - startedMs).toBeGreaterThan(45)
  }
  const stranger = await instance.organization()
  expect(await ask({ authorization: `Bearer ${stranger.publicKey}:${stranger.secretKey}` })).toMatchObject({
    statusCode: 404,
    code: 'NOT_FOUND',
  })
})

test('X-Api-User must be a member; suspension, hold and revocation take effect on the next call', async () => {
  const owner = await instance.organization()
  const own = await instance.sensor(owner.id, [])
  await instance.manage('POST', `/enterprises/${owner.id}/members`, { email: 'lee@example.org', role: 'member' })
  const ask = async (user?: string): Promise<string> => {
    const headers = {
      'x-api-key': owner.publicKey,
      'x-api-secret': owner.secretKey,
      ...(user && { 'x-api-user': user }),
    }
    return (
      (await (
        await fetch(`${instance.url()}/enterprise/v1/assets/sensors/${own.id}/latest`, { headers })
      ).json()) as Envelope
    ).code
  }
  expect(await ask()).toBe('SUCCESS')
  expect(await ask('LEE@example.org')).toBe('SUCCESS')
  expect(await ask('nobody@example.org')).toBe('API_USER_UNKNOWN')
  await instance.manage('PATCH', `/enterprises/${owner.id}`, { assetsHeld: true })
  expect(await ask()).toBe('ASSETS_HELD')
  await instance.manage('PATCH', `/enterprises/${owner.id}`, { assetsHeld: false, status: 'suspended' })
  expect(await ask()).toBe('ENTERPRISE_SUSPENDED')
  await instance.manage('PATCH', `/enterprises/${owner.id}`, { status: 'active' })
  const keys = await instance.manage<{ items: { id: string }[] }>('GET', `/applications/${owner.applicationId}/keys`)
  await instance.manage('DELETE', `/applications/${owner.applicationId}/keys/${keys.items[0]?.id}`)
  expect(await ask()).toBe('API_KEY_INVALID')
})

test('sensors are listed without internal fields', async () => {
  const { data } = await instance.query<{ items: Record<string, unknown>[] }>(organization, '/sensors?limit=1')
  expect(data.items[0]).toEqual({
    id: sensor.id,
    name: 'Asset',
    assetId: expect.stringMatching(/^ass_/),
    assetName: 'Asset',
    tags: [],
    enabled: true,
    externalId: null,
    held: false,
    channels: [
      { name: 'temperature', measurement: 'number', unit: '°C' },
      { name: 'count', measurement: 'whole', unit: null },
      { name: 'open', measurement: 'boolean', unit: null },
    ],
  })
})
