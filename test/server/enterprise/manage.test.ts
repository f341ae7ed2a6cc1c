/** /manage/v1 over HTTP. */
import { expect, test } from 'bun:test'
import type { Envelope } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'

const instance = await sharedInstance()

async function call<T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: unknown,
  token = instance.operatorToken(),
) {
  const response = await fetch(`${instance.url()}/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  return { status: response.status, ...((await response.json()) as Envelope<T>) }
}
const made = async (path: string, body: object): Promise<Record<string, string>> =>
  (await call<Record<string, string>>('POST', path, body)).data

test('every route rejects calls without the operator token before any validation', async () => {
  const description = (await (await fetch(`${instance.url()}/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>
  }
  let routes = 0
  for (const [path, methods] of Object.entries(description.paths)) {
    if (!path.startsWith('/manage/v1')) continue
    for (const method of Object.keys(methods)) {
      routes++
      for (const token of ['', 'svcop_wrong', instance.operatorToken().slice(0, -1)]) {
        const answer = await call(
          method.toUpperCase(),
          path.slice('/manage/v1'.length),
          method === 'get' || method === 'delete' ? undefined : {},
          token,
        )
        expect({ path, method, status: answer.status, code: answer.code }).toEqual({
          path,
          method,
          status: 401,
          code: 'OPERATOR_TOKEN_INVALID',
        })
        if (token === '') break
      }
    }
  }
  expect(routes).toBeGreaterThan(35)
}, 120_000)

test('every resource can be created, read, updated, listed and deleted', async () => {
  const enterprise = await made('/enterprises', { name: 'Acme', tier: 'starter' })
  expect(enterprise.id).toMatch(/^ent_[0-9a-f]{32}$/)
  const below = `/enterprises/${enterprise.id}`
  const kinds: [string, string, object, object, RegExp][] = [
    [
      '/people',
      '/people',
      { email: 'Pat.of.all@example.org', plan: 'pro' },
      { plan: 'max', status: 'suspended' },
      /^per_/,
    ],
    [`${below}/members`, '/members', { email: 'mo.of.all@example.org', role: 'owner' }, { role: 'admin' }, /^mem_/],
    [
      `${below}/applications`,
      '/applications',
      { name: 'App', tools: ['vector.buffer'] },
      { tools: 'all', name: 'Bapp' },
      /^app_/,
    ],
    [`${below}/assets`, '/assets', { name: 'Pump' }, { name: 'Pump 2' }, /^ass_/],
    [
      `${below}/sensors`,
      '/sensors',
      { channels: [{ name: 'a', measurement: 'whole' }] },
      { enabled: false, held: true, heldReason: 'test' },
      /^sen_/,
    ],
    [
      '/enterprises',
      '/enterprises',
      { name: 'Other', tier: 'scale' },
      {
        name: 'Renamed',
        status: 'suspended',
        assetsHeld: true,
        heldReason: 'x',
        retentionDays: 7,
        readingsPerDay: 5,
        apiRequestsPerDay: 6,
        credits: 7,
      },
      /^ent_/,
    ],
  ]
  for (const [collection, own, input, change, id] of kinds) {
    const record = await made(collection, input)
    expect(record.id).toMatch(id)
    const path = `${own}/${record.id}`
    expect((await call('GET', path)).data).toMatchObject({ id: record.id })
    expect((await call('PATCH', path, change)).data).toMatchObject(change as Record<string, unknown>)
    expect((await call('GET', path)).data).toMatchObject(change as Record<string, unknown>)
    const list = await call<{ items: { id: string }[]; nextCursor: string | null }>('GET', `${collection}?limit=1000`)
    expect(list.data.items.map((item) => item.id)).toContain(record.id as string)
    expect((await call('DELETE', path)).status).toBe(200)
    for (const method of ['GET', 'DELETE'])
      expect(await call(method, path)).toMatchObject({ status: 404, code: 'NOT_FOUND', ok: false })
    const trail = await call<{
      items: { action: string; before: object | null; after: object | null; actor: string }[]
    }>('GET', `/audit?subject=${record.id}`)
    expect(trail.data.items.map(({ action }) => action)).toEqual(['delete', 'update', 'create'])
    expect(trail.data.items[1]?.after).toMatchObject(change as Record<string, unknown>)
    expect(trail.data.items[1]?.before).not.toMatchObject(change as Record<string, unknown>)
  }
})

