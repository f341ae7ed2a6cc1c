/**
 * Attacks of a review on one tenant with the rights of another, beyond the matrix of routes (authorization.test.ts):
 * ids in bodies, queries and headers, paths written in other ways, hostile names, other origins, and keys of deleted
 * records.
 */
import { beforeAll, expect, test } from 'bun:test'
import type { Organization } from '../../support/server/instance.ts'
import { fileForm, ownedThings, SQUARE } from '../../support/server/owned-things.ts'
import { exchange } from '../../support/server/raw-http.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type Account, type Answer, callAs, cookieOf, memberAccount } from '../../support/sessions.ts'
import { GIS, keysOf } from '../../support/workers/tools.ts'

const instance = await sharedInstance()
const things = ownedThings(instance)
const M = '/manage/v1'
const A = '/enterprise/v1/assets'
let mine: Organization
let theirs: Organization
let owner: Account

async function thingsOf(tenant: Organization) {
  const sensor = await instance.sensor(tenant.id, [{ name: 'a', measurement: 'number' }])
  await instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { a: 1 } }] })
  const form = fileForm('secret.geojson')
  form.set('target_format', 'geojson')
  const made = await fetch(`${instance.url()}${GIS}/centroids`, { method: 'POST', body: form, headers: keysOf(tenant) })
  const result = ((await made.json()) as { data: { key: string } }).data.key
  return {
    tenant: tenant.id,
    layer: (await things.layer(tenant.id)).id,
    file: (await things.file(tenant.id)).id,
    sensor: sensor.id,
    api: (await things.toolApi(tenant.id)).id,
    asset: (await things.asset(tenant.id)).id,
    result,
  }
}
type Things = Awaited<ReturnType<typeof thingsOf>>
let own: Things
let secret: Things

beforeAll(async () => {
  ;[mine, theirs] = await Promise.all([instance.organization(), instance.organization()])
  owner = await memberAccount(instance, mine.id, 'owner')
  ;[own, secret] = await Promise.all([thingsOf(mine), thingsOf(theirs)])
}, 120_000)

