/** Two people edit one record, and requests are sent twice. */
import { expect, test } from 'bun:test'
import { M } from '../../support/role-policy.ts'
import { fileForm, ownedThings, SQUARE } from '../../support/server/owned-things.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type Account, type Call, callAs, memberAccount, personAccount } from '../../support/sessions.ts'

const instance = await sharedInstance()
const things = ownedThings(instance)
const home = (await things.enterprise()).id
const owner = await memberAccount(instance, home, 'owner')
const admin = await memberAccount(instance, home, 'admin')

const token = () => ({ authorization: `Bearer ${instance.operatorToken()}` })
const call = <T = Record<string, unknown>>(method: string, path: string, more: Call = {}, account?: Account) =>
  callAs<T>(instance.url(), account, method, M + path, {
    ...more,
    headers: { ...(account === undefined && token()), ...more.headers },
  })
const tagOf = async (path: string): Promise<string> => (await call('GET', path)).headers.get('etag') ?? ''

/** Each kind of record with a change of it. */
async function records(): Promise<[path: string, change: object][]> {
  const person = await personAccount(instance)
  const layer = await things.layer(home)
  return [
    [`/enterprises/${(await things.enterprise()).id}`, { name: 'Changed' }],
    [`/members/${(await things.member(home)).id}`, { role: 'admin' }],
    [`/people/${person.personId}`, { plan: 'max' }],
    [`/applications/${(await things.application(home)).id}`, { name: 'Changed' }],
    [`/assets/${(await things.asset(home)).id}`, { name: 'Changed' }],
    [`/sensors/${(await things.sensor(home)).id}`, { name: 'Changed', channels: [] }],
    [`/tool-apis/${(await things.toolApi(home)).id}`, { name: 'Changed' }],
    [`/owners/${home}/layers/${layer.id}`, { name: 'Changed' }],
    [`/owners/${home}/files/${(await things.file(home)).id}`, { name: 'Changed' }],
  ]
}

test('the second of two concurrent changes of a record is refused, with the current record', async () => {
  for (const [path, change] of await records()) {
    const seen = await tagOf(path)
    expect([path, seen]).toEqual([path, expect.stringMatching(/^"[\w-]{22}"$/)])
    expect(await tagOf(path)).toBe(seen)
    const headers = { 'if-match': seen }
    const first = await call('PATCH', path, { body: change, headers })
    expect([path, first.status]).toEqual([path, 200])
    const second = await call('PATCH', path, { body: change, headers })
    expect([path, second.status, second.code]).toEqual([path, 412, 'PRECONDITION_FAILED'])
    const now = await call('GET', path)
    // figures that the path returns beside the record
    const { limits: _, activity: __, ...record } = now.data as Record<string, unknown>
    expect(second.data).toEqual(record)
    const tag = now.headers.get('etag') ?? ''
    expect([path, first.headers.get('etag'), second.headers.get('etag')]).toEqual([path, tag, tag])
    // without the header, and with `*`, any state matches
    expect((await call('PATCH', path, { body: change })).status).toBe(200)
    expect((await call('PATCH', path, { body: change, headers: { 'if-match': '*' } })).status).toBe(200)
    expect((await call('DELETE', path, { headers })).status).toBe(412)
    const last = await tagOf(path)
    expect((await call('DELETE', path, { headers: { 'if-match': `"other", ${last}` } })).status).toBe(200)
    expect((await call('DELETE', path, { headers: { 'if-match': last } })).status).toBe(404)
  }
}, 60_000)

test('of many concurrent changes based on the same record, one is made', async () => {
  const { id } = await things.sensor(home)
  const seen = await tagOf(`/sensors/${id}`)
  const answers = await Promise.all(
    Array.from({ length: 16 }, (_, i) =>
      call(
        'PATCH',
        `/sensors/${id}`,
        { body: { name: `Name ${i}` }, headers: { 'if-match': seen } },
        i % 2 ? owner : admin,
      ),
    ),
  )
  const statuses = answers.map(({ status }) => status).sort()
  expect(statuses).toEqual([200, ...Array(15).fill(412)])
  const made = answers.find(({ status }) => status === 200)
  expect(await instance.manage('GET', `/sensors/${id}`)).toMatchObject({ name: made?.data.name })
})