test('the effective limits come from the enterprise, or else from its tier', async () => {
  const { id } = await made('/enterprises', { name: 'Acme', tier: 'starter' })
  const limits = async () => (await call<{ limits: object }>('GET', `/enterprises/${id}`)).data.limits
  expect(await limits()).toEqual({ retentionDays: 90, readingsPerDay: 1_000_000, apiRequestsPerDay: 10_000 })
  await call('PATCH', `/enterprises/${id}`, { tier: 'business', readingsPerDay: 5 })
  expect(await limits()).toEqual({ retentionDays: 365, readingsPerDay: 5, apiRequestsPerDay: 100_000 })
  await call('PATCH', `/enterprises/${id}`, { readingsPerDay: null })
  expect(await limits()).toEqual({ retentionDays: 365, readingsPerDay: 50_000_000, apiRequestsPerDay: 100_000 })
})

test('keys are shown once and never again', async () => {
  const { id } = await made('/enterprises', { name: 'Acme', tier: 'starter' })
  const sensor = await made(`/enterprises/${id}/sensors`, { channels: [] })
  const application = await made(`/enterprises/${id}/applications`, { name: 'x', tools: 'all' })
  expect(application.publicKey).toMatch(/^svc_pk_[\w-]{43}$/)
  expect(application.secretKey).toMatch(/^svc_sk_[\w-]{43}$/)
  expect(sensor.key).toMatch(/^svcsn_[\w-]{43}$/)
  const rotated = (await call<Record<string, string>>('POST', `/applications/${application.id}/keys`)).data
  const secrets = [sensor.key, application.secretKey, rotated.secretKey] as string[]
  const everything = await Promise.all(
    [
      `/sensors/${sensor.id}`,
      `/sensors/${sensor.id}/keys`,
      `/applications/${application.id}`,
      `/applications/${application.id}/keys`,
      '/audit?limit=1000',
      `/enterprises/${id}/sensors`,
    ].map((path) => call('GET', path)),
  )
  const text = JSON.stringify(everything) + instance.log()
  for (const secret of secrets) {
    expect(text).not.toContain(secret)
    expect(text).not.toContain(new Bun.CryptoHasher('sha256').update(secret).digest('hex'))
    expect(text).toContain(secret.slice(-4))
  }
  const keys = (
    await call<{ items: { id: string; revokedAt: string | null }[] }>('GET', `/applications/${application.id}/keys`)
  ).data.items
  expect(keys).toHaveLength(2)
  expect((await call('DELETE', `/applications/${application.id}/keys/${keys[0]?.id}`)).status).toBe(200)
  expect((await call('DELETE', `/applications/${application.id}/keys/${keys[0]?.id}`)).status).toBe(404)
})

test('the creation of a sensor returns the same record as later reads and the audit trail', async () => {
  const { id } = await made('/enterprises', { name: 'Acme', tier: 'starter' })
  const input = {
    channels: [
      { name: 'level', measurement: 'number', unit: 'm' },
      { name: 'open', measurement: 'boolean' },
    ],
  }
  for (const assetName of ['Pump "1" / مضخة', 'Pump "1" / مضخة', undefined]) {
    const { key, ...sensor } = await made(`/enterprises/${id}/sensors`, { ...input, ...(assetName && { assetName }) })
    expect(key).toMatch(/^svcsn_/)
    expect((await call('GET', `/sensors/${sensor.id}`)).data).toEqual(sensor)
    const trail = await call<{ items: { after: unknown }[] }>('GET', `/audit?subject=${sensor.id}`)
    expect(trail.data.items.map(({ after }) => after)).toEqual([sensor])
    expect(sensor.assetName).toBe(assetName ?? (sensor.id as string))
    const asset = await call('GET', `/assets/${sensor.assetId}`)
    const assetTrail = await call<{ items: { after: unknown }[] }>('GET', `/audit?subject=${sensor.assetId}`)
    expect(assetTrail.data.items.map(({ after }) => after)).toEqual([asset.data])
  }
  const assets = (await call<{ items: unknown[] }>('GET', `/enterprises/${id}/assets`)).data.items
  expect(assets).toHaveLength(2)
  expect((await call('POST', '/enterprises/ent_unknown/sensors', input)).status).toBe(404)
})

test('pages of lists have no gaps and no overlaps', async () => {
  const { id } = await made('/enterprises', { name: 'Acme', tier: 'starter' })
  for (let i = 0; i < 7; i++) await made(`/enterprises/${id}/assets`, { name: `Asset ${i}` })
  const names: string[] = []
  for (let cursor = '', pages = 0; ; pages++) {
    const { data } = await call<{ items: { name: string }[]; nextCursor: string | null }>(
      'GET',
      `/enterprises/${id}/assets?limit=3${cursor}`,
    )
    names.push(...data.items.map(({ name }) => name))
    if (data.nextCursor === null) {
      expect(pages).toBe(2)
      break
    }
    cursor = `&cursor=${data.nextCursor}`
  }
  expect(names).toEqual(Array.from({ length: 7 }, (_, i) => `Asset ${i}`))
})

