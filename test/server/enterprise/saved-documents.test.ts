/** Saved documents over HTTP, with dashboards: private and shared ones, by each role, and what happens to them later. */
import { beforeAll, expect, test } from 'bun:test'
import { A } from '../../support/role-policy.ts'
import type { Organization } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type Account, type Answer, type Call, callAs, memberAccount, operatorAccount } from '../../support/sessions.ts'
import { withSql } from '../../support/stores/with-sql.ts'

type Dashboard = { id: string; name: string; shared: boolean; document?: object; createdAt: string; updatedAt: string }
type Listed = { items: Dashboard[]; nextCursor: string | null }

const PANEL = { id: 'a', type: 'chart', x: 0, y: 0, w: 6, h: 4, channels: ['temperature'], sensors: { tag: 'cold' } }
const DOCUMENT = { version: 1, range: '24h', panels: [PANEL] }
const BODY = { name: 'Cold rooms', document: DOCUMENT }

const instance = await sharedInstance()
let [home, other] = [] as unknown as [Organization, Organization]
let [owner, admin, member, colleague, stranger] = [] as unknown as Account[]
beforeAll(async () => {
  ;[home, other] = [await instance.organization(), await instance.organization()]
  ;[owner, admin, member, colleague] = [
    await memberAccount(instance, home.id, 'owner'),
    await memberAccount(instance, home.id, 'admin'),
    await memberAccount(instance, home.id, 'member'),
    await memberAccount(instance, home.id, 'member'),
  ]
  stranger = await memberAccount(instance, other.id, 'owner')
})

function call<T = Dashboard>(
  account: Account | undefined,
  method: string,
  path = '',
  body?: object,
  { headers, enterprise = home.id }: Call = {},
): Promise<Answer<T>> {
  return callAs<T>(instance.url(), account, method, `${A}/dashboards${path}`, { enterprise, body, headers })
}
const pair = () => ({ headers: { 'x-api-key': home.publicKey, 'x-api-secret': home.secretKey } })
const listed = async (account: Account): Promise<string[]> =>
  (await call<Listed>(account, 'GET')).data.items.map(({ id }) => id)

