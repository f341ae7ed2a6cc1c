/**
 * Tool APIs on two instances with one PostgreSQL and one Redis (both real): changes act on the next call of the other,
 * and statistics equal the callers' own counts.
 */
import { expect, test } from 'bun:test'
import type { Instance } from '../../support/server/instance.ts'
import { collection, feature, type ToolApi, toolApisOf, type Verdict } from '../../support/server/tool-apis.ts'
import { sharedPair, TOOL_API_CALLS } from '../../support/server/two-instances.ts'
import { box, point } from '../../support/workers/engine.ts'

type Counts = {
  calls: number
  results: number
  refused: number
  failed: number
  features: number
  codes: Record<string, number>
  latency: { p50Ms: number; p95Ms: number; maxMs: number } | null
  trials: number
}
type Statistics = {
  step: string
  from: string
  to: string
  items: (Counts & { start: string })[]
  total: Counts
  refusals: { code: string; at: string; message: string; requestId: string; isTrial: boolean }[]
}
type Listed = {
  items: {
    id: string
    activity: {
      state: string
      reason: string | null
      boundName: string | null
      today: Counts
      lastCallAt: string | null
    }
  }[]
}

const { one: a, other: b } = await sharedPair()
const onA = toolApisOf(() => a)
const onB = toolApisOf(() => b)
const { id: owner } = await a.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'scale' })

const statistics = (on: Instance, api: ToolApi, query = ''): Promise<Statistics> =>
  on.manage('GET', `/tool-apis/${api.id}/statistics${query}`)
const points = (count: number) => collection(...Array.from({ length: count }, (_, i) => feature(point(i, 1))))

async function settled(on: Instance, api: ToolApi, calls: number): Promise<Statistics> {
  for (;;) {
    const found = await statistics(on, api)
    if (found.total.calls + found.total.trials >= calls) return found
    await Bun.sleep(50)
  }
}

test('both instances add up their counts, including refusals, and keep them when they stop', async () => {
  const zones = await onA.layer(owner, feature(box(0, 0, 30, 30), { tag: 'secret' }))
  const api = await onA.save(owner, 'vector.inside-check', { binding: { kind: 'layer', id: zones.id } })
  const own = { codes: {} as Record<string, number>, results: 0, features: 0, calls: 0, slowestMs: 0 }
  const count = (code: string): void => {
    own.calls++
    if (code === 'TOOL_API_RESULT') own.results++
    else own.codes[code] = (own.codes[code] ?? 0) + 1
  }
  const sides = [onA, onB]
  for (let i = 0; i < 24; i++) {
    const side = sides[i % 2] as typeof onA
    const startedMs = performance.now()
    const sent = i % 6
    if (sent < 4) {
      const answer = await side.run(api, { input: points(sent + 1) })
      own.slowestMs = Math.max(own.slowestMs, performance.now() - startedMs)
      own.features += sent + 1
      count(answer.code)
    } else if (sent === 4) count((await side.run(api, { input: point(200, 91.5) })).code)
    else count((await side.run({ ...api, key: 'svcapi_wrong' }, { input: points(1) })).code)
  }
  // a flood on both at once: some exceed the calls per minute
  const flood = await Promise.all(
    Array.from({ length: 30 }, (_, i) => (sides[i % 2] as typeof onA).run(api, { input: points(2) })),
  )
  for (const { code } of flood) {
    count(code)
    if (code === 'TOOL_API_RESULT') own.features += 2
  }
  expect(own.codes.TOOL_API_RATE_LIMITED).toBeGreaterThan(0)
  await onA.call('PATCH', `/tool-apis/${api.id}`, { enabled: false })
  count((await onB.run(api, { input: points(1) })).code)
  expect(own.codes.TOOL_API_DISABLED).toBe(1)

  await Promise.all([a.kill('SIGTERM'), b.kill('SIGTERM')])
  await Promise.all([a.restart(), b.restart()])
  for (const instance of [a, b]) {
    const { total, items, step } = await statistics(instance, api)
    const refused = Object.values(own.codes).reduce((sum, codes) => sum + codes, 0)
    expect(total).toMatchObject({
      calls: own.calls,
      results: own.results,
      refused,
      failed: 0,
      features: own.features,
      codes: own.codes,
      trials: 0,
    })
    expect(total.codes).toEqual(own.codes)
    expect(step).toBe('day')
    expect(items).toHaveLength(30)
    expect(items.reduce((sum, { calls }) => sum + calls, 0)).toBe(own.calls)
    const { latency } = total
    expect(latency?.p50Ms).toBeGreaterThan(0)
    expect(latency?.p95Ms).toBeGreaterThanOrEqual(latency?.p50Ms ?? 0)
    expect(latency?.maxMs).toBeGreaterThanOrEqual(latency?.p95Ms ?? 0)
    const hours = await statistics(instance, api, '?step=hour')
    expect(hours.items).toHaveLength(48)
    expect(hours.total).toEqual(total)
  }
}, 120_000)