test('features of a layer are edited in the same way', async () => {
  const layer = `/owners/${home}/layers/${(await things.layer(home)).id}`
  const feature = SQUARE.features[0]
  const seen = await tagOf(layer)
  const headers = { 'if-match': seen }
  expect((await call('PUT', `${layer}/features`, { body: SQUARE, headers })).status).toBe(200)
  for (const [method, body] of [
    ['PUT', SQUARE],
    ['PATCH', { delete: ['f'] }],
  ] as const)
    expect((await call(method, `${layer}/features`, { body, headers })).status).toBe(412)
  const path = `${layer}/features/f`
  const seenFeature = { 'if-match': await tagOf(path) }
  const body = { ...feature, properties: { changed: true } }
  expect((await call('PUT', path, { body, headers: seenFeature })).status).toBe(200)
  expect((await call('PUT', path, { body, headers: seenFeature })).data).toMatchObject({
    properties: { changed: true },
  })
  expect((await call('DELETE', path, { headers: seenFeature })).status).toBe(412)
  expect((await call('DELETE', path)).status).toBe(200)
})

test('using a key of a sensor does not change the key', async () => {
  const sensor = await instance.sensor(home, [{ name: 'a', measurement: 'number' }])
  const seen = await tagOf(`/sensors/${sensor.id}`)
  await instance.manage('POST', `/sensors/${sensor.id}/keys`)
  expect(await tagOf(`/sensors/${sensor.id}`)).toBe(seen)
})

const CREATED: [path: string, body: () => object][] = [
  ['/enterprises', () => ({ name: 'Twice', tier: 'starter' })],
  ['/people', () => ({ email: 'twice@example.org', plan: 'free', password: 'long enough' })],
  ['/enterprises/HOME/members', () => ({ email: 'twice@example.org', role: 'member' })],
  ['/enterprises/HOME/invitations', () => ({ email: 'twice2@example.org', role: 'member' })],
  ['/enterprises/HOME/applications', () => ({ name: 'Twice' })],
  ['/enterprises/HOME/sensors', () => ({ name: 'Twice', channels: [] })],
  ['/enterprises/HOME/assets', () => ({ name: 'Twice' })],
  ['/owners/HOME/layers', () => ({ name: 'Twice', geojson: SQUARE })],
  ['/owners/HOME/files', () => fileForm()],
  ['/owners/HOME/tool-apis', () => ({ tool: 'vector.centroids', name: 'Twice' })],
]

test('a record created twice with one key exists once, and its keys are shown again', async () => {
  for (const [template, body] of CREATED) {
    const path = template.replace('HOME', home)
    const headers = { 'idempotency-key': `key of ${path}` }
    const first = await call<Record<string, unknown>>('POST', path, { body: body(), headers })
    const again = await call<Record<string, unknown>>('POST', path, { body: body(), headers })
    expect([path, first.status, again.status]).toEqual([path, 200, 200])
    expect(first.headers.get('idempotency-replayed')).toBeNull()
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(again.data).toEqual(first.data)
  }
  const { items } = await instance.manage<{ items: { name: string }[] }>('GET', `/enterprises/${home}/sensors?q=Twice`)
  expect(items).toHaveLength(1)
  const added = { headers: { 'idempotency-key': 'more' } }
  const sensor = await things.sensor(home)
  const keys = [1, 2].map(() => call<{ key: string }>('POST', `/sensors/${sensor.id}/keys`, added))
  for (const answer of await Promise.all(keys)) expect([200, 409]).toContain(answer.status)
  expect((await call('POST', `/sensors/${sensor.id}/keys`, added)).headers.get('idempotency-replayed')).toBe('true')
  expect(((await instance.manage('GET', `/sensors/${sensor.id}`)) as { keys: unknown[] }).keys).toHaveLength(2)
}, 60_000)

test('a key belongs to its caller and its path, and to one request', async () => {
  const path = `/enterprises/${home}/assets`
  const headers = { 'idempotency-key': 'shared' }
  const body = { name: 'One' }
  const made = [
    await call('POST', path, { body, headers }),
    await call('POST', path, { body, headers }, owner),
    await call('POST', path, { body, headers }, admin),
    await call('POST', `/enterprises/${(await things.enterprise()).id}/assets`, { body, headers }),
  ]
  expect(new Set(made.map(({ data }) => data.id)).size).toBe(4)
  expect((await call('POST', path, { body: { name: 'Two' }, headers })).code).toBe('IDEMPOTENCY_KEY_REUSED')
  const long = { 'idempotency-key': 'x'.repeat(256) }
  expect((await call('POST', path, { body, headers: long })).errors?.[0]?.field).toBe('Idempotency-Key')
})

test('a request that failed created nothing and may be sent again with its key', async () => {
  const headers = { 'idempotency-key': 'again' }
  const body = { email: owner.email, role: 'member' }
  const path = `/enterprises/${home}/members`
  expect((await call('POST', path, { body, headers })).status).toBe(409)
  await instance.manage('DELETE', `/members/${owner.memberIds[home]}`)
  const created = await call('POST', path, { body, headers })
  expect([created.status, created.headers.get('idempotency-replayed')]).toEqual([200, null])
})
