/** Calls of Tool APIs: keys, the order of all checks, the allowance of the day, usage, calls per minute and lengths. */
import { expect, test } from 'bun:test'
import { limitedInstance, sharedInstance } from '../../support/server/shared-instance.ts'
import { collection, feature, toolApisOf } from '../../support/server/tool-apis.ts'
import { inOneMinute } from '../../support/until.ts'
import { box, point } from '../../support/workers/engine.ts'

const { layer, save, run, call } = toolApisOf(() => instance)

const instance = await sharedInstance()
const { id: owner } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'business' })

test('unknown, missing, revoked and wrong keys get the same answer', async () => {
  const api = await save(owner, 'vector.centroids')
  const second = await instance.manage<{ keyId: string; key: string }>('POST', `/tool-apis/${api.id}/keys`)
  expect((await run({ id: api.id, key: second.key }, { input: point(0, 0) })).status).toBe(200)
  await instance.manage('DELETE', `/tool-apis/${api.id}/keys/${second.keyId}`)
  expect(api.key).toMatch(/^svcapi_[\w-]{43}$/)
  const answers = await Promise.all([
    run({ id: `tap_${'0'.repeat(32)}`, key: api.key }, { input: 1 }),
    run(api, { input: 1 }, { authorization: '' }),
    run({ id: api.id, key: second.key }, { input: 1 }),
    run({ id: api.id, key: `svcapi_${'A'.repeat(43)}` }, 'not JSON at all'),
  ])
  const plain = answers.map(({ text, headers }) => ({
    text: text.replace(/"(requestId|timestamp|path)":"[^"]*"/g, '"$1":""'),
    headers: [...headers].filter(([name]) => !['x-request-id', 'date', 'content-length'].includes(name)),
  }))
  expect(answers[0]).toMatchObject({ status: 401, code: 'TOOL_API_KEY_INVALID' })
  for (const one of plain) expect(one).toEqual(plain[0] as never)
})

test('the first failing check determines the answer', async () => {
  const person = await instance.manage<{ id: string }>('POST', '/people', { email: 'o@example.org', plan: 'pro' })
  const zones = await layer(person.id, feature(box(0, 0, 1, 1)))
  const api = await save(person.id, 'vector.spatial-join', { binding: { kind: 'layer', id: zones.id } })
  const bad = async () => (await run(api, { input: 'bad' })).code
  await instance.manage('PATCH', '/tiers/pro', { apiRequestsPerDay: 0 })
  await instance.manage('PATCH', `/people/${person.id}`, { status: 'suspended', plan: 'free' })
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { held: true, heldReason: 'looked into', enabled: false })
  await instance.manage('DELETE', `/owners/${person.id}/layers/${zones.id}`)

  expect((await run({ ...api, key: 'no' }, { input: 'bad' })).code).toBe('TOOL_API_KEY_INVALID')
  expect(await bad()).toBe('TOOL_API_SUSPENDED')
  await instance.manage('PATCH', `/people/${person.id}`, { status: 'active' })
  expect(await bad()).toBe('TOOL_API_HELD')
  // the owner sees the reason, callers do not
  expect(await instance.manage('GET', `/tool-apis/${api.id}`)).toMatchObject({ held: true, heldReason: 'looked into' })
  expect((await run(api, {})).text).not.toContain('looked into')
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { held: false })
  expect(await bad()).toBe('TOOL_API_DISABLED')
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { enabled: true })
  expect(await bad()).toBe('TOOL_API_PLAN')
  await instance.manage('PATCH', `/people/${person.id}`, { plan: 'plus' })
  expect(await bad()).toBe('TOOL_API_PLAN')
  await instance.manage('PATCH', '/tiers/plus', { toolApis: true, apiRequestsPerDay: 100 })
  expect(await bad()).toBe('GIS_TIER_REQUIRED')
  await instance.manage('PATCH', '/tiers/plus', { toolApis: false })
  await instance.manage('PATCH', `/people/${person.id}`, { plan: 'pro' })
  const spent = await run(api, { input: 'bad' })
  expect(spent).toMatchObject({ status: 429, code: 'API_KEY_QUOTA' })
  expect(Number(spent.headers.get('retry-after'))).toBeWithin(1, 86_401)
  await instance.manage('PATCH', '/tiers/pro', { apiRequestsPerDay: 1000 })
  expect(await bad()).toBe('TOOL_API_INPUT_INVALID')
  expect(await run(api, { input: point(0, 0) })).toMatchObject({ status: 409, code: 'TOOL_API_BINDING_MISSING' })
  for (const [code, status] of [
    ['TOOL_API_SUSPENDED', 403],
    ['TOOL_API_PLAN', 403],
  ] as const) {
    await instance.manage(
      'PATCH',
      `/people/${person.id}`,
      code === 'TOOL_API_PLAN' ? { status: 'active', plan: 'plus' } : { status: 'suspended' },
    )
    expect(await run(api, {})).toMatchObject({ code, status })
  }
})