const asOwner = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  callAs(instance.url(), owner, method, path, { enterprise: mine.id, body, headers })
const asPair = (method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> =>
  callAs(instance.url(), undefined, method, path, { body, headers: { ...keysOf(mine), ...headers } })

test('an id of another tenant in a body is treated as nonexistent', async () => {
  const ownLayer = own.layer
  const made = `${M}/owners/${mine.id}`
  const api = (binding: object) => ({ tool: 'vector.inside-check', name: 'x', binding })
  const rule = (more: object) => ({ when: 'enter', layerId: ownLayer, sensorIds: 'all', ...more })
  const cases: [what: string, method: string, path: string, body: object][] = [
    ['a layer of a rule', 'POST', `${A}/rules`, rule({ layerId: secret.layer })],
    ['a sensor of a rule', 'POST', `${A}/rules`, rule({ sensorIds: [secret.sensor] })],
    ['a bound layer', 'POST', `${made}/tool-apis`, api({ kind: 'layer', id: secret.layer })],
    ['a bound file', 'POST', `${made}/tool-apis`, api({ kind: 'file', id: secret.file })],
    [
      'a layer of a preview',
      'POST',
      `${made}/tool-api-previews`,
      {
        tool: 'vector.inside-check',
        binding: { kind: 'layer', id: secret.layer },
        input: { type: 'Point', coordinates: [0.5, 0.2] },
      },
    ],
    ['a file of a new layer', 'POST', `${made}/layers/from-file`, { name: 'x', file: secret.file }],
    ['a result of a new layer', 'POST', `${made}/layers/from-file`, { name: 'x', file: secret.result }],
    ['a file of a version', 'POST', `${made}/layers/${ownLayer}/versions/from-file`, { file: secret.file }],
    ['a new owner', 'PATCH', `${made}/layers/${ownLayer}`, { ownerId: theirs.id }],
  ]
  const nothing = Object.fromEntries(
    Object.entries(secret).map(([kind, id]) => [kind, `${id.slice(0, 4)}${'0'.repeat(32)}`]),
  )
  /** The same body about other records. */
  const about = (body: object, other: Record<string, string>): object =>
    JSON.parse(
      Object.entries(secret).reduce((text, [kind, id]) => text.replaceAll(id, other[kind] ?? ''), JSON.stringify(body)),
    )
  const wrong: string[] = []
  for (const [what, method, path, body] of cases) {
    const [foreign, missing] = [await asOwner(method, path, body), await asOwner(method, path, about(body, nothing))]
    const [a, b] = [foreign, missing].map(({ status, code, errors }) =>
      JSON.stringify([status, code, errors]).replaceAll(/\w{3}_\w+/g, 'id'),
    )
    if (foreign.status < 400 || foreign.status >= 500 || a !== b) wrong.push(`${what}: ${a} ${b}`)
    const accepted = await asOwner(method, path, about(body, own))
    if (accepted.status >= 300) wrong.push(`${what}: own ${accepted.status} ${accepted.message}`)
  }
  expect(wrong).toEqual([])
  for (const [key, status] of [
    ...[own.file, own.result].map((key) => [key, 200]),
    ...[secret.file, secret.result].map((key) => [key, 422]),
  ] as [string, number][]) {
    const form = new FormData()
    form.set('file', key)
    form.set('target_format', 'geojson')
    expect({ key, status: (await asPair('POST', `${GIS}/centroids`, form)).status }).toEqual({ key, status })
  }
})

test('an id of another tenant in a query, a header or a cursor reveals nothing', async () => {
  const range = 'from=2026-01-01T00:00:00Z&to=2027-01-01T00:00:00Z'
  const queries = [
    `${A}/latest?sensors=${secret.sensor}`,
    `${A}/live?sensors=${secret.sensor}`,
    `${A}/sensors/states?sensors=${secret.sensor}`,
    `${A}/series?sensors=${secret.sensor}&channel=a&step=1h&${range}`,
    `${A}/export?format=csv&sensors=${secret.sensor}&${range}`,
    `${A}/events?sensorId=${secret.sensor}`,
    `${A}/sensors?asset=${secret.asset}`,
    `${M}/audit?owner=${mine.id}&subject=${secret.layer}`,
    `${M}/enterprises?owner=${theirs.id}`,
    `${M}/owners/${mine.id}/layers?cursor=${secret.layer}`,
    `${M}/owners/${mine.id}/files?cursor=${secret.file}`,
    `${M}/enterprises/${mine.id}/sensors?cursor=${secret.sensor}`,
    `${GIS}/runs?cursor=${secret.result}`,
  ]
  const shown: string[] = []
  for (const path of queries)
    for (const ask of path.startsWith(M) ? [asOwner] : [asOwner, asPair]) {
      const answer = await ask('GET', path)
      const { data } = answer as { data?: unknown }
      // refusals may repeat the request, but never as data
      if (answer.status >= 500 || Object.values(secret).some((id) => JSON.stringify(data ?? '').includes(id)))
        shown.push(`${path} ${answer.status}`)
    }
  expect(shown).toEqual([])
  expect(await callAs(instance.url(), owner, 'GET', `${A}/sensors`, { enterprise: theirs.id })).toMatchObject({
    status: 404,
  })
  const foreignMember = (await memberAccount(instance, theirs.id, 'member')).email
  expect(await asPair('GET', `${A}/sensors`, undefined, { 'x-api-user': foreignMember })).toMatchObject({
    code: 'API_USER_UNKNOWN',
  })
  // the key pair decides, not the header of a session
  expect(
    (await asPair('GET', `${A}/sensors/${secret.sensor}/latest`, undefined, { 'x-enterprise': theirs.id })).status,
  ).toBe(404)
})

test('conditions and ranges reveal nothing about a file of another tenant', async () => {
  const conditions: Record<string, string>[] = [
    { 'if-none-match': '*' },
    { 'if-none-match': `"${secret.result}"` },
    { range: 'bytes=0-9' },
    { 'if-range': '"x"', range: 'bytes=0-' },
  ]
  for (const headers of conditions)
    for (const method of ['GET', 'HEAD', 'DELETE'])
      expect([
        method,
        headers,
        (await asPair(method, `${GIS}/files/${secret.result}`, undefined, headers)).status,
      ]).toEqual([method, headers, 404])
})

test('another spelling of a path does not bypass its rule', async () => {
  const path = `${M}/enterprises/${theirs.id}`
  const variants = [
    `${path}/`,
    `/${path}`,
    path.replace('/v1/', '//v1/'),
    path.replace('/v1/', '/v1//'),
    path.toUpperCase(),
    path.replace('manage', 'Manage'),
    path.replace('/enterprises', '%2fenterprises'),
    path.replace('/v1', '/v1%2f..%2fv1'),
    path.replace('/v1', '/v1;a=b'),
    `${path}%00`,
    `/portal/..${path}x`,
    `/portal/%2e%2e${path}x`,
    `/health/ready/..%2f..${path}`,
    `${path}/.`.replace('/.', '/%2e%2e%2f'),
    `${path}.json`,
    `${path}%20`,
    `${path}\\`,
    path.replace('ent_', 'ent%255f'),
  ]
  const answered: string[] = []
  for (const target of variants) {
    const head = `GET ${target} HTTP/1.1\r\nHost: x\r\nCookie: ${cookieOf(owner)}\r\nConnection: close\r\n\r\n`
    const { text } = await exchange([head], { port: instance.port(), firstMs: 10_000 })
    const status = Number(text.slice(9, 12))
    // pages of the portal are the same for every address and without data
    if (![400, 404, 422].includes(status) && !text.includes('<!doctype html')) answered.push(`${target} ${status}`)
    if (text.includes('"name":"Test"')) answered.push(`${target} shows the enterprise`)
  }
  expect(answered).toEqual([])
})

test('no response lets a page of another origin read it, for any request', async () => {
  const paths = [
    `${M}/enterprises`,
    `${A}/sensors`,
    `${GIS}/runs`,
    '/auth/session',
    `/tool-apis/${secret.api}`,
    '/openapi.json',
    '/health/ready',
    '/portal',
  ]
  for (const path of paths)
    for (const method of ['GET', 'OPTIONS', 'POST']) {
      const answer = await fetch(instance.url() + path, {
        method,
        headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST', cookie: cookieOf(owner) },
      })
      await answer.arrayBuffer()
      const allowing = [...answer.headers.keys()].filter((name) => name.startsWith('access-control-'))
      expect({ path, method, allowing }).toEqual({ path, method, allowing: [] })
    }
})

test('forms of another site and other ways to name a method change nothing', async () => {
  const path = `${instance.url()}${M}/enterprises/${mine.id}`
  const types = [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json',
  ]
  for (const type of types)
    for (const headers of [{}, { 'x-http-method-override': 'PATCH' }, { 'x-method-override': 'DELETE' }] as Record<
      string,
      string
    >[]) {
      const call = {
        headers: { cookie: cookieOf(owner), 'content-type': type, origin: 'https://evil.example', ...headers },
        body: '{"name":"Taken"}',
      }
      for (const address of [path, `${path}?_method=PATCH`]) {
        const { status } = await fetch(address, { ...call, method: 'POST' })
        expect({ type, headers, status: status >= 400 && status < 500 }).toEqual({ type, headers, status: true })
      }
      expect((await fetch(path, { ...call, method: 'PATCH' })).status).toBe(403)
    }
  // signing a browser in to another account
  const { status } = await fetch(`${instance.url()}/auth/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: 'null' },
    body: JSON.stringify({ email: owner.email, password: 'x' }),
  })
  expect(status).toBe(403)
  expect((await instance.manage<{ name: string }>('GET', `/enterprises/${mine.id}`)).name).toBe('Test')
})

const NAMES = [
  'a\r\nSet-Cookie: x=1',
  'a"; filename="b.exe',
  "a'b",
  '../../etc/passwd',
  '..\\..\\x',
  '\u202egnp.exe',
  '\ufeffa',
  'a;b',
  'é 🚚',
  '<img src=x>',
  "'; DROP TABLE layers; --",
]

test('a name is text: never a header, a path, a query or a part of a page', async () => {
  for (const name of NAMES) {
    const layer = await asOwner('POST', `${M}/owners/${mine.id}/layers`, { name, geojson: SQUARE })
    if (layer.status === 422) continue
    const { id } = layer.data as { id: string }
    const exported = await fetch(`${instance.url()}${M}/owners/${mine.id}/layers/${id}/export?format=geojson`, {
      headers: { cookie: cookieOf(owner) },
    })
    await exported.arrayBuffer()
    const disposition = exported.headers.get('content-disposition') ?? ''
    expect({ name, status: exported.status, cookie: exported.headers.get('set-cookie') }).toEqual({
      name,
      status: 200,
      cookie: null,
    })
    // RFC 6266: a quoted name without quotes, separators of paths and controls, and a percent-encoded one
    expect({ name, disposition }).toEqual({
      name,
      disposition: expect.stringMatching(
        /^attachment; filename="[^"/\\\p{Cc}\p{Cf}]*"(; filename\*=UTF-8''[\w.%!#$&+^`|~-]*)?$/u,
      ),
    })
    const form = fileForm(`${name}.geojson`)
    const uploaded = await asOwner('POST', `${M}/owners/${mine.id}/files`, form)
    expect({ name, known: [200, 415, 422, 400].includes(uploaded.status) }).toEqual({ name, known: true })
    const found = await asOwner('GET', `${M}/owners/${mine.id}/layers?q=${encodeURIComponent(name)}`)
    expect({ name, status: found.status < 500 }).toEqual({ name, status: true })
  }
})