test('the newest refusal of each code has its request but no part of the body', async () => {
  const api = await onA.save(owner, 'vector.buffer', { settings: { distance_by: 'field', distance_field: 'width' } })
  const send = (input: unknown, id: string) => onA.run(api, { input }, { 'x-request-id': id })
  await send(feature(point(0, 0), { nothing: 1 }), 'first')
  const column = await settled(a, api, 1)
  expect(column.refusals[0]?.message).not.toContain('nothing')
  await send(collection(feature(point(1, 1)), feature(point(123.25, 97.5), { name: 'private' })), 'second')
  expect((await onA.run(api, { input: point(1, 1), PRIVATE: 1 })).message).toContain('PRIVATE')
  await settled(a, api, 3)
  await send(collection(feature(point(1, 1)), feature(point(123.25, 97.5), { name: 'private' })), 'third')
  const { refusals } = await settled(b, api, 4)
  expect(refusals).toHaveLength(1)
  expect(refusals[0]).toMatchObject({ code: 'TOOL_API_INPUT_INVALID', requestId: 'third', isTrial: false })
  expect(refusals[0]?.message).toContain('feature 1: longitude must be from -180 to 180')
  expect(JSON.stringify(refusals)).not.toMatch(/private|97\.5|123/i)
  expect(Math.abs(Date.parse(refusals[0]?.at ?? '') - Date.now())).toBeLessThan(60_000)
})