test.each<[string, string, unknown, string, string]>([
  ['POST', '/enterprises', { name: 'x', tier: 'gold' }, 'body.tier', 'enum'],
  ['POST', '/enterprises', { tier: 'scale' }, 'body.name', 'required'],
  ['POST', '/enterprises', { name: 5, tier: 'scale' }, 'body.name', 'string'],
  ['POST', '/enterprises', { name: '', tier: 'scale' }, 'body.name', 'minLength'],
  ['POST', '/enterprises', { name: 'x', tier: 'scale', id: 'ent_1' }, 'body.id', 'additionalProperties'],
  ['POST', '/people', { email: 'nobody', plan: 'pro' }, 'body.email', 'pattern'],
  ['POST', '/people', { email: 'a@b.c', plan: 'gold' }, 'body.plan', 'enum'],
  ['GET', '/enterprises?limit=1001', undefined, 'query.limit', 'maximum'],
  ['GET', '/enterprises?limit=0', undefined, 'query.limit', 'minimum'],
  ['GET', '/enterprises?limit=x', undefined, 'query.limit', 'number'],
  ['GET', '/enterprises?nope=1', undefined, 'query.nope', 'additionalProperties'],
])('%s %s with %j names the field and its rule', async (method, path, body, field, rule) => {
  const answer = await call(method, path, body)
  expect({ status: answer.status, code: answer.code }).toEqual({ status: 422, code: 'VALIDATION_FAILED' })
  expect(answer.errors?.find((error) => error.field === field)).toMatchObject({ field, rule })
})

test('invalid input below an enterprise and malformed JSON are rejected', async () => {
  const { id } = await made('/enterprises', { name: 'Acme', tier: 'starter' })
  const twice = {
    channels: [
      { name: 'a', measurement: 'whole' },
      { name: 'a', measurement: 'number' },
    ],
  }
  expect((await call('POST', `/enterprises/${id}/sensors`, twice)).errors?.[0]).toMatchObject({
    field: 'body.channels.1.name',
    rule: 'unique',
  })
  expect(
    (await call('POST', `/enterprises/${id}/sensors`, { channels: [{ name: 'a', measurement: 'text' }] })).errors?.[0],
  ).toMatchObject({
    field: 'body.channels.0.measurement',
    rule: 'enum',
    message: 'must be one of number, whole, boolean',
  })
  expect(await call('POST', '/enterprises/ent_nobody/sensors', { channels: [] })).toMatchObject({
    status: 404,
    code: 'NOT_FOUND',
  })
  expect(await call('POST', '/enterprises', '{"name":')).toMatchObject({ status: 400, code: 'BAD_REQUEST' })
  expect(
    await call('POST', '/enterprises', JSON.stringify({ name: 'x'.repeat(6_000_000), tier: 'scale' })),
  ).toMatchObject({ status: 413, code: 'BODY_TOO_LARGE' })
  await made(`/enterprises/${id}/members`, { email: 'A@example.org', role: 'member' })
  expect(await call('POST', `/enterprises/${id}/members`, { email: 'a@EXAMPLE.org', role: 'member' })).toMatchObject({
    status: 409,
    code: 'CONFLICT',
  })
})

test('a channel keeps its number when it changes, and gets a new one with a new measurement', async () => {
  const { id } = await made('/enterprises', { name: 'Acme', tier: 'starter' })
  const sensor = await made(`/enterprises/${id}/sensors`, {
    channels: [
      { name: 'a', measurement: 'number' },
      { name: 'b', measurement: 'number' },
    ],
  })
  const change = async (channels: object[]) =>
    (
      await call<{ channels: { number: number; name: string; active: boolean }[] }>('PATCH', `/sensors/${sensor.id}`, {
        channels,
      })
    ).data.channels
  expect(
    await change([
      { name: 'a', measurement: 'boolean' },
      { name: 'b', measurement: 'number', unit: 'm' },
    ]),
  ).toMatchObject([
    { number: 1, name: 'a', active: false },
    { number: 2, name: 'b', active: true, unit: 'm' },
    { number: 3, name: 'a', active: true },
  ])
  expect(await change([{ name: 'a', measurement: 'number' }])).toMatchObject([
    { number: 1, active: true },
    { number: 2, active: false },
    { number: 3, active: false },
  ])
})
