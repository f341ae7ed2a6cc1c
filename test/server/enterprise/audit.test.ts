/** The audit log beyond changes: which operator acted, downloads, and calls with invalid keys, counted. */
import { afterAll, expect, test } from 'bun:test'
import { createInstance, type Envelope } from '../../support/server/instance.ts'
import { cookieOf, memberAccount } from '../../support/sessions.ts'
import { callTool, GIS, keysOf } from '../../support/workers/tools.ts'

type Entry = { actor: string; action: string; subjectKind: string; subjectId: string; after: Record<string, unknown> }

// failures are counted for an address, which all files of a process share
const instance = await createInstance()
afterAll(() => instance.remove())
const organization = await instance.organization()

async function entriesOf(subject: string): Promise<Entry[]> {
  const { items } = await instance.manage<{ items: Entry[] }>('GET', `/audit?subject=${subject}`)
  return items
}
const asOperator = (method: string, path: string, headers: Record<string, string>, body?: object): Promise<Response> =>
  fetch(`${instance.url()}/manage/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${instance.operatorToken()}`,
      'content-type': 'application/json',
      ...headers,
    },
    ...(body && { body: JSON.stringify(body) }),
  })

test('the audit trail has the name that an operator gives', async () => {
  const input = { name: 'Named', tier: 'business' }
  const created = await asOperator('POST', '/enterprises', { 'x-operator': 'amal@example.org' }, input)
  const { id } = ((await created.json()) as Envelope<{ id: string }>).data
  await asOperator('PATCH', `/enterprises/${id}`, {}, { name: 'Other' })
  expect((await entriesOf(id)).map(({ actor }) => actor)).toEqual(['operator', 'operator amal@example.org'])
  for (const name of ['a b', 'x'.repeat(101), 'a"b', '']) {
    const response = await asOperator('POST', '/enterprises', { 'x-operator': name }, input)
    expect(await response.json()).toMatchObject({ statusCode: 422, errors: [{ field: 'X-Operator' }] })
  }
})

test('a download is recorded once a minute for each caller, however many ranges it has', async () => {
  const input = { file: 'stations.geojson', target_format: 'geojson' }
  const made = await callTool(instance, organization, '/buffer', { ...input, distance_m: '10' }, true)
  const { key } = ((await made.json()) as Envelope<{ key: string }>).data
  const path = `${instance.url()}${GIS}/files/${key}`
  const get = (init: RequestInit = {}): Promise<Response> =>
    fetch(path, { ...init, headers: { ...keysOf(organization), ...(init.headers as Record<string, string>) } })
  await (await get({ method: 'HEAD' })).arrayBuffer()
  expect((await get({ headers: { range: 'bytes=99999999-' } })).status).toBe(416)
  expect(await entriesOf(key)).toEqual([])
  for (let i = 0; i < 5; i++) await (await get({ headers: { range: `bytes=${i}-${i + 3}` } })).arrayBuffer()
  await (await get()).arrayBuffer()
  const entries = await entriesOf(key)
  // two if a minute began meanwhile
  expect([1, 2]).toContain(entries.length)
  expect(entries[0]).toMatchObject({
    actor: organization.applicationId,
    action: 'download',
    subjectKind: 'stored-file',
    after: { enterpriseId: organization.id, filename: expect.any(String) },
  })
})