test('all Tool APIs of an owner share the daily allowance, failed calls count, and a kill resets nothing', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Small', tier: 'starter' })
  await instance.manage('PATCH', `/enterprises/${id}`, { apiRequestsPerDay: 5 })
  const apis = [await save(id, 'vector.centroids'), await save(id, 'vector.convex-hull')]
  const [a, b] = apis as [(typeof apis)[number], (typeof apis)[number]]
  expect((await run(a, { input: point(1, 2) })).status).toBe(200)
  expect((await run(b, { input: 'bad' })).status).toBe(422)
  // calls rejected before this check cost nothing
  await run({ ...a, key: 'wrong' }, { input: point(1, 2) })
  await instance.manage('PATCH', `/tool-apis/${b.id}`, { enabled: false })
  await run(b, { input: point(1, 2) })
  await instance.manage('PATCH', `/tool-apis/${b.id}`, { enabled: true })
  expect((await run(b, { input: point(1, 2) })).status).toBe(200)
  await instance.kill('SIGKILL')
  await instance.restart()
  expect((await run(a, { input: point(1, 2) })).status).toBe(200)
  expect((await run(a, { input: point(1, 2) })).status).toBe(200)
  expect(await run(b, { input: point(1, 2) })).toMatchObject({ status: 429, code: 'ENTERPRISE_API_DAILY_LIMIT' })
  const usage = await instance.manage<Record<string, unknown>>('GET', `/owners/${id}/usage`)
  expect(usage.requests).toMatchObject({ used: 5, allowance: 5 })
}, 120_000)

test('usage reports calls, failures and durations', async () => {
  const api = await save(owner, 'vector.centroids')
  for (const input of [point(1, 2), 'bad', point(3, 4)]) await run(api, { input })
  const today = new Date().toISOString().slice(0, 10)
  const usage = await instance.manage<Record<string, never>>(
    'GET',
    `/tool-apis/${api.id}/usage?from=${today}&to=${today}`,
  )
  expect(usage).toMatchObject({ calls: 3, failures: 1, days: [{ day: today, calls: 3, failures: 1 }] })
  expect(usage.durationMs).toBeGreaterThan(0)
  expect(await call('GET', `/tool-apis/${api.id}/usage?from=2026-02-02&to=2026-02-01`)).toMatchObject({
    status: 422,
    errors: [{ field: 'query.from', rule: 'order' }],
  })
})

test('a repeated key is answered after the states and before the allowance, and statistics have its call once', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Small', tier: 'starter' })
  await instance.manage('PATCH', `/enterprises/${id}`, { apiRequestsPerDay: 2 })
  const api = await save(id, 'vector.centroids')
  const [good, bad] = [{ 'idempotency-key': 'good' }, { 'idempotency-key': 'bad' }]
  const first = await run(api, { input: point(1, 2) }, good)
  const refused = await run(api, { input: 'bad' }, bad)
  expect([first.status, refused.status]).toEqual([200, 422])
  for (const [headers, input, { status, text }] of [
    [good, point(1, 2), first],
    [bad, 'bad', refused],
  ] as const) {
    const again = await run(api, { input }, headers)
    expect([again.status, again.headers.get('idempotency-replayed'), again.text]).toEqual([status, 'true', text])
  }
  expect(await run(api, { input: point(1, 3) }, good)).toMatchObject({ status: 422, code: 'IDEMPOTENCY_KEY_REUSED' })
  expect(await run(api, { input: point(1, 2) }, { 'idempotency-key': 'new' })).toMatchObject({
    status: 429,
    code: 'ENTERPRISE_API_DAILY_LIMIT',
  })
  expect(await run(api, { input: point(1, 2) }, { 'idempotency-key': 'x'.repeat(256) })).toMatchObject({
    status: 422,
    code: 'VALIDATION_FAILED',
    errors: [{ field: 'Idempotency-Key' }],
  })
  // the same key at another Tool API of the owner is a different key
  const other = await save(id, 'vector.centroids')
  expect((await run(other, { input: point(1, 2) }, good)).code).toBe('ENTERPRISE_API_DAILY_LIMIT')
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { held: true })
  expect((await run(api, { input: point(1, 2) }, good)).code).toBe('TOOL_API_HELD')
  const today = new Date().toISOString().slice(0, 10)
  const usage = await instance.manage('GET', `/tool-apis/${api.id}/usage?from=${today}&to=${today}`)
  expect(usage).toMatchObject({ calls: 2, failures: 1 })
})