test('a private dashboard is seen, changed and deleted by its member only', async () => {
  const { data: made, headers } = await call(member, 'POST', '', BODY)
  expect(made).toMatchObject({ name: 'Cold rooms', shared: false, document: DOCUMENT })
  expect(made.id).toMatch(/^das_[0-9a-f]{32}$/)
  expect(headers.get('etag')).toBe((await call(member, 'GET', `/${made.id}`)).headers.get('etag'))
  expect(await listed(member as Account)).toContain(made.id)
  for (const account of [owner, admin, colleague]) {
    expect(await listed(account as Account)).not.toContain(made.id)
    for (const [method, body] of [['GET'], ['PATCH', { name: 'Mine' }], ['DELETE']] as const)
      expect(await call(account, method, `/${made.id}`, body)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  }
  // nor by an application that names the member
  const named = { headers: { ...pair().headers, 'x-api-user': (member as Account).email } }
  expect((await call(undefined, 'GET', `/${made.id}`, undefined, named)).status).toBe(404)
  expect((await call(member, 'PATCH', `/${made.id}`, { name: 'Warm rooms' })).data).toMatchObject({
    name: 'Warm rooms',
    document: DOCUMENT,
  })
  expect((await call(member, 'DELETE', `/${made.id}`)).status).toBe(200)
  expect((await call(member, 'GET', `/${made.id}`)).status).toBe(404)
})

test('a shared dashboard is read by all members, and made, changed and deleted by administrators and owners', async () => {
  const refused = await call(member, 'POST', '', { ...BODY, shared: true })
  expect(refused).toMatchObject({ status: 403, code: 'FORBIDDEN', errors: [{ field: 'body.shared' }] })
  const { data: made } = await call(admin, 'POST', '', { ...BODY, shared: true })
  for (const account of [owner, admin, member, colleague]) {
    expect(await listed(account as Account)).toContain(made.id)
    expect((await call(account, 'GET', `/${made.id}`)).data).toEqual(made)
  }
  for (const [method, body] of [['PATCH', { name: 'Mine' }], ['DELETE']] as const)
    expect(await call(member, method, `/${made.id}`, body)).toMatchObject({ status: 403, code: 'FORBIDDEN' })
  expect((await call(owner, 'PATCH', `/${made.id}`, { name: 'Ours' })).data.name).toBe('Ours')
  expect((await call(stranger, 'GET', `/${made.id}`, undefined, { enterprise: other.id })).status).toBe(404)
  // taken back, it belongs to the person who did so
  expect((await call(admin, 'PATCH', `/${made.id}`, { shared: false })).data.shared).toBe(false)
  expect((await call(owner, 'GET', `/${made.id}`)).status).toBe(404)
  expect((await call(admin, 'PATCH', `/${made.id}`, { shared: true })).data.shared).toBe(true)
  expect((await call(owner, 'DELETE', `/${made.id}`)).status).toBe(200)
})

test('a member cannot share a private dashboard', async () => {
  const { data } = await call(member, 'POST', '', BODY)
  expect((await call(member, 'PATCH', `/${data.id}`, { shared: true })).status).toBe(403)
  expect((await call(member, 'GET', `/${data.id}`)).data.shared).toBe(false)
})

test('applications and operators have shared dashboards only', async () => {
  const operator = await operatorAccount(instance)
  for (const [account, options] of [
    [undefined, pair()],
    [operator, {}],
  ] as const) {
    const { data: made } = await call(account, 'POST', '', BODY, options)
    expect(made.shared).toBe(true)
    expect(await call(account, 'PATCH', `/${made.id}`, { shared: false }, options)).toMatchObject({
      status: 422,
      errors: [{ field: 'body.shared' }],
    })
  }
})

test('with If-Match, a dashboard that was changed meanwhile is neither changed nor deleted', async () => {
  const { data, headers } = await call(member, 'POST', '', BODY)
  const etag = headers.get('etag') ?? ''
  const { data: newer } = await call(
    member,
    'PATCH',
    `/${data.id}`,
    { name: 'Newer' },
    { headers: { 'if-match': etag } },
  )
  for (const [method, body] of [['PATCH', { name: 'Older' }], ['DELETE']] as const) {
    const stale = await call<{ data?: Dashboard }>(member, method, `/${data.id}`, body, {
      headers: { 'if-match': etag },
    })
    expect(stale).toMatchObject({ status: 412, code: 'PRECONDITION_FAILED' })
  }
  expect((await call(member, 'GET', `/${data.id}`)).data).toEqual(newer)
})

test('a request that is repeated with its Idempotency-Key makes one dashboard', async () => {
  const headers = { 'idempotency-key': crypto.randomUUID() }
  const first = await call(colleague, 'POST', '', BODY, { headers })
  const again = await call(colleague, 'POST', '', BODY, { headers })
  expect([again.data.id, again.headers.get('idempotency-replayed')]).toEqual([first.data.id, 'true'])
  expect((await listed(colleague as Account)).filter((id) => id === first.data.id)).toHaveLength(1)
})

test.each([
  ['body.document.version', { ...DOCUMENT, version: 2 }],
  ['body.document.panels.0.type', { ...DOCUMENT, panels: [{ ...PANEL, type: 'clock' }] }],
  ['body.document.panels.0.w', { ...DOCUMENT, panels: [{ ...PANEL, w: 13 }] }],
  ['body.document.panels.0.script', { ...DOCUMENT, panels: [{ ...PANEL, script: 'x' }] }],
  ['body.document.panels', { ...DOCUMENT, panels: Array.from({ length: 51 }, (_, i) => ({ ...PANEL, id: `${i}` })) }],
])('%s is checked against the schema', async (field, document) => {
  const answer = await call(member, 'POST', '', { name: 'Wrong', document })
  expect(answer).toMatchObject({ status: 422, code: 'VALIDATION_FAILED' })
  expect(answer.errors?.map((error) => error.field)).toContain(field)
})

test('pages of the list have every dashboard once, without their documents', async () => {
  const made = new Set<string>()
  for (let i = 0; i < 5; i++) made.add((await call(owner, 'POST', '', { ...BODY, name: `No ${i}` })).data.id)
  const seen: string[] = []
  for (let cursor = ''; ; ) {
    const { data } = await call<Listed>(owner, 'GET', `?limit=2${cursor}`)
    expect(data.items.every((item) => item.document === undefined)).toBe(true)
    seen.push(...data.items.map(({ id }) => id))
    if (data.nextCursor === null) break
    cursor = `&cursor=${data.nextCursor}`
  }
  expect(new Set(seen).size).toBe(seen.length)
  expect([...made].every((id) => seen.includes(id))).toBe(true)
})

test('the 1,001st dashboard of an enterprise is refused', async () => {
  const full = await instance.organization()
  const admin = await memberAccount(instance, full.id, 'admin')
  await withSql(
    instance,
    (sql) => sql`
      INSERT INTO saved_documents (id, enterprise_id, kind, name, document)
      SELECT 'das_' || ${full.id} || n, ${full.id}, 'dashboard', 'D', '{}' FROM generate_series(1, 999) AS n`,
  )
  const create = () => call(admin, 'POST', '', BODY, { enterprise: full.id })
  expect([(await create()).status, (await create()).status]).toEqual([200, 422])
})

test('private dashboards of a member who leaves are deleted, and shared ones stay', async () => {
  const leaver = await memberAccount(instance, home.id, 'admin')
  const { data: own } = await call(leaver, 'POST', '', BODY)
  const { data: shared } = await call(leaver, 'POST', '', { ...BODY, shared: true })
  await instance.manage('DELETE', `/members/${leaver.memberIds[home.id]}`)
  const left = await withSql(
    instance,
    (sql) => sql`SELECT id FROM saved_documents WHERE id IN (${own.id}, ${shared.id})`,
  )
  expect([...left]).toEqual([{ id: shared.id }])
})

test('changes are in the audit log, without the content of private dashboards', async () => {
  const { data } = await call(member, 'POST', '', BODY)
  await call(member, 'PATCH', `/${data.id}`, { name: 'Renamed' })
  await call(member, 'DELETE', `/${data.id}`)
  const { items } = await instance.manage<{ items: { action: string; actor: string }[] }>(
    'GET',
    `/audit?owner=${home.id}&subject=${data.id}`,
  )
  expect(items.map(({ action }) => action)).toEqual(['delete', 'update', 'create'])
  expect(new Set(items.map(({ actor }) => actor))).toEqual(new Set([`member ${(member as Account).email}`]))
  expect(JSON.stringify(items)).not.toContain('panels')
})

test('views are listed whole, and name a page and its query', async () => {
  type View = { id: string; name: string; shared: boolean; document: object }
  const views = <T>(account: Account | undefined, method: string, path = '', body?: object) =>
    callAs<T>(instance.url(), account, method, `${A}/views${path}`, { enterprise: home.id, body })
  const document = { version: 1, page: '/sensors', query: 'tag=north&sort=-temperature' }
  const { data: own } = await views<View>(member, 'POST', '', { name: 'North', document })
  const { data: shared } = await views<View>(admin, 'POST', '', { name: 'Hot', shared: true, document })
  expect([own, shared]).toMatchObject([
    { shared: false, document },
    { shared: true, document },
  ])
  const listedBy = async (account: Account | undefined) =>
    (await views<{ items: View[] }>(account, 'GET')).data.items.map(({ name, document: seen }) => ({ name, seen }))
  expect(await listedBy(member)).toEqual([
    { name: 'North', seen: document },
    { name: 'Hot', seen: document },
  ])
  expect(await listedBy(colleague)).toEqual([{ name: 'Hot', seen: document }])
  expect((await views(member, 'POST', '', { name: 'Ours', shared: true, document })).status).toBe(403)
  for (const wrong of [
    { ...document, page: '/account' },
    { ...document, version: 2 },
    { version: 1, page: '/map' },
  ])
    expect(await views(member, 'POST', '', { name: 'Wrong', document: wrong })).toMatchObject({ status: 422 })
  expect((await views(member, 'DELETE', `/${shared.id}`)).status).toBe(403)
  expect((await views(member, 'DELETE', `/${own.id}`)).status).toBe(200)
  expect(await listedBy(member)).toEqual([{ name: 'Hot', seen: document }])
})