test('only content shown on a page of the portal is a view', async () => {
  const input = { file: 'stations.geojson', target_format: 'geojson' }
  const made = await callTool(instance, organization, '/buffer', { ...input, distance_m: '20' }, true)
  const { key } = ((await made.json()) as Envelope<{ key: string }>).data
  const account = await memberAccount(instance, organization.id, 'admin')
  const session = { cookie: cookieOf(account), 'x-enterprise': organization.id }
  const get = async (headers: Record<string, string>): Promise<Response> => {
    const answer = await fetch(`${instance.url()}${GIS}/files/${key}`, { headers })
    await answer.arrayBuffer()
    return answer
  }
  const ofPage = { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'cors', 'sec-fetch-dest': 'empty' }
  const recorded = async (): Promise<string[]> => (await entriesOf(key)).map(({ action }) => action).sort()
  // at most one record of each a minute, so only their presence is compared
  const shown = await get({ ...session, ...ofPage })
  expect(shown.headers.get('cache-control')).toContain('immutable')
  // a copy cached for showing is not reused for saving
  expect(shown.headers.get('vary')).toContain('Sec-Fetch-Mode')
  expect(new Set(await recorded())).toEqual(new Set(['view']))
  const saved = await get({ ...session, ...ofPage, 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' })
  // so that the next one is requested, and recorded, too
  expect(saved.headers.get('cache-control')).toContain('no-store')
  expect(new Set(await recorded())).toEqual(new Set(['view', 'download']))
  const actors = async (action: string): Promise<Set<string>> =>
    new Set((await entriesOf(key)).flatMap((entry) => (entry.action === action ? [entry.actor] : [])))
  // a program with a key never counts as a page, whatever headers it sends
  await get({ ...keysOf(organization), ...ofPage })
  expect(await actors('download')).toContain(organization.applicationId)
  expect(await actors('view')).not.toContain(organization.applicationId)
})

test('a person’s call from outside the pages of the portal is a download', async () => {
  const input = { file: 'stations.geojson', target_format: 'geojson' }
  const account = await memberAccount(instance, organization.id, 'owner')
  const session = { cookie: cookieOf(account), 'x-enterprise': organization.id }
  for (const [distance_m, headers] of [
    ['31', {}],
    ['32', { 'sec-fetch-mode': 'cors' }],
    ['33', { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' }],
    ['34', { 'sec-fetch-site': 'same-origin', 'sec-fetch-mode': 'something' }],
  ] as [string, Record<string, string>][]) {
    const made = await callTool(instance, organization, '/buffer', { ...input, distance_m }, true)
    const { key } = ((await made.json()) as Envelope<{ key: string }>).data
    await (await fetch(`${instance.url()}${GIS}/files/${key}`, { headers: { ...session, ...headers } })).arrayBuffer()
    expect((await entriesOf(key)).map(({ action }) => action)).toEqual(['download'])
  }
})

test('an operator’s download of an owner’s file is recorded', async () => {
  const form = new FormData()
  form.append('file', new File(['{"type":"Point","coordinates":[1,2]}'], 'point.geojson'))
  const uploaded = await fetch(`${instance.url()}/manage/v1/owners/${organization.id}/files`, {
    method: 'POST',
    headers: { authorization: `Bearer ${instance.operatorToken()}` },
    body: form,
  })
  const { id, versions } = ((await uploaded.json()) as Envelope<{ id: string; versions: { id: string }[] }>).data
  const path = `/owners/${organization.id}/files/${id}/versions/1/content`
  await (await asOperator('GET', path, { 'x-operator': 'amal' })).arrayBuffer()
  expect((await entriesOf(versions[0]?.id as string)).find(({ action }) => action === 'download')).toMatchObject({
    actor: 'operator amal',
    subjectKind: 'file-version',
    after: { filename: 'point.geojson' },
  })
})

test('calls with invalid keys are counted by kind and address', async () => {
  const wrong = { 'x-api-key': `svc_pk_${'x'.repeat(43)}`, 'x-api-secret': 'wrong' }
  const calls: [number, string, RequestInit][] = [
    [3, '/manage/v1/enterprises', { headers: { authorization: 'Bearer wrong' } }],
    [2, `${GIS}/processes`, { headers: wrong }],
    [4, '/sensors/sen_unknown/readings', { method: 'POST' }],
    [1, '/tool-apis/tap_unknown/run', { method: 'POST' }],
  ]
  for (const [times, path, init] of calls)
    for (let i = 0; i < times; i++) expect((await fetch(instance.url() + path, init)).status).toBe(401)
  const metrics = await (await fetch(`${instance.url()}/metrics`)).text()
  expect(metrics).toContain('key_failures_total{kind="operator-token"} 3')
  expect(metrics).toContain('key_failures_total{kind="sensor-key"} 4')
  // counts are written once a minute, and when the server stops
  await instance.kill('SIGTERM')
  await instance.restart()
  const counts: Record<string, number> = {}
  for (const { action, subjectKind, after } of await entriesOf('127.0.0.1')) {
    expect(action).toBe('refuse')
    counts[subjectKind] = (counts[subjectKind] ?? 0) + (after.count as number)
  }
  expect(counts).toEqual({ 'operator-token': 3, 'application-key': 2, 'sensor-key': 4, 'tool-api-key': 1 })
})
