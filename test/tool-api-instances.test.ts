/** Tool APIs on two instances with one PostgreSQL and one Redis (both real): changes act on the next call of the other. */
import { expect, test } from 'bun:test'
import { box, point } from './support/engine.ts'
import { feature, toolApisOf, type Verdict } from './support/tool-apis.ts'
import { sharedPair, TOOL_API_CALLS } from './support/two-instances.ts'

const { one: a, other: b } = await sharedPair()
const onA = toolApisOf(() => a)
const onB = toolApisOf(() => b)
const { id: owner } = await a.manage<{ id: string }>('POST', '/enterprises', { name: 'Owner', tier: 'scale' })

test('edits, switches and keys changed on one instance act on the next call of the other', async () => {
  const zones = await onA.layer(owner, feature(box(0, 0, 1, 1), { tag: 0 }, 'zone'))
  const api = await onA.save(owner, 'vector.inside-check', {
    ...{ binding: { kind: 'layer', id: zones.id }, referenceFields: ['tag'] },
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
