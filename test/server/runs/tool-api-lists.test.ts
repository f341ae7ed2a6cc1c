/** The list of Tool APIs: searched, filtered and sorted by the server, in pages. */
import { beforeAll, expect, test } from 'bun:test'
import type { Envelope } from '../../support/server/instance.ts'
import { sharedInstance } from '../../support/server/shared-instance.ts'
import { type ToolApi, toolApisOf } from '../../support/server/tool-apis.ts'
import { box } from '../../support/workers/engine.ts'

type Item = { id: string; name: string; keys: { id: string }[]; activity: { state: string; today: { calls: number } } }
type Page = {
  items: Item[]
  nextCursor: string | null
  total?: number
  states?: Record<string, number>
  tools?: string[]
}

const apis = new Map<string, ToolApi>()
const { save, run } = toolApisOf(() => instance)

const instance = await sharedInstance()
const owner = (await instance.manage<{ id: string }>('POST', '/enterprises', { name: 'List', tier: 'scale' })).id
beforeAll(async () => {
  for (const [name, tool] of [
    ['Delta', 'vector.centroids'],
    ['alpha', 'vector.buffer'],
    ['Yard 10', 'vector.centroids'],
    ['Yard 9', 'vector.centroids'],
    ['مناطق', 'vector.buffer'],
  ] as const)
    apis.set(name, await save(owner, tool, { name, ...(tool === 'vector.buffer' && { settings: { distance_m: 5 } }) }))
  const idOf = (name: string): string => apis.get(name)?.id ?? ''
  await instance.manage('PATCH', `/tool-apis/${idOf('Delta')}`, { enabled: false })
  await instance.manage('PATCH', `/tool-apis/${idOf('alpha')}`, { held: true, heldReason: 'Too many calls' })
  for (let i = 0; i < 2; i++) await run(apis.get('Yard 9') as ToolApi, { input: box(0, 0, 1, 1) })
}, 120_000)

const listed = (query: Record<string, string>): Promise<Page> =>
  instance.manage('GET', `/owners/${owner}/tool-apis?${new URLSearchParams(query)}`)
const namesOf = async (query: Record<string, string>): Promise<string[]> =>
  (await listed(query)).items.map(({ name }) => name)

test('pages in every order list each Tool API once, as one large page does', async () => {
  for (const sort of ['name', 'tool', 'binding', 'state', 'calls', 'refused', 'p95', 'lastCall'])
    for (const order of ['asc', 'desc']) {
      const whole = await listed({ sort, order })
      expect(whole.items.length).toBe(5)
      const found: string[] = []
      for (let cursor = ''; ; ) {
        const page = await listed({ sort, order, limit: '2', ...(cursor !== '' && { cursor }) })
        expect(page.total).toBe(5)
        found.push(...page.items.map(({ id }) => id))
        if (page.nextCursor === null) break
        cursor = page.nextCursor
      }
      expect(found).toEqual(whole.items.map(({ id }) => id))
      expect(new Set(found).size).toBe(5)
    }
})

test('names are sorted in natural order, calls by their number, missing values last', async () => {
  expect(await namesOf({ sort: 'name' })).toEqual(['alpha', 'Delta', 'Yard 9', 'Yard 10', 'مناطق'])
  expect(await namesOf({ sort: 'name', lang: 'ar', order: 'asc' })).toEqual([
    'مناطق',
    'alpha',
    'Delta',
    'Yard 9',
    'Yard 10',
  ])
  expect((await namesOf({ sort: 'calls', order: 'desc' }))[0]).toBe('Yard 9')
  for (const order of ['asc', 'desc']) expect((await namesOf({ sort: 'lastCall', order }))[0]).toBe('Yard 9')
  expect(await namesOf({ sort: 'state' })).toEqual(['alpha', 'Delta', 'Yard 9', 'Yard 10', 'مناطق'])
})

test('the list is searched and filtered, and counts the states of all', async () => {
  const states = { refused: 0, held: 1, off: 1, on: 3 }
  expect(await listed({ q: 'yard', sort: 'name' })).toMatchObject({
    total: 2,
    states,
    tools: ['vector.buffer', 'vector.centroids'],
    items: [{ name: 'Yard 9', keys: [{ id: apis.get('Yard 9')?.keys[0]?.id }] }, { name: 'Yard 10' }],
  })
  // by the title of the tool in either language, and by the id
  expect((await namesOf({ q: 'Buffer', sort: 'name' })).sort()).toEqual(['alpha', 'مناطق'])
  expect(await namesOf({ q: apis.get('Delta')?.id ?? '' })).toEqual(['Delta'])
  expect((await namesOf({ state: 'off,held' })).sort()).toEqual(['Delta', 'alpha'].sort())
  expect((await namesOf({ tool: 'vector.buffer' })).sort()).toEqual(['alpha', 'مناطق'].sort())
  expect(await listed({ q: 'nothing is named so' })).toMatchObject({ items: [], total: 0, states, nextCursor: null })
  expect(await namesOf({ sort: 'name', offset: '3', limit: '10' })).toEqual(['Yard 10', 'مناطق'])
})

test('without parameters the list is in the order of ids, without counts', async () => {
  const first = await listed({ limit: '3' })
  expect(first.total).toBeUndefined()
  const rest = await listed({ limit: '3', cursor: first.nextCursor ?? '' })
  const ids = [...first.items, ...rest.items].map(({ id }) => id)
  expect(ids).toEqual([...apis.values()].map(({ id }) => id).sort())
})

test('bad queries are refused with the name of the field', async () => {
  for (const [query, field] of [
    ['state=broken', 'query.state'],
    ['sort=secret', 'query.sort'],
    ['sort=name&cursor=tap_1', 'query.cursor'],
    ['sort=name&cursor=o1&offset=1', 'query.offset'],
    ['offset=-1', 'query.offset'],
  ]) {
    const response = await fetch(`${instance.url()}/manage/v1/owners/${owner}/tool-apis?${query}`, {
      headers: { authorization: `Bearer ${instance.operatorToken()}` },
    })
    const { code, errors } = (await response.json()) as Envelope & { errors: { field: string }[] }
    expect([query, response.status, code, errors[0]?.field]).toEqual([query, 422, 'VALIDATION_FAILED', field])
  }
})