test('the key of a call that exceeded the allowance, or found no bound item, is released', async () => {
  const { id } = await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'Small', tier: 'starter' })
  await instance.manage('PATCH', `/enterprises/${id}`, { apiRequestsPerDay: 0 })
  const zones = await layer(id, feature(box(0, 0, 1, 1)))
  const api = await save(id, 'vector.spatial-join', { binding: { kind: 'layer', id: zones.id } })
  const call = () => run(api, { input: point(0.5, 0.5) }, { 'idempotency-key': 'again' })
  expect((await call()).code).toBe('ENTERPRISE_API_DAILY_LIMIT')
  await instance.manage('PATCH', `/enterprises/${id}`, { apiRequestsPerDay: 10 })
  await instance.manage('DELETE', `/owners/${id}/layers/${zones.id}`)
  expect((await call()).code).toBe('TOOL_API_BINDING_MISSING')
  const others = await layer(id, feature(box(0, 0, 1, 1)))
  await instance.manage('PATCH', `/tool-apis/${api.id}`, { binding: { kind: 'layer', id: others.id } })
  const answered = await call()
  expect([answered.status, answered.headers.get('idempotency-replayed')]).toEqual([200, null])
})

test('each Tool API answers sixty calls per minute', async () => {
  const limited = await limitedInstance()
  const mine = toolApisOf(() => limited)
  const { id, statuses, refused } = await inOneMinute(async () => {
    const { id } = await limited.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'business' })
    const a = await mine.save(id, 'vector.centroids')
    const statuses: number[] = []
    const key = { 'idempotency-key': 'once' }
    for (let i = 0; i < 60; i++)
      statuses.push(
        i < 20
          ? (await mine.run(a, { input: point(1, 2) }, key)).status
          : (await mine.run(a, { input: i % 3 === 0 ? 'bad' : point(1, 2) })).status,
      )
    return { id, statuses, refused: await mine.run(a, { input: point(1, 2) }, key) }
  })
  expect(statuses.filter((status) => status === 429)).toEqual([])
  expect(refused).toMatchObject({ status: 429, code: 'TOOL_API_RATE_LIMITED' })
  expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 62)
  const b = await mine.save(id, 'vector.centroids')
  expect((await mine.run(b, { input: point(1, 2) })).status).toBe(200)
  // neither the rejected call nor the 19 replayed ones count against the daily allowance
  const usage = await limited.manage<{ requests: { used: number } }>('GET', `/owners/${id}/usage`)
  expect(usage.requests.used).toBe(42)
}, 120_000)

test('short and long bodies and results give the same answer', async () => {
  const boxes = Array.from({ length: 900 }, (_, i) => feature(box(i % 30, i / 30, (i % 30) + 1.2, i / 30 + 1.2), { i }))
  const zones = await layer(owner, ...boxes)
  const binding = { kind: 'layer', id: zones.id }
  const join = await save(owner, 'vector.intersect', { binding })
  const check = await save(owner, 'vector.inside-check', {
    binding,
    rule: { kind: 'partly' },
    referenceFields: ['i'],
  })
  const spot = collection(feature(box(0.1, 0.1, 0.2, 0.2)))
  const wide = collection(feature(box(0, 0, 29, 29)))
  const many = collection(...Array.from({ length: 650 }, (_, i) => feature(point((i % 30) + 0.5, i / 30))))
  for (const [api, input, isLong] of [
    [join, spot, false],
    [join, wide, true],
    [check, spot, false],
    [check, many, true],
  ] as const) {
    const body = JSON.stringify({ input })
    expect(body.length).toBeLessThan(64 * 1024)
    const [short, padded] = [await run(api, body), await run(api, body + ' '.repeat(70_000))]
    expect(short.status).toBe(200)
    expect(short.data).toEqual(padded.data)
    expect(JSON.stringify(short.data).length > 64 * 1024).toBe(isLong)
  }
})