test('trials run the same code, count against the allowance, and are counted separately', async () => {
  const small = await a.manage<{ id: string }>('POST', '/enterprises', { name: 'Small', tier: 'starter' })
  await a.manage('PATCH', `/enterprises/${small.id}`, { apiRequestsPerDay: 3 })
  const api = await onA.save(small.id, 'vector.centroids')
  const attempt = (input: unknown, id = api.id) => onA.call('POST', `/tool-apis/${id}/try`, { input })
  const tried = await attempt(box(0, 0, 2, 2))
  const called = await onA.run(api, { input: box(0, 0, 2, 2) })
  expect(tried).toMatchObject({ code: 'TOOL_API_RESULT', data: called.data })
  expect(await attempt('bad')).toMatchObject({ status: 422, code: 'TOOL_API_INPUT_INVALID' })
  expect(await attempt(point(0, 0))).toMatchObject({ status: 429, code: 'ENTERPRISE_API_DAILY_LIMIT' })
  expect(await attempt(point(0, 0), `tap_${'0'.repeat(32)}`)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  const { total, refusals } = await settled(b, api, 4)
  expect(total).toMatchObject({ calls: 1, results: 1, refused: 0, features: 1, codes: {}, trials: 3 })
  expect(refusals.map(({ code, isTrial }) => [code, isTrial]).sort()).toEqual([
    ['ENTERPRISE_API_DAILY_LIMIT', true],
    ['TOOL_API_INPUT_INVALID', true],
  ])
  const { items } = await a.manage<Listed>('GET', `/owners/${small.id}/tool-apis`)
  expect(items[0]?.activity).toMatchObject({ state: 'refused', reason: 'ENTERPRISE_API_DAILY_LIMIT', boundName: null })
})

test('lists contain the state of calls, the reason, the bound item and the calls of today', async () => {
  const person = await a.manage<{ id: string }>('POST', '/people', { email: 'states@example.org', plan: 'pro' })
  const zones = await onA.layer(person.id, feature(box(0, 0, 1, 1)))
  const api = await onA.save(person.id, 'vector.spatial-join', { binding: { kind: 'layer', id: zones.id } })
  const file = await onA.upload(`/owners/${person.id}/files`, 'zones.geojson', JSON.stringify(points(2)))
  const ofFile = await onA.save(person.id, 'vector.spatial-join', {
    binding: { kind: 'file-version', id: file.data.id, version: 1 },
  })
  const activityOf = async (id = api.id) => {
    const { items } = await b.manage<Listed>('GET', `/owners/${person.id}/tool-apis`)
    const listed = items.find((item) => item.id === id)?.activity
    const single = await b.manage<Listed['items'][number]>('GET', `/tool-apis/${id}`)
    expect(single.activity).toEqual(listed as never)
    return listed
  }
  const reason = async (id?: string) => {
    const activity = await activityOf(id)
    return [activity?.state, activity?.reason]
  }
  expect(await activityOf()).toMatchObject({ state: 'on', reason: null, boundName: 'Layer', lastCallAt: null })
  expect(await activityOf(ofFile.id)).toMatchObject({ state: 'on', reason: null, boundName: 'zones.geojson' })
  const beforeMs = Date.now()
  await onA.run(api, { input: point(0.5, 0.5) })
  await settled(b, api, 1)
  const called = await activityOf()
  expect(called?.today).toMatchObject({ calls: 1, results: 1 })
  expect(Date.parse(called?.lastCallAt ?? '')).toBeGreaterThanOrEqual(beforeMs)
  const change = (path: string, body: object) => a.manage('PATCH', path, body)
  await change(`/tool-apis/${api.id}`, { enabled: false })
  expect(await reason()).toEqual(['off', 'TOOL_API_DISABLED'])
  await change(`/tool-apis/${api.id}`, { held: true, heldReason: 'looked into' })
  expect(await reason()).toEqual(['held', 'TOOL_API_HELD'])
  await change(`/tool-apis/${api.id}`, { held: false, enabled: true })
  await change(`/people/${person.id}`, { plan: 'free' })
  expect(await reason()).toEqual(['refused', 'TOOL_API_PLAN'])
  await change(`/people/${person.id}`, { status: 'suspended', plan: 'pro' })
  expect(await reason()).toEqual(['refused', 'TOOL_API_SUSPENDED'])
  await change(`/people/${person.id}`, { status: 'active' })
  await a.manage('DELETE', `/owners/${person.id}/layers/${zones.id}`)
  expect(await reason()).toEqual(['refused', 'TOOL_API_BINDING_MISSING'])
  await change(`/owners/${person.id}/files/${file.data.id}/versions/1`, { scanStatus: 'infected' })
  expect(await reason(ofFile.id)).toEqual(['refused', 'TOOL_API_BINDING_MISSING'])
  // calls get the same code
  expect((await onA.run(api, { input: point(0, 0) })).code).toBe('TOOL_API_BINDING_MISSING')
  expect((await onA.run(ofFile, { input: point(0, 0) })).code).toBe('TOOL_API_BINDING_MISSING')
})

test('a preview answers like a call of the saved tool, and counts as a request', async () => {
  const { id } = await a.manage<{ id: string }>('POST', '/enterprises', { name: 'Preview', tier: 'starter' })
  await a.manage('PATCH', `/enterprises/${id}`, { apiRequestsPerDay: 4 })
  const zones = await onA.layer(id, feature(box(0, 0, 10, 10), { tag: 'in' }))
  const saved = {
    binding: { kind: 'layer', id: zones.id },
    referenceFields: ['tag'],
    rule: { kind: 'percent', percent: 40 },
  }
  const input = collection(feature(box(5, 5, 15, 6)), feature(box(20, 20, 21, 21)))
  const preview = (more: object) =>
    onB.call('POST', `/owners/${id}/tool-api-previews`, { tool: 'vector.inside-check', ...saved, input, ...more })
  const api = await onA.save(id, 'vector.inside-check', saved)
  const [before, called] = [await preview({}), await onA.run(api, { input })]
  expect(before).toMatchObject({ status: 200, code: 'TOOL_API_RESULT', data: called.data })
  expect(await preview({ input: { type: 'Circle' } })).toMatchObject({ status: 422, code: 'TOOL_API_INPUT_INVALID' })
  // an invalid setting is refused before the call counts
  expect(await preview({ tool: 'raster.hillshade' })).toMatchObject({ code: 'VALIDATION_FAILED' })
  expect(await preview({ binding: { kind: 'layer', id: 'lay_0' } })).toMatchObject({ code: 'VALIDATION_FAILED' })
  expect(await preview({})).toMatchObject({ status: 200 })
  expect(await preview({})).toMatchObject({ status: 429, code: 'ENTERPRISE_API_DAILY_LIMIT' })
})

test('the range has whole steps and a limit', async () => {
  const api = await onA.save(owner, 'vector.centroids')
  const day = await statistics(a, api, '?from=2026-03-01&to=2026-03-03')
  expect([day.from, day.to]).toEqual(['2026-03-01T00:00:00.000Z', '2026-03-03T00:00:00.000Z'])
  expect(day.items.map(({ start, calls, latency }) => [start, calls, latency])).toEqual([
    ['2026-03-01T00:00:00.000Z', 0, null],
    ['2026-03-02T00:00:00.000Z', 0, null],
  ])
  const hour = await statistics(a, api, '?step=hour&from=2026-03-01T10:20:00Z&to=2026-03-01T13:00:00%2B01:00')
  expect([hour.from, hour.to]).toEqual(['2026-03-01T10:00:00.000Z', '2026-03-01T12:00:00.000Z'])
  for (const [query, field] of [
    ['?from=2025-01-01&to=2026-01-01', 'query.from'],
    ['?step=hour&from=2026-01-01&to=2026-01-04', 'query.from'],
    ['?from=2026-02-01&to=2026-01-01', 'query.from'],
    ['?to=yesterday', 'query.to'],
    ['?step=week', 'query.step'],
  ] as const)
    await expect(statistics(a, api, query)).rejects.toThrow(field)
})

test('edits, switches and keys changed on one instance take effect on the next call of the other', async () => {
  const zones = await onA.layer(owner, feature(box(0, 0, 1, 1), { tag: 0 }, 'zone'))
  const api = await onA.save(owner, 'vector.inside-check', {
    binding: { kind: 'layer', id: zones.id },
    referenceFields: ['tag'],
  })
  const on = async (side: typeof onA, x: number) => {
    const { code, data } = await side.run<Verdict>(api, { input: point(x + 0.5, 0.5) })
    return data?.results[0]?.reference.tag ?? data?.results[0]?.relation ?? code
  }
  for (let edit = 0; edit < 12; edit++) {
    const editor = edit % 2 === 0 ? a : b
    await editor.manage('PATCH', `/owners/${owner}/layers/${zones.id}/features`, {
      upsert: [feature(box(edit, 0, edit + 1, 1), { tag: edit }, 'zone')],
    })
    expect(await Promise.all([on(onA, edit), on(onB, edit)])).toEqual([edit, edit])
  }
  await b.manage('PATCH', `/tool-apis/${api.id}`, { enabled: false })
  expect(await on(onA, 11)).toBe('TOOL_API_DISABLED')
  await a.manage('PATCH', `/tool-apis/${api.id}`, { enabled: true })
  expect(await on(onB, 11)).toBe(11)
  await b.manage('PATCH', `/enterprises/${owner}`, { status: 'suspended' })
  expect(await on(onA, 11)).toBe('TOOL_API_SUSPENDED')
  await a.manage('PATCH', `/enterprises/${owner}`, { status: 'active' })
  expect(await on(onB, 11)).toBe(11)
  await a.manage('DELETE', `/tool-apis/${api.id}/keys/${api.keys[0]?.id}`)
  expect(await on(onB, 11)).toBe('TOOL_API_KEY_INVALID')
})

test('rate limit and daily allowance are counted across instances', async () => {
  const { id } = await a.manage<{ id: string }>('POST', '/enterprises', { name: 'Small', tier: 'starter' })
  await a.manage('PATCH', `/enterprises/${id}`, { apiRequestsPerDay: TOOL_API_CALLS + 10 })
  const [first, second] = [await onA.save(id, 'vector.centroids'), await onA.save(id, 'vector.centroids')]
  const codes: string[] = []
  for (let i = 0; i < TOOL_API_CALLS + 2; i++)
    codes.push((await (i % 2 ? onA : onB).run(first, { input: point(1, 1) })).code)
  expect(codes.slice(0, TOOL_API_CALLS)).toEqual(Array(TOOL_API_CALLS).fill('TOOL_API_RESULT'))
  expect(codes.slice(TOOL_API_CALLS)).toEqual(['TOOL_API_RATE_LIMITED', 'TOOL_API_RATE_LIMITED'])
  const more = await Promise.all(
    Array.from({ length: 14 }, (_, i) => (i % 2 ? onA : onB).run(second, { input: point(1, 1) })),
  )
  expect(more.filter(({ code }) => code === 'TOOL_API_RESULT').length).toBe(10)
  expect(more.filter(({ code }) => code === 'ENTERPRISE_API_DAILY_LIMIT').length).toBe(4)
  const [onOne, onOther] = await Promise.all(
    [a, b].map((side) => side.manage<{ requests: object }>('GET', `/owners/${id}/usage`)),
  )
  expect(onOne?.requests).toMatchObject({ used: TOOL_API_CALLS + 10, allowance: TOOL_API_CALLS + 10 })
  expect(onOther?.requests).toMatchObject({ used: TOOL_API_CALLS + 10, allowance: TOOL_API_CALLS + 10 })
})