test('texts in queries and names of channels cannot inject database statements', async () => {
  const texts = [
    "' OR 1=1 --",
    '"; DROP TABLE readings; --',
    '__proto__',
    'constructor',
    '\\',
    '%',
    '_',
    '#{7*7}',
    '{{7*7}}',
    '\u0000',
    '\ud800',
    'a\nb',
    '<script>',
  ]
  for (const text of texts)
    for (const path of [
      `${A}/sensors?q=`,
      `${A}/sensors?tag=`,
      `${A}/series?sensors=all&step=1h&channel=`,
      `${A}/sensors?cursor=`,
      `${GIS}/runs?q=`,
      `${GIS}/jobs?cursor=`,
    ]) {
      const answer = await asPair('GET', path + (text === '\ud800' ? '%ED%A0%80' : encodeURIComponent(text)))
      expect({ path, text, ok: answer.status < 500 }).toEqual({ path, text, ok: true })
      expect(JSON.stringify(answer)).not.toMatch(/SELECT |syntax error|ClickHouse|DB::|pg_/i)
    }
  const channels = ['__proto__', 'constructor', "a'b", 'a"b', '<b>', 'a\\'].map((name) => ({
    name,
    measurement: 'number' as const,
  }))
  const sensor = await instance.sensor(mine.id, channels)
  const at = new Date().toISOString()
  // as text: in an object literal, __proto__ would not be a member
  const values = channels.map(({ name }, i) => `${JSON.stringify(name)}:${i}`)
  const sent = await instance.send(sensor, `{"readings":[{"at":"${at}","values":{${values}}}]}`)
  expect(await sent.json()).toMatchObject({ data: { accepted: [at] } })
})

test('the key of a deleted sensor or application is refused at once', async () => {
  const sensor = await instance.sensor(mine.id, [{ name: 'a', measurement: 'number' }])
  const reading = () => instance.send(sensor, { readings: [{ at: new Date().toISOString(), values: { a: 1 } }] })
  expect((await reading()).status).toBe(200)
  await instance.manage('DELETE', `/sensors/${sensor.id}`)
  expect((await reading()).status).toBe(401)
  const application = (await things.application(mine.id)) as unknown as {
    id: string
    publicKey: string
    secretKey: string
  }
  const call = () =>
    callAs(instance.url(), undefined, 'GET', `${A}/sensors`, {
      headers: keysOf(application as unknown as Organization),
    })
  expect((await call()).status).toBe(200)
  await instance.manage('DELETE', `/applications/${application.id}`)
  expect((await call()).status).toBe(401)
})
